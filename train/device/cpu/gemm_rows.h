/*
 * train/device/cpu/gemm_rows.h - products of float32 without a library, for gemm_cpu.c: whether one
 * is computed so, its scratch memory, and itself.
 */
#ifndef DEV_CPU_GEMM_ROWS_H
#define DEV_CPU_GEMM_ROWS_H

#include "train/device/cpu/cpu_kernels.h"

/* Is it of a shape for which our tile is faster than a library, where
 * dev_cpu_own_tiles_are_faster()?
 */
bool DEV_CPU(dev_cpu_gemm_by_rows)(const struct dev_gemm *a);
/* Floats: of a product at most as large on each side no more. */
int64_t DEV_CPU(dev_cpu_gemm_rows_scratch)(const struct dev *d, const struct dev_gemm *a);
/* epilogue: of whole rows; may be NULL. */
void DEV_CPU(dev_cpu_gemm_rows)(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue);

#endif
