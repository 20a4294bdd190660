/*
 * train/models/prepend.c - what follows from the zero between inputs and targets of one row.
 */
#include "train/models/prepend.h"

#include <stdbool.h>

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

/* The original sums the number of zeros before each position, so that levels also rise in
 * padding. */
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
