/*
 * train/device/cpu/gemm_tile.h - the inner loop of our own matrix products of floats: a tile of C
 * with all its sums in registers; for packed_cpu.c and gemm_rows.c.
 *
 * The columns of a product are cut into panels of GEMM_WIDTH, those of one k side by side.  A tile
 * of up to GEMM_ROWS rows of A meets a panel: GEMM_ROWS x GEMM_VECTORS registers of sums,
 * GEMM_VECTORS of the panel, one of A.  With AVX-512 and K = 512 a panel has 128 KiB and streams
 * from the second-level cache, while the rows of A stay in the first; with AVX2 it has 32 KiB.
 * Rows are few: where K is a multiple of 512, as it often is, they lie in the same two sets of the
 * first-level cache, of 8 lines each, and 12 rows of 2 vectors had 0.92 of the rate (Zen 4).
 *
 * An element is added up over k in ascending order, each product fused into the sum where the
 * variant has the instruction, whatever the number of rows.
 */
#ifndef DEV_CPU_GEMM_TILE_H
#define DEV_CPU_GEMM_TILE_H

#include "train/device/cpu/cpu_kernels.h"

#if defined(__AVX512F__)
enum { GEMM_ROWS = 6, GEMM_VECTORS = 4 };
#elif defined(__AVX2__)
enum { GEMM_ROWS = 6, GEMM_VECTORS = 2 };
#else
enum { GEMM_ROWS = 4, GEMM_VECTORS = 2 };
#endif

enum { GEMM_WIDTH = GEMM_VECTORS * DEV_LANES };

/* A tile has a function for each number of rows: X(1) .. X(GEMM_ROWS) define them, and a table of
 * them begins with that of one row. */
/* clang-format off */
#if defined(__AVX2__)
#define GEMM_EACH_HEIGHT(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define GEMM_HEIGHTS(form) {form##_1, form##_2, form##_3, form##_4, form##_5, form##_6}
#else
#define GEMM_EACH_HEIGHT(X) X(1) X(2) X(3) X(4)
#define GEMM_HEIGHTS(form) {form##_1, form##_2, form##_3, form##_4}
#endif
/* clang-format on */

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

/* The numbers of R rows: number k of row r is x[r * row + k * next]. */
struct tile_rows {
    const float *x;
    int64_t row, next;
};

/* sum (R,GEMM_WIDTH) += the rows times a panel (K,GEMM_WIDTH) of floats or bfloat16, which become
 * floats when they are loaded: a shift.  R and is_half are constants where this is inlined; soon
 * may be NULL. */
DEV_INLINE void tile_add(const struct tile_rows rows, const void *panel, int64_t K,
                         struct dev_cpu_soon *soon, const int R, const bool is_half,
                         vf sum[GEMM_ROWS][GEMM_VECTORS])
{
    for (int64_t k = 0; k < K; k++) {
        vf weights[GEMM_VECTORS];

#pragma GCC unroll 4
        for (int v = 0; v < GEMM_VECTORS; v++) {
            weights[v] =
                vf_get(is_half ? DEV_BFLOAT16 : DEV_FLOAT32, panel, k * GEMM_WIDTH + v * DEV_LANES);
        }
        if (soon)
            dev_cpu_ask(soon, GEMM_WIDTH * (is_half ? 2 : 4));
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            vf one = vf_set(rows.x[r * rows.row + k * rows.next]);

#pragma GCC unroll 4
            for (int v = 0; v < GEMM_VECTORS; v++) {
                sum[r][v] = vf_multiply_add(one, weights[v], sum[r][v]);
            }
        }
    }
}

#endif
