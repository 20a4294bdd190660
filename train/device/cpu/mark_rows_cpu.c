/*
 * train/device/cpu/mark_rows_cpu.c - which rows hold something: most are known by their first
 * elements, so the reference kernel is good enough.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_mark_rows)(struct dev *d, const struct dev_mark_rows_args *a)
{
    dev_reference_mark_rows(d, a);
}
