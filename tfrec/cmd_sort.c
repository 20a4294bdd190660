/*
 * tfrec/cmd_sort.c - tfrec sort: all records in the order of a key.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/signals.h"
#include "tfrec/commands.h"
#include "tfrec/rewrite.h"
#include "tfrec/sort_keys.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_sort.h"
#include "tfrecord/record_stream.h"

enum { LEAST_MEMORY = 1 << 20 };

static const char *by;

/* clang-format off */
static const struct t2_flag table[] = {
    {"by", T2_FLAG_STRING, &by, "EXPR[:desc],...", "The key: expressions as of `tfrec filter`.", NULL},
    REC_REWRITE_FLAGS,
    REC_EXTERNAL_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec sort",
    .usage = "--by=EXPR[:desc],... -o FILE [flags] INPUT...",
    .summary =
        "Writes all records in the order of a key; records with equal keys keep their order. "
        "Numbers come first, then bytes (bytewise), and last, also with :desc, records "
        "whose key is missing.",
    .examples = "  tfrec sort --by='len(inputs)' -o by_length.tfrecord train.tfrecord\n"
                "  tfrec sort --by='label,bytes():desc' --max_memory=4G -o y@16 x@16\n"
                "\n" REC_WHERE_HELP,
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

/* Of a thread. */
struct scratch {
    struct tfr_example example;
    struct rec_where_scratch where;
};

/* Of a batch. */
struct keyed {
    struct t2_buf keys, ends; /* one after another; where each ends (size_t) */
    size_t n;
    struct t2_err err;
};

struct job {
    struct rec_sort_keys *keys;
    struct scratch *scratch;
    struct tfr_sorter *sorter;
    uint64_t n_records;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct scratch *s = &job->scratch[worker];
    struct keyed *k = result;
    bool needs_example = rec_sort_keys_need_example(job->keys);

    (void) err;
    t2_buf_clear(&k->keys);
    t2_buf_clear(&k->ends);
    k->err.status = T2_OK;
    s->example.n = 0;
    for (k->n = 0; k->n < b->n; k->n++) {
        const struct tfr_record *r = &b->records[k->n];
        if (needs_example && tfr_example_parse(&s->example, r->data, &k->err) != T2_OK) {
            (void) t2_wrap(&k->err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + k->n, r->offset);
            break;
        }
        rec_sort_keys_put(job->keys, &s->where, &s->example, r->data, b->first + k->n, &k->keys);
        t2_buf_append(&k->ends, &k->keys.len_bytes, sizeof k->keys.len_bytes);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    struct keyed *k = result;
    const size_t *ends = (const size_t *) (const void *) k->ends.data;
    size_t begin = 0;

    for (size_t i = 0; i < k->n; i++) {
        const struct t2_slice key = {k->keys.data + begin, ends[i] - begin};
        T2_TRY(tfr_sorter_add(job->sorter, key, b->records[i].data, err));
        begin = ends[i];
    }
    job->n_records += k->n;
    if (k->err.status != T2_OK) {
        *err = k->err;
        return err->status;
    }
    return T2_OK;
}

static void release(void *context, void *result)
{
    struct keyed *k = result;

    (void) context;
    t2_buf_release(&k->keys);
    t2_buf_release(&k->ends);
}

static enum t2_status read_all(struct job *job, const struct tfr_inputs *in, struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "sorting",
                                      .result_bytes = sizeof(struct keyed),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = job};
    struct t2_pool *pool = rec_pool_new();
    int n_threads = t2_pool_threads(pool);
    enum t2_status st;

    job->scratch = t2_alloc((size_t) n_threads, sizeof *job->scratch);
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < n_threads; i++) {
        tfr_example_release(&job->scratch[i].example);
        rec_where_scratch_release(&job->scratch[i].where);
    }
    t2_free(job->scratch);
    t2_pool_free(pool);
    return st;
}

static enum t2_status write_all(struct job *job, struct t2_err *err)
{
    struct tfr_sink *sink = NULL;
    struct t2_slice key, record;
    enum t2_status st;

    T2_TRY(tfr_sorter_finish(job->sorter, err));
    T2_TRY(rec_rewrite_open(job->n_records, &sink, err));
    for (uint64_t i = 0; (st = tfr_sorter_next(job->sorter, &key, &record, err)) == T2_OK; i++) {
        st = rec_rewrite_put(sink, record, err);
        if (st == T2_OK && i % 4096 == 0)
            st = t2_check_interrupt(err);
        if (st != T2_OK)
            break;
    }
    T2_TRY(rec_rewrite_close(sink, st == T2_EOF ? T2_OK : st, err));
    t2_debug("%zu sorted runs went through temporary files", tfr_sorter_runs(job->sorter));
    t2_info("%" PRIu64 " records written to '%s'", job->n_records, rec_rewrite_given.output);
    return T2_OK;
}

static enum t2_status sort(const struct tfr_inputs *in, struct t2_err *err)
{
    struct job job = {.keys = NULL};
    char *tmp_dir = rec_rewrite_tmp_dir();
    uint64_t bytes = rec_known_bytes(in);
    uint64_t memory = rec_rewrite_given.max_memory;
    enum t2_status st = rec_sort_keys_parse(by, &job.keys, err);

    if (st != T2_OK)
        (void) t2_wrap(err, "--by");
    if (st == T2_OK && bytes > memory)
        st = tfr_external_need(tmp_dir, 2 * bytes, "the sort and its result", err);
    if (st == T2_OK)
        st = tfr_sorter_new(tmp_dir, memory, &job.sorter, err);
    if (st == T2_OK)
        st = read_all(&job, in, err);
    if (st == T2_OK)
        st = write_all(&job, err);
    tfr_sorter_free(job.sorter);
    rec_sort_keys_free(job.keys);
    t2_free(tmp_dir);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK && !by)
        st = t2_fail(err, T2_EUSAGE, "in which order? --by=EXPR (see --help)");
    if (st == T2_OK)
        st = rec_rewrite_check_output(err);
    if (st == T2_OK)
        st = rec_rewrite_check_memory(LEAST_MEMORY, err);
    if (st == T2_OK)
        st = sort(&in, err);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_sort = {"sort", "Puts all records in the order of a key.", run};
