/*
 * train/device/cpu/packed_parts.h - products with packed weights: the parts of packed_cpu.c,
 * packed_int8.c and int8_products.c.
 *
 * A product is cut into panels of columns, which is how the weights are packed: a panel's numbers
 * lie one behind the other in the order in which they are read, so they come from memory once and
 * are not copied again in each product.  A piece of work is a panel, for all rows.
 */
#ifndef DEV_CPU_PACKED_PARTS_H
#define DEV_CPU_PACKED_PARTS_H

#include "train/device/cpu/cpu_kernels.h"

/* The part of the next panel that a tile asks for, step by step, while it multiplies by this one:
 * all weights of a step of decoding are more than the caches hold, and a panel is read in less time
 * than its first lines take to come.  All at once would hold up what the tiles load. */
struct dev_cpu_soon {
    const char *at;
    int64_t pace; /* bytes a step */
};

/* For tile i of n, each of so many steps, of a panel that is followed by one like it, or not. */
DEV_INLINE struct dev_cpu_soon dev_cpu_soon(const void *panel, int64_t n_bytes, bool is_last,
                                            int64_t steps, int64_t i, int64_t n)
{
    struct dev_cpu_soon s = {panel, 0};

    if (!is_last) {
        s.at += n_bytes + i * n_bytes / n;
        s.pace = dev_cpu_div_up(n_bytes, n * steps);
    }
    return s;
}

/* step: bytes of a step of a panel, which is the most that there is to ask for. */
DEV_INLINE void dev_cpu_ask(struct dev_cpu_soon *s, const int step)
{
    enum { LINE = DEV_LINE * sizeof(float) };

#pragma GCC unroll 4
    for (int at = 0; at < step; at += LINE) {
        __builtin_prefetch(s->at + at, 0, 2);
    }
    s->at += s->pace;
}

/* Of packed_int8.c and int8_products.c. */
int64_t DEV_CPU(dev_cpu_int8_floats)(int64_t K, int64_t N);
void DEV_CPU(dev_cpu_int8_pack)(struct dev *d, const struct dev_pack_args *a);
void DEV_CPU(dev_cpu_int8_gemm)(struct dev *d, const struct dev_packed_gemm *a);
int64_t DEV_CPU(dev_cpu_int8_scratch)(const struct dev_packed_gemm *a);

#endif
