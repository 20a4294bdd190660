/*
 * train/device/cpu/mixture_loss_cpu.c - pixels under mixtures of logistics on the pool: each row by
 * itself, in pieces of a fixed number of rows.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/mixture_row.h"

enum { ROWS = 16 };

static void piece_of_rows(void *arg, int64_t piece, int worker)
{
    const struct dev_mixture_loss *a = arg;
    int64_t end = (piece + 1) * ROWS < a->N ? (piece + 1) * ROWS : a->N;

    (void) worker;
    for (int64_t r = piece * ROWS; r < end; r++)
        dev_mixture_row(a, r);
}

void DEV_CPU(dev_cpu_mixture_loss)(struct dev *d, const struct dev_mixture_loss *a)
{
    struct dev_mixture_loss copy = *a;

    dev_cpu_run(d, dev_cpu_div_up(a->N, ROWS), piece_of_rows, &copy);
}
