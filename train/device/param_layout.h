/*
 * train/device/param_layout.h - parameters that a device keeps in an order of its own.
 *
 * Where a device says so (dev.param_layout), a parameter, its gradient and what optimizers and
 * averages keep of the same shape lie in device memory in the device's layout: the same numbers at
 * the same place of their arenas, in another order.  Checkpoints, initial values and all else on
 * the host have theirs, and go through upload_param and download_param.
 */
#ifndef DEV_PARAM_LAYOUT_H
#define DEV_PARAM_LAYOUT_H

#include <stdint.h>

enum { DEV_MAX_RANK = 4 };

/* How operators use a parameter, when all that do use it so. */
enum dev_param_use {
    DEV_USE_ANY,    /* or more than one */
    DEV_USE_CONV2D, /* weights (kh,kw,C,N) of conv2d and its backward passes */
    DEV_USE_DENSE /* (K,N), B of gemm, with trans_b in the backward pass, where C is its gradient */
};

/* A parameter in a layout of the device; where it lies and what shape it has for the host. */
struct dev_laid {
    int32_t layout; /* the device's number, > 0 */
    int32_t rank;
    int64_t dims[DEV_MAX_RANK];
    int64_t offset, n; /* elements of the arenas of values, gradients and slots */
};

#endif
