/*
 * train/models/value_loss.c - see the header.
 */
#include "train/models/value_loss.h"

#include "train/ops/cast.h"
#include "train/ops/elementwise.h"
#include "train/ops/pointwise_loss.h"

enum mdl_value_loss mdl_value_loss_of(enum mdl_target_kind target)
{
    T2_ASSERT(target != MDL_TARGET_IDS);
    return target == MDL_TARGET_SET ? MDL_LOSS_SIGMOID : MDL_LOSS_SQUARES;
}

void mdl_class_targets(const struct mdl_build *b, const struct mdl_shape *shape,
                       struct mdl_graph *out)
{
    int64_t labels[] = {shape->batch, 1}, values[] = {shape->batch, b->problem->targets_vocab};

    if (b->problem->target == MDL_TARGET_IDS)
        out->targets = gr_ids(b->g, 2, labels);
    else
        out->values = gr_floats(b->g, 2, values);
}

void mdl_value_loss(const struct mdl_build *b, enum mdl_value_loss kind, struct gr_tensor *x,
                    bool want_logits, struct mdl_graph *out)
{
    int64_t K = b->problem->targets_vocab, dims[] = {x->dims[0], K};

    T2_ASSERT(x->n == x->dims[0] * K);
    if (x->rank != 2)
        x = nn_reshape(b->g, x, 2, dims);
    x = nn_convert(b->g, x, DEV_FLOAT32);
    if (want_logits) {
        out->logits = x;
        return;
    }
    if (!b->g->training)
        out->given = x;
    out->loss = nn_pointwise_loss(b->g, kind == MDL_LOSS_SIGMOID ? DEV_SIGMOID : DEV_SQUARES, x,
                                  out->values, 1.0 / (double) K, &out->row_stats);
}
