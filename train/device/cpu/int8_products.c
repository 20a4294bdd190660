/*
 * train/device/cpu/int8_products.c - products of 8-bit whole numbers with exact sums, of weights in
 * the layout of int8_layout.h, which says which instructions there are.
 */
#include "base/cpu.h"
#include "train/device/cpu/int8_layout.h"

enum { ROWS = 6 };

/* ---- rows of A ---- */

struct product {
    const struct dev_packed_gemm *a;
    int64_t K;        /* whole fours */
    float *scales;    /* (M) */
    int32_t *removed; /* (M): quads: 128 times the sum of the row, else 0 */
    uint8_t *rows;    /* (M,K): quads: a, as int8_t, pairs: a + 128 */
    bool in_tiles;
};

int64_t DEV_CPU(dev_cpu_int8_scratch)(const struct dev_packed_gemm *a)
{
    return 2 * dev_int8_whole(a->M, DEV_LINE) + a->M * dev_int8_whole(a->K, DEV_INT8_GROUP) / 4;
}

static void quantise_row(void *arg, int64_t m, int worker)
{
    const struct product *p = arg;
    const float *x = p->a->A + dev_cpu_packed_row(p->a, m) * p->a->K;
    int64_t K = p->a->K;
    uint32_t largest = dev_int8_largest_bits(x, K);
    float factor = dev_int8_factor(largest);
    uint8_t *bytes = p->rows + m * p->K;
    const int32_t zero = dev_int8_has_quads() ? 0 : 128;
    int32_t sum = 0;

    (void) worker;
    for (int64_t k = 0; k < p->K; k += DEV_CPU_BLOCK) {
        int64_t n = p->K - k < DEV_CPU_BLOCK ? p->K - k : DEV_CPU_BLOCK;
        int64_t there = K - k < n ? K - k : n;
        int32_t q[DEV_CPU_BLOCK] = {0};

        if (factor != 0.0f)
            dev_int8_round_row(x + k, there, factor, q);
        for (int64_t i = 0; i < n; i++)
            sum += q[i];
        for (int64_t i = 0; i < n; i++)
            bytes[k + i] = (uint8_t) (q[i] + zero);
    }
    p->scales[m] = dev_int8_scale(largest);
    p->removed[m] = dev_int8_has_quads() ? 128 * sum : 0;
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
    float *restrict c = a->C + dev_cpu_packed_row(a, m) * a->N + n0;
    float scale = p->scales[m];
    int32_t removed = p->removed[m];
    int64_t j = 0;

    for (; j + DEV_LANES <= n; j += DEV_LANES) {
        vi whole;

        memcpy(&whole, sums + j, sizeof whole);
        vf_store(c + j, __builtin_convertvector(whole - removed, vf) *
                            (vf_set(scale) * vf_load(scales + j)));
    }
    for (; j < n; j++)
        c[j] = (float) (sums[j] - removed) * (scale * scales[j]);
    __asm__("" : : "r"(c) : "memory");
    dev_cpu_bias_relu(c, bias, n, a->activation == DEV_RELU);
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
    return (const int8_t *) (p->a->packed + dev_int8_ahead(p->a->N)) + n0 * p->K;
}

/* What the sums of a panel of pairs begin with, (DEV_INT8_PAIRS). */
static const int32_t *begins_of(const struct product *p, int64_t n0)
{
    const int64_t columns = dev_int8_whole(p->a->N, dev_int8_width());

    return (const int32_t *) (const void *) (p->a->packed + columns) + n0;
}

typedef void (*tile_fn)(const struct product *p, int64_t m, int64_t n0, struct dev_cpu_soon soon);

#define TILE(form, R, attribute)                                                                   \
    attribute static void form##_##R(const struct product *p, int64_t m, int64_t n0,               \
                                     struct dev_cpu_soon soon)                                     \
    {                                                                                              \
        form##_tile(p, m, n0, soon, R);                                                            \
    }
#define TILES(form, attribute)                                                                     \
    TILE(form, 1, attribute)                                                                       \
    TILE(form, 2, attribute)                                                                       \
    TILE(form, 3, attribute)                                                                       \
    TILE(form, 4, attribute)                                                                       \
    TILE(form, 5, attribute)                                                                       \
    TILE(form, 6, attribute)                                                                       \
    static const tile_fn form[ROWS] = {form##_1, form##_2, form##_3, form##_4, form##_5, form##_6};

#if defined(__AVX2__)
typedef int32_t __attribute__((may_alias, aligned(1))) four_bytes;

/* sums (2 x 8) += four bytes of a row times four of each of 16 columns, w (2 x 32).  In this order,
 * and with w in memory, so that all sums of a tile have registers, a Zen 4 has 235 GOP/s, its peak;
 * what gcc 12 made of intrinsics had 154 to 216 (bench/results/2026-12-01-zen4.md). */
DEV_INLINE void add_fours(const uint8_t *x, const int8_t *w, __m256i one, __m256i sums[2])
{
    __m256i t, u;

    __asm__("vpbroadcastd %[x], %[t]\n\t"
            "vpmaddubsw %[w0], %[t], %[u]\n\t"
            "vpmaddwd %[one], %[u], %[u]\n\t"
            "vpaddd %[u], %[s0], %[s0]\n\t"
            "vpmaddubsw %[w1], %[t], %[t]\n\t"
            "vpmaddwd %[one], %[t], %[t]\n\t"
            "vpaddd %[t], %[s1], %[s1]"
            : [s0] "+x"(sums[0]), [s1] "+x"(sums[1]), [t] "=&x"(t), [u] "=&x"(u)
            : [x] "m"(*(const four_bytes *) x), [one] "x"(one), [w0] "m"(*(const __m256i_u *) w),
              [w1] "m"(*(const __m256i_u *) (w + 32)));
}

DEV_INLINE void pairs_tile(const struct product *p, int64_t m, int64_t n0, struct dev_cpu_soon soon,
                           const int R)
{
    enum { HALF = DEV_INT8_PAIRS / 2 };
    const __m256i one = _mm256_set1_epi16(1);
    const int8_t *w = panel_of(p, n0);
    const int32_t *begins = begins_of(p, n0);
    const uint8_t *x = p->rows + m * p->K;
    __m256i sum[ROWS][2];
    int32_t sums[ROWS][DEV_INT8_PAIRS];

#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        sum[r][0] = _mm256_loadu_si256((const void *) begins);
        sum[r][1] = _mm256_loadu_si256((const void *) (begins + HALF));
    }
    for (int64_t k = 0; k < p->K; k += 4, w += 4 * DEV_INT8_PAIRS) {
        dev_cpu_ask(&soon, 4 * DEV_INT8_PAIRS);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            add_fours(x + r * p->K + k, w, one, sum[r]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        _mm256_storeu_si256((void *) sums[r], sum[r][0]);
        _mm256_storeu_si256((void *) (sums[r] + HALF), sum[r][1]);
    }
    finish_tile(p, sums[0], m, R, n0, DEV_INT8_PAIRS);
}
#else
DEV_INLINE void pairs_tile(const struct product *p, int64_t m, int64_t n0, struct dev_cpu_soon soon,
                           const int R)
{
    int32_t sums[ROWS][DEV_INT8_PAIRS];

    (void) soon;
    for (int r = 0; r < R; r++) {
        const int8_t *w = panel_of(p, n0);
        const uint8_t *x = p->rows + (m + r) * p->K;

        memcpy(sums[r], begins_of(p, n0), sizeof sums[r]);
        for (int64_t k = 0; k < p->K; k += 4, w += 4 * DEV_INT8_PAIRS)
            for (int j = 0; j < DEV_INT8_PAIRS; j++)
                sums[r][j] += x[k] * w[4 * j] + x[k + 1] * w[4 * j + 1] + x[k + 2] * w[4 * j + 2] +
                              x[k + 3] * w[4 * j + 3];
    }
    finish_tile(p, sums[0], m, R, n0, DEV_INT8_PAIRS);
}
#endif

TILES(pairs, )

#if defined(__AVX512F__)
#define VNNI __attribute__((target("avx512vnni")))

VNNI static inline __attribute__((always_inline)) void quads_tile(const struct product *p,
                                                                  int64_t m, int64_t n0,
                                                                  struct dev_cpu_soon soon,
                                                                  const int R)
{
    enum { PARTS = 4, LANE = 16 };
    const int8_t *w = panel_of(p, n0);
    const uint8_t *x = p->rows + m * p->K;
    __m512i sum[ROWS][PARTS];
    int32_t sums[ROWS][DEV_INT8_QUADS];

#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++)
            sum[r][i] = _mm512_setzero_si512();
    for (int64_t k = 0; k < p->K; k += 4, w += 4 * DEV_INT8_QUADS) {
        __m512i part[PARTS];

#pragma GCC unroll 4
        for (int i = 0; i < PARTS; i++)
            part[i] = _mm512_loadu_si512(w + 4 * LANE * i);
        dev_cpu_ask(&soon, 4 * DEV_INT8_QUADS);
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
    finish_tile(p, sums[0], m, R, n0, DEV_INT8_QUADS);
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
    const int8_t *w = panel_of(p, n0);
    const uint8_t *x = p->rows + m * p->K;
    int32_t sums[TILE_ROWS][DEV_INT8_QUADS];

    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < p->K; k += TILE_K, w += TILE_K * DEV_INT8_QUADS) {
        _tile_loadd(4, x + k, p->K);
        _tile_loadd(5, w, 4 * DEV_INT8_QUADS);
        _tile_dpbsud(0, 4, 5);
        _tile_loadd(6, w + 64, 4 * DEV_INT8_QUADS);
        _tile_dpbsud(1, 4, 6);
        _tile_loadd(7, w + 128, 4 * DEV_INT8_QUADS);
        _tile_dpbsud(2, 4, 7);
        _tile_loadd(5, w + 192, 4 * DEV_INT8_QUADS);
        _tile_dpbsud(3, 4, 5);
    }
    _tile_stored(0, sums[0], sizeof sums[0]);
    _tile_stored(1, sums[0] + 16, sizeof sums[0]);
    _tile_stored(2, sums[0] + 32, sizeof sums[0]);
    _tile_stored(3, sums[0] + 48, sizeof sums[0]);
    finish_tile(p, sums[0], m, R, n0, DEV_INT8_QUADS);
}

/* All rows in tiles of the same height but for one row.  A thread that is not at it has no tiles,
 * which the system would keep for it. */
AMX static void tiles_panel(const struct product *p, int64_t M, int64_t n0, bool is_last)
{
    int64_t n = dev_cpu_div_up(M, TILE_ROWS), steps = p->K / DEV_INT8_GROUP;
    struct dev_cpu_soon soon =
        dev_cpu_soon(panel_of(p, n0), DEV_INT8_QUADS * p->K, is_last, steps, 0, 1);

    for (int64_t k = 0; k < steps; k++) /* all at once: in parts between the tiles was slower */
        dev_cpu_ask(&soon, 4 * DEV_INT8_QUADS);
    set_tiles(dev_cpu_div_up(M, n));
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n;

        tiles_of(p, m, n0, (int) ((i + 1) * M / n - m));
    }
    _tile_release();
}
#endif

/* All rows, or those that live, in tiles of about the same height. */
static void run_panel(void *arg, int64_t panel, int worker)
{
    const struct product *p = arg;
    const int64_t M = dev_cpu_packed_rows(p->a), n = dev_cpu_div_up(M, ROWS),
                  n0 = panel * dev_int8_width();
    const int64_t n_bytes = dev_int8_width() * p->K;
    const bool is_last = n0 + dev_int8_width() >= p->a->N;
    const tile_fn *tiles = pairs;

    (void) worker;
#if defined(__AVX512F__)
    if (p->in_tiles) {
        tiles_panel(p, M, n0, is_last);
        return;
    }
    if (dev_int8_has_quads())
        tiles = quads;
#endif
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n, end = (i + 1) * M / n;

        tiles[end - m - 1](p, m, n0,
                           dev_cpu_soon(panel_of(p, n0), n_bytes, is_last, p->K / DEV_INT8_GROUP, i,
                                        n));
    }
}

void DEV_CPU(dev_cpu_int8_gemm)(struct dev *d, const struct dev_packed_gemm *a)
{
    struct product p = {.a = a, .K = dev_int8_whole(a->K, DEV_INT8_GROUP), .scales = a->scratch};

    p.removed = (int32_t *) (void *) (a->scratch + dev_int8_whole(a->M, DEV_LINE));
    p.rows = (uint8_t *) (p.removed + dev_int8_whole(a->M, DEV_LINE));
#if defined(__AVX512F__)
    p.in_tiles = p.K % TILE_K == 0 && dev_cpu_packed_rows(a) >= LEAST_TILE_ROWS &&
                 dev_int8_has_quads() && t2_cpu_has_tiles();
#endif
    dev_cpu_run(d, dev_cpu_packed_rows(a), quantise_row, &p);
    dev_cpu_run(d, dev_cpu_div_up(a->N, dev_int8_width()), run_panel, &p);
}
