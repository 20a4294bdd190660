/*
 * train/device/cuda/own_cuda.c - a plug-in's kernel is code for the host, which device memory is
 * not for.
 */
#include "train/device/cuda/cuda_device.h"

void dev_cuda_own_code(struct dev *d, const struct dev_own_args *a)
{
    dev_cuda_fails(d, a->name,
                   "it is an operator of a plug-in, written for the host; train with --device=cpu");
}
