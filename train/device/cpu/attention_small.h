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

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t padded(int64_t n)
{
    return (n + DEV_LINE - 1) / DEV_LINE * DEV_LINE;
}

/* ---- a product of small matrices ---- */

/* Rows of a block of C, and registers of its columns: the sums, a row of B and a number of A fill
 * the registers of the variant. */
#if defined(__AVX512F__)
#define SMALL_ROWS 8
enum { SMALL_REGS = 2 };
#elif defined(__AVX2__)
#define SMALL_ROWS 6
enum { SMALL_REGS = 2 };
#elif defined(__aarch64__)
#define SMALL_ROWS 6
enum { SMALL_REGS = 4 };
#else
#define SMALL_ROWS 2
enum { SMALL_REGS = 4 };
#endif

/* R rows and W registers of columns of C [+]= A B.  R and W are constants where it is inlined, so
 * the R * W sums stay in registers.  A step of k loads W registers of B and multiplies them by R
 * broadcast numbers of A; the sum of an element runs over k in ascending order. */
DEV_INLINE void small_gemm_block(const int R, const int W, int64_t K, const float *A, int64_t a_row,
                                 int64_t a_col, const float *B, int64_t ldb, bool accumulate,
                                 float *C, int64_t ldc)
{
    vf sum[SMALL_ROWS][SMALL_REGS];

#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int w = 0; w < W; w++)
            sum[r][w] = accumulate ? vf_load(C + r * ldc + w * DEV_LANES) : vf_set(0.0f);
    for (int64_t k = 0; k < K; k++) {
        vf b[SMALL_REGS];

#pragma GCC unroll 4
        for (int w = 0; w < W; w++)
            b[w] = vf_load(B + k * ldb + w * DEV_LANES);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            vf x = vf_set(A[r * a_row + k * a_col]);

#pragma GCC unroll 4
            for (int w = 0; w < W; w++)
                sum[r][w] = vf_multiply_add(x, b[w], sum[r][w]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int w = 0; w < W; w++)
            vf_store(C + r * ldc + w * DEV_LANES, sum[r][w]);
}

/* All rows of W registers of columns, in blocks of about the same height. */
DEV_INLINE void small_gemm_strip(const int W, int64_t M, int64_t K, const float *A, int64_t a_row,
                                 int64_t a_col, const float *B, int64_t ldb, bool accumulate,
                                 float *C, int64_t ldc)
{
    int64_t n = (M + SMALL_ROWS - 1) / SMALL_ROWS;

    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n;
        const float *a = A + m * a_row;
        float *c = C + m * ldc;

        switch ((i + 1) * M / n - m) {
#define BLOCK(R)                                                                                   \
    case R:                                                                                        \
        small_gemm_block(R, W, K, a, a_row, a_col, B, ldb, accumulate, c, ldc);                    \
        break
            BLOCK(1);
            BLOCK(2);
#if SMALL_ROWS > 2
            BLOCK(3);
            BLOCK(4);
            BLOCK(5);
            BLOCK(6);
#endif
#if SMALL_ROWS > 6
            BLOCK(7);
            BLOCK(8);
#endif
#undef BLOCK
        }
    }
}

/* C (M,N) [+]= A B, A[i,k] at A[i * a_row + k * a_col] (so A may be the transpose of what is
 * stored), B (K,N) with row stride ldb; N is a multiple of 16.  How an element is summed does not
 * depend on its block. */
static inline void product(int64_t M, int64_t N, int64_t K, const float *A, int64_t a_row,
                           int64_t a_col, const float *B, int64_t ldb, bool accumulate, float *C,
                           int64_t ldc)
{
    enum { STRIP = SMALL_REGS * DEV_LANES }; /* 32 columns with AVX-512, else 16 */
    int64_t j = 0;

    for (; j + STRIP <= N; j += STRIP)
        small_gemm_strip(SMALL_REGS, M, K, A, a_row, a_col, B + j, ldb, accumulate, C + j, ldc);
    if (j < N)
        small_gemm_strip(SMALL_REGS / 2, M, K, A, a_row, a_col, B + j, ldb, accumulate, C + j, ldc);
}

/* Rows here are short (64 numbers of a head): their numbers change type in registers, and type is a
 * constant in each of the three copies of such a loop. */
#define WITH_TYPE(type, loop, ...)                                                                 \
    do {                                                                                           \
        if ((type) == DEV_BFLOAT16)                                                                \
            loop(DEV_BFLOAT16, __VA_ARGS__);                                                       \
        else if ((type) == DEV_FLOAT16)                                                            \
            loop(DEV_FLOAT16, __VA_ARGS__);                                                        \
        else                                                                                       \
            loop(DEV_FLOAT32, __VA_ARGS__);                                                        \
    } while (0)

DEV_INLINE void scaled_rows(enum dev_type type, const void *from, int64_t at, int64_t stride,
                            int64_t rows, int64_t n, float scale, float *to)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; r++) {
        int64_t i = at + r * stride, c = 0;
        float *t = to + r * width;

        for (; c + DEV_LANES <= n; c += DEV_LANES)
            vf_store(t + c, vf_get(type, from, i + c) * vf_set(scale));
        for (; c < n; c++)
            t[c] = dev_get(type, from, i + c) * scale;
        for (; c < width; c++)
            t[c] = 0.0f;
    }
}

/* to (rows, padded(n)) = scale * from (rows, n), from element `at` on with row stride `stride`; the
 * padding is zero. */
static inline void pack_rows(enum dev_type type, const void *from, int64_t at, int64_t stride,
                             int64_t rows, int64_t n, float scale, float *to)
{
    WITH_TYPE(type, scaled_rows, from, at, stride, rows, n, scale, to);
}

/* DEV_LANES rows of as many numbers become columns: interleaving row i with row i + DEV_LANES / 2
 * as often as DEV_LANES can be halved, which for 16 is 64 shuffles instead of 256 loads and stores.
 */
DEV_INLINE void transpose_block(vf a[DEV_LANES])
{
    for (int stage = 1; stage < DEV_LANES; stage *= 2) {
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

/* The n elements of a row from i on, the other lanes 0; n <= DEV_LANES. */
DEV_INLINE vf load_lanes(enum dev_type type, const void *from, int64_t i, int64_t n)
{
    vf x = {0};

    if (n == DEV_LANES)
        return vf_get(type, from, i);
    for (int64_t c = 0; c < n; c++)
        x[c] = dev_get(type, from, i + c);
    return x;
}

DEV_INLINE void transpose_rows(enum dev_type type, const void *from, int64_t at, int64_t stride,
                               int64_t rows, int64_t n, float *to)
{
    int64_t width = padded(rows);

    for (int64_t r = 0; r < width; r += DEV_LANES)
        for (int64_t c = 0; c < n; c += DEV_LANES) {
            int64_t n_rows = dev_cpu_least(DEV_LANES, rows - r),
                    n_cols = dev_cpu_least(DEV_LANES, n - c);
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
    WITH_TYPE(type, transpose_rows, from, at, stride, rows, n, to);
}

DEV_INLINE void rows_unpacked(enum dev_type type, const float *from, int64_t rows, int64_t n,
                              bool accumulate, void *to, int64_t at, int64_t stride)
{
    int64_t width = padded(n);

    for (int64_t r = 0; r < rows; r++) {
        const float *f = from + r * width;
        int64_t i = at + r * stride, c = 0;

        for (; c + DEV_LANES <= n; c += DEV_LANES) {
            vf x = vf_load(f + c);

            vf_put(type, to, i + c, accumulate ? vf_get(type, to, i + c) + x : x);
        }
        for (; c < n; c++)
            dev_put(type, to, i + c, accumulate ? dev_get(type, to, i + c) + f[c] : f[c]);
    }
}

/* to (rows, n), from element `at` on with row stride `stride`, [+]= from (rows, padded(n)). */
static inline void unpack_rows(const float *from, int64_t rows, int64_t n, bool accumulate,
                               enum dev_type type, void *to, int64_t at, int64_t stride)
{
    WITH_TYPE(type, rows_unpacked, from, rows, n, accumulate, to, at, stride);
}

#endif
