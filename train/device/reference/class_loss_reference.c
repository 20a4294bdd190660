/*
 * train/device/reference/class_loss_reference.c - the loss of class labels in plain loops: softmax
 * cross-entropy of logits (N,V) with smoothed labels (struct dev_class_xent).
 *
 * loss = sum over v of target_v (lse - s_v) - norm, target_v = low + (conf - low) [v is the label],
 * written so that the smoothing needs only the sum of all logits.  With other_labels the last
 * factor is weights[r] for the label and 1 - weights[r] for the other one; the logits of both,
 * mixed so, are `shown`.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_class_xent(struct dev *d, const struct dev_class_xent *a)
{
    double smoothing = (double) a->smoothing, V = (double) a->V;
    double low = a->uniform ? smoothing / V : smoothing / (V - 1.0);
    double conf = a->uniform ? 1.0 - smoothing + low : 1.0 - smoothing;
    double norm = a->uniform ? 0.0 : -(conf * log(conf) + (V - 1.0) * low * log(low + 1e-20));

    float scale = !a->dlogits        ? 0.0f
                  : a->beside > 0.0f ? a->beside * a->step->loss_scale / (float) a->step->all_rows
                                     : a->step->grad_scale;

    (void) d;
    for (int64_t r = 0; r < a->N; r++) {
        const float *logits = a->logits + r * a->V;
        float *stats = a->row_stats + 4 * r;
        int32_t label = a->labels[r], other = a->other_labels ? a->other_labels[r] : label;
        double own = a->other_labels ? (double) a->weights[r] : 1.0, shown;
        double largest = -HUGE_VAL, sum = 0.0, total = 0.0, lse;
        int64_t best = 0, ahead = 0;

        for (int64_t v = 0; v < a->V; v++) {
            if ((double) logits[v] > largest) {
                largest = (double) logits[v];
                best = v;
            }
            total += (double) logits[v];
        }
        for (int64_t v = 0; v < a->V; v++)
            ahead += logits[v] > logits[label] || (v < label && logits[v] == logits[label]);
        for (int64_t v = 0; v < a->V; v++)
            sum += exp((double) logits[v] - largest);
        lse = largest + log(sum);
        shown = own * (double) logits[label] + (1.0 - own) * (double) logits[other];
        stats[0] = (float) (conf * (lse - shown) +
                            low * ((double) (a->V - 1) * lse - (total - shown)) - norm);
        stats[1] = best == label ? 1.0f : ahead < 5 ? 0.5f : 0.0f;
        stats[2] = (float) ((double) logits[label] - lse);
        stats[3] = 1.0f;
        for (int64_t v = 0; a->dlogits && v < a->V; v++) {
            double want =
                low + (conf - low) * ((v == label ? own : 0.0) + (v == other ? 1.0 - own : 0.0));
            float g = (float) ((exp((double) logits[v] - lse) - want) * (double) scale);

            a->dlogits[r * a->V + v] = a->accumulate ? a->dlogits[r * a->V + v] + g : g;
        }
    }
}
