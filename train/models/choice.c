/*
 * train/models/choice.c - see the header.
 */
#include "train/models/choice.h"

/* Places of one choice: asks, candidates, scratch memory. */
struct places {
    size_t candidates, scratch, total;
};

static size_t aligned(size_t bytes)
{
    return (bytes + DEV_ALIGN_BYTES - 1) / DEV_ALIGN_BYTES * DEV_ALIGN_BYTES;
}

int64_t mdl_choice_n(const struct mdl_choice *c, int64_t V)
{
    return c->n < V ? c->n : V;
}

static struct places places_of(const struct dev *d, const struct mdl_choice *c, int64_t rows,
                               int64_t V)
{
    const struct dev_kernels *k = d->kernels;
    int64_t floats = c->draws ? k->draw_ids_scratch_floats(d, V, c->keep_top_k, c->keep_top_p)
                              : k->best_ids_scratch_floats(d, V);
    size_t n = (size_t) (rows * mdl_choice_n(c, V));
    struct places p = {.candidates = aligned((size_t) rows * sizeof(struct dev_ask))};

    p.scratch = p.candidates + aligned(n * sizeof(struct dev_candidate));
    p.total = p.scratch + aligned((size_t) floats * sizeof(float));
    return p;
}

uint64_t mdl_choice_bytes(const struct dev *d, const struct mdl_choice *c, int64_t rows, int64_t V)
{
    return c->n > 0 ? places_of(d, c, rows, V).total : 0;
}

void mdl_choose(struct dev *d, const struct mdl_choice *c, void *place,
                const struct mdl_logit_rows *rows, const struct dev_ask *asks,
                struct dev_candidate *best)
{
    struct places p = places_of(d, c, rows->rows, rows->V);
    struct dev_candidate *there = (void *) ((char *) place + p.candidates);
    float *scratch = (void *) ((char *) place + p.scratch);
    int64_t n = mdl_choice_n(c, rows->V);

    T2_ASSERT(n > 0 && (n == 1 || !c->draws));
    d->upload_now(d, place, asks, (size_t) rows->rows * sizeof *asks);
    if (c->draws)
        d->kernels->draw_ids(d, &(struct dev_draw_ids_args){.logits = rows->logits,
                                                            .rows = rows->rows,
                                                            .V = rows->V,
                                                            .stride = rows->stride,
                                                            .asks = place,
                                                            .temperature = c->temperature,
                                                            .keep_top_k = c->keep_top_k,
                                                            .keep_top_p = c->keep_top_p,
                                                            .drawn = there,
                                                            .scratch = scratch});
    else
        d->kernels->best_ids(d, &(struct dev_best_ids_args){.logits = rows->logits,
                                                            .rows = rows->rows,
                                                            .V = rows->V,
                                                            .stride = rows->stride,
                                                            .asks = place,
                                                            .n = n,
                                                            .best = there,
                                                            .scratch = scratch});
    d->download(d, best, there, (size_t) (rows->rows * n) * sizeof *best);
}
