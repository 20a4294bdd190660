/*
 * train/decode/search_steps.c - see the header.
 */
#include "train/decode/search_steps.h"

#include "train/decode/repeated_ngrams.h"

bool dec_repeats(const struct dec_task *t, int32_t b, const int32_t *ids, int32_t step, int32_t id)
{
    int32_t first = 0;

    while (first < step && dec_forced_id(t, b, first) >= 0)
        first++;
    return id != DEC_EOS &&
           dec_repeats_ngram(ids + first, step - first, id, t->options->no_repeat_ngram);
}

enum t2_status dec_fail_logits(int32_t row, int32_t step, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "decoding step %d, hypothesis %d: the model gives logits that are not finite "
                   "(has training diverged?)",
                   step, row);
}
