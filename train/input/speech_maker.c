/*
 * train/input/speech_maker.c - batches of utterances: features, made by several threads, and the
 * ids of what is said.
 *
 * Each utterance has its own streams of random numbers, named by (seed, epoch, number in the
 * index), so a batch is the same bits for any number of threads and ranks.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "train/input/batch_maker.h"
#include "train/input/id_rows.h"
#include "train/input/sample_reader.h"

struct worker {
    struct in_sample_reader *reader;
    struct in_speech_worker features;
    int64_t failed; /* the first row of the batch that failed here; INT64_MAX: none */
    enum t2_status status;
    struct t2_err err;
};

struct speech {
    const struct in_index *index;
    const struct in_recipe *recipe;
    bool training;
    uint64_t seed;
    int n_threads;
    struct t2_pool *pool;   /* NULL until it is needed */
    struct worker *workers; /* (n_threads) */
    /* of the batch that is being made */
    const struct in_members *members;
    struct in_span rows;
    const struct in_item *item;
    float *features; /* (B, H, 80, 3) */
};

static void start(struct speech *s)
{
    s->pool = t2_pool_new(s->n_threads);
    s->n_threads = t2_pool_threads(s->pool);
    s->workers = t2_alloc((size_t) s->n_threads, sizeof *s->workers);
    for (int i = 0; i < s->n_threads; i++)
        s->workers[i].reader = in_sample_reader_new(s->index, s->recipe);
}

static enum t2_status make_row(struct speech *s, size_t i, struct worker *w, struct t2_err *err)
{
    size_t member = (size_t) s->rows.first + i, begin, n;
    const struct in_place *place = s->members->places[member];
    const struct mdl_batch *b = &s->item->batch;
    const struct in_speech_name name = {.training = s->training,
                                        .seed = s->seed,
                                        .epoch = s->members->epochs[member],
                                        .index = (uint64_t) (place - s->index->places)};
    const struct in_sample *sample;

    T2_TRY(in_sample_read(w->reader, place, &sample, &begin, err));
    in_id_rows_copy(s->item, IN_TARGETS, i * (size_t) b->targets_length, sample->targets,
                    sample->targets_length);
    n = sample->waveform->n;
    tfr_view_floats(sample->waveform, in_speech_waveform(&w->features, n));
    in_speech_features(s->recipe->speech, &name, &w->features, n, b->height,
                       s->features + i * (size_t) b->height * IN_SPEECH_COLUMNS);
    return T2_OK;
}

static void work(void *arg, int64_t piece, int worker)
{
    struct speech *s = arg;
    struct worker *w = &s->workers[worker];
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = make_row(s, (size_t) piece, w, &err);

    if (st == T2_OK || w->failed < piece)
        return;
    w->failed = piece;
    w->status = st;
    w->err = err;
}

/* The lengths are those of the longest members of all ranks. */
static enum t2_status begin(struct speech *s, const struct in_members *m, int32_t n,
                            struct in_item *item, struct t2_err *err)
{
    struct in_id_shape shape = {.n_rows = n, .targets_length = 1};
    struct mdl_batch *b = &item->batch;
    int32_t frames = 0;
    size_t values;

    for (int32_t i = 0; i < m->n_rows; i++) {
        int32_t own = m->places[i]->inputs_length / AUD_MEL_BANDS;

        frames = own > frames ? own : frames;
        if (m->places[i]->targets_length > shape.targets_length)
            shape.targets_length = m->places[i]->targets_length;
    }
    T2_TRY(in_id_rows_begin(item, &shape, err));
    b->inputs_length = mdl_speech_positions(frames);
    b->height = mdl_speech_rows(b->inputs_length);
    b->width = AUD_MEL_BANDS;
    b->channels = AUD_MEL_CHANNELS;
    values = (size_t) n * (size_t) b->height * IN_SPEECH_COLUMNS;
    b->images = s->features =
        in_item_room(item, IN_IMAGES, values * sizeof *s->features, values / 4 + 256);
    if (!b->images)
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %" PRId32 " utterances", n);
    return T2_OK;
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct speech *s = state;
    const struct worker *first;

    if (!s->pool)
        start(s);
    T2_TRY(begin(s, m, rows.n, item, err));
    s->members = m;
    s->rows = rows;
    s->item = item;
    for (int i = 0; i < s->n_threads; i++)
        s->workers[i].failed = INT64_MAX;
    t2_pool_run(s->pool, rows.n, work, s);
    first = s->workers;
    for (int i = 1; i < s->n_threads; i++)
        first = s->workers[i].failed < first->failed ? &s->workers[i] : first;
    if (first->failed == INT64_MAX)
        return T2_OK;
    *err = first->err;
    return first->status;
}

static void release(void *state)
{
    struct speech *s = state;

    for (int i = 0; s->pool && i < s->n_threads; i++) {
        in_sample_reader_free(s->workers[i].reader);
        in_speech_worker_release(&s->workers[i].features);
    }
    t2_free(s->workers);
    t2_pool_free(s->pool);
    t2_free(s);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_speech_maker(const struct in_index *index, const struct in_recipe *recipe, bool training,
                     uint64_t seed, int n_threads, struct in_batch_maker *maker)
{
    struct speech *s = t2_alloc(1, sizeof *s);

    s->index = index;
    s->recipe = recipe;
    s->training = training;
    s->seed = seed;
    s->n_threads = n_threads;
    *maker = (struct in_batch_maker){.kind = &kind, .state = s};
}
