/*
 * train/decode/search_steps.c - see the header.
 */
#include "train/decode/search_steps.h"

void dec_for_rows(const struct dec_task *t, int32_t n_rows, t2_pool_fn fn, void *arg)
{
    enum { WORTH_A_THREAD = 1 << 16 }; /* logits */

    if (t->options->pool && (int64_t) n_rows * t->model->vocab >= WORTH_A_THREAD) {
        t2_pool_run(t->options->pool, n_rows, fn, arg);
        return;
    }
    for (int64_t row = 0; row < n_rows; row++)
        fn(arg, row, 0);
}

enum t2_status dec_fail_logits(int32_t row, int32_t step, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "decoding step %d, hypothesis %d: the model gives logits that are not finite "
                   "(has training diverged?)",
                   step, row);
}
