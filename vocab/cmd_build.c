/*
 * vocab/cmd_build.c - t2t-vocab build: a subword vocabulary from text or from counts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/heaps.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/text.h"
#include "tokenizer/counts_file.h"
#include "tokenizer/unicode.h"
#include "vocab/vocab_commands.h"
#include "vocab/word_counts.h"

/*
 * Rates of a slow core, for forecasts: bytes counted per second and thread, characters of distinct
 * words built per second.
 */
enum { SLOW_BYTES_PER_S = 150000000, SLOW_CHARACTERS_PER_S = 2000000 };

static struct voc_corpus corpus = {.field = "", .feature = "", .is_strict = true};
static struct tok_build_options options;
static const char *output = "", *dialect = "t2t", *reserved = "", *unicode = "11", *tmp_dir = "";
static int64_t target_size = 32768, min_count, max_length, budget = -1, threshold, iterations = 4;
static double coverage = 1;
static bool search, from_counts, dry_run, search_given;
static uint64_t max_memory;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to build", NULL},
    {"output", T2_FLAG_STRING, &output, "FILE", "The vocabulary file.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"target_size", T2_FLAG_INT, &target_size, "N",
     "Wanted number of subwords; the result is near it, not equal, as in the originals.", NULL},
    {"dialect", T2_FLAG_STRING, &dialect, "NAME",
     "t2t: Tensor2Tensor's SubwordTextEncoder. official: the official Transformer's Subtokenizer.",
     NULL},
    {"min_count", T2_FLAG_INT, &min_count, "N",
     "No search: build once, with this count; 0 = search (t2t) or 6 (official).", NULL},
    {"search", T2_FLAG_BOOL, &search, NULL,
     "Official: search for the count as data_download --search does.", &search_given},
    {"threshold", T2_FLAG_INT, &threshold, "N",
     "Official: how far from the target a size may be; 0 = 327.", NULL},
    {"iterations", T2_FLAG_INT, &iterations, "N", "Rounds of each build.", NULL},
    {"max_subtoken_length", T2_FLAG_INT, &max_length, "N",
     "T2t: longest subword counted is N-1 characters, as in the original; 0 = any.", NULL},
    {"reserved", T2_FLAG_STRING, &reserved, "A,B",
     "Further reserved tokens, after <pad> and <EOS>.", NULL},
    {"character_coverage", T2_FLAG_DOUBLE, &coverage, "X",
     "Share of the text's characters that get entries; rarer ones are escaped.", NULL},
    {"unicode", T2_FLAG_STRING, &unicode, "VERSION",
     "Whose letters and digits make words: 5.2 (Python 2.7), 9 (3.6), 11 (3.7), 12.1, 13, 14, 15, "
     "15.1.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to read", NULL},
    VOC_BUDGET_FLAGS(budget),
    {"counts", T2_FLAG_BOOL, &from_counts, NULL,
     "The inputs are files of `t2t-vocab count`; their counts are added.", NULL},
    VOC_CORPUS_FLAGS(corpus),
    {"as_is", T2_FLAG_BOOL, &corpus.as_in_files, NULL,
     "Texts as they stand: no CR deleted, no blanks stripped, as the originals' readers do.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How", NULL},
    VOC_MEMORY_FLAGS(max_memory, tmp_dir,
                     "Counts above half of it go to disk, sorted; a vocabulary that needs more to "
                     "be built is refused as soon as that is known. 0 = no limit. Reading takes "
                     "up to 12M for each thread and 12M more besides."),
    {"dry_run", T2_FLAG_BOOL, &dry_run, NULL, "Count, print the plan, build nothing.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab build",
    .usage = "--output=FILE [flags] INPUT...",
    .summary = "Builds the subword vocabulary that Tensor2Tensor or the official Transformer would "
               "build, byte for byte, for any number of threads or counting machines.",
    .examples = "  t2t-vocab build --target_size=8192 -o x.subwords train.en train.de.gz\n"
                "  t2t-vocab build --dialect=official -o vocab.ende.32768 train.en train.de\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static void print_line(void *arg, const char *line)
{
    (void) arg;
    t2_info("%s", line);
}

static enum t2_status take_options(struct t2_strs *names, struct t2_err *err)
{
    bool official;

    T2_TRY(voc_set_budget(&corpus, dialect, budget, err));
    official = corpus.dialect == TOK_DIALECT_OFFICIAL;
    if (output[0] == 0 && !dry_run)
        return t2_fail(err, T2_EUSAGE, "--output is needed: where does the vocabulary go?");
    if (target_size < 1)
        return t2_fail(err, T2_EUSAGE, "--target_size=%" PRId64 " is not positive", target_size);
    if (min_count < 0 || threshold < 0 || iterations < 1 || iterations > 100 || max_length < 0 ||
        max_length > INT32_MAX)
        return t2_fail(err, T2_EUSAGE,
                       "--min_count, --threshold and --max_subtoken_length cannot be negative, "
                       "--iterations is 1 to 100");
    if (search && min_count > 0)
        return t2_fail(err, T2_EUSAGE, "--search and --min_count exclude each other");
    if (!official && (threshold > 0 || (search_given && !search)))
        return t2_fail(err, T2_EUSAGE, "--threshold and --nosearch belong to --dialect=official");
    if (!tok_unicode_use(unicode))
        return t2_fail(err, T2_EUSAGE, "--unicode='%s': known are %s", unicode,
                       tok_unicode_versions());
    t2_strs_push(names, "<pad>");
    t2_strs_push(names, "<EOS>");
    t2_strs_split(names, reserved, ',');
    options = (struct tok_build_options){
        .dialect = corpus.dialect,
        .target_size = !official && min_count > 0 ? 0 : target_size,
        .min_count = official && min_count == 0 && !search ? TOK_OFFICIAL_MIN_COUNT : min_count,
        .threshold = threshold,
        .iterations = (int) iterations,
        .max_subtoken_length = (int) max_length,
        .reserved = (const char *const *) names->items,
        .n_reserved = names->n,
        .character_coverage = coverage,
        .log = print_line,
    };
    return tok_build_check(&options, err);
}

/* Whether building from these words, perhaps not yet all, fits into --max_memory. */
static enum t2_status check_memory(void *arg, const struct tok_counts *counts, struct t2_err *err)
{
    uint64_t need = tok_build_least(counts);
    char bytes[32], limit[32];

    (void) arg;
    if (max_memory == 0 || need <= max_memory)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "building from %zu distinct words or more needs %s at least, --max_memory is "
                   "%s: raise it, or read less with --file_byte_budget",
                   tok_counts_distinct(counts), t2_human_bytes(need, bytes, sizeof bytes),
                   t2_human_bytes(max_memory, limit, sizeof limit));
}

static enum t2_status add_files(const struct t2_strs *args, struct tok_counts **counts,
                                struct t2_err *err)
{
    if (args->n == 0)
        return t2_fail(err, T2_EUSAGE, "--counts: give the files of `t2t-vocab count`");
    *counts = tok_counts_new();
    for (size_t i = 0; i < args->n; i++)
        T2_TRY(tok_counts_load(args->items[i], *counts, check_memory, NULL, err));
    return T2_OK;
}

static enum t2_status count(struct t2_strs *args, struct t2_pool *pool, struct tok_counts **counts,
                            struct t2_err *err)
{
    struct tok_tally_limits limits = {.max_memory = max_memory / 2, .check = check_memory};
    struct tok_tally *tally = NULL;
    char bytes[32], seconds[32];
    char *beside;
    enum t2_status st;

    if (from_counts)
        return add_files(args, counts, err);
    T2_TRY(voc_corpus_open(&corpus, args, err));
    T2_TRY(voc_beside(tmp_dir, dry_run ? "-" : output, &beside, err));
    limits.beside = beside;
    if (corpus.bytes > 0)
        t2_info("counting the words of %s: about %s",
                t2_human_bytes(corpus.bytes, bytes, sizeof bytes),
                t2_human_seconds((double) corpus.bytes / SLOW_BYTES_PER_S / t2_pool_threads(pool),
                                 seconds, sizeof seconds));
    st = voc_count_words(&corpus, 0, 1, pool, &limits, &tally, err);
    if (st == T2_OK)
        st = tok_tally_table(tally, pool, counts, err);
    tok_tally_free(tally);
    t2_free(beside);
    return st;
}

/* Says what building takes, and refuses what does not fit. */
static enum t2_status plan(const struct tok_counts *counts, struct t2_err *err)
{
    uint64_t need = tok_build_memory(counts, &options);
    char bytes[32], seconds[32], limit[32];

    t2_info("%zu distinct words; building takes about %s and %s", tok_counts_distinct(counts),
            t2_human_bytes(need, bytes, sizeof bytes),
            t2_human_seconds((double) tok_counts_characters(counts) / SLOW_CHARACTERS_PER_S,
                             seconds, sizeof seconds));
    if (max_memory == 0 || need <= max_memory)
        return check_memory(NULL, counts, err);
    return t2_fail(err, T2_ENOMEM,
                   "building from %zu distinct words takes about %s, --max_memory is %s: raise it, "
                   "or read less with --file_byte_budget",
                   tok_counts_distinct(counts), bytes,
                   t2_human_bytes(max_memory, limit, sizeof limit));
}

static enum t2_status build(struct t2_strs *args, struct t2_err *err)
{
    struct t2_pool *pool;
    struct tok_counts *counts = NULL;
    struct tok_encoder *e = NULL;
    char hex[65];
    enum t2_status st;

    t2_bound_heaps();
    options.pool = pool = t2_pool_new(t2_flags_num_threads());
    options.max_memory = max_memory;
    st = dry_run ? T2_OK : voc_try_output(output, err);
    if (st == T2_OK)
        st = count(args, pool, &counts, err);
    options.spent = counts;
    if (st == T2_OK)
        st = plan(counts, err);
    if (st == T2_OK && !dry_run) {
        st = tok_build(counts, &options, &e, err);
        if (st == T2_OK)
            st = tok_save(e, output, err);
        if (st == T2_OK) {
            tok_sha256(e, hex);
            t2_info("'%s': %d subwords, SHA-256 %s", output, (int) tok_size(e), hex);
        }
    }
    tok_free(e);
    tok_counts_free(counts);
    t2_pool_free(pool);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0}, names = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    corpus.max_memory = max_memory;
    if (st == T2_OK)
        st = take_options(&names, err);
    if (st == T2_OK)
        st = build(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&names);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_build = {"build", "Builds a subword vocabulary.", run};
