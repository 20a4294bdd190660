/*
 * tfrec/cmd_shuffle.c - tfrec shuffle: all records in a random order.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "tfrec/commands.h"
#include "tfrec/rewrite.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_shuffle.h"
#include "tfrecord/record_stream.h"

static int64_t seed;

/* clang-format off */
static const struct t2_flag table[] = {
    {"seed", T2_FLAG_INT, &seed, "N", "Another seed gives another order.", NULL},
    REC_REWRITE_FLAGS,
    REC_EXTERNAL_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec shuffle",
    .usage = "-o FILE [--seed=N] [flags] INPUT...",
    .summary =
        "Writes all records of all inputs in a uniformly random order. It depends on the seed "
        "and the number of each record only, not on memory or threads.",
    .examples = "  tfrec shuffle --seed=1 -o shuffled.tfrecord train.tfrecord\n"
                "  tfrec shuffle --seed=7 --max_memory=4G -o out/x-train@100 x-train@10\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

struct job {
    struct tfr_shuffle *shuffle;
    uint64_t n_records;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    const struct job *job = context;

    (void) worker;
    (void) err;
    tfr_shuffle_prepare(job->shuffle, b, result);
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;

    job->n_records += b->n;
    return tfr_shuffle_add(job->shuffle, result, err);
}

static void release(void *context, void *result)
{
    (void) context;
    tfr_shuffle_hand_release(result);
}

static enum t2_status put(void *sink, struct t2_slice frames, uint64_t n_records,
                          struct t2_err *err)
{
    tfr_sink_add_frames(sink, frames, n_records);
    return tfr_sink_status(sink, err);
}

static enum t2_status write_records(struct job *job, struct t2_pool *pool, struct t2_err *err)
{
    struct tfr_sink *sink = NULL;
    enum t2_status st;

    T2_TRY(rec_rewrite_open(job->n_records, &sink, err));
    st = tfr_shuffle_drain(job->shuffle, pool, put, sink, err);
    T2_TRY(rec_rewrite_close(sink, st, err));
    t2_info("%" PRIu64 " records written to '%s'", job->n_records, rec_rewrite_given.output);
    return T2_OK;
}

static enum t2_status shuffle(const struct tfr_inputs *in, const char *tmp_dir, struct t2_err *err)
{
    const struct tfr_shuffle_options o = {.seed = (uint64_t) seed,
                                          .max_memory = rec_rewrite_given.max_memory,
                                          .tmp_dir = tmp_dir,
                                          .expected_bytes = rec_known_bytes(in)};
    struct job job = {.shuffle = NULL};
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "dealing",
                                      .result_bytes = sizeof(struct tfr_shuffle_hand),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = &job};
    struct t2_pool *pool;
    enum t2_status st;

    if (o.expected_bytes > o.max_memory / 2)
        T2_TRY(tfr_external_need(tmp_dir, 2 * o.expected_bytes, "the shuffle and its result", err));
    T2_TRY(tfr_shuffle_new(&o, &job.shuffle, err));
    pool = rec_pool_new();
    st = tfr_stream_run(&stream, pool, err);
    if (st == T2_OK)
        st = write_records(&job, pool, err);
    if (st == T2_OK)
        t2_debug("%" PRIu64 " bytes went through temporary files in '%s'",
                 tfr_shuffle_spilled_bytes(job.shuffle), tmp_dir);
    t2_pool_free(pool);
    tfr_shuffle_free(job.shuffle);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct tfr_inputs in;
    char *tmp_dir = NULL;
    enum t2_status st = rec_parse_inputs(&tool, argc, argv, &in, err);

    if (st == T2_OK)
        st = rec_rewrite_check_memory(TFR_SHUFFLE_MIN_MEMORY, err);
    if (st == T2_OK)
        st = rec_rewrite_check_output(err);
    if (st == T2_OK) {
        tmp_dir = rec_rewrite_tmp_dir();
        st = shuffle(&in, tmp_dir, err);
    }
    t2_free(tmp_dir);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_shuffle = {"shuffle", "Puts all records in a random order.", run};
