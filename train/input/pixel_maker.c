/*
 * train/input/pixel_maker.c - batches of images that a model learns to make: targets are their
 * values, 0 to 255, and inputs their labels, or the values of the same images made smaller.
 */
#include <inttypes.h>
#include <math.h>

#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/id_rows.h"
#include "train/input/image_batch.h"

enum { LARGEST = 255 };

struct pixels {
    const struct in_image_recipe *recipe;
    struct in_images *reader;
    float *images; /* (capacity, H, W, C) */
    int32_t capacity;
    /* Of smaller images: like recipe, but of their size; NULL: inputs are labels. */
    struct in_image_recipe source;
    struct in_recipe source_recipe;
    struct in_images *source_reader;
};

static int32_t values_of(const struct in_image_recipe *r)
{
    return r->size * r->size * r->channels;
}

static enum t2_status need_images(struct pixels *p, int32_t n, struct t2_err *err)
{
    if (n <= p->capacity)
        return T2_OK;
    t2_free(p->images);
    p->images = t2_try_alloc((size_t) n * (size_t) values_of(p->recipe), sizeof *p->images);
    p->capacity = p->images ? n : 0;
    if (!p->images)
        return t2_fail(err, T2_ENOMEM,
                       "no memory for a batch of %" PRId32 " images of %" PRId32 " x %" PRId32
                       " x %" PRId32,
                       n, p->recipe->size, p->recipe->size, p->recipe->channels);
    return T2_OK;
}

/* Reads the images of rows into ids (rows, values of `recipe`). */
static enum t2_status read_values(struct pixels *p, struct in_images *reader,
                                  const struct in_image_recipe *recipe, const struct in_members *m,
                                  struct in_span rows, int32_t *labels, int32_t *ids,
                                  struct t2_err *err)
{
    size_t n = (size_t) rows.n * (size_t) values_of(recipe);

    T2_TRY(in_images_read(reader, m->places + rows.first, m->epochs + rows.first, rows.n,
                          (struct in_image_rows){.floats = p->images}, labels, err));
    for (size_t i = 0; i < n; i++) {
        if (!(p->images[i] >= 0.0F && p->images[i] <= (float) LARGEST))
            return t2_fail(err, T2_EUSAGE,
                           "image_pipeline=%s gives a pixel of %g, and images that are made have "
                           "values from 0 to %d: take one that does not normalise, such as "
                           "t2t_area",
                           recipe->name, (double) p->images[i], LARGEST);
        ids[i] = (int32_t) lrintf(p->images[i]);
    }
    return T2_OK;
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct pixels *p = state;
    struct in_id_shape shape = {.n_rows = rows.n,
                                .inputs_length = p->source_reader ? values_of(&p->source) : 1,
                                .targets_length = values_of(p->recipe)};
    int32_t *labels, *inputs;
    enum t2_status st;

    T2_TRY(in_id_rows_begin(item, &shape, err));
    if (rows.n == 0)
        return T2_OK;
    T2_TRY(need_images(p, rows.n, err));
    inputs = in_id_rows(item, IN_INPUTS);
    labels = p->source_reader ? t2_alloc((size_t) rows.n, sizeof *labels) : inputs;
    st = read_values(p, p->reader, p->recipe, m, rows, labels, in_id_rows(item, IN_TARGETS), err);
    if (st == T2_OK && p->source_reader)
        st = read_values(p, p->source_reader, &p->source, m, rows, labels, inputs, err);
    if (p->source_reader)
        t2_free(labels);
    return st;
}

static void release(void *state)
{
    struct pixels *p = state;

    in_images_free(p->reader);
    in_images_free(p->source_reader);
    t2_free(p->images);
    t2_free(p);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_pixel_maker(const struct in_index *index, const struct in_recipe *recipe,
                    const struct in_image_rule *rule, struct in_batch_maker *maker)
{
    struct pixels *p = t2_alloc(1, sizeof *p);

    p->recipe = recipe->images;
    p->reader = in_images_new(index, recipe, rule->training, rule->seed, rule->num_threads);
    if (p->recipe->source_size > 0) {
        p->source = *p->recipe;
        p->source.size = p->recipe->source_size;
        p->source_recipe = *recipe;
        p->source_recipe.images = &p->source;
        p->source_reader =
            in_images_new(index, &p->source_recipe, rule->training, rule->seed, rule->num_threads);
    }
    *maker = (struct in_batch_maker){.kind = &kind, .state = p};
}
