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

/* What a byte of a panel is flipped by where weights are unsigned: w + 128. */
static uint8_t flip(void)
{
    return dev_int8_has_quads() ? 128 : 0;
}

/* Of k in a panel, for its column 0; a column has DEV_INT8_GROUP neighbouring bytes. */
static int64_t place_of(int64_t k)
{
    return k / DEV_INT8_GROUP * DEV_INT8_GROUP * dev_int8_width() + k % DEV_INT8_GROUP;
}

/* ---- packing floats ---- */

int64_t DEV_CPU(dev_cpu_int8_floats)(int64_t K, int64_t N)
{
    int64_t columns = dev_int8_whole(N, dev_int8_width());

    return dev_int8_ahead(N) + columns * dev_int8_whole(K, DEV_INT8_GROUP) / 4;
}

/* The largest size of two neighbours of x (K). */
static uint32_t largest_of_two(const float *x, int64_t K)
{
    uint32_t largest = 0;

    for (int64_t k = 0; k + 1 < K; k += 2) {
        uint32_t bits = dev_int8_size_of_two(x[k], x[k + 1]);

        largest = bits > largest ? bits : largest;
    }
    if (K % 2 != 0 && dev_abs_bits(x[K - 1]) > largest)
        largest = dev_abs_bits(x[K - 1]);
    return largest;
}

/* A column of a table of symbols (N,K), whose numbers follow one another. */
static void pack_row(const struct dev_pack_args *a, int64_t n, int64_t column, int8_t *panel)
{
    const float *x = a->B + (n - a->first) * a->ldb;
    uint32_t largest = largest_of_two(x, a->K);
    float factor = dev_int8_factor(largest);

    a->packed[n] = dev_int8_scale(largest);
    for (int64_t k = 0; k < a->K; k += DEV_CPU_BLOCK) {
        int64_t there = a->K - k < DEV_CPU_BLOCK ? a->K - k : DEV_CPU_BLOCK;
        int32_t q[DEV_CPU_BLOCK] = {0};

        if (factor != 0.0f)
            dev_int8_round_row(x + k, there, factor, q);
        for (int64_t i = 0; i < there; i++)
            panel[place_of(k + i) + column * DEV_INT8_GROUP] = (int8_t) ((uint8_t) q[i] ^ flip());
    }
}

/* All columns of a panel of (K,N), side by side: n of them from `first` on. */
static void pack_columns(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    const float *B = a->B + first - a->first;
    uint32_t largest[DEV_INT8_QUADS] = {0};
    float factors[DEV_INT8_QUADS];
    int32_t q[DEV_INT8_QUADS];

    for (int64_t k = 0; k < a->K; k += 2) {
        const float *x = B + k * a->ldb, *next = k + 1 < a->K ? x + a->ldb : NULL;

        for (int64_t j = 0; j < n; j++) {
            uint32_t bits = dev_int8_size_of_two(x[j], next ? next[j] : 0.0f);

            largest[j] = bits > largest[j] ? bits : largest[j];
        }
    }
    for (int64_t j = 0; j < n; j++) {
        a->packed[first + j] = dev_int8_scale(largest[j]);
        factors[j] = dev_int8_factor(largest[j]);
    }
    for (int64_t k = 0; k < a->K; k++) {
        int8_t *to = panel + place_of(k);

        round_by(B + k * a->ldb, n, factors, q);
        for (int64_t j = 0; j < n; j++)
            to[j * DEV_INT8_GROUP] = (int8_t) ((uint8_t) (factors[j] == 0.0f ? 0 : q[j]) ^ flip());
    }
}

/* ---- packing whole numbers ---- */

/* Bytes of n columns from `first` on. */
DEV_INLINE void put_whole(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel,
                          const int64_t w, const uint8_t flipped)
{
    enum { G = DEV_INT8_GROUP };
    const int8_t *q = a->whole + (first - a->first) * (a->trans_b ? a->ldb : 1);
    const int64_t by_k = a->trans_b ? 1 : a->ldb, by_column = a->trans_b ? a->ldb : 1;
    int64_t groups = a->K / G * G;

    if (a->trans_b) {
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < groups; k += G)
                for (int64_t i = 0; i < G; i++)
                    panel[k * w + j * G + i] = (int8_t) (q[j * a->ldb + k + i] ^ flipped);
    } else {
        for (int64_t k = 0; k < groups; k += G)
            for (int64_t j = 0; j < n; j++)
                for (int64_t i = 0; i < G; i++)
                    panel[k * w + j * G + i] = (int8_t) (q[(k + i) * a->ldb + j] ^ flipped);
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = groups; k < a->K; k++)
            panel[groups * w + j * G + k - groups] =
                (int8_t) (q[k * by_k + j * by_column] ^ flipped);
}

static uint16_t size_of(int8_t q)
{
    return (uint16_t) (q < 0 ? -q : q);
}

/* largest (n): of two neighbours of each column. */
static void find_largest(const struct dev_pack_args *a, int64_t first, int64_t n,
                         uint16_t *restrict largest)
{
    const int8_t *q = a->whole + (first - a->first) * (a->trans_b ? a->ldb : 1);
    const int64_t odd = a->K % 2;

    memset(largest, 0, (size_t) n * sizeof *largest);
    if (a->trans_b)
        for (int64_t j = 0; j < n; j++, q += a->ldb) {
            uint16_t of_row = odd ? size_of(q[a->K - 1]) : 0;

            for (int64_t k = 0; k + 1 < a->K; k += 2) {
                uint16_t size = (uint16_t) (size_of(q[k]) + size_of(q[k + 1]));

                of_row = size > of_row ? size : of_row;
            }
            largest[j] = of_row;
        }
    else
        for (int64_t k = 0; k < a->K; k += 2, q += 2 * a->ldb) {
            const int8_t *next = k + 1 < a->K ? q + a->ldb : NULL;

            for (int64_t j = 0; j < n; j++) {
                uint16_t size = (uint16_t) (size_of(q[j]) + (next ? size_of(next[j]) : 0));

                largest[j] = size > largest[j] ? size : largest[j];
            }
        }
}

/* Column j of a panel that has the bytes q of the source: those of the floats scale * q.  Returns
 * the column's scale. */
static float round_whole(int8_t *panel, int64_t K, int64_t j, float scale)
{
    uint32_t largest = 0;
    float factor;

    panel += j * DEV_INT8_GROUP;
    for (int64_t k = 0; k < K; k += 2) { /* behind an odd K is a 0 */
        const int8_t *at = panel + place_of(k);
        uint32_t bits = dev_int8_size_of_two(scale * (float) (int8_t) ((uint8_t) at[0] ^ flip()),
                                             scale * (float) (int8_t) ((uint8_t) at[1] ^ flip()));

        largest = bits > largest ? bits : largest;
    }
    factor = dev_int8_factor(largest);
    for (int64_t k = 0; k < K; k++) {
        int8_t *at = panel + place_of(k), q = (int8_t) ((uint8_t) *at ^ flip());

        *at = (int8_t) ((uint8_t) dev_int8_of(scale * (float) q, factor) ^ flip());
    }
    return dev_int8_scale(largest);
}

/* Columns that are whole numbers already: mostly their bytes as they are. */
static void pack_whole(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    uint16_t largest[DEV_INT8_QUADS];

    if (dev_int8_has_quads())
        put_whole(a, first, n, panel, DEV_INT8_QUADS, 128);
    else
        put_whole(a, first, n, panel, DEV_INT8_PAIRS, 0);
    find_largest(a, first, n, largest);
    for (int64_t j = 0; j < n; j++) {
        float scale = a->scales[first + j - a->first];

        a->packed[first + j] =
            largest[j] <= DEV_INT8_MOST_OF_TWO ? scale : round_whole(panel, a->K, j, scale);
    }
}

/* ---- panels ---- */

/* What sums with rows of a + 128 begin with. */
static void put_begins(const int8_t *panel, int64_t K, int32_t *begins)
{
    int32_t sums[DEV_INT8_PAIRS] = {0};

    for (int64_t k = 0; k < K; k += DEV_INT8_GROUP, panel += DEV_INT8_PAIRS * DEV_INT8_GROUP)
        for (int j = 0; j < DEV_INT8_PAIRS; j++) {
            const int8_t *q = panel + j * DEV_INT8_GROUP;

            sums[j] += q[0] + q[1] + q[2] + q[3];
        }
    for (int j = 0; j < DEV_INT8_PAIRS; j++)
        begins[j] = -128 * sums[j];
}

/* A thread looks at neighbouring columns, whose numbers share lines of the cache. */
static void pack_panel(void *arg, int64_t panel, int worker)
{
    const struct dev_pack_args *a = *(const struct dev_pack_args *const *) arg;
    int64_t K = dev_int8_whole(a->K, DEV_INT8_GROUP), w = dev_int8_width(),
            first = a->first + panel * w;
    int64_t n = a->N - first < w ? a->N - first : w;
    int8_t *to = (int8_t *) (a->packed + dev_int8_ahead(a->N)) + first * K;

    (void) worker;
    memset(to, flip(), (size_t) (w * K));
    if (a->whole)
        pack_whole(a, first, n, to);
    else if (a->trans_b)
        for (int64_t j = 0; j < n; j++)
            pack_row(a, first + j, j, to);
    else
        pack_columns(a, first, n, to);
    for (int64_t j = n; j < w; j++)
        a->packed[first + j] = 0.0f;
    if (!dev_int8_has_quads())
        put_begins(to, K, (int32_t *) (void *) (a->packed + dev_int8_whole(a->N, w)) + first);
}

void DEV_CPU(dev_cpu_int8_pack)(struct dev *d, const struct dev_pack_args *a)
{
    dev_cpu_run(d, dev_cpu_div_up(a->n > 0 ? a->n : a->N, dev_int8_width()), pack_panel, &a);
}
