/*
 * train/device/cpu/attention_small.h - gemms of small matrices in a worker's scratch memory, and
 * packing them there; for attention_cpu.c.
 *
 * The library is not used here: its calls check, allocate and pack, which is not little beside the
 * arithmetic of 32 x 64 x 64.
 */
#ifndef DEV_CPU_ATTENTION_SMALL_H
#define DEV_CPU_ATTENTION_SMALL_H

#include "train/device/cpu/cpu_kernels.h"

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

/* to (rows, padded(n)) = scale * from (rows, n), from element `at` on with row stride `stride`; the
 * padding is zero. */
static inline void pack_rows(enum dev_type type, const void *from, int64_t at, int64_t stride,
                             int64_t rows, int64_t n, float scale, float *to)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; r++) {
        const float *f = (const float *) from + at + r * stride;
        float *t = to + r * width;

        if (type != DEV_FLOAT32) {
            DEV_CPU(dev_cpu_widen)(type, from, at + r * stride, n, t);
            f = t;
        }
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

/* The n elements of a row from i on, the other lanes 0; n <= 16. */
DEV_INLINE vf load_lanes(enum dev_type type, const void *from, int64_t i, int64_t n)
{
    vf x = {0};

    if (n == DEV_LANES)
        return vf_get(type, from, i);
    for (int64_t c = 0; c < n; c++)
        x[c] = dev_get(type, from, i + c);
    return x;
}

/* type is a constant where this is inlined */
DEV_INLINE void transpose_rows(enum dev_type type, const void *from, int64_t at, int64_t stride,
                               int64_t rows, int64_t n, float *to)
{
    int64_t width = padded(rows);

    for (int64_t r = 0; r < width; r += DEV_LANES)
        for (int64_t c = 0; c < n; c += DEV_LANES) {
            int64_t n_rows = least(DEV_LANES, rows - r), n_cols = least(DEV_LANES, n - c);
            vf block[DEV_LANES];

            for (int64_t i = 0; i < DEV_LANES; i++) {
                if (i >= n_rows)
                    block[i] = vf_set(0.0f);
                else
                    block[i] = load_lanes(type, from, at + (r + i) * stride + c, n_cols);
            }
            transpose_block(block);
            for (int64_t i = 0; i < n_cols; i++)
                vf_store(to + (c + i) * width + r, block[i]);
        }
}

/* to (n, padded(rows)) = transpose of from (rows, n), from element `at` on with row stride
 * `stride`; the padding is zero. */
static inline void pack_transposed(enum dev_type type, const void *from, int64_t at, int64_t stride,
                                   int64_t rows, int64_t n, float *to)
{
    if (type == DEV_BFLOAT16)
        transpose_rows(DEV_BFLOAT16, from, at, stride, rows, n, to);
    else if (type == DEV_FLOAT16)
        transpose_rows(DEV_FLOAT16, from, at, stride, rows, n, to);
    else
        transpose_rows(DEV_FLOAT32, from, at, stride, rows, n, to);
}

/* to (rows, n), from element `at` on with row stride `stride`, [+]= from (rows, padded(n)). */
static inline void unpack_rows(const float *from, int64_t rows, int64_t n, bool accumulate,
                               enum dev_type type, void *to, int64_t at, int64_t stride)
{
    int64_t width = padded(n);
    float buffer[DEV_CPU_BLOCK];

    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0, k; c < n; c += k) {
            const float *f = from + r * width + c;
            int64_t i = at + r * stride + c;
            float *t;

            k = dev_cpu_block(type, c, n);
            t = dev_cpu_out(type, to, i, k, accumulate, buffer);
            if (accumulate)
                for (int64_t e = 0; e < k; e++)
                    t[e] += f[e];
            else
                memcpy(t, f, (size_t) k * sizeof *t);
            dev_cpu_done(type, t, k, to, i);
        }
}

#endif
