/*
 * train/models/prepend.c - labels and levels of rows that hold inputs, a zero, and targets
 * (prepend_mode; problem.py, preprocess_example_common).
 */
#include "train/models/prepend.h"

#include <string.h>

/* In training on inputs that only see what is left of them, they are learned, too. */
bool mdl_prepend_has_labels(const struct mdl_hparams *hp)
{
    const char *mode = mdl_hp_string(hp, "prepend_mode");

    return strcmp(mode, "prepend_inputs_full_attention") == 0 ||
           (strcmp(mode, "prepend_inputs_masked_attention") == 0 &&
            (mdl_hp_has(hp, "mode") || mdl_hp_float(hp, "symbol_dropout") > 0.0));
}

/* labels (rows,length): the ids behind the first zero of each row, 0 in front of it, so that only
 * targets are learned (common_layers.weights_prepend_inputs_to_targets). */
void mdl_prepend_labels(const int32_t *ids, int64_t rows, int64_t length, int32_t *labels)
{
    for (int64_t r = 0; r < rows; r++) {
        bool in_targets = false;

        for (int64_t i = r * length; i < (r + 1) * length; i++) {
            labels[i] = in_targets ? ids[i] : 0;
            in_targets |= ids[i] == 0;
        }
    }
}

/* levels (rows,length): a query sees keys of its own level or a lower one, so inputs (level 0) see
 * each other, and targets what is in front of them.  The original sums the number of zeros before
 * each position, so that levels also rise in padding
 * (common_attention.attention_bias_prepend_inputs_full_attention). */
void mdl_prepend_levels(const int32_t *ids, int64_t rows, int64_t length, int32_t *levels)
{
    for (int64_t r = 0; r < rows; r++) {
        int64_t n_zeros = 0, level = 0;

        for (int64_t i = r * length; i < (r + 1) * length; i++) {
            level += n_zeros;
            levels[i] = level < INT32_MAX ? (int32_t) level : INT32_MAX;
            n_zeros += ids[i] == 0;
        }
    }
}
