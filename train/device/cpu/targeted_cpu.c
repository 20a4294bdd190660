/*
 * train/device/cpu/targeted_cpu.c - the smallest weights, for targeted dropout.  Once per step and
 * weight matrix; the reference kernel is good enough.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_targeted)(struct dev *d, const struct dev_targeted *a)
{
    dev_reference_targeted(d, a);
}
