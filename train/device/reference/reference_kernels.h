/*
 * train/device/reference/reference_kernels.h - the kernels as plain loops, from kernels.def.
 */
#ifndef DEV_REFERENCE_KERNELS_H
#define DEV_REFERENCE_KERNELS_H

#include "train/device/kernels.h"

#define KERNEL(name, args) void dev_reference_##name(struct dev *d, const struct args *a);
#define SCRATCH(name, parameters) int64_t dev_reference_##name##_scratch parameters;
#include "train/device/kernels.def"

#endif
