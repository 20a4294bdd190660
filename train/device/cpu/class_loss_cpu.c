/*
 * train/device/cpu/class_loss_cpu.c - the loss of class labels.  The reference kernel is good
 * enough: (N,V) logits of classes are some thousand numbers per step.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_class_xent)(struct dev *d, const struct dev_class_xent *a)
{
    dev_reference_class_xent(d, a);
}
