/*
 * train/device/cpu/class_loss_cpu.c - the loss of class labels; the plain kernel is good enough for
 * a number per class and example.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_class_xent)(struct dev *d, const struct dev_class_xent *a)
{
    dev_reference_class_xent(d, a);
}
