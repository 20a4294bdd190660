/*
 * train/device/cpu/own_cpu.c - a plug-in's kernel, its pieces on the pool.
 */
#include "train/device/cpu/cpu_kernels.h"

static void one_piece(void *arg, int64_t piece, int worker)
{
    const struct dev_own_args *a = arg;

    (void) worker;
    a->run(a->arguments, piece);
}

void DEV_CPU(dev_cpu_own_code)(struct dev *d, const struct dev_own_args *a)
{
    struct dev_own_args copy = *a;

    dev_cpu_run(d, a->n_pieces, one_piece, &copy);
}
