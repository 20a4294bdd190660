/*
 * train/device/cpu/pointwise_loss_cpu.c - losses of each value.  The reference kernel is good
 * enough: (N,D) values are some thousand numbers per step.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_pointwise_loss)(struct dev *d, const struct dev_pointwise_loss *a)
{
    dev_reference_pointwise_loss(d, a);
}
