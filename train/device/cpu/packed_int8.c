/*
 * train/device/cpu/packed_int8.c - products of 8-bit whole numbers with exact sums.
 *
 * Two layouts; which one is a matter of the processor alone.
 *
 * quads (AVX512-VNNI): vpdpbusd adds four products of an unsigned and a signed byte to each of 16
 * sums.  The weights are the unsigned ones, as w + 128, so that A stays as it is and can be
 * broadcast from memory; 128 times the sum of the row of A, known since that was rounded, is
 * subtracted at the end.  A panel has 64 columns: for each four k 64 x 4 bytes.  6 rows x 4
 * registers of sums; of K = 512 a panel is 32 KiB and stays in the first-level cache.
 *
 * tiles (AMX-INT8): the same panels, 16 rows of A and 64 k at once, where K is a multiple of 64.
 *
 * pairs (AVX2, AVX-512 without VNNI): the instruction that multiplies bytes (vpmaddubsw) saturates,
 * so bytes of weights become 16 bits when they are loaded, for up to 6 rows of A, which was rounded
 * to 16 bits; vpmaddwd adds two products to each of 8 sums.  A panel has 16 columns: for each two k
 * 16 x 2 bytes.  The generic variant does the same in plain C.
 *
 * Whole numbers are the same bits in all of them.  Packed: scales of the columns, a whole number of
 * panels of them, then the panels, of a whole number of groups of k; what is beyond is 0.
 */
#include <math.h>

#include "base/cpu.h"
#include "train/device/cpu/packed_parts.h"

enum { ROWS = 6, PAIR_WIDTH = 16, QUAD_WIDTH = 64 };

#if defined(__AVX512F__)
static bool has_quads(void)
{
    return __builtin_cpu_supports("avx512vnni");
}
#else
static bool has_quads(void)
{
    return false;
}
#endif

static int64_t width(void)
{
    return has_quads() ? QUAD_WIDTH : PAIR_WIDTH;
}

static int64_t group(void)
{
    return has_quads() ? 4 : 2;
}

static int64_t whole(int64_t n, int64_t multiple)
{
    return dev_cpu_div_up(n, multiple) * multiple;
}

/* ---- numbers ---- */

/* Plain loops over bits and rounded numbers, which the compiler makes vectors of. */
static uint32_t largest_bits(const float *x, int64_t n)
{
    uint32_t largest = 0;

    for (int64_t k = 0; k < n; k++) {
        uint32_t bits = dev_abs_bits(x[k]);

        largest = bits > largest ? bits : largest;
    }
    return largest;
}

/* y (n), at most DEV_CPU_BLOCK of them, to the nearest whole numbers, ties to even: the last bits
 * of a float beyond 2^23 are whole numbers.  y is a product, which is rounded before, as
 * everywhere: it lies in memory, so that no fused multiply-add is made of both. */
static void round_all(const float *restrict y, int64_t n, int32_t *restrict q)
{
    __asm__("" : : "r"(y) : "memory");
    for (int64_t k = 0; k < n; k++)
        q[k] = (int32_t) dev_float_bits(y[k] + 12582912.0f) - 0x4b400000;
}

static void round_row(const float *restrict x, int64_t n, float factor, int32_t *restrict q)
{
    float y[DEV_CPU_BLOCK];

    for (int64_t k = 0; k < n; k++)
        y[k] = x[k] * factor;
    round_all(y, n, q);
}

static void round_by(const float *restrict x, int64_t n, const float *restrict factors,
                     int32_t *restrict q)
{
    float y[QUAD_WIDTH];

    for (int64_t k = 0; k < n; k++)
        y[k] = x[k] * factors[k];
    round_all(y, n, q);
}

/* ---- packing ---- */

int64_t DEV_CPU(dev_cpu_int8_floats)(int64_t K, int64_t N)
{
    int64_t columns = whole(N, width());

    return columns + columns * whole(K, group()) / 4;
}

/* Whole numbers of weights k .. k + n - 1 of a column into its panel. */
static void put_weights(int8_t *panel, const int32_t *q, int64_t k, int64_t n, int64_t column)
{
    const int64_t g = group(), w = width();
    const int32_t zero = has_quads() ? 128 : 0;

    for (int64_t i = 0; i < n; i++)
        panel[(k + i) / g * g * w + column * g + (k + i) % g] = (int8_t) (uint8_t) (q[i] + zero);
}

/* A column of a table of symbols (N,K), whose numbers follow one another. */
static void pack_row(const struct dev_pack_args *a, int64_t n, int64_t column, int8_t *panel)
{
    const float *x = a->B + (n - a->first) * a->ldb;
    uint32_t largest = largest_bits(x, a->K);
    float factor = dev_int8_factor(largest);

    a->packed[n] = dev_int8_scale(largest);
    for (int64_t k = 0; k < a->K; k += DEV_CPU_BLOCK) {
        int64_t there = a->K - k < DEV_CPU_BLOCK ? a->K - k : DEV_CPU_BLOCK;
        int32_t q[DEV_CPU_BLOCK] = {0};

        if (factor != 0.0f)
            round_row(x + k, there, factor, q);
        put_weights(panel, q, k, there, column);
    }
}

/* All columns of a panel of (K,N), side by side: n of them from `first` on. */
static void pack_columns(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    const int64_t g = group(), w = width();
    const int32_t zero = has_quads() ? 128 : 0;
    const float *B = a->B + first - a->first;
    uint32_t largest[QUAD_WIDTH] = {0};
    float factors[QUAD_WIDTH];
    int32_t q[QUAD_WIDTH];

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
    const int64_t g = group(), w = width();
    const int32_t zero = has_quads() ? 128 : 0;

    for (int64_t k = 0; k < K; k++) {
        int8_t *at = panel + k / g * g * w + j * g + k % g;
        int32_t q = has_quads() ? (int32_t) (uint8_t) *at - zero : *at;

        *at = (int8_t) (uint8_t) (dev_int8_of(scale * (float) q, factor) + zero);
    }
}

/* Columns that are whole numbers already: mostly their bytes as they are. */
static void pack_whole(const struct dev_pack_args *a, int64_t first, int64_t n, int8_t *panel)
{
    uint8_t largest[QUAD_WIDTH];

    if (has_quads())
        put_whole(a, first, n, panel, 4, QUAD_WIDTH, 128);
    else
        put_whole(a, first, n, panel, 2, PAIR_WIDTH, 0);
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
    int64_t K = whole(a->K, group()), w = width(), first = a->first + panel * w;
    int64_t n = a->N - first < w ? a->N - first : w;
    int8_t *to = (int8_t *) (a->packed + whole(a->N, w)) + first * K;

    (void) worker;
    memset(to, has_quads() ? 128 : 0, (size_t) (w * K));
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
    dev_cpu_run(d, dev_cpu_div_up(a->n > 0 ? a->n : a->N, width()), pack_panel, &a);
}

/* ---- rows of A ---- */

/* Row m of those that are computed. */
static int64_t row_of(const struct dev_packed_gemm *a, int64_t m)
{
    return a->live ? a->live->rows[m] : m;
}

static int64_t n_rows(const struct dev_packed_gemm *a)
{
    return a->live ? a->live->n : a->M;
}

struct product {
    const struct dev_packed_gemm *a;
    int64_t K;        /* whole groups */
    float *scales;    /* (M) */
    int32_t *removed; /* (M): quads: 128 times the sum of the row, else 0 */
    void *rows;       /* (M,K): quads: int8_t, pairs: int16_t */
    bool in_tiles;
};

static int64_t row_bytes(int64_t K)
{
    return K * (has_quads() ? 1 : 2);
}

int64_t DEV_CPU(dev_cpu_int8_scratch)(const struct dev_packed_gemm *a)
{
    return 2 * whole(a->M, DEV_LINE) + dev_cpu_div_up(a->M * row_bytes(whole(a->K, group())), 4);
}

static void quantise_row(void *arg, int64_t m, int worker)
{
    const struct product *p = arg;
    const float *x = p->a->A + row_of(p->a, m) * p->a->K;
    int64_t K = p->a->K;
    uint32_t largest = largest_bits(x, K);
    float factor = dev_int8_factor(largest);
    int8_t *bytes = (int8_t *) p->rows + m * p->K;
    int16_t *words = (int16_t *) p->rows + m * p->K;
    int32_t sum = 0;

    (void) worker;
    for (int64_t k = 0; k < p->K; k += DEV_CPU_BLOCK) {
        int64_t n = p->K - k < DEV_CPU_BLOCK ? p->K - k : DEV_CPU_BLOCK;
        int64_t there = K - k < n ? K - k : n;
        int32_t q[DEV_CPU_BLOCK] = {0};

        if (factor != 0.0f)
            round_row(x + k, there, factor, q);
        for (int64_t i = 0; i < n; i++)
            sum += q[i];
        if (has_quads())
            for (int64_t i = 0; i < n; i++)
                bytes[k + i] = (int8_t) q[i];
        else
            for (int64_t i = 0; i < n; i++)
                words[k + i] = (int16_t) q[i];
    }
    p->scales[m] = dev_int8_scale(largest);
    p->removed[m] = has_quads() ? 128 * sum : 0;
}

/* ---- products ---- */

/* sums (n): those of row m in the panel that begins at column n0.  The product is rounded and lies
 * in memory before the bias is added: compilers make a fused multiply-add of both in some of the
 * tiles and not in others, and a row's bits would depend on how many stand beside it. */
DEV_INLINE void finish_row(const struct product *p, const int32_t *restrict sums, int64_t m,
                           int64_t n0, int64_t n)
{
    const struct dev_packed_gemm *a = p->a;
    const float *scales = a->packed + n0, *bias = a->bias ? a->bias + n0 : NULL;
    float *restrict c = a->C + row_of(a, m) * a->N + n0;
    float scale = p->scales[m];
    int32_t removed = p->removed[m];

    for (int64_t j = 0; j < n; j++)
        c[j] = (float) (sums[j] - removed) * (scale * scales[j]);
    __asm__("" : : "r"(c) : "memory");
    for (int64_t j = 0; bias && j < n; j++)
        c[j] += bias[j];
    if (a->activation == DEV_RELU)
        for (int64_t j = 0; j < n; j++)
            c[j] = c[j] < 0.0f ? 0.0f : c[j]; /* NaN stays */
}

DEV_INLINE void finish_tile(const struct product *p, const int32_t *sums, int64_t m, int R,
                            int64_t n0, int64_t panel_width)
{
    int64_t n = p->a->N - n0 < panel_width ? p->a->N - n0 : panel_width;

    for (int r = 0; r < R; r++)
        if (n == panel_width)
            finish_row(p, sums + r * panel_width, m + r, n0, panel_width);
        else
            finish_row(p, sums + r * panel_width, m + r, n0, n);
}

static const int8_t *panel_of(const struct product *p, int64_t n0)
{
    return (const int8_t *) (p->a->packed + whole(p->a->N, width())) + n0 * p->K;
}

typedef void (*tile_fn)(const struct product *p, int64_t m, int64_t n0);

#define TILES(form, attribute)                                                                     \
    attribute static void form##_1(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 1);                                                                  \
    }                                                                                              \
    attribute static void form##_2(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 2);                                                                  \
    }                                                                                              \
    attribute static void form##_3(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 3);                                                                  \
    }                                                                                              \
    attribute static void form##_4(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 4);                                                                  \
    }                                                                                              \
    attribute static void form##_5(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 5);                                                                  \
    }                                                                                              \
    attribute static void form##_6(const struct product *p, int64_t m, int64_t n0)                 \
    {                                                                                              \
        form##_tile(p, m, n0, 6);                                                                  \
    }                                                                                              \
    static const tile_fn form[ROWS] = {form##_1, form##_2, form##_3, form##_4, form##_5, form##_6};

#if defined(__AVX2__)
DEV_INLINE void pairs_tile(const struct product *p, int64_t m, int64_t n0, const int R)
{
    const int8_t *w = panel_of(p, n0);
    const int16_t *x = (const int16_t *) p->rows + m * p->K;
    __m256i sum[ROWS][2];
    int32_t sums[ROWS][PAIR_WIDTH];

#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
        sum[r][0] = sum[r][1] = _mm256_setzero_si256();
    for (int64_t k = 0; k < p->K; k += 2, w += 2 * PAIR_WIDTH) {
        __m256i w0 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *) w));
        __m256i w1 = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *) (w + PAIR_WIDTH)));

#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            int32_t two;
            __m256i all;

            memcpy(&two, x + r * p->K + k, sizeof two);
            all = _mm256_set1_epi32(two);
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(all, w0));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(all, w1));
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        _mm256_storeu_si256((void *) sums[r], sum[r][0]);
        _mm256_storeu_si256((void *) (sums[r] + PAIR_WIDTH / 2), sum[r][1]);
    }
    finish_tile(p, sums[0], m, R, n0, PAIR_WIDTH);
}
#else
DEV_INLINE void pairs_tile(const struct product *p, int64_t m, int64_t n0, const int R)
{
    const int16_t *x = (const int16_t *) p->rows + m * p->K;
    int32_t sums[ROWS][PAIR_WIDTH] = {0};

    for (int r = 0; r < R; r++) {
        const int8_t *w = panel_of(p, n0);

        for (int64_t k = 0; k < p->K; k += 2, w += 2 * PAIR_WIDTH)
            for (int j = 0; j < PAIR_WIDTH; j++)
                sums[r][j] += x[r * p->K + k] * w[2 * j] + x[r * p->K + k + 1] * w[2 * j + 1];
    }
    finish_tile(p, sums[0], m, R, n0, PAIR_WIDTH);
}
#endif

TILES(pairs, )

#if defined(__AVX512F__)
#define VNNI __attribute__((target("avx512vnni")))

VNNI static inline __attribute__((always_inline)) void quads_tile(const struct product *p,
                                                                  int64_t m, int64_t n0,
                                                                  const int R)
{
    enum { PARTS = 4, LANE = 16 };
    const int8_t *w = panel_of(p, n0), *x = (const int8_t *) p->rows + m * p->K;
    __m512i sum[ROWS][PARTS];
    int32_t sums[ROWS][QUAD_WIDTH];

#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++)
            sum[r][i] = _mm512_setzero_si512();
    for (int64_t k = 0; k < p->K; k += 4, w += 4 * QUAD_WIDTH) {
        __m512i part[PARTS];

#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++)
            part[i] = _mm512_loadu_si512(w + 4 * LANE * i);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            int32_t four;
            __m512i all;

            memcpy(&four, x + r * p->K + k, sizeof four);
            all = _mm512_set1_epi32(four);
#pragma GCC unroll 4
            for (int i = 0; i < PARTS; i++)
                sum[r][i] = _mm512_dpbusd_epi32(sum[r][i], part[i], all);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++)
            _mm512_storeu_si512(sums[r] + LANE * i, sum[r][i]);
    finish_tile(p, sums[0], m, R, n0, QUAD_WIDTH);
}

TILES(quads, VNNI)

#define AMX __attribute__((target("amx-tile,amx-int8")))

enum { TILE_ROWS = 16, TILE_K = 64, LEAST_TILE_ROWS = 5 };

/* How tiles of `rows` rows lie in the registers: 0 .. 3 sums (rows,16), 4 of A (rows,TILE_K), 5 and
 * on of a panel (TILE_K / 4,16) groups of four. */
struct tile_shapes {
    uint8_t palette, start, reserved[14];
    uint16_t row_bytes[16];
    uint8_t n_rows[16];
};

AMX static void set_tiles(int64_t rows)
{
    struct tile_shapes shapes = {.palette = 1};

    for (int i = 0; i < 8; i++) {
        shapes.row_bytes[i] = TILE_K;
        shapes.n_rows[i] = (uint8_t) (i < 5 ? rows : TILE_ROWS);
    }
    /* GCC's form says of the first bytes alone that they are read */
    __asm__ volatile("" : : "r"(&shapes) : "memory");
    _tile_loadconfig(&shapes);
}

/* Rows m .. m + R - 1; with them those up to what set_tiles says are read and left out. */
AMX static void tiles_of(const struct product *p, int64_t m, int64_t n0, int R)
{
    const int8_t *w = panel_of(p, n0), *x = (const int8_t *) p->rows + m * p->K;
    int32_t sums[TILE_ROWS][QUAD_WIDTH];

    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < p->K; k += TILE_K, w += TILE_K * QUAD_WIDTH) {
        _tile_loadd(4, x + k, p->K);
        _tile_loadd(5, w, 4 * QUAD_WIDTH);
        _tile_dpbsud(0, 4, 5);
        _tile_loadd(6, w + 64, 4 * QUAD_WIDTH);
        _tile_dpbsud(1, 4, 6);
        _tile_loadd(7, w + 128, 4 * QUAD_WIDTH);
        _tile_dpbsud(2, 4, 7);
        _tile_loadd(5, w + 192, 4 * QUAD_WIDTH);
        _tile_dpbsud(3, 4, 5);
    }
    _tile_stored(0, sums[0], sizeof sums[0]);
    _tile_stored(1, sums[0] + 16, sizeof sums[0]);
    _tile_stored(2, sums[0] + 32, sizeof sums[0]);
    _tile_stored(3, sums[0] + 48, sizeof sums[0]);
    finish_tile(p, sums[0], m, R, n0, QUAD_WIDTH);
}

/* All rows in tiles of the same height but for one row.  A thread that is not at it has no tiles,
 * which the system would keep for it. */
AMX static void tiles_panel(const struct product *p, int64_t M, int64_t n0)
{
    int64_t n = dev_cpu_div_up(M, TILE_ROWS);

    set_tiles(dev_cpu_div_up(M, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n;

        tiles_of(p, m, n0, (int) ((i + 1) * M / n - m));
    }
    _tile_release();
}
#endif

/* Asks for the next panel while this one is multiplied by: all weights of a step together are more
 * than the caches hold, and a panel is read in less time than its first lines take to come.  All at
 * once: a part before each tile was slower. */
static void fetch_panel(const struct product *p, int64_t n0)
{
    const int8_t *next = panel_of(p, n0);

    if (n0 < p->a->N)
        for (int64_t at = 0; at < width() * p->K; at += DEV_LINE * (int64_t) sizeof(float))
            __builtin_prefetch(next + at, 0, 2);
}

/* All rows, or those that live, in tiles of about the same height. */
static void run_panel(void *arg, int64_t panel, int worker)
{
    const struct product *p = arg;
    int64_t M = n_rows(p->a), n = dev_cpu_div_up(M, ROWS);
    const tile_fn *tiles = pairs;

    (void) worker;
    fetch_panel(p, (panel + 1) * width());
#if defined(__AVX512F__)
    if (p->in_tiles) {
        tiles_panel(p, M, panel * width());
        return;
    }
    if (has_quads())
        tiles = quads;
#endif
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n, end = (i + 1) * M / n;

        tiles[end - m - 1](p, m, panel * width());
    }
}

void DEV_CPU(dev_cpu_int8_gemm)(struct dev *d, const struct dev_packed_gemm *a)
{
    struct product p = {.a = a, .K = whole(a->K, group()), .scales = a->scratch};

    p.removed = (int32_t *) (void *) (a->scratch + whole(a->M, DEV_LINE));
    p.rows = a->scratch + 2 * whole(a->M, DEV_LINE);
#if defined(__AVX512F__)
    p.in_tiles =
        p.K % TILE_K == 0 && n_rows(a) >= LEAST_TILE_ROWS && has_quads() && t2_cpu_has_tiles();
#endif
    dev_cpu_run(d, n_rows(a), quantise_row, &p);
    dev_cpu_run(d, dev_cpu_div_up(a->N, width()), run_panel, &p);
}
