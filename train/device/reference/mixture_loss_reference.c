/*
 * train/device/reference/mixture_loss_reference.c - pixels under mixtures of logistics, row by row.
 */
#include "train/device/mixture_row.h"
#include "train/device/reference/reference_kernels.h"

void dev_reference_mixture_loss(struct dev *d, const struct dev_mixture_loss *a)
{
    (void) d;
    for (int64_t r = 0; r < a->N; r++)
        dev_mixture_row(a, r);
}
