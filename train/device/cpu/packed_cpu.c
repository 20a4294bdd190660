/*
 * train/device/cpu/packed_cpu.c - products with packed weights, and those of float32 and bfloat16.
 *
 * A piece of work is a panel of columns, for all rows, in tiles over the whole of K (gemm_tile.h).
 *
 * halves: weights of bfloat16 become floats when they are loaded, which is a shift: a panel has
 * half the bytes, and what follows is the same.
 *
 * dots: where AVX512-BF16 is faster than that (bf16_dots_pay), rows become bfloat16, too, and
 * vdpbf16ps adds two products to each sum: an instruction multiplies twice as much.  A panel has
 * two numbers of k side by side for each column, (K / 2,WIDTH,2); behind an odd K is a 0.
 */
#include "train/device/cpu/packed_parts.h"

#include "train/device/cpu/gemm_lib.h"

enum { ROWS = GEMM_ROWS, WIDTH = GEMM_WIDTH };

enum form { FLOATS, HALVES, DOTS };

#if defined(__AVX512F__)
static enum form form_of(enum dev_type type)
{
    if (type != DEV_BFLOAT16)
        return FLOATS;
    return dev_cpu_bf16_dots_pay() ? DOTS : HALVES;
}
#else
static enum form form_of(enum dev_type type)
{
    return type == DEV_BFLOAT16 ? HALVES : FLOATS;
}
#endif

/* Numbers of bfloat16 of a row, or of a panel's column. */
static int64_t even(int64_t K)
{
    return (K + 1) / 2 * 2;
}

static int64_t panel_bytes(enum form form, int64_t K)
{
    return WIDTH * (form == FLOATS ? K * 4 : even(K) * 2);
}

/* ---- packing ---- */

/* Weights k0 .. k0 + n - 1 of a panel's columns, (n,WIDTH), 0 behind the last column.  Of a table
 * of symbols (N,K) a column is read along its row, some k at a time: what is written stays in the
 * first-level cache. */
static void take_weights(const struct dev_pack_args *a, int64_t panel, int64_t k0, int64_t n,
                         float *restrict to)
{
    int64_t first = panel * WIDTH, width = a->N - first < WIDTH ? a->N - first : WIDTH;
    int64_t at = first - a->first; /* of them in B */

    if (width < WIDTH)
        memset(to, 0, (size_t) (n * WIDTH) * sizeof *to);
    if (a->trans_b)
        for (int64_t j = 0; j < width; j++) {
            const float *from = a->B + (at + j) * a->ldb + k0;

            for (int64_t k = 0; k < n; k++)
                to[k * WIDTH + j] = from[k];
        }
    else
        for (int64_t k = 0; k < n; k++)
            memcpy(to + k * WIDTH, a->B + (k0 + k) * a->ldb + at, (size_t) width * sizeof *to);
}

/* piece (n,WIDTH), of an even k on; n is even, or what is behind K is 0. */
static void round_piece(enum form form, const float *restrict piece, int64_t n,
                        uint16_t *restrict half)
{
    if (form == HALVES)
        DEV_CPU(dev_cpu_narrow)(DEV_BFLOAT16, piece, n * WIDTH, half, 0);
    else
        for (int64_t k = 0; k < n; k += 2)
            for (int64_t j = 0; j < WIDTH; j++) {
                half[k * WIDTH + 2 * j] = dev_bfloat16(piece[k * WIDTH + j]);
                half[k * WIDTH + 2 * j + 1] = dev_bfloat16(piece[(k + 1) * WIDTH + j]);
            }
}

static void pack_panel(void *arg, int64_t panel, int worker)
{
    enum { PIECE = 64 };
    const struct dev_pack_args *a = *(const struct dev_pack_args *const *) arg;
    const enum form form = form_of(a->type);
    char *to;

    panel += a->first / WIDTH;
    to = (char *) a->packed + panel * panel_bytes(form, a->K);
    (void) worker;
    for (int64_t k = 0; k < a->K; k += PIECE) {
        int64_t n = a->K - k < PIECE ? a->K - k : PIECE;
        float piece[PIECE * WIDTH];

        if (form == FLOATS) {
            take_weights(a, panel, k, n, (float *) (void *) to + k * WIDTH);
            continue;
        }
        take_weights(a, panel, k, n, piece);
        if (n % 2 != 0)
            memset(piece + n * WIDTH, 0, WIDTH * sizeof *piece);
        round_piece(form, piece, even(n), (uint16_t *) (void *) to + k * WIDTH);
    }
}

void DEV_CPU(dev_cpu_pack)(struct dev *d, const struct dev_pack_args *a)
{
    T2_ASSERT(a->K <= DEV_PACKED_MOST_K);
    if (a->type == DEV_INT8)
        DEV_CPU(dev_cpu_int8_pack)(d, a);
    else
        dev_cpu_run(d, dev_cpu_div_up(a->n > 0 ? a->n : a->N, WIDTH), pack_panel, &a);
}

int64_t DEV_CPU(dev_cpu_pack_scratch)(const struct dev *d, enum dev_type type, int64_t K, int64_t N)
{
    (void) d;
    return type == DEV_INT8
               ? DEV_CPU(dev_cpu_int8_floats)(K, N)
               : dev_cpu_div_up(N, WIDTH) * panel_bytes(form_of(type), K) / (int64_t) sizeof(float);
}

/* ---- products ---- */

static const char *panel_of(const struct dev_packed_gemm *a, enum form form, int64_t panel)
{
    return (const char *) a->packed + panel * panel_bytes(form, a->K);
}

/* sum: of rows m .. m + R - 1. */
DEV_INLINE void finish_tile(const struct dev_packed_gemm *a, vf sum[ROWS][GEMM_VECTORS],
                            int64_t panel, int64_t m, const int R)
{
    const int64_t n0 = panel * WIDTH, n = a->N - n0 < WIDTH ? a->N - n0 : WIDTH;

#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        float part[WIDTH], *c = a->C + dev_cpu_packed_row(a, m + r) * a->N + n0;
        float *to = n == WIDTH ? c : part;

#pragma GCC unroll 4
        for (int v = 0; v < GEMM_VECTORS; v++) {
            vf_store(to + v * DEV_LANES, sum[r][v]);
        }
        if (n < WIDTH)
            memcpy(c, part, (size_t) n * sizeof *c);
        dev_cpu_bias_relu(c, a->bias ? a->bias + n0 : NULL, n, a->activation == DEV_RELU);
    }
}

/* Rows m .. m + R - 1, of floats; R and form are constants where this is inlined. */
DEV_INLINE void tile(const struct dev_packed_gemm *a, int64_t panel, int64_t m,
                     struct dev_cpu_soon soon, const int R, const enum form form)
{
    const float *x = (a->live ? a->scratch : a->A) + m * a->K;
    vf sum[ROWS][GEMM_VECTORS] = {{{0}}};

    tile_add((struct tile_rows){x, a->K, 1}, panel_of(a, form, panel), a->K, &soon, R,
             form == HALVES, sum);
    finish_tile(a, sum, panel, m, R);
}

#define TILE(R)                                                                                    \
    static void float_##R(const struct dev_packed_gemm *a, int64_t panel, int64_t m,               \
                          struct dev_cpu_soon soon)                                                \
    {                                                                                              \
        tile(a, panel, m, soon, R, FLOATS);                                                        \
    }                                                                                              \
    static void half_##R(const struct dev_packed_gemm *a, int64_t panel, int64_t m,                \
                         struct dev_cpu_soon soon)                                                 \
    {                                                                                              \
        tile(a, panel, m, soon, R, HALVES);                                                        \
    }
GEMM_EACH_HEIGHT(TILE)

#if defined(__AVX512F__)
#define WITH_DOTS __attribute__((target("avx512bf16")))

/* Rows m .. m + R - 1 of those in scratch memory, of bfloat16; R is a constant where this is
 * inlined. */
WITH_DOTS static inline __attribute__((always_inline)) void dots_tile(
    const struct dev_packed_gemm *a, int64_t panel, int64_t m, struct dev_cpu_soon soon,
    const int R)
{
    enum { STEP = 2 * WIDTH }; /* numbers of two k */
    const uint16_t *x = (const uint16_t *) (const void *) a->scratch + m * even(a->K);
    const uint16_t *w = (const void *) panel_of(a, DOTS, panel);
    vf sum[ROWS][GEMM_VECTORS] = {{{0}}};

    for (int64_t k = 0; k < a->K; k += 2, w += STEP) {
        __m512bh part[GEMM_VECTORS];

#pragma GCC unroll 4
        for (int v = 0; v < GEMM_VECTORS; v++) {
            memcpy(&part[v], w + 2 * DEV_LANES * v, sizeof part[v]);
        }
        dev_cpu_ask(&soon, STEP * sizeof *w);
#pragma GCC unroll 8
        for (int r = 0; r < R; r++) {
            int32_t two;
            __m512bh both;

            memcpy(&two, x + r * even(a->K) + k, sizeof two);
            both = (__m512bh) _mm512_set1_epi32(two);
#pragma GCC unroll 4
            for (int v = 0; v < GEMM_VECTORS; v++) {
                sum[r][v] = (vf) _mm512_dpbf16_ps((__m512) sum[r][v], part[v], both);
            }
        }
    }
    finish_tile(a, sum, panel, m, R);
}

#define DOTS_TILE(R)                                                                               \
    WITH_DOTS static void dots_##R(const struct dev_packed_gemm *a, int64_t panel, int64_t m,      \
                                   struct dev_cpu_soon soon)                                       \
    {                                                                                              \
        dots_tile(a, panel, m, soon, R);                                                           \
    }
GEMM_EACH_HEIGHT(DOTS_TILE)
#endif

static void (*const tiles[][ROWS])(const struct dev_packed_gemm *a, int64_t panel, int64_t m,
                                   struct dev_cpu_soon soon) = {
    GEMM_HEIGHTS(float),
    GEMM_HEIGHTS(half),
#if defined(__AVX512F__)
    GEMM_HEIGHTS(dots),
#endif
};

/* Row m of those that are computed, as bfloat16, to scratch memory. */
static void round_row(void *arg, int64_t m, int worker)
{
    const struct dev_packed_gemm *a = *(const struct dev_packed_gemm *const *) arg;
    const float *x = a->A + dev_cpu_packed_row(a, m) * a->K;
    uint16_t *to = (uint16_t *) (void *) a->scratch + m * even(a->K);

    (void) worker;
    DEV_CPU(dev_cpu_narrow)(DEV_BFLOAT16, x, a->K, to, 0);
    if (a->K % 2 != 0)
        to[a->K] = 0;
}

/* All rows, or those that live, which lie one behind the other in scratch memory; in tiles of about
 * the same height. */
static void run_panel(void *arg, int64_t panel, int worker)
{
    const struct dev_packed_gemm *a = *(const struct dev_packed_gemm *const *) arg;
    int64_t M = dev_cpu_packed_rows(a), n = dev_cpu_div_up(M, ROWS);
    const enum form form = form_of(a->type);
    const bool is_last = (panel + 1) * WIDTH >= a->N;
    const int64_t steps = form == DOTS ? even(a->K) / 2 : a->K;

    (void) worker;
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n, end = (i + 1) * M / n;

        tiles[form][end - m - 1](a, panel, m,
                                 dev_cpu_soon(panel_of(a, form, panel), panel_bytes(form, a->K),
                                              is_last, steps, i, n));
    }
}

void DEV_CPU(dev_cpu_packed_gemm)(struct dev *d, const struct dev_packed_gemm *a)
{
    if (dev_cpu_packed_rows(a) == 0 || a->N == 0)
        return;
    if (a->type == DEV_INT8) {
        DEV_CPU(dev_cpu_int8_gemm)(d, a);
        return;
    }
    if (form_of(a->type) == DOTS)
        dev_cpu_run(d, dev_cpu_packed_rows(a), round_row, &a);
    else
        for (int64_t m = 0; a->live && m < a->live->n; m++)
            memcpy(a->scratch + m * a->K, a->A + dev_cpu_packed_row(a, m) * a->K,
                   (size_t) a->K * sizeof *a->A);
    dev_cpu_run(d, dev_cpu_div_up(a->N, WIDTH), run_panel, &a);
}

int64_t DEV_CPU(dev_cpu_packed_gemm_scratch)(const struct dev *d, const struct dev_packed_gemm *a)
{
    (void) d;
    return a->type == DEV_INT8 ? DEV_CPU(dev_cpu_int8_scratch)(a)
                               : a->M * a->K; /* rows that live, or of bfloat16 */
}
