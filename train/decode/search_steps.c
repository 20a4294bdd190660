/*
 * train/decode/search_steps.c - see the header.
 */
#include "train/decode/search_steps.h"

enum t2_status dec_fail_logits(int32_t row, int32_t step, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "decoding step %d, hypothesis %d: the model gives logits that are not finite "
                   "(has training diverged?)",
                   step, row);
}
