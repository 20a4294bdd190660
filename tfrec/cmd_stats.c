/*
 * tfrec/cmd_stats.c - tfrec stats: lengths, ranges, distinct and frequent values, duplicates.
 */
#include "base/file.h"
#include "base/pool.h"
#include "base/shown.h"
#include "tfrec/commands.h"
#include "tfrec/open_vocab.h"
#include "tfrec/stats_print.h"
#include "tokenizer/encoder.h"

static bool as_json;
static const char *vocab_path = "";
static uint64_t max_memory = 256 << 20;
static int64_t n_top = 10;

enum { MOST_TOP = 100000 };

/* clang-format off */
static const struct t2_flag table[] = {
    {"json", T2_FLAG_BOOL, &as_json, NULL, "Print one JSON object, with everything.", NULL},
    {"vocab", T2_FLAG_STRING, &vocab_path, "FILE", "Vocabulary of the ids: adds how many were unknown to it (the "
     "entry for unknown words; of subwords the ids that spell a character as its number) and how many are beyond its "
     "end, for int64 features with more than one value.", NULL},
    {"top", T2_FLAG_INT, &n_top, "N", "Frequent values shown per feature.", NULL},
    {"max_memory", T2_FLAG_SIZE, &max_memory, "SIZE", "Memory for finding duplicates; with more different records "
     "than fit (2 million in 256M) their number is estimated from a sample.", NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec stats",
    .usage = "[flags] INPUT...",
    .summary = "Reads all records and says per feature: kind, share of records, lengths of lists, "
               "range and mean of values, distinct values (exact up to 131072, with more than 16 "
               "features fewer; then estimated and marked ~), frequent values of labels, with the "
               "names of classes that manifest, records or <feature>.labels.txt give; and how many "
               "records are duplicates. Besides --max_memory at most 160 MB a thread.",
    .examples = "  tfrec stats train.tfrecord\n"
                "  tfrec stats --vocab=vocab.subwords --json data/x-train@100\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status print(const struct rec_stats_view *v, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    struct t2_out *out = NULL;
    enum t2_status st;

    if (as_json)
        rec_stats_print_json(v, &text);
    else
        rec_stats_print_table(v, &text);
    st = t2_out_new("-", &out, err);
    if (st == T2_OK) {
        t2_show_out(t2_buf_slice(&text), as_json, out);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&text);
    return st;
}

static enum t2_status see(void *context, const struct tfr_batch *b, struct t2_err *err)
{
    (void) err;
    rec_class_names_see(context, b);
    return T2_OK;
}

static enum t2_status collect_and_print(const struct tfr_inputs *in, struct t2_err *err)
{
    struct rec_stats_options o = {.duplicate_bytes = max_memory};
    struct tok_encoder *vocab = NULL;
    struct rec_class_names *names;
    struct rec_stats *stats = NULL;
    struct t2_pool *pool;
    enum t2_status st;

    if (vocab_path[0])
        T2_TRY(rec_open_vocab(vocab_path, in, &vocab, err));
    o.vocab = vocab;
    names = rec_class_names_new(in);
    o.see = see;
    o.context = names;
    pool = rec_pool_new();
    st = rec_stats_collect(in, pool, &o, &stats, err);
    t2_pool_free(pool);
    if (st == T2_OK) {
        const struct rec_stats_view v = {stats, in, vocab, vocab_path, (size_t) n_top, names};
        st = print(&v, err);
    }
    rec_stats_free(stats);
    rec_class_names_free(names);
    tok_free(vocab);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK && (n_top < 0 || n_top > MOST_TOP))
        st = t2_fail(err, T2_EUSAGE, "--top=%lld: 0 to %d", (long long) n_top, (int) MOST_TOP);
    if (st == T2_OK)
        st = collect_and_print(&in, err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_stats = {
    "stats", "Lengths, ranges, distinct and frequent values, duplicates.", run};
