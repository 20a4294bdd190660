/*
 * train/models/prefix_search.c - see the header.
 */
#include "train/models/prefix_search.h"

#include <string.h>

#include "base/alloc.h"
#include "train/models/search_graphs.h"

static int64_t round_up(const struct mdl *m, int64_t n)
{
    int64_t multiple = m->kind->prefix_multiple;

    return (n + multiple - 1) / multiple * multiple;
}

int32_t mdl_prefix_vocab(const struct mdl *m)
{
    int64_t divisor = mdl_hp_int(m->hp, "vocab_divisor");

    return (int32_t) ((m->problem.targets_vocab + divisor - 1) / divisor * divisor);
}

static size_t values_of(const struct mdl_image *p)
{
    return (size_t) p->height * (size_t) p->width * (size_t) p->channels;
}

/* Ids, or values of an image, of a source. */
static size_t source_words(const struct mdl *m, const struct mdl_search_shape *shape)
{
    return m->problem.describes ? values_of(&m->problem.image) : (size_t) shape->inputs_length;
}

/* Of the arrays of struct mdl_prefix_search, in ids. */
static uint64_t host_words(const struct mdl *m, const struct mdl_search_shape *shape)
{
    uint64_t rows = (uint64_t) shape->batch * (uint64_t) shape->beam;

    return rows * (source_words(m, shape) + 2 * (uint64_t) round_up(m, shape->max_length));
}

/* The last step is the largest. */
static struct mdl_shape last_step(const struct mdl *m, const struct mdl_search_shape *shape)
{
    const struct mdl_image *p = &m->problem.image;
    struct mdl_shape last = {.batch = shape->batch * shape->beam,
                             .inputs_length = shape->inputs_length,
                             .targets_length = (int32_t) round_up(m, shape->max_length)};

    if (m->problem.describes) {
        last.inputs_length = p->height * p->width;
        last.height = p->height;
        last.width = p->width;
        last.channels = p->channels;
    }
    return last;
}

/* Graphs of logits that were made before are of another kind. */
static void begin_decoding(struct mdl *m)
{
    if (!m->decodes)
        mdl_drop_graphs(m);
    m->decodes = true;
}

enum t2_status mdl_prefix_plan(struct mdl *m, const struct mdl_search_shape *shape,
                               const struct mdl_choice *choice, const struct dev_bytes *limit,
                               struct dev_bytes *needed, struct t2_err *err)
{
    struct mdl_shape last = last_step(m, shape);
    uint64_t arena = 0;

    begin_decoding(m);
    *needed = (struct dev_bytes){0, 0};
    dev_bytes_add(m->dev, needed, mdl_choice_bytes(m->dev, choice, last.batch, mdl_prefix_vocab(m)),
                  host_words(m, shape) * sizeof(int32_t));
    if (dev_bytes_fit(needed, limit)) /* else nothing is built for it */
        T2_TRY(mdl_plan_logits(m, &last, &arena, err));
    dev_bytes_add(m->dev, needed, arena, 0);
    return T2_OK;
}

void mdl_prefix_release(struct mdl_prefix_search *p)
{
    t2_free(p->inputs);
    t2_free(p->images);
    t2_free(p->prefix);
    t2_free(p->reordered);
    if (p->m)
        p->m->dev->free(p->m->dev, p->choice);
    memset(p, 0, sizeof *p);
}

enum t2_status mdl_prefix_begin(struct mdl_prefix_search *p, struct mdl *m,
                                const struct mdl_search_shape *shape,
                                const struct mdl_choice *choice, const int32_t *inputs,
                                const float *images, struct t2_err *err)
{
    struct mdl_shape last = last_step(m, shape);
    size_t words = source_words(m, shape);
    uint64_t arena, choice_bytes;

    mdl_prefix_release(p);
    begin_decoding(m);
    T2_TRY(mdl_plan_logits(m, &last, &arena, err));
    T2_TRY(mdl_reserve(m, arena, err)); /* else it would grow from step to step */
    p->m = m;
    p->shape = *shape;
    p->rows = shape->batch * shape->beam;
    p->width = round_up(m, shape->max_length);
    if (m->problem.describes)
        p->images = t2_alloc((size_t) p->rows * words, sizeof *p->images);
    else
        p->inputs = t2_alloc((size_t) p->rows * words, sizeof *p->inputs);
    p->prefix = t2_alloc((size_t) (p->rows * p->width), sizeof *p->prefix);
    p->reordered = t2_alloc((size_t) (p->rows * p->width), sizeof *p->reordered);
    choice_bytes = mdl_choice_bytes(m->dev, choice, p->rows, mdl_prefix_vocab(m));
    p->choice = choice_bytes ? m->dev->alloc(m->dev, choice_bytes) : NULL;
    if (choice_bytes && !p->choice)
        return mdl_fail_decoding_memory(m->dev, choice_bytes, err);
    for (size_t r = 0; r < (size_t) p->rows; r++) {
        size_t from = r / (size_t) shape->beam * words;

        if (p->images)
            memcpy(p->images + r * words, images + from, words * sizeof *images);
        else
            memcpy(p->inputs + r * words, inputs + from, words * sizeof *inputs);
    }
    return T2_OK;
}

/* Targets with padding behind them: of whole multiples, as the model makes them anyway. */
enum t2_status mdl_prefix_step(struct mdl_prefix_search *p, int32_t step, const int32_t *ids,
                               struct mdl_logit_rows *rows, struct t2_err *err)
{
    int64_t length = round_up(p->m, step + 1), V = mdl_prefix_vocab(p->m);
    struct mdl_batch batch = {.batch = p->rows,
                              .inputs_length = p->shape.inputs_length,
                              .targets_length = (int32_t) length,
                              .inputs = p->inputs,
                              .targets = p->reordered};
    const struct mdl_image *image = &p->m->problem.image;
    const struct gr_tensor *logits;

    if (p->images) {
        batch.inputs_length = image->height * image->width;
        batch.height = image->height;
        batch.width = image->width;
        batch.channels = image->channels;
        batch.images = p->images;
    }
    for (int32_t r = 0; r < p->rows; r++) {
        if (step > 0)
            p->prefix[r * p->width + step - 1] = ids[r];
        memcpy(p->reordered + r * length, p->prefix + r * p->width, (size_t) length * sizeof *ids);
    }
    T2_TRY(mdl_run_logits(p->m, &batch, &logits, err));
    *rows = (struct mdl_logit_rows){.logits = (const float *) logits->value + step * V,
                                    .rows = p->rows,
                                    .V = V,
                                    .stride = logits->n / p->rows};
    return T2_OK;
}

void mdl_prefix_reorder(struct mdl_prefix_search *p, const int32_t *from)
{
    size_t width = (size_t) p->width;
    int32_t *swapped = p->prefix;

    for (int32_t r = 0; r < p->rows; r++)
        memcpy(p->reordered + (size_t) r * width, p->prefix + (size_t) from[r] * width,
               width * sizeof *swapped);
    p->prefix = p->reordered;
    p->reordered = swapped;
}
