/*
 * train/device/cpu/packed_int8.c - weights as 8-bit whole numbers, in the layout of int8_layout.h.
 */
#include <math.h>

#include "train/device/cpu/int8_layout.h"

static void round_by(const float *restrict x, int64_t n, const float *restrict factors,
                     int32_t *restrict q)
{
    float y[DEV_INT8_QUADS];

    for (int64_t k = 0; k < n; k++)
        y[k] = x[k] * factors[k];
    dev_int8_round_all(y, n, q);
}

/* ---- packing ---- */

int64_t DEV_CPU(dev_cpu_int8_floats)(int64_t K, int64_t N)
{
    int64_t columns = dev_int8_whole(N, dev_int8_width());

    return columns + columns * dev_int8_whole(K, DEV_INT8_WHOLE_K) / 4;
}

/* Whole numbers of weights k .. k + n - 1 of a column into its panel. */
static void put_weights(int8_t *panel, const int32_t *q, int64_t k, int64_t n, int64_t column)
{
    const int64_t g = dev_int8_group(), w = dev_int8_width();
    const int32_t zero = dev_int8_has_quads() ? 128 : 0;

    for (int64_t i = 0; i < n; i++)
        panel[(k + i) / g * g * w + column * g + (k + i) % g] = (int8_t) (uint8_t) (q[i] + zero);
}

/* A column of a table of symbols (N,K), whose numbers follow one another. */
static void pack_row(const struct dev_pack_args *a, int64_t n, int64_t column, int8_t *panel)
{
    const float *x = a->B + (n - a->first) * a->ldb;
    uint32_t largest = dev_int8_largest_bits(x, a->K);
    float factor = dev_int8_factor(largest);

    a->packed[n] = dev_int8_scale(largest);
    for (int64_t k = 0; k < a->K; k += DEV_CPU_BLOCK) {
        int64_t there = a->K - k < DEV_CPU_BLOCK ? a->K - k : DEV_CPU_BLOCK;
        int32_t q[DEV_CPU_BLOCK] = {0};

        if (factor != 0.0f)
            dev_int8_round_row(x + k, there, factor, q);
        put_weights(panel, q, k, there, column);
    }
}

/* All columns of a panel of (K,N), side by side: n of them from `first` on. */
static void pack_columns(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    const int64_t g = dev_int8_group(), w = dev_int8_width();
    const int32_t zero = dev_int8_has_quads() ? 128 : 0;
    const float *B = a->B + first - a->first;
    uint32_t largest[DEV_INT8_QUADS] = {0};
    float factors[DEV_INT8_QUADS];
    int32_t q[DEV_INT8_QUADS];

    for (int64_t k = 0; k < a->K; k++)
        for (int64_t j = 0; j < n; j++) {
            uint32_t bits = dev_abs_bits(B[k * a->ldb + j]);

            largest[j] = bits > largest[j] ? bits : largest[j];
        }
    for (int64_t j = 0; j < n; j++) {
        a->packed[first + j] = dev_int8_scale(largest[j]);
        factors[j] = dev_int8_factor(largest[j]);
    }
    for (int64_t k = 0; k < a->K; k++) {
        int8_t *to = panel + k / g * g * w + k % g;

        round_by(B + k * a->ldb, n, factors, q);
        for (int64_t j = 0; j < n; j++)
            to[j * g] = (int8_t) (uint8_t) ((factors[j] == 0.0f ? 0 : q[j]) + zero);
    }
}

/* Bytes of n columns from `first` on, in groups of g, flipped as the form wants them. */
DEV_INLINE void put_whole(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel,
                          const int64_t g, const int64_t w, const uint8_t flip)
{
    const int8_t *q = a->whole + (first - a->first) * (a->trans_b ? a->ldb : 1);
    const int64_t by_k = a->trans_b ? 1 : a->ldb, by_column = a->trans_b ? a->ldb : 1;
    int64_t groups = a->K / g * g;

    if (a->trans_b) {
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < groups; k += g)
                for (int64_t i = 0; i < g; i++)
                    panel[k * w + j * g + i] = (int8_t) (q[j * a->ldb + k + i] ^ flip);
    } else {
        for (int64_t k = 0; k < groups; k += g)
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < g; i++)
                    panel[k * w + j * g + i] = (int8_t) (q[(k + i) * a->ldb + j] ^ flip);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = groups; k < a->K; k++)
            panel[groups * w + j * g + k - groups] = (int8_t) (q[k * by_k + j * by_column] ^ flip);
}

/* largest (n): of |q| of each column. */
static void find_largest(const struct dev_pack_args *a, int64_t first, int64_t n, uint8_t *largest)
{
    const int8_t *q = a->whole + (first - a->first) * (a->trans_b ? a->ldb : 1);

    memset(largest, 0, (size_t) n);
    if (a->trans_b)
        for (int64_t j = 0; j < n; j++, q += a->ldb) {
            uint8_t of_row = 0;

            for (int64_t k = 0; k < a->K; k++) {
                uint8_t size = (uint8_t) (q[k] < 0 ? -q[k] : q[k]);

                of_row = size > of_row ? size : of_row;
            }
            largest[j] = of_row;
        }
    else
        for (int64_t k = 0; k < a->K; k++, q += a->ldb)
            for (int64_t j = 0; j < n; j++) {
                uint8_t size = (uint8_t) (q[j] < 0 ? -q[j] : q[j]);

                largest[j] = size > largest[j] ? size : largest[j];
            }
}

/* Column j of a panel that has the bytes of the source: those of its floats. */
static void round_whole(int8_t *panel, int64_t K, int64_t j, float scale, float factor)
{
    const int64_t g = dev_int8_group(), w = dev_int8_width();
    const int32_t zero = dev_int8_has_quads() ? 128 : 0;

    for (int64_t k = 0; k < K; k++) {
        int8_t *at = panel + k / g * g * w + j * g + k % g;
        int32_t q = dev_int8_has_quads() ? (int32_t) (uint8_t) *at - zero : *at;

        *at = (int8_t) (uint8_t) (dev_int8_of(scale * (float) q, factor) + zero);
    }
}

/* Columns that are whole numbers already: mostly their bytes as they are. */
static void pack_whole(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    uint8_t largest[DEV_INT8_QUADS];

    if (dev_int8_has_quads())
        put_whole(a, first, n, panel, 4, DEV_INT8_QUADS, 128);
    else
        put_whole(a, first, n, panel, 2, DEV_INT8_PAIRS, 0);
    find_largest(a, first, n, largest);
    for (int64_t j = 0; j < n; j++) {
        float scale = a->scales[first + j - a->first];
        uint32_t bits = dev_abs_bits(scale * (float) largest[j]);

        a->packed[first + j] = dev_int8_scale(bits);
        if (!dev_int8_is_packed(largest[j], scale))
            round_whole(panel, a->K, j, scale, dev_int8_factor(bits));
    }
}

/* A thread looks at neighbouring columns, whose numbers share lines of the cache. */
static void pack_panel(void *arg, int64_t panel, int worker)
{
    const struct dev_pack_args *a = *(const struct dev_pack_args *const *) arg;
    int64_t K = dev_int8_whole(a->K, DEV_INT8_WHOLE_K), w = dev_int8_width(),
            first = a->first + panel * w;
    int64_t n = a->N - first < w ? a->N - first : w;
    int8_t *to = (int8_t *) (a->packed + dev_int8_whole(a->N, w)) + first * K;

    (void) worker;
    memset(to, dev_int8_has_quads() ? 128 : 0, (size_t) (w * K));
    if (a->whole)
        pack_whole(a, first, n, to);
    else if (a->trans_b)
        for (int64_t j = 0; j < n; j++)
            pack_row(a, first + j, j, to);
    else
        pack_columns(a, first, n, to);
    for (int64_t j = n; j < w; j++)
        a->packed[first + j] = 0.0f;
}

void DEV_CPU(dev_cpu_int8_pack)(struct dev *d, const struct dev_pack_args *a)
{
    dev_cpu_run(d, dev_cpu_div_up(a->n > 0 ? a->n : a->N, dev_int8_width()), pack_panel, &a);
}
