/*
 * tfrec/cmd_sample.c - tfrec sample: records drawn at random.
 *
 * Every record has a random number that depends on the seed and its own number only; those with the
 * smallest are the sample.  So it is the same for any number of threads and any cut into files.
 */
#include "base/alloc.h"
#include "base/pool.h"
#include "base/rng.h"
#include "tfrec/chosen_records.h"
#include "tfrec/commands.h"
#include "tfrec/show.h"

static int64_t n_wanted = 10, seed;

/* clang-format off */
static const struct t2_flag table[] = {
    {"n", T2_FLAG_INT, &n_wanted, "N", "How many records: -n 3.", NULL},
    {"seed", T2_FLAG_INT, &seed, "N", "Another seed gives another sample.", NULL},
    REC_ROW_FLAGS,
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "tfrec sample",
    .usage = "[flags] INPUT...",
    .summary = "Shows records drawn at random, each at most once, in the order of the inputs. The "
               "same seed gives the same records. The sample is held in memory.",
    .examples = "  tfrec sample -n 5 --seed=1 data/x-train@100\n"
                "  tfrec sample -n 1000 --raw --framed data/ > small.tfrecord\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
};

static enum t2_status draw_keys(void *context, const struct tfr_batch *b, void *result, int worker,
                                struct t2_err *err)
{
    struct t2_buf *keys = result;

    (void) context, (void) worker, (void) err;
    t2_buf_clear(keys);
    uint64_t *key = (uint64_t *) (void *) t2_buf_reserve(keys, b->n * sizeof(uint64_t));
    for (size_t i = 0; i < b->n; i++) {
        struct t2_rng rng;
        t2_rng_init(&rng, (uint64_t) seed, T2_RNG_ORDER, 0, b->first + i);
        key[i] = t2_rng_u64(&rng);
    }
    keys->len_bytes = b->n * sizeof *key;
    return T2_OK;
}

static enum t2_status keep(void *context, const struct tfr_batch *b, void *result,
                           struct t2_err *err)
{
    const struct t2_buf *keys = result;
    const uint64_t *key = (const uint64_t *) (const void *) keys->data;

    (void) err;
    for (size_t i = 0; i < b->n; i++)
        rec_keep(context, key[i], b, i);
    return T2_OK;
}

static void release(void *context, void *result)
{
    (void) context;
    t2_buf_release(result);
}

static enum t2_status draw(const struct tfr_inputs *in, struct rec_keeper *keeper,
                           struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "sampling",
                                      .result_bytes = sizeof(struct t2_buf),
                                      .work = draw_keys,
                                      .consume = keep,
                                      .release = release,
                                      .context = keeper};
    struct t2_pool *pool = rec_pool_new();
    enum t2_status st = tfr_stream_run(&stream, pool, err);

    t2_pool_free(pool);
    return st;
}

static enum t2_status run(int argc, char **argv, struct t2_err *err)
{
    struct rec_row_options rows;
    struct rec_keeper keeper = {0};
    struct tfr_inputs in;
    enum t2_status st = rec_show_parse(&tool, argc, argv, &rows, &in, &n_wanted, err);

    keeper.capacity = (size_t) n_wanted;
    if (st == T2_OK)
        st = draw(&in, &keeper, err);
    if (st == T2_OK)
        st = rec_keeper_show(&keeper, &rows, err);
    rec_keeper_release(&keeper);
    rec_row_options_release(&rows);
    tfr_inputs_release(&in);
    return st;
}

const struct t2_command rec_cmd_sample = {"sample", "Shows records drawn at random.", run};
