/*
 * train/optim/loss_scale.c - the factor of the loss that keeps gradients of float16 from becoming
 * zero or infinite.
 */
#include "train/optim/loss_scale.h"

#include <float.h>

enum { FINITE_UNTIL_DOUBLED = 2000, OVERFLOWS_UNTIL_HALVED = 2 };

static void set_scale(struct opt_loss_scale *s, double scale)
{
    s->scale = scale;
    s->n_finite = s->n_overflows = 0;
}

/* An overflow forgets the finite updates; a finite one does not forget overflows. */
void opt_loss_scale_update(struct opt_loss_scale *s, bool finite)
{
    if (finite && s->n_finite + 1 >= FINITE_UNTIL_DOUBLED) {
        set_scale(s, 2.0 * s->scale <= (double) FLT_MAX ? 2.0 * s->scale : s->scale);
    } else if (finite) {
        s->n_finite++;
    } else if (s->n_overflows + 1 >= OVERFLOWS_UNTIL_HALVED) {
        set_scale(s, s->scale > 2.0 ? 0.5 * s->scale : 1.0);
    } else {
        s->n_overflows++;
        s->n_finite = 0;
    }
}
