/*
 * train/input/image_batch.c - a pool, and for each of its threads a reader and a worker of
 * augment/.
 */
#include "train/input/image_batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "train/input/sample_reader.h"

struct worker {
    struct in_sample_reader *reader;
    struct aug_worker *pixels;
    /* the first failure of this thread in the batch */
    int64_t failed; /* INT64_MAX: none */
    enum t2_status status;
    struct t2_err err;
};

struct in_images {
    const struct in_index *index;
    const struct in_recipe *recipe;
    bool training;
    uint64_t seed;
    int n_threads;
    struct t2_pool *pool;   /* NULL until they are needed */
    struct worker *workers; /* (n_threads) */
    /* of the batch being made */
    const struct in_place *const *places; /* (n) */
    const uint64_t *epochs;               /* (n) */
    struct in_image_rows to;
    int32_t *labels; /* (n) */
};

struct in_images *in_images_new(const struct in_index *index, const struct in_recipe *recipe,
                                bool training, uint64_t seed, int n_threads)
{
    struct in_images *p = t2_alloc(1, sizeof *p);

    T2_ASSERT(recipe->images);
    p->index = index;
    p->recipe = recipe;
    p->training = training;
    p->seed = seed;
    p->n_threads = n_threads;
    return p;
}

static void start(struct in_images *p)
{
    p->pool = t2_pool_new(p->n_threads);
    p->n_threads = t2_pool_threads(p->pool);
    p->workers = t2_alloc((size_t) p->n_threads, sizeof *p->workers);
    for (int i = 0; i < p->n_threads; i++) {
        p->workers[i].reader = in_sample_reader_new(p->index, p->recipe);
        p->workers[i].pixels = aug_worker_new();
    }
}

void in_images_free(struct in_images *p)
{
    if (!p)
        return;
    for (int i = 0; p->pool && i < p->n_threads; i++) {
        in_sample_reader_free(p->workers[i].reader);
        aug_worker_free(p->workers[i].pixels);
    }
    t2_free(p->workers);
    t2_pool_free(p->pool);
    t2_free(p);
}

static enum t2_status make_one(struct in_images *p, size_t i, struct worker *w, struct t2_err *err)
{
    const struct in_image_recipe *r = p->recipe->images;
    const struct in_place *place = p->places[i];
    size_t values = (size_t) r->size * (size_t) r->size * (size_t) r->channels, begin;
    const struct in_image_name name = {.training = p->training,
                                       .seed = p->seed,
                                       .epoch = p->epochs[i],
                                       .index = (uint64_t) (place - p->index->places)};
    const struct in_sample *sample;
    enum t2_status st = T2_OK;
    char *where;

    T2_TRY(in_sample_read(w->reader, place, &sample, &begin, err));
    if (p->to.ids)
        memcpy(p->to.ids + i * (size_t) p->to.ids_length, sample->targets,
               (size_t) sample->targets_length * sizeof *sample->targets);
    if (p->labels)
        p->labels[i] = sample->image.label;
    if (p->to.floats)
        st = in_image_pixels(r, &name, &sample->image, w->pixels, p->to.floats + i * values, err);
    else if (p->to.bytes)
        st = in_image_bytes(r, &name, &sample->image, w->pixels, p->to.bytes + i * values,
                            &p->to.mirrored[i], err);
    if (st == T2_OK)
        return T2_OK;
    where = in_place_name(p->index, place);
    st = t2_wrap(err, "%s", where);
    t2_free(where);
    return st;
}

static void work(void *arg, int64_t piece, int worker)
{
    struct in_images *p = arg;
    struct worker *w = &p->workers[worker];
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = make_one(p, (size_t) piece, w, &err);

    if (st == T2_OK || w->failed < piece)
        return;
    w->failed = piece;
    w->status = st;
    w->err = err;
}

enum t2_status in_images_read(struct in_images *p, const struct in_place *const *places,
                              const uint64_t *epochs, int32_t n, struct in_image_rows to,
                              int32_t *labels, struct t2_err *err)
{
    const struct worker *first;

    if (!p->pool)
        start(p);
    p->places = places;
    p->epochs = epochs;
    p->to = to;
    p->labels = labels;
    for (int i = 0; i < p->n_threads; i++)
        p->workers[i].failed = INT64_MAX;
    t2_pool_run(p->pool, n, work, p);
    first = p->workers;
    for (int i = 1; i < p->n_threads; i++)
        first = p->workers[i].failed < first->failed ? &p->workers[i] : first;
    if (first->failed == INT64_MAX)
        return T2_OK;
    *err = first->err;
    return first->status;
}
