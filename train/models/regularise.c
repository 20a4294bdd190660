/*
 * train/models/regularise.c - the regulariser of a kind of model: sum over variables of l2 times
 * the sum of squares, and its gradient 2 l2 x.
 *
 * The variables are cut into pieces, whose table a kernel reads; the sum is per piece and joined in
 * order: the same bits for any number of threads.
 */
#include "train/models/regularise.h"

#include <strings.h>

#include "base/alloc.h"
#include "train/device/kernels.h"

struct mdl_regulariser {
    const struct gr_params *params;
    int64_t n_pieces;
    struct dev_piece *pieces; /* device memory */
    double *sums;             /* device memory, scratch */
};

bool mdl_is_regularised(const struct gr_params *p, const struct mdl_kind *kind)
{
    for (int i = 0; i < p->n_variables; i++)
        if (p->variables[i].l2 != 0.0)
            return true;
    return kind->l2 != NULL;
}

static double factor(const struct gr_variable *v, const struct mdl_kind *kind,
                     const struct mdl_hparams *hp)
{
    if (!v->trainable)
        return 0.0;
    return kind->l2 ? kind->l2(v->name, hp) : v->l2;
}

/* The pieces of regularised variables; *n is how many. */
static struct dev_piece *cut(const struct gr_params *p, const struct mdl_kind *kind,
                             const struct mdl_hparams *hp, int64_t *n)
{
    bool wanted = strcasecmp(mdl_hp_string(hp, "optimizer"), "lars") != 0;
    struct dev_piece *pieces;
    int64_t most = 0;

    for (int i = 0; i < p->n_variables; i++)
        most += (p->variables[i].n + DEV_PIECE_FLOATS - 1) / DEV_PIECE_FLOATS;
    pieces = t2_alloc((size_t) most, sizeof *pieces);
    *n = 0;
    for (int i = 0; wanted && i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        double l2 = factor(v, kind, hp);

        for (int64_t at = 0; l2 != 0.0 && at < v->n; at += DEV_PIECE_FLOATS) {
            pieces[*n] =
                (struct dev_piece){.offset = v->offset + at,
                                   .n = v->n - at < DEV_PIECE_FLOATS ? v->n - at : DEV_PIECE_FLOATS,
                                   .decay = l2,
                                   .variable = i};
            (*n)++;
        }
    }
    return pieces;
}

uint64_t mdl_regulariser_bytes(const struct gr_params *p, const struct mdl_kind *kind,
                               const struct mdl_hparams *hp)
{
    int64_t n;

    if (!mdl_is_regularised(p, kind))
        return 0;
    t2_free(cut(p, kind, hp, &n));
    return (uint64_t) n * (sizeof(struct dev_piece) + sizeof(double));
}

enum t2_status mdl_regulariser_new(struct gr_params *p, const struct mdl_kind *kind,
                                   const struct mdl_hparams *hp, struct mdl_regulariser **r,
                                   struct t2_err *err)
{
    struct dev *d = p->dev;
    struct mdl_regulariser *made;
    struct dev_piece *pieces;
    size_t n;

    *r = NULL;
    p->regularised = mdl_is_regularised(p, kind);
    if (!p->regularised)
        return T2_OK;
    made = t2_alloc(1, sizeof *made);
    made->params = p;
    pieces = cut(p, kind, hp, &made->n_pieces);
    n = (size_t) made->n_pieces;
    made->pieces = d->alloc(d, n * sizeof *pieces);
    made->sums = d->alloc(d, n * sizeof *made->sums);
    if (made->pieces)
        d->upload_now(d, made->pieces, pieces, n * sizeof *pieces);
    t2_free(pieces);
    if (!made->pieces || !made->sums) {
        mdl_regulariser_free(made);
        return dev_fail_memory(d, mdl_regulariser_bytes(p, kind, hp), "the regulariser", NULL, err);
    }
    *r = made;
    return T2_OK;
}

void mdl_regulariser_free(struct mdl_regulariser *r)
{
    if (!r)
        return;
    r->params->dev->free(r->params->dev, r->pieces);
    r->params->dev->free(r->params->dev, r->sums);
    t2_free(r);
}

void mdl_regularise(const struct mdl_regulariser *r, bool gradients, double *sum)
{
    if (r)
        r->params->dev->kernels->regularise(
            r->params->dev,
            &(struct dev_regularise_args){.pieces = r->pieces,
                                          .n_pieces = r->n_pieces,
                                          .values = r->params->values,
                                          .grads = gradients ? r->params->grads : NULL,
                                          .sums = r->sums,
                                          .sum = sum,
                                          .laid = r->params->laid,
                                          .n_laid = r->params->n_laid});
}
