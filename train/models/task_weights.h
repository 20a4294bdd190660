/*
 * train/models/task_weights.h - how much each id of a batch of several problems counts in the loss:
 * T2T's aggregate_task_losses with multiproblem_reweight_label_loss.
 */
#ifndef MDL_TASK_WEIGHTS_H
#define MDL_TASK_WEIGHTS_H

#include <stdint.h>

/* Of problems whose rows hold the id first .. first + n - 1 that says whose they are, as language
 * models of several problems have them; n 0: nothing is weighed. */
struct mdl_task_weights {
    int32_t first, n;
    double label_weight; /* of what is behind the id, 0 to 1 */
};

/*
 * weights (B, L) for targets (B, L).  With the mean loss of ids of the first problem's rows a, that
 * of each other problem t in front of its id and at it b_t, and behind it c_t, and as many of a and
 * the c_t as the batch has ids of (k), the sum of weights times losses over the number of ids that
 * are not padding is
 *   (a + sum over t of ((1 - label_weight) b_t + label_weight c_t)) / max(1, k)
 * Padding has weight 0, and so have rows with no id, or with nothing behind it.
 */
void mdl_task_weights(const struct mdl_task_weights *w, const int32_t *targets, int64_t B,
                      int64_t L, float *weights);

#endif
