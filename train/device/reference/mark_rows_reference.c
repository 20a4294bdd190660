/*
 * train/device/reference/mark_rows_reference.c - which rows hold something.
 */
#include "train/device/reference/reference_kernels.h"
#include "train/device/types.h"

void dev_reference_mark_rows(struct dev *d, const struct dev_mark_rows_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        bool any = a->n_marked > 0 && r % a->length >= a->length - a->n_marked;

        for (int64_t i = 0; i < a->D && !any; i++)
            any = dev_get(a->type, a->x, r * a->D + i) != 0.0f;
        a->ids[r] = any;
    }
}
