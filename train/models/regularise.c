/*
 * train/models/regularise.c - the regulariser of a kind of model: sum over variables of l2 times
 * the sum of squares, and its gradient 2 l2 x.
 *
 * The loops run on the host, as those of the optimizers do, whose memory rule holds here, too.
 * Pieces of PIECE_FLOATS per variable, sums in double by eight lanes, pieces joined in order: the
 * same bits for any number of threads.
 */
#include "train/models/regularise.h"

#include <strings.h>

#include "base/alloc.h"
#include "base/pool.h"

enum { PIECE_FLOATS = 32768 };

void mdl_set_regulariser(struct gr_params *p, const struct mdl_kind *kind,
                         const struct mdl_hparams *hp)
{
    bool wanted = kind->l2 && strcasecmp(mdl_hp_string(hp, "optimizer"), "lars") != 0;

    p->regularised = kind->l2 != NULL;
    for (int i = 0; i < p->n_variables; i++) {
        struct gr_variable *v = &p->variables[i];

        v->l2 = wanted && v->trainable ? kind->l2(v->name, hp) : 0.0;
    }
}

/* The variable whose pieces are being added up. */
struct piece_of {
    const struct gr_params *p;
    const struct gr_variable *v;
    bool gradients;
    double *sums;
};

static void regularise_piece(void *arg, int64_t piece, int worker)
{
    const struct piece_of *a = arg;
    int64_t at = piece * PIECE_FLOATS;
    int64_t n = a->v->n - at < PIECE_FLOATS ? a->v->n - at : PIECE_FLOATS;
    const float *restrict x = a->p->values + a->v->offset + at;
    double lanes[8] = {0};

    (void) worker;
    for (int64_t i = 0; i < n; i++)
        lanes[i % 8] += (double) x[i] * (double) x[i];
    a->sums[piece] = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                     ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    if (a->gradients) {
        float *restrict g = a->p->grads + a->v->offset + at, factor = (float) (2.0 * a->v->l2);

        for (int64_t i = 0; i < n; i++)
            g[i] += factor * x[i];
    }
}

double mdl_regulariser(const struct gr_params *p, bool gradients)
{
    int64_t most = (p->n_floats + PIECE_FLOATS - 1) / PIECE_FLOATS;
    double *sums, sum = 0.0;

    if (!p->regularised)
        return 0.0;
    T2_ASSERT(p->dev->host_memory);
    p->dev->sync(p->dev);
    sums = t2_alloc((size_t) most, sizeof *sums);
    for (int i = 0; i < p->n_variables; i++) {
        struct piece_of a = {p, &p->variables[i], gradients, sums};
        int64_t pieces = (a.v->n + PIECE_FLOATS - 1) / PIECE_FLOATS;

        if (a.v->l2 == 0.0)
            continue;
        if (p->dev->pool)
            t2_pool_run(p->dev->pool, pieces, regularise_piece, &a);
        for (int64_t k = 0; k < pieces; k++) {
            if (!p->dev->pool)
                regularise_piece(&a, k, 0);
            sum += a.v->l2 * sums[k];
        }
    }
    t2_free(sums);
    return sum;
}
