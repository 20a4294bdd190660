/*
 * train/optim/yellow_fin.c - not there yet; known by name, so that it is refused by name.
 */
#include "train/optim/method.h"

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    (void) o;
    (void) hp;
    return t2_fail(err, T2_EUNSUPPORTED, "optimizer 'yellow_fin' is not supported");
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    (void) u;
    (void) p;
}

const struct opt_method opt_yellow_fin = {.name = "yellow_fin",
                                          .slot = "YellowFin",
                                          .prepare = prepare,
                                          .piece = piece};
