/*
 * train/device/cpu/attention_few.h - one query against keys and values that lie in rows of caches;
 * for attention_cpu.c.
 *
 * Sums are in as many vectors as 16 lanes take (one of AVX-512, two of AVX2, four of SSE2 and
 * NEON), so that one addition need not wait for the one before.  Those over j are in ascending
 * order.
 */
#ifndef DEV_CPU_ATTENTION_FEW_H
#define DEV_CPU_ATTENTION_FEW_H

#include "train/device/cpu/cpu_kernels.h"

enum {
    FEW_SUMS = 16, /* of a dot product */
    FEW_PARTS = FEW_SUMS / DEV_LANES,
    FEW_MOST = FEW_PARTS == 4 ? 8 : 4 * FEW_PARTS
};

/* Of the 16 lanes, upper halves first. */
DEV_INLINE float few_sum(const vf x[FEW_PARTS])
{
#if defined(__AVX512F__)
    return vf_sum(x[0]);
#elif defined(__AVX2__)
    return vf_sum(x[0] + x[1]);
#else
    return vf_sum((x[0] + x[2]) + (x[1] + x[3]));
#endif
}

/* Sum over c of q[c] k[c]. */
DEV_INLINE float few_dot(const float *q, const float *k, int64_t n)
{
    vf sum[FEW_PARTS] = {{0}};
    int64_t c = 0;

    for (; c + FEW_SUMS <= n; c += FEW_SUMS)
#pragma GCC unroll 4
        for (int p = 0; p < FEW_PARTS; p++)
            sum[p] += vf_load(q + c + p * DEV_LANES) * vf_load(k + c + p * DEV_LANES);
    if (c < n) {
        float rest[2][FEW_SUMS] = {{0}};

        memcpy(rest[0], q + c, (size_t) (n - c) * sizeof *q);
        memcpy(rest[1], k + c, (size_t) (n - c) * sizeof *k);
#pragma GCC unroll 4
        for (int p = 0; p < FEW_PARTS; p++)
            sum[p] += vf_load(rest[0] + p * DEV_LANES) * vf_load(rest[1] + p * DEV_LANES);
    }
    return few_sum(sum);
}

/* Where key or value j of a head lies. */
struct few_places {
    const int32_t *index; /* the hypothesis by j; NULL: `element` */
    int64_t element, rows, stride, first;
};

DEV_INLINE int64_t few_at(const struct few_places *p, int64_t j)
{
    return ((p->index ? p->index[j] : p->element) * p->rows + j) * p->stride + p->first;
}

/* Asks for key or value j, of n floats: rows of caches come from memory, and a hypothesis has many,
 * each in another place. */
DEV_INLINE void few_ask(const float *x, const struct few_places *p, int64_t j, int64_t n)
{
    const float *row = x + few_at(p, j);

    for (int64_t c = 0; c < n; c += DEV_LINE)
        __builtin_prefetch(row + c, 0, 3);
}

/* R registers of columns of out = sum over j of s[j] rows[j]; R is a constant where it is inlined,
 * so that the sums stay in registers. */
DEV_INLINE void few_columns(int R, const float *s, const float *v, const struct few_places *p,
                            int64_t n, float *out)
{
    vf sum[FEW_MOST] = {{0}};

    for (int64_t j = 0; j < n; j++) {
        const float *row = v + few_at(p, j);
        vf w = vf_set(s[j]);

#pragma GCC unroll 8
        for (int r = 0; r < R; r++)
            sum[r] += w * vf_load(row + r * DEV_LANES);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
        vf_store(out + r * DEV_LANES, sum[r]);
}

/* out (width) = sum over the n values j of s[j] v_j. */
static inline void few_weighted(const float *s, const float *v, const struct few_places *p,
                                int64_t n, int64_t width, float *out)
{
    int64_t c = 0;

    for (; c + FEW_MOST * DEV_LANES <= width; c += FEW_MOST * DEV_LANES)
        few_columns(FEW_MOST, s, v + c, p, n, out + c);
    for (; c + DEV_LANES <= width; c += DEV_LANES)
        few_columns(1, s, v + c, p, n, out + c);
    if (c < width) {
        vf sum = {0};

        /* Not a scalar loop for each column: with and without an index the compiler would make
         * two of it, and contract one alone to fused multiply-adds. */
        for (int64_t j = 0; j < n; j++)
            sum += vf_set(s[j]) * vf_load_part(v + few_at(p, j) + c, width - c);
        vf_store_part(out + c, sum, width - c);
    }
}

#endif
