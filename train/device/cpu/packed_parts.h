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

#include "train/device/cpu/gemm_tile.h"

/* Row m of those that are computed, and how many these are. */
DEV_INLINE int64_t dev_cpu_packed_row(const struct dev_packed_gemm *a, int64_t m)
{
    return a->live ? a->live->rows[m] : m;
}

DEV_INLINE int64_t dev_cpu_packed_rows(const struct dev_packed_gemm *a)
{
    return a->live ? a->live->n : a->M;
}

/* Of packed_int8.c and int8_products.c. */
int64_t DEV_CPU(dev_cpu_int8_floats)(int64_t K, int64_t N);
void DEV_CPU(dev_cpu_int8_pack)(struct dev *d, const struct dev_pack_args *a);
void DEV_CPU(dev_cpu_int8_gemm)(struct dev *d, const struct dev_packed_gemm *a);
int64_t DEV_CPU(dev_cpu_int8_scratch)(const struct dev_packed_gemm *a);

#endif
