/*
 * train/device/reference/sum_stats_reference.c - the statistics of a batch from those of its rows.
 */
#include "train/device/reference/reference_kernels.h"

void dev_reference_sum_stats(struct dev *d, const struct dev_sum_stats_args *a)
{
    struct dev_loss_sums sums = {0};

    (void) d;
    for (int64_t b = 0; b < a->B; b++) {
        double right = 0.0, weight = 0.0; /* of the example */

        for (int64_t l = 0; l < a->n_rows; l++) {
            const float *row = a->row_stats + 4 * (b * a->rows + l);

            sums.loss += (double) row[0];
            sums.log_prob += (double) row[2];
            right += row[1] == 1.0f ? 1.0 : 0.0;
            sums.n_top5 += row[1] > 0.0f ? 1.0 : 0.0;
            weight += (double) row[3];
        }
        sums.n_right += right;
        sums.weight += weight;
        sums.n_examples_right += right >= weight ? 1.0 : 0.0;
    }
    *a->sums = sums;
}
