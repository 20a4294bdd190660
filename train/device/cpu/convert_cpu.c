/*
 * train/device/cpu/convert_cpu.c - numbers from one type into another, sixteen at a time.
 */
#include "train/device/cpu/cpu_kernels.h"

/* The type is a constant where these are inlined. */
DEV_INLINE void widen(enum dev_type type, const void *p, int64_t i, int64_t n, float *restrict to)
{
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES)
        vf_store(to + c, vf_get(type, p, i + c));
    for (; c < n; c++)
        to[c] = dev_get(type, p, i + c);
}

void DEV_CPU(dev_cpu_widen)(enum dev_type type, const void *p, int64_t i, int64_t n, float *to)
{
    switch (type) {
    case DEV_FLOAT32:
        memcpy(to, (const float *) p + i, (size_t) n * sizeof *to);
        return;
    case DEV_BFLOAT16:
        widen(DEV_BFLOAT16, p, i, n, to);
        return;
    case DEV_FLOAT16:
        widen(DEV_FLOAT16, p, i, n, to);
        return;
    default:
        for (int64_t c = 0; c < n; c++)
            to[c] = dev_get(type, p, i + c);
    }
}

DEV_INLINE void narrow(enum dev_type type, const float *restrict x, int64_t n, void *p, int64_t i)
{
    int64_t c = 0;

    for (; c + DEV_LANES <= n; c += DEV_LANES)
        vf_put(type, p, i + c, vf_load(x + c));
    for (; c < n; c++)
        dev_put(type, p, i + c, x[c]);
}

void DEV_CPU(dev_cpu_narrow)(enum dev_type type, const float *x, int64_t n, void *p, int64_t i)
{
    if (type == DEV_BFLOAT16)
        narrow(DEV_BFLOAT16, x, n, p, i);
    else if (type == DEV_FLOAT16)
        narrow(DEV_FLOAT16, x, n, p, i);
    else
        memcpy((float *) p + i, x, (size_t) n * sizeof *x);
}

void DEV_CPU(dev_cpu_matrix_as)(enum dev_type from, const void *p, int64_t i, int64_t rows,
                                int64_t cols, int64_t stride, enum dev_type to, void *matrix)
{
    float buffer[DEV_CPU_BLOCK];

    for (int64_t r = 0; r < rows; r++) {
        if (to == DEV_FLOAT32)
            DEV_CPU(dev_cpu_widen)(from, p, i + r * stride, cols, (float *) matrix + r * cols);
        for (int64_t c = 0; to != DEV_FLOAT32 && c < cols; c += DEV_CPU_BLOCK) {
            int64_t n = cols - c < DEV_CPU_BLOCK ? cols - c : DEV_CPU_BLOCK;

            DEV_CPU(dev_cpu_narrow)
            (to, dev_cpu_in(from, p, i + r * stride + c, n, buffer), n, matrix, r * cols + c);
        }
    }
}

enum { RANGE = 16384 }; /* elements of one piece of work */

static void convert_piece(void *arg, int64_t piece, int worker)
{
    const struct dev_convert_args *a = arg;
    int64_t end = (piece + 1) * RANGE < a->n ? (piece + 1) * RANGE : a->n;

    (void) worker;
    for (int64_t i = piece * RANGE; i < end; i += DEV_CPU_BLOCK) {
        int64_t n = end - i < DEV_CPU_BLOCK ? end - i : DEV_CPU_BLOCK;
        float x[DEV_CPU_BLOCK], y[DEV_CPU_BLOCK];

        DEV_CPU(dev_cpu_widen)(a->type_x, a->x, i, n, x);
        if (a->accumulate) {
            DEV_CPU(dev_cpu_widen)(a->type_y, a->y, i, n, y);
            for (int64_t c = 0; c < n; c++)
                x[c] += y[c];
        }
        DEV_CPU(dev_cpu_narrow)(a->type_y, x, n, a->y, i);
    }
}

void DEV_CPU(dev_cpu_convert)(struct dev *d, const struct dev_convert_args *a)
{
    struct dev_convert_args copy = *a;

    dev_cpu_run(d, dev_cpu_div_up(a->n, RANGE), convert_piece, &copy);
}
