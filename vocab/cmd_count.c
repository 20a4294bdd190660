/*
 * vocab/cmd_count.c - t2t-vocab count: the words of a text with their counts, for build --counts.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "tokenizer/unicode.h"
#include "vocab/vocab_commands.h"
#include "vocab/word_counts.h"

static struct voc_corpus corpus = {.field = "", .feature = "", .is_strict = true};
static const char *output = "", *task_text = "0/1", *unicode = "11", *tmp_dir = "";
static uint64_t max_memory;
static const char *dialect = "t2t";
static int64_t budget = -1;

/* clang-format off */
static const struct t2_flag table[] = {
    {"output", T2_FLAG_STRING, &output, "FILE", "Where the counts go; - is stdout.", NULL},
    {"o", T2_FLAG_STRING, &output, "FILE", "The same.", NULL},
    {"task", T2_FLAG_STRING, &task_text, "I/N",
     "Count only part I (from 0) of N; `build --counts` adds the parts of all machines.", NULL},
    {"unicode", T2_FLAG_STRING, &unicode, "VERSION",
     "Whose letters and digits make words: 5.2 (Python 2.7), 9 (3.6), 11 (3.7), 12.1, 13, 14, 15, "
     "15.1.", NULL},
    VOC_BUDGET_FLAGS(budget),
    {"dialect", T2_FLAG_STRING, &dialect, "NAME",
     "Whose rule samples when there is a budget: t2t or official.", NULL},
    VOC_CORPUS_FLAGS(corpus),
    {"as_is", T2_FLAG_BOOL, &corpus.as_in_files, NULL,
     "Texts as they stand: no CR deleted, no blanks stripped, as the originals' readers do.", NULL},
    VOC_MEMORY_FLAGS(max_memory, tmp_dir,
                     "What the counts may take; more goes to disk, sorted. 0 = no limit. Reading "
                     "takes up to 12M for each thread and 12M more besides."),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab count",
    .usage = "--output=FILE [flags] INPUT...",
    .summary = "Counts the words of text, one machine's part of the work if wanted.",
    .examples = "  t2t-vocab count --task=3/16 -o part3.counts corpus.*.gz\n"
                "  t2t-vocab build --counts --target_size=32768 -o x.subwords part*.counts\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status count_and_save(const struct tok_tally_limits *limits, uint64_t task,
                                     uint64_t n_tasks, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    struct tok_tally *tally = NULL;
    uint64_t n_distinct = 0;
    enum t2_status st = voc_count_words(&corpus, task, n_tasks, pool, limits, &tally, err);

    if (st == T2_OK && tok_tally_runs(tally) > 0)
        t2_info("joining %zu sorted parts", tok_tally_runs(tally));
    if (st == T2_OK)
        st = tok_tally_save(tally, pool, output, &n_distinct, err);
    if (st == T2_OK)
        t2_info("%" PRIu64 " distinct words", n_distinct);
    tok_tally_free(tally);
    t2_pool_free(pool);
    return st;
}

static enum t2_status count(struct t2_strs *args, struct t2_err *err)
{
    struct tok_tally_limits limits = {.max_memory = max_memory};
    uint64_t task = 0, n_tasks = 1;
    char *beside;
    enum t2_status st;

    if (output[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--output is needed: where do the counts go?");
    T2_TRY(voc_set_budget(&corpus, dialect, budget, err));
    if (!voc_parse_task(task_text, &task, &n_tasks))
        return t2_fail(err, T2_EUSAGE, "--task='%s' is not I/N with 0 <= I < N", task_text);
    if (!tok_unicode_use(unicode))
        return t2_fail(err, T2_EUSAGE, "--unicode='%s': known are %s", unicode,
                       tok_unicode_versions());
    T2_TRY(voc_corpus_open(&corpus, args, err));
    T2_TRY(voc_try_output(output, err));
    T2_TRY(voc_beside(tmp_dir, output, &beside, err));
    limits.beside = beside;
    st = count_and_save(&limits, task, n_tasks, err);
    t2_free(beside);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    corpus.max_memory = max_memory;
    if (st == T2_OK)
        st = count(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_count = {"count", "Counts words, for a build in parts.", run};
