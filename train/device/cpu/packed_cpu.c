/*
 * train/device/cpu/packed_cpu.c - products with packed weights, and those of float32.
 *
 * A piece of work is a panel of columns, for all rows, in tiles over the whole of K (gemm_tile.h).
 *
 * Weights of bfloat16 become floats when they are loaded, which is a shift: a panel has half the
 * bytes, and what follows is the same.
 */
#include "train/device/cpu/packed_parts.h"

enum { ROWS = GEMM_ROWS, WIDTH = GEMM_WIDTH };

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

static void pack_panel(void *arg, int64_t panel, int worker)
{
    enum { PIECE = 64 };
    const struct dev_pack_args *a = *(const struct dev_pack_args *const *) arg;
    float *to;
    uint16_t *half;

    panel += a->first / WIDTH;
    to = a->packed + panel * WIDTH * a->K;
    half = (uint16_t *) (void *) a->packed + panel * WIDTH * a->K;

    (void) worker;
    for (int64_t k = 0; k < a->K; k += PIECE) {
        int64_t n = a->K - k < PIECE ? a->K - k : PIECE;
        float piece[PIECE * WIDTH];

        if (a->type != DEV_BFLOAT16) {
            take_weights(a, panel, k, n, to + k * WIDTH);
            continue;
        }
        take_weights(a, panel, k, n, piece);
        for (int64_t i = 0; i < n * WIDTH; i++)
            half[k * WIDTH + i] = dev_bfloat16(piece[i]);
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
    int64_t n = dev_cpu_div_up(N, WIDTH) * WIDTH * K;

    (void) d;
    if (type == DEV_INT8)
        return DEV_CPU(dev_cpu_int8_floats)(K, N);
    return type == DEV_BFLOAT16 ? dev_cpu_div_up(n, 2) : n;
}

/* ---- products ---- */

/* y (WIDTH): one row of a tile, into columns n0 .. of C's row m. */
static void finish_row(const struct dev_packed_gemm *a, const float *y, int64_t m, int64_t n0)
{
    int64_t n = a->N - n0 < WIDTH ? a->N - n0 : WIDTH;
    float *c = a->C + m * a->N + n0;

    for (int64_t j = 0; j < n; j++) {
        float x = y[j];

        if (a->bias)
            x += a->bias[n0 + j];
        if (a->activation == DEV_RELU)
            x = x < 0.0f ? 0.0f : x; /* NaN stays */
        c[j] = x;
    }
}

/* Row m of those that are computed. */
static int64_t row_of(const struct dev_packed_gemm *a, int64_t m)
{
    return a->live ? a->live->rows[m] : m;
}

static int64_t n_rows(const struct dev_packed_gemm *a)
{
    return a->live ? a->live->n : a->M;
}

/* Rows m .. m + R - 1; R and is_half are constants where this is inlined. */
DEV_INLINE void tile(const struct dev_packed_gemm *a, int64_t panel, int64_t m,
                     struct dev_cpu_soon soon, const int R, const bool is_half)
{
    const float *x = (a->live ? a->scratch : a->A) + m * a->K;
    const char *packed = (const char *) a->packed + panel * WIDTH * a->K * (is_half ? 2 : 4);
    vf sum[ROWS][GEMM_VECTORS] = {{{0}}};
    float y[WIDTH];

    tile_add((struct tile_rows){x, a->K, 1}, packed, a->K, &soon, R, is_half, sum);
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
#pragma GCC unroll 4
        for (int v = 0; v < GEMM_VECTORS; v++) {
            vf_store(y + v * DEV_LANES, sum[r][v]);
        }
        finish_row(a, y, row_of(a, m + r), panel * WIDTH);
    }
}

#define TILE(R)                                                                                    \
    static void tile_##R(const struct dev_packed_gemm *a, int64_t panel, int64_t m,                \
                         struct dev_cpu_soon soon)                                                 \
    {                                                                                              \
        tile(a, panel, m, soon, R, false);                                                         \
    }                                                                                              \
    static void half_##R(const struct dev_packed_gemm *a, int64_t panel, int64_t m,                \
                         struct dev_cpu_soon soon)                                                 \
    {                                                                                              \
        tile(a, panel, m, soon, R, true);                                                          \
    }
GEMM_EACH_HEIGHT(TILE)

static void (*const tiles[2][ROWS])(const struct dev_packed_gemm *a, int64_t panel, int64_t m,
                                    struct dev_cpu_soon soon) = {GEMM_HEIGHTS(tile),
                                                                 GEMM_HEIGHTS(half)};

/* All rows, or those that live, which lie one behind the other in scratch memory; in tiles of about
 * the same height. */
static void run_panel(void *arg, int64_t panel, int worker)
{
    const struct dev_packed_gemm *a = *(const struct dev_packed_gemm *const *) arg;
    int64_t M = n_rows(a), n = dev_cpu_div_up(M, ROWS);
    const bool is_half = a->type == DEV_BFLOAT16;
    const int64_t n_bytes = WIDTH * a->K * (is_half ? 2 : 4);
    const char *packed = (const char *) a->packed + panel * n_bytes;
    const bool is_last = (panel + 1) * WIDTH >= a->N;

    (void) worker;
    for (int64_t i = 0; i < n; i++) {
        int64_t m = i * M / n, end = (i + 1) * M / n;

        tiles[is_half][end - m - 1](a, panel, m,
                                    dev_cpu_soon(packed, n_bytes, is_last, a->K, i, n));
    }
}

void DEV_CPU(dev_cpu_packed_gemm)(struct dev *d, const struct dev_packed_gemm *a)
{
    if (n_rows(a) == 0 || a->N == 0)
        return;
    if (a->type == DEV_INT8) {
        DEV_CPU(dev_cpu_int8_gemm)(d, a);
        return;
    }
    for (int64_t m = 0; a->live && m < a->live->n; m++)
        memcpy(a->scratch + m * a->K, a->A + row_of(a, m) * a->K, (size_t) a->K * sizeof *a->A);
    dev_cpu_run(d, dev_cpu_div_up(a->N, WIDTH), run_panel, &a);
}

int64_t DEV_CPU(dev_cpu_packed_gemm_scratch)(const struct dev *d, const struct dev_packed_gemm *a)
{
    (void) d;
    return a->type == DEV_INT8 ? DEV_CPU(dev_cpu_int8_scratch)(a)
                               : a->M * a->K; /* rows that live */
}
