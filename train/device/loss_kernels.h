/*
 * train/device/loss_kernels.h - arguments of the kernels of losses and of what is reported of them;
 * a part of kernels.h.
 */
#ifndef DEV_LOSS_KERNELS_H
#define DEV_LOSS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "train/device/step_block.h"
#include "train/device/types.h"

/*
 * Softmax cross-entropy with label smoothing over logits = x table^T, x (N,D), table (V,D), with
 * the softmax table used in tiles, so no (N,V) tensor is held.  Rows whose label is 0 do not count.
 * Spec t2t-trainer.md §3.8: conf = 1 - smoothing on the label, low = smoothing / (V - 1) elsewhere;
 * loss = cross-entropy - norm, norm = -(conf ln conf + (V-1) low ln(low + 1e-20)).
 * grad_scale multiplies the gradients (1 / number of counting labels, times the loss multiplier).
 */
struct dev_xent {
    int64_t N, D, V;
    enum dev_type type; /* of x and dx */
    const void *x;
    const float *table;
    /* The table rounded to the device's precision, rounded_type; DEV_FLOAT32: there is none. */
    enum dev_type rounded_type;
    const void *rounded_table;
    const int32_t *labels;
    const float *weights; /* (N): of each row's loss and gradients; NULL: 1 */
    float smoothing;
    const struct dev_step *step; /* grad_scale multiplies the gradients; NULL without */
    void *dx;                    /* (N,D); NULL: no gradients at all */
    float *dtable;               /* (V,D) */
    bool accumulate_x, accumulate_table;
    /* (N,4): loss (0 where the label is 0), 1 when the largest logit is the label's and 1/2 when it
     * is one of the five largest (of equals the first ones), log p(label), weight. */
    float *row_stats;
    float *scratch; /* dev_kernels.xent_scratch_floats() */
};

/* Softmax cross-entropy of given logits (N,V) as in struct dev_xent, but every row counts, also
 * label 0.  uniform: smoothing as tf.losses.softmax_cross_entropy has it, smoothing / V everywhere
 * and the rest on the label, and nothing is subtracted.  With other_labels row r has the loss of
 * its label weights[r] times and that of its other one 1 - weights[r] times (images mixed of two).
 */
struct dev_class_xent {
    int64_t N, V;
    const float *logits;
    const int32_t *labels;
    const int32_t *other_labels; /* (N), or NULL */
    const float *weights;        /* (N) with other_labels */
    float smoothing;
    bool uniform;
    const struct dev_step *step; /* grad_scale */
    /* Above 0: of a loss that is a mean over rows beside the mean over targets, so many times; the
     * gradients' factor is it times loss_scale / all_rows of the step. */
    float beside;
    float *dlogits; /* (N,V); NULL: no gradient */
    bool accumulate;
    float *row_stats; /* (N,4) as in struct dev_xent; but for the loss they are of `labels` */
};

/*
 * Losses of each value of x (N,D) against a target t in targets (N,D), summed over a row and
 * multiplied by `weight`:
 *   DEV_SIGMOID  cross-entropy of sigmoid(x): max(x, 0) - x t + log(1 + exp(-|x|))
 *   DEV_SQUARES  (x - t)^2
 */
enum dev_pointwise { DEV_SIGMOID, DEV_SQUARES };

struct dev_pointwise_loss {
    enum dev_pointwise kind;
    int64_t N, D;
    const float *x, *targets;
    float weight;
    const struct dev_step *step; /* grad_scale */
    float *dx;                   /* (N,D); NULL: no gradient */
    bool accumulate;
    /* (N,4): loss; 1 when each value is on its target's side (of 0 and of 1/2; DEV_SQUARES: 0); 0;
     * 1 */
    float *row_stats;
};

/*
 * Discretised mixture of logistics (Salimans et al. 2017; T2T's discretized_mix_logistic_loss):
 * what pixels (N,3), red, green and blue from -1 to 1 in 256 levels, cost under mixtures of K
 * logistics, params (N,10K).  Of mixture m: its logit at m; and, of channel c at 3 m + c behind one
 * another, means from K on, log-scales s (at least -7) from 4K, and what tanh makes the
 * coefficients a of, from 7K:
 *   mean_0 = mu_0,  mean_1 = mu_1 + a_0 x_0,  mean_2 = mu_2 + a_1 x_0 + a_2 x_1
 *   log p_m = sum over c of log(sigmoid((x - mean + 1/255) / e^s) - sigmoid((x - mean - 1/255) /
 * e^s)) the outermost levels reaching to infinity; where the difference is at most 1e-5, the
 * density times 2/255 takes its place.  loss = -weight log(sum over m of softmax(logits)_m p_m).
 */
struct dev_mixture_loss {
    int64_t N, K;
    const float *params, *pixels;
    float weight;
    const struct dev_step *step; /* grad_scale */
    float *dparams;              /* (N,10K); NULL: no gradient */
    bool accumulate;
    float *row_stats; /* (N,4): loss; 0; -loss; 1 */
};

/* What is reported of a batch, summed over its rows that count. */
struct dev_loss_sums {
    double loss, log_prob;  /* numbers 0 and 2 of the rows' statistics (struct dev_xent) */
    double n_right, n_top5; /* label the largest, one of the five largest */
    double weight;
    double n_examples_right; /* examples all of whose rows are right */
    double regulariser;      /* 0; kernel regularise may write here what it adds to the loss */
    double ponder;           /* 0; kernel ponder adds what this rank's rows add to the loss */
};

/* Sums of row_stats (B,rows,4), of which each example's first n_rows count: example by example, row
 * by row, in double; a device may add in another order that is always the same. */
struct dev_sum_stats_args {
    const float *row_stats;
    int64_t B, rows, n_rows;
    struct dev_loss_sums *sums;
};

#endif
