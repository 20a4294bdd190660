/*
 * train/models/symbol_loss.c - see the header.
 *
 * The loss passes over rows whose label is padding, which have predictions, too: what an original
 * compares, position by position, are whole rows of ids (eval/id_scores.h).
 */
#include "train/models/symbol_loss.h"

#include <stdio.h>

#include "train/models/transformer_parts.h"
#include "train/models/value_loss.h"
#include "train/ops/best_rows.h"
#include "train/ops/cast.h"
#include "train/ops/class_loss.h"
#include "train/ops/linear.h"
#include "train/ops/xent.h"

void mdl_symbol_loss(const struct mdl_build *b, struct gr_tensor *x, struct gr_tensor *table,
                     bool want_logits, struct mdl_graph *out)
{
    struct gr_tensor *labels;

    if (want_logits) {
        out->logits = nn_logits(b->g, x, table);
        return;
    }
    /* an evaluation is also of the targets that the loss leaves out (mdl_loss) */
    if (b->problem->targets_mask && b->g->training && !out->labels)
        out->labels = gr_ids(b->g, out->targets->rank, out->targets->dims);
    labels = out->labels ? out->labels : out->targets;
    if (b->predicts && !b->g->training)
        out->best = nn_best_rows(b->g, x, table);
    if (b->problem->tasks.n > 0)
        out->row_weights = gr_floats(b->g, labels->rank, labels->dims);
    out->loss = nn_xent(b->g, x, table, labels, out->row_weights,
                        mdl_hp_float(b->hp, "label_smoothing"), &out->row_stats);
}

const char mdl_number_model[] = "transformer_regressor";

/* The original embeds the number, too, and nothing reads it. */
static void number_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                       struct mdl_graph *out)
{
    int64_t D = x->dims[2];
    char scope[MDL_TF_NAME_BYTES];

    snprintf(scope, sizeof scope, "%s/real_l2_loss_modality/targets_bottom/real/bottom", b->model);
    mdl_tf_unread(b, scope, "kernel", 2, (int64_t[]){1, D}, GR_INIT_DEFAULT);
    mdl_tf_unread(b, scope, "bias", 1, &D, GR_INIT_ZEROS);
    snprintf(scope, sizeof scope, "%s/reg_top_ffn/model_top", b->model);
    x = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", D, 1),
                  mdl_tf_vector(b, scope, "bias", 1, GR_INIT_ZEROS), false, 0.0);
    mdl_value_loss(b, MDL_LOSS_SQUARES, x, want_logits, out);
}

void mdl_text_class_top(const struct mdl_build *b, struct gr_tensor *x, bool want_logits,
                        struct mdl_graph *out)
{
    int64_t n = b->problem->targets_vocab;
    char name[MDL_TF_NAME_BYTES / 2], scope[MDL_TF_FULL_NAME_BYTES];
    struct gr_tensor *logits; /* (B, 1, classes) */

    if (b->model == mdl_number_model) {
        number_top(b, x, want_logits, out);
        return;
    }
    snprintf(name, sizeof name, "class_label_modality_%lld_%lld", (long long) n,
             (long long) mdl_hp_int(b->hp, "hidden_size"));
    snprintf(scope, sizeof scope, "%s/%s/%s/dense", b->model, name, name);
    logits = nn_linear(b->g, x, mdl_tf_kernel(b, scope, "kernel", x->dims[2], n),
                       mdl_tf_vector(b, scope, "bias", n, GR_INIT_ZEROS), false, 0.0);
    logits = nn_convert(b->g, logits, DEV_FLOAT32);
    if (b->problem->target != MDL_TARGET_IDS)
        mdl_value_loss(b, mdl_value_loss_of(b->problem->target), logits, want_logits, out);
    else if (want_logits)
        out->logits = logits;
    else
        out->loss = nn_class_loss(b->g, logits, out->targets,
                                  mdl_hp_float(b->hp, "label_smoothing"), &out->row_stats);
}
