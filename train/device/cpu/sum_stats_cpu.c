/*
 * train/device/cpu/sum_stats_cpu.c - the statistics of a batch: four numbers a row, once a step, in
 * the order of the rows; the reference kernel is good enough.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_sum_stats)(struct dev *d, const struct dev_sum_stats_args *a)
{
    dev_reference_sum_stats(d, a);
}
