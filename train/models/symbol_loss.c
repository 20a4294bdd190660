/*
 * train/models/symbol_loss.c - see the header.
 *
 * The loss passes over rows whose label is padding, which have predictions, too: what an original
 * compares, position by position, are whole rows of ids (eval/id_scores.h).
 */
#include "train/models/symbol_loss.h"

#include "train/ops/best_rows.h"
#include "train/ops/linear.h"
#include "train/ops/xent.h"

void mdl_symbol_loss(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *table,
                     bool want_logits, struct mdl_graph *out)
{
    if (want_logits) {
        out->logits = nn_logits(b->g, x, table);
        return;
    }
    if (b->predicts && !b->g->training)
        out->best = nn_best_rows(b->g, x, table);
    out->loss = nn_xent(b->g, x, table, out->labels ? out->labels : out->targets,
                        mdl_hp_float(b->hp, "label_smoothing"), &out->row_stats);
}
