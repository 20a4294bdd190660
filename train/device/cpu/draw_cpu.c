/*
 * train/device/cpu/draw_cpu.c - random numbers of a step for rows and ids: so few that the
 * reference kernels are good enough.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/reference/reference_kernels.h"

void DEV_CPU(dev_cpu_draw_keep)(struct dev *d, const struct dev_draw_keep_args *a)
{
    dev_reference_draw_keep(d, a);
}

void DEV_CPU(dev_cpu_draw_share)(struct dev *d, const struct dev_draw_share_args *a)
{
    dev_reference_draw_share(d, a);
}

void DEV_CPU(dev_cpu_drop_ids)(struct dev *d, const struct dev_drop_ids_args *a)
{
    dev_reference_drop_ids(d, a);
}
