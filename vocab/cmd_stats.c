/*
 * vocab/cmd_stats.c - t2t-vocab stats: what a vocabulary makes of a corpus, and which max_length
 * fits.
 *
 * Memory: a histogram, a cache and a mark per entry for each thread, a few longest lines; nothing
 * grows with the corpus.  What a line takes grows with its length, so that has a limit: a share of
 * --max_memory, or of what the machine has.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/memory_available.h"
#include "base/pool.h"
#include "tokenizer/encoder.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/subwords.h"
#include "tokenizer/unicode.h"
#include "vocab/corpus.h"
#include "vocab/entry_text.h"
#include "vocab/length_histogram.h"
#include "vocab/vocab_commands.h"

enum { MOST_CACHE_BYTES = 32 << 20, MAX_SHOWN = 1000 };

static struct voc_corpus corpus = {.field = "", .feature = "", .as_in_files = true};
static const char *vocab = "", *unicode = "11";
static int64_t n_shown = 5;
static bool as_json;
static uint64_t max_memory;

/* clang-format off */
static const struct t2_flag table[] = {
    {"vocab", T2_FLAG_STRING, &vocab, "FILE", "The vocabulary.", NULL},
    {"n", T2_FLAG_INT, &n_shown, "N", "How many longest lines and unused entries are listed.", NULL},
    {"json", T2_FLAG_BOOL, &as_json, NULL, "One JSON object.", NULL},
    {"max_memory", T2_FLAG_SIZE, &max_memory, "SIZE", "Memory to use: a line may have a sixteenth of it; default: what the machine has.", NULL},
    {"unicode", T2_FLAG_STRING, &unicode, "VERSION",
     "Whose letters and digits make words, for subwords of T2T.", NULL},
    VOC_CORPUS_FLAGS(corpus),
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-vocab stats",
    .usage = "--vocab=FILE [flags] [INPUT...]",
    .summary =
        "Encodes lines and counts: tokens per word and per line, the share of unknown or escaped "
        "ones, the longest lines, the percentiles of length from which max_length is chosen, and "
        "entries that no line uses. Without INPUT the standard input is read.",
    .examples = "  t2t-vocab stats --vocab=x.subwords train.en\n"
                "  t2t-vocab stats --json --vocab=spm.model --column=2 pairs.tsv\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* ---- counting ---- */

struct counts {
    uint64_t lines, bytes, chars, words, tokens;
    uint64_t unknown; /* tokens that stand for what the vocabulary does not have */
    uint64_t escaped; /* characters spelled out: T2T's \233; and bytes <0xE9> */
};

struct long_line {
    uint64_t tokens, line; /* line from 1 */
    const char *path;
};

struct result {
    struct counts counts;
    struct long_line *longest; /* n_shown at most, the longest first, then in order */
    size_t n_longest;
    struct tok_ids ids;
};

struct worker {
    struct tok_cache *cache;
    struct voc_lengths *lengths;
    uint8_t *used; /* by id */
};

struct job {
    const struct tok_encoder *e;
    const struct tok_subwords *subwords; /* of T2T's subwords, else NULL */
    int32_t unknown;
    bool *is_byte; /* by id: <0xNN> */
    struct worker *workers;
    int n_workers;
    struct result total;
};

/*
 * Characters, words (runs without blanks) and, for T2T's subwords, characters outside the
 * alphabet, which are escaped as \NNN;.
 */
static void count_text(const struct job *job, struct t2_slice line, struct counts *c)
{
    bool in_word = false;

    c->bytes += line.len_bytes;
    for (size_t at = 0; at < line.len_bytes;) {
        uint32_t x;
        bool valid, blank;
        at += tok_utf8_decode(line.data + at, line.len_bytes - at, &x, &valid);
        blank = tok_is_space(x);
        c->chars++;
        c->words += !blank && !in_word;
        in_word = !blank;
        if (job->subwords && x != ' ' && !tok_alphabet_has(&job->subwords->alphabet, x))
            c->escaped++;
    }
}

/* Inserts a line into the list of the longest, which is sorted; of equal ones the first stays in
 * front.  Blocks are joined in order, so that the list does not depend on the threads. */
static void offer_long(struct result *r, struct long_line l)
{
    size_t at = r->n_longest, max = (size_t) n_shown;

    while (at > 0 && r->longest[at - 1].tokens < l.tokens)
        at--;
    if (at == max)
        return;
    if (!r->longest)
        r->longest = t2_alloc(max, sizeof *r->longest);
    if (r->n_longest < max)
        r->n_longest++;
    memmove(r->longest + at + 1, r->longest + at, (r->n_longest - 1 - at) * sizeof *r->longest);
    r->longest[at] = l;
}

static enum t2_status count_block(void *context, const struct voc_block *b, void *result,
                                  int worker, struct t2_err *err)
{
    struct job *job = context;
    struct worker *w = &job->workers[worker];
    struct result *r = result;

    r->counts = (struct counts){.lines = b->n};
    r->n_longest = 0;
    for (size_t i = 0; i < b->n; i++) {
        r->ids.n = 0;
        if (tok_encode(job->e, w->cache, b->lines[i].data, b->lines[i].len_bytes, &r->ids, err) !=
            T2_OK)
            return t2_wrap(err, "'%s': line %" PRIu64, b->path, b->first + i + 1);
        count_text(job, b->lines[i], &r->counts);
        r->counts.tokens += r->ids.n;
        for (size_t k = 0; k < r->ids.n; k++) {
            int32_t id = r->ids.items[k];
            r->counts.unknown += id == job->unknown;
            if (id < 0 || id >= tok_size(job->e)) /* integers: any number is an id */
                continue;
            w->used[id] = 1;
            r->counts.escaped += job->is_byte[id];
        }
        voc_lengths_add(w->lengths, r->ids.n);
        offer_long(r, (struct long_line){r->ids.n, b->first + i + 1, b->path});
    }
    return T2_OK;
}

static enum t2_status add_block(void *context, const struct voc_block *b, void *result,
                                struct t2_err *err)
{
    struct result *total = &((struct job *) context)->total, *r = result;

    (void) b;
    (void) err;
    total->counts.lines += r->counts.lines;
    total->counts.bytes += r->counts.bytes;
    total->counts.chars += r->counts.chars;
    total->counts.words += r->counts.words;
    total->counts.tokens += r->counts.tokens;
    total->counts.unknown += r->counts.unknown;
    total->counts.escaped += r->counts.escaped;
    for (size_t i = 0; i < r->n_longest; i++)
        offer_long(total, r->longest[i]);
    return T2_OK;
}

static void release_block(void *context, void *result)
{
    struct result *r = result;

    (void) context;
    t2_free(r->longest);
    tok_ids_release(&r->ids);
}

static bool is_byte_piece(struct t2_slice s)
{
    return s.len_bytes == 6 && memcmp(s.data, "<0x", 3) == 0 && s.data[5] == '>';
}

static void start_workers(struct job *job)
{
    size_t n = (size_t) tok_size(job->e);
    uint64_t cache_bytes = max_memory / 8 / (uint64_t) job->n_workers;

    if (cache_bytes > MOST_CACHE_BYTES)
        cache_bytes = MOST_CACHE_BYTES;
    job->workers = t2_alloc((size_t) job->n_workers, sizeof *job->workers);
    for (int i = 0; i < job->n_workers; i++)
        job->workers[i] = (struct worker){tok_cache_new(job->e, (size_t) cache_bytes),
                                          voc_lengths_new(), t2_alloc(n, 1)};
    job->is_byte = t2_alloc(n, sizeof(bool));
    for (size_t i = 0; i < n; i++)
        job->is_byte[i] = is_byte_piece(tok_entry(job->e, (int32_t) i));
}

/* All workers' marks and lengths into those of the first. */
static void join_workers(struct job *job)
{
    for (int i = 1; i < job->n_workers; i++) {
        voc_lengths_join(job->workers[0].lengths, job->workers[i].lengths);
        for (int32_t id = 0; id < tok_size(job->e); id++)
            job->workers[0].used[id] |= job->workers[i].used[id];
    }
}

static void stop_workers(struct job *job)
{
    for (int i = 0; i < job->n_workers; i++) {
        tok_cache_free(job->workers[i].cache);
        voc_lengths_free(job->workers[i].lengths);
        t2_free(job->workers[i].used);
    }
    t2_free(job->workers);
    t2_free(job->is_byte);
    t2_free(job->total.longest);
}

/* ---- reporting ---- */

static const unsigned percentiles[] = {500, 900, 950, 990, 999, 1000};
static const char *const percentile_names[] = {"50 %", "90 %", "95 %", "99 %", "99.9 %", "longest"};
static const char *const percentile_keys[] = {"p50", "p90", "p95", "p99", "p99_9", "max"};
static const uint64_t max_lengths[] = {64, 128, 256, 512};
static const char *const max_length_keys[] = {"64", "128", "256", "512"};
enum { N_PERCENTILES = 6, N_MAX_LENGTHS = 4 };

static double ratio(uint64_t a, uint64_t b)
{
    return b > 0 ? (double) a / (double) b : 0;
}

/* The share of lines whose ids and <EOS> together are at most max_length. */
static double share_kept(const struct job *job, uint64_t max_length)
{
    const struct voc_lengths *h = job->workers[0].lengths;

    return ratio(voc_lengths_at_most(h, max_length - 1), voc_lengths_count(h));
}

static uint64_t count_unused(const struct job *job)
{
    uint64_t n = 0;

    for (int32_t id = 0; id < tok_size(job->e); id++)
        n += !job->workers[0].used[id];
    return n;
}

static void put_unused(const struct job *job, struct t2_buf *out)
{
    int64_t n = 0;

    for (int32_t id = 0; id < tok_size(job->e) && n < n_shown; id++) {
        struct t2_slice entry = tok_entry(job->e, id);
        struct t2_json j;
        if (job->workers[0].used[id])
            continue;
        t2_buf_printf(out, "%s%" PRId32 " ", n++ == 0 ? "                    " : "  ", id);
        t2_json_init(&j, out, 0);
        t2_json_bytes(&j, entry.data, entry.len_bytes);
    }
    if (n > 0)
        t2_buf_push(out, '\n');
}

static void put_text(const struct job *job, struct t2_buf *out)
{
    const struct counts *c = &job->total.counts;
    const struct voc_lengths *h = job->workers[0].lengths;
    uint64_t n_unused = count_unused(job), n_ids = (uint64_t) tok_size(job->e);

    t2_buf_printf(out, "vocabulary          %s: %s, %" PRIu64 " ids\n", vocab, tok_kind(job->e),
                  n_ids);
    t2_buf_printf(out,
                  "lines               %" PRIu64 "\nwords               %" PRIu64
                  "\ncharacters          %" PRIu64 "\nbytes               %" PRIu64
                  "\ntokens              %" PRIu64 "\n",
                  c->lines, c->words, c->chars, c->bytes, c->tokens);
    t2_buf_printf(out,
                  "tokens per word     %.3f\ntokens per line     %.2f\ncharacters a token  %.2f\n",
                  ratio(c->tokens, c->words), ratio(c->tokens, c->lines),
                  ratio(c->chars, c->tokens));
    if (job->subwords)
        t2_buf_printf(out, "escaped characters  %" PRIu64 " (%.4f %%)\n", c->escaped,
                      100 * ratio(c->escaped, c->chars));
    else
        t2_buf_printf(out,
                      "unknown tokens      %" PRIu64 " (%.4f %%)\nbyte tokens         %" PRIu64
                      " (%.4f %%)\n",
                      c->unknown, 100 * ratio(c->unknown, c->tokens), c->escaped,
                      100 * ratio(c->escaped, c->tokens));
    t2_buf_printf(out, "unused entries      %" PRIu64 " (%.2f %%)\n", n_unused,
                  100 * ratio(n_unused, n_ids));
    put_unused(job, out);
    t2_buf_puts(out, "tokens of a line   ");
    for (int i = 0; i < N_PERCENTILES; i++)
        t2_buf_printf(out, "%s %s %" PRIu64, i > 0 ? "," : "", percentile_names[i],
                      voc_lengths_percentile(h, percentiles[i]));
    t2_buf_puts(out, "\nwith <EOS>, max_length keeps");
    for (int i = 0; i < N_MAX_LENGTHS; i++)
        t2_buf_printf(out, "%s %" PRIu64 ": %.3f %%", i > 0 ? "," : "", max_lengths[i],
                      100 * share_kept(job, max_lengths[i]));
    t2_buf_puts(out, " of the lines\nlongest lines\n");
    for (size_t i = 0; i < job->total.n_longest; i++)
        t2_buf_printf(out, "%19" PRIu64 " tokens: '%s': line %" PRIu64 "\n",
                      job->total.longest[i].tokens, job->total.longest[i].path,
                      job->total.longest[i].line);
}

static void put_json_lists(const struct job *job, struct t2_json *j)
{
    int64_t n = 0;

    t2_json_key(j, "longest_lines");
    t2_json_array(j);
    for (size_t i = 0; i < job->total.n_longest; i++) {
        t2_json_object(j);
        t2_json_kv_string(j, "path", job->total.longest[i].path);
        t2_json_kv_u64(j, "line", job->total.longest[i].line);
        t2_json_kv_u64(j, "tokens", job->total.longest[i].tokens);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_key(j, "first_unused");
    t2_json_array(j);
    for (int32_t id = 0; id < tok_size(job->e) && n < n_shown; id++)
        if (!job->workers[0].used[id]) {
            t2_json_i64(j, id);
            n++;
        }
    t2_json_end_array(j);
}

static void put_json(const struct job *job, struct t2_buf *out)
{
    const struct counts *c = &job->total.counts;
    const struct voc_lengths *h = job->workers[0].lengths;
    struct t2_json j;

    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "vocab", vocab);
    t2_json_kv_string(&j, "kind", tok_kind(job->e));
    t2_json_kv_i64(&j, "size", tok_size(job->e));
    t2_json_kv_u64(&j, "lines", c->lines);
    t2_json_kv_u64(&j, "words", c->words);
    t2_json_kv_u64(&j, "characters", c->chars);
    t2_json_kv_u64(&j, "bytes", c->bytes);
    t2_json_kv_u64(&j, "tokens", c->tokens);
    t2_json_kv_double(&j, "tokens_per_word", ratio(c->tokens, c->words));
    t2_json_kv_double(&j, "tokens_per_line", ratio(c->tokens, c->lines));
    t2_json_kv_u64(&j, "unknown_tokens", c->unknown);
    t2_json_kv_u64(&j, job->subwords ? "escaped_characters" : "byte_tokens", c->escaped);
    t2_json_kv_u64(&j, "unused_entries", count_unused(job));
    t2_json_key(&j, "tokens_of_a_line");
    t2_json_object(&j);
    for (int i = 0; i < N_PERCENTILES; i++)
        t2_json_kv_u64(&j, percentile_keys[i], voc_lengths_percentile(h, percentiles[i]));
    t2_json_end_object(&j);
    t2_json_key(&j, "share_kept_by_max_length");
    t2_json_object(&j);
    for (int i = 0; i < N_MAX_LENGTHS; i++) {
        t2_json_kv_double(&j, max_length_keys[i], share_kept(job, max_lengths[i]));
    }
    t2_json_end_object(&j);
    put_json_lists(job, &j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

static enum t2_status report(const struct job *job, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    if (as_json)
        put_json(job, &text);
    else
        put_text(job, &text);
    st = voc_print(t2_buf_slice(&text), as_json, err);
    t2_buf_release(&text);
    return st;
}

/* ---- the command ---- */

static enum t2_status count_all(const struct tok_encoder *e, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(t2_flags_num_threads());
    struct job job = {.e = e,
                      .unknown = tok_special(e).unknown,
                      .n_workers = t2_pool_threads(pool)};
    const struct voc_work work = {.result_bytes = sizeof(struct result),
                                  .work = count_block,
                                  .consume = add_block,
                                  .release = release_block,
                                  .context = &job,
                                  .what = "counting"};
    enum t2_status st;

    job.subwords = tok_subwords_model(e);
    start_workers(&job);
    st = voc_corpus_run(&corpus, &work, pool, err);
    if (st == T2_OK) {
        join_workers(&job);
        st = report(&job, err);
    }
    stop_workers(&job);
    t2_pool_free(pool);
    return st;
}

static enum t2_status stats(struct t2_strs *args, struct t2_err *err)
{
    struct tok_encoder *e = NULL;
    enum t2_status st;

    if (vocab[0] == 0)
        return t2_fail(err, T2_EUSAGE, "--vocab is needed");
    if (n_shown < 0 || n_shown > MAX_SHOWN)
        return t2_fail(err, T2_EUSAGE, "-n=%" PRId64 ": 0 to %d", n_shown, MAX_SHOWN);
    if (!tok_unicode_use(unicode))
        return t2_fail(err, T2_EUSAGE, "--unicode='%s': known are %s", unicode,
                       tok_unicode_versions());
    if (args->n == 0)
        t2_strs_push(args, "-");
    if (max_memory == 0)
        max_memory = t2_memory_available();
    corpus.max_memory = max_memory;
    T2_TRY(voc_corpus_open(&corpus, args, err));
    T2_TRY(tok_open(vocab, &e, err));
    st = count_all(e, err);
    tok_free(e);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct t2_strs args = {NULL, 0, 0};
    enum t2_status st = t2_flags_parse(&tool, argc, argv, &args, err);

    if (st == T2_OK)
        st = stats(&args, err);
    voc_corpus_release(&corpus);
    t2_strs_release(&args);
    return st;
}

const struct t2_command voc_cmd_stats = {
    "stats", "Counts what a vocabulary makes of a corpus; which max_length fits.", run};
