/*
 * train/device/reference/own_reference.c - a plug-in's kernel, one piece after the other.
 */
#include "train/device/reference/reference_kernels.h"

void dev_reference_own_code(struct dev *d, const struct dev_own_args *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_pieces; i++)
        a->run(a->arguments, i);
}
