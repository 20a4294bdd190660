/*
 * train/device/cpu/attention_small.h - gemms of small matrices in a worker's scratch memory, and
 * packing them there; for attention_cpu.c.
 *
 * The library is not used here: its calls check, allocate and pack, which is not little beside the
 * arithmetic of 32 x 64 x 64.
 */
#ifndef DEV_CPU_ATTENTION_SMALL_H
#define DEV_CPU_ATTENTION_SMALL_H

#include "train/device/cpu/simd.h"

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t padded(int64_t n)
{
    return (n + DEV_LANES - 1) / DEV_LANES * DEV_LANES;
}

/* ---- a product of small matrices ---- */

/* R rows and W vectors of columns of C [+]= A B.  R and W are constants where it is inlined, so the
 * R * W sums stay in registers: 8 x 2 of 32 with AVX-512.  A step of k loads W vectors of B and
 * multiplies them by R broadcast numbers of A; the sum of an element runs over k in ascending
 * order. */
DEV_INLINE void small_gemm_block(int R, int W, int64_t K, const float *A, int64_t a_row,
                                 int64_t a_col, const float *B, int64_t ldb, bool accumulate,
                                 float *C, int64_t ldc)
{
    vf sum[8][2];

    for (int r = 0; r < R; r++)
        for (int w = 0; w < W; w++)
            sum[r][w] = accumulate ? vf_load(C + r * ldc + w * DEV_LANES) : vf_set(0.0f);
    for (int64_t k = 0; k < K; k++) {
        vf b[2];

        for (int w = 0; w < W; w++)
            b[w] = vf_load(B + k * ldb + w * DEV_LANES);
        for (int r = 0; r < R; r++) {
            vf x = vf_set(A[r * a_row + k * a_col]);

            for (int w = 0; w < W; w++)
                sum[r][w] += x * b[w];
        }
    }
    for (int r = 0; r < R; r++)
        for (int w = 0; w < W; w++)
            vf_store(C + r * ldc + w * DEV_LANES, sum[r][w]);
}

/* C (M,N) [+]= A B, A[i,k] at A[i * a_row + k * a_col] (so A may be the transpose of what is
 * stored), B (K,N) with row stride ldb; N is a multiple of 16.  Columns are cut into strips of two
 * vectors, rows into blocks of 8, then of 2 and 1; how an element is summed does not depend on its
 * block. */
static inline void product(int64_t M, int64_t N, int64_t K, const float *A, int64_t a_row,
                           int64_t a_col, const float *B, int64_t ldb, bool accumulate, float *C,
                           int64_t ldc)
{
    int64_t j = 0;

    for (; j + 2 * DEV_LANES <= N; j += 2 * DEV_LANES) {
        int64_t i = 0;

        for (; i + 8 <= M; i += 8)
            small_gemm_block(8, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                             C + i * ldc + j, ldc);
        for (; i + 2 <= M; i += 2)
            small_gemm_block(2, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                             C + i * ldc + j, ldc);
        for (; i < M; i++)
            small_gemm_block(1, 2, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                             C + i * ldc + j, ldc);
    }
    if (j < N) {
        int64_t i = 0;

        for (; i + 8 <= M; i += 8)
            small_gemm_block(8, 1, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                             C + i * ldc + j, ldc);
        for (; i < M; i++)
            small_gemm_block(1, 1, K, A + i * a_row, a_row, a_col, B + j, ldb, accumulate,
                             C + i * ldc + j, ldc);
    }
}

/* to (rows, padded(n)) = scale * from (rows, n) with row stride `stride`; the padding is zero. */
static inline void pack_rows(const float *from, int64_t stride, int64_t rows, int64_t n,
                             float scale, float *to)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; r++) {
        const float *f = from + r * stride;
        float *t = to + r * width;

        for (int64_t c = 0; c < n; c++)
            t[c] = f[c] * scale;
        for (int64_t c = n; c < width; c++)
            t[c] = 0.0f;
    }
}

/* 16 rows of 16 become 16 columns: interleaving row i with row i + 8, four times, which is 64
 * shuffles instead of 256 loads and stores. */
DEV_INLINE void transpose_block(vf a[DEV_LANES])
{
    for (int stage = 0; stage < 4; stage++) {
        vf b[DEV_LANES];

#pragma GCC unroll 8
        for (int i = 0; i < DEV_LANES / 2; i++) {
            b[2 * i] = vf_interleave_low(a[i], a[i + DEV_LANES / 2]);
            b[2 * i + 1] = vf_interleave_high(a[i], a[i + DEV_LANES / 2]);
        }
#pragma GCC unroll 16
        for (int i = 0; i < DEV_LANES; i++)
            a[i] = b[i];
    }
}

/*
 * to (n, padded(rows)) = transpose of from (rows, n) with row stride `stride`; the padding is zero.
 */
static inline void pack_transposed(const float *from, int64_t stride, int64_t rows, int64_t n,
                                   float *to)
{
    int64_t width = padded(rows);

    for (int64_t r = 0; r < width; r += DEV_LANES)
        for (int64_t c = 0; c < n; c += DEV_LANES) {
            int64_t n_rows = least(DEV_LANES, rows - r), n_cols = least(DEV_LANES, n - c);
            vf block[DEV_LANES];

            for (int64_t i = 0; i < DEV_LANES; i++) {
                const float *f = from + (r + i) * stride + c;

                if (i >= n_rows)
                    block[i] = vf_set(0.0f);
                else
                    block[i] = n_cols == DEV_LANES ? vf_load(f) : vf_load_part(f, n_cols);
            }
            transpose_block(block);
            for (int64_t i = 0; i < n_cols; i++)
                vf_store(to + (c + i) * width + r, block[i]);
        }
}

/* to (rows, n) with row stride `stride` [+]= from (rows, padded(n)). */
static inline void unpack_rows(const float *from, int64_t rows, int64_t n, bool accumulate,
                               float *to, int64_t stride)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; r++) {
        const float *f = from + r * width;
        float *t = to + r * stride;

        if (accumulate)
            for (int64_t c = 0; c < n; c++)
                t[c] += f[c];
        else
            memcpy(t, f, (size_t) n * sizeof *t);
    }
}

#endif
