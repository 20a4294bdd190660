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

/* Of the arrays of struct mdl_prefix_search, in floats or ids. */
static uint64_t host_words(const struct mdl *m, const struct mdl_search_shape *shape)
{
    uint64_t rows = (uint64_t) shape->batch * (uint64_t) shape->beam;
    uint64_t width = (uint64_t) round_up(m, shape->max_length);

    return rows * ((uint64_t) shape->inputs_length + width * (2 + (uint64_t) mdl_prefix_vocab(m)));
}

/* The last step is the largest. */
static struct mdl_shape last_step(const struct mdl *m, const struct mdl_search_shape *shape)
{
    return (struct mdl_shape){.batch = shape->batch * shape->beam,
                              .inputs_length = shape->inputs_length,
                              .targets_length = (int32_t) round_up(m, shape->max_length)};
}

enum t2_status mdl_prefix_plan(struct mdl *m, const struct mdl_search_shape *shape,
                               uint64_t max_bytes, uint64_t *bytes, struct t2_err *err)
{
    struct mdl_shape last = last_step(m, shape);
    uint64_t arena = 0;

    *bytes = host_words(m, shape) * sizeof(float);
    if (*bytes <= max_bytes) /* else nothing is built for it */
        T2_TRY(mdl_plan_logits(m, &last, &arena, err));
    *bytes += arena;
    return T2_OK;
}

void mdl_prefix_release(struct mdl_prefix_search *p)
{
    t2_free(p->inputs);
    t2_free(p->prefix);
    t2_free(p->reordered);
    t2_free(p->logits);
    memset(p, 0, sizeof *p);
}

enum t2_status mdl_prefix_begin(struct mdl_prefix_search *p, struct mdl *m,
                                const struct mdl_search_shape *shape, const int32_t *inputs,
                                struct t2_err *err)
{
    struct mdl_shape last = last_step(m, shape);
    size_t length = (size_t) shape->inputs_length;
    uint64_t arena;

    T2_ASSERT(m->problem.has_inputs);
    mdl_prefix_release(p);
    T2_TRY(mdl_plan_logits(m, &last, &arena, err));
    T2_TRY(mdl_reserve(m, arena, err)); /* else it would grow from step to step */
    p->m = m;
    p->shape = *shape;
    p->rows = shape->batch * shape->beam;
    p->width = round_up(m, shape->max_length);
    p->inputs = t2_alloc((size_t) p->rows * length, sizeof *p->inputs);
    p->prefix = t2_alloc((size_t) (p->rows * p->width), sizeof *p->prefix);
    p->reordered = t2_alloc((size_t) (p->rows * p->width), sizeof *p->reordered);
    p->logits = t2_try_alloc((size_t) (p->rows * p->width) * (size_t) mdl_prefix_vocab(m),
                             sizeof *p->logits);
    if (!p->logits)
        return mdl_fail_decoding_memory(host_words(m, shape) * sizeof(float), err);
    for (int32_t r = 0; r < p->rows; r++)
        memcpy(p->inputs + (size_t) r * length, inputs + (size_t) (r / shape->beam) * length,
               length * sizeof *inputs);
    return T2_OK;
}

/* Targets with padding behind them: of whole multiples, as the model makes them anyway. */
enum t2_status mdl_prefix_step(struct mdl_prefix_search *p, int32_t step, const int32_t *ids,
                               const float **logits, struct t2_err *err)
{
    int64_t length = round_up(p->m, step + 1), V = mdl_prefix_vocab(p->m), per_row = length * V;
    struct mdl_batch batch = {.batch = p->rows,
                              .inputs_length = p->shape.inputs_length,
                              .targets_length = (int32_t) length,
                              .inputs = p->inputs,
                              .targets = p->reordered};

    for (int32_t r = 0; r < p->rows; r++) {
        if (step > 0)
            p->prefix[r * p->width + step - 1] = ids[r];
        memcpy(p->reordered + r * length, p->prefix + r * p->width, (size_t) length * sizeof *ids);
    }
    T2_TRY(mdl_logits(p->m, &batch, p->logits, err));
    for (int32_t r = 0; r < p->rows; r++)
        memmove(p->logits + r * V, p->logits + r * per_row + step * V, (size_t) V * sizeof(float));
    *logits = p->logits;
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
