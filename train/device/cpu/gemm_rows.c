/*
 * train/device/cpu/gemm_rows.c - products of float32 by our own tile (gemm_tile.h), in blocks of
 * rows: those of a training step, where that is faster than a library.
 *
 * A library that is called for each tile of C copies, in the order in which it reads them, the rows
 * of A and the columns of B of every tile: eight tiles of a product copy one factor eight times.
 * Here B is packed once, by all threads, into the device's scratch memory, and a block of rows
 * meets all of it.  A is read where it is, or, where it is transposed, packed once for its block.
 *
 *   for BLOCK_K numbers of K: B (BLOCK_K,N) is packed, then
 *     for a block of at most BLOCK_ROWS rows of C, of which a piece of work has some: its rows of A
 *     (BLOCK_ROWS,BLOCK_K) stay in the second-level cache
 *       for a panel of B (BLOCK_K,GEMM_WIDTH), which stays in the first-level cache
 *         for a tile of GEMM_ROWS rows: C [+]= A B
 *
 * An element of C is the sum of the blocks of K, each added up over k in ascending order: neither
 * blocks of rows nor tiles change its bits, so their number follows that of the threads.
 *
 * What a step multiplies has left the caches since it was computed, so it is asked for ahead: the
 * next block's rows of A while this one is multiplied, a tile's numbers of C while its sums are
 * made, B some rows before they are packed.
 *
 * bench/bench_gemm.c on a Zen 4: 105 to 112 of 117 GFLOP/s with AVX2, 106 to 114 with AVX-512
 * (bench/results/2026-12-01-zen4.md).
 */
#include "train/device/cpu/gemm_rows.h"

#include "train/device/cpu/gemm_tile.h"

enum {
    BLOCK_K = 512,
    BLOCK_ROWS = 96, /* 196 KiB of A, of the 512 KiB that a processor has */
    BLOCKS = 4,      /* of a piece of work, at most */
    PIECES = 8,      /* a thread, at least */
    AHEAD = 16       /* rows of B, and of a transposed A, that are asked for */
};

/* Fewer rows do not pay for packing B; more columns, as of a vocabulary, would be read from memory
 * again for each block of rows. */
enum { FEWEST_ROWS = 64, FEWEST_COLUMNS = 64, FEWEST_K = 32, MOST_COLUMNS = 8192 };

struct product {
    const struct dev_gemm *a;
    float *packed;        /* B of this block of K: (panels, n, GEMM_WIDTH) */
    float *blocks;        /* where A is transposed, of each thread (BLOCK_ROWS,n) */
    int64_t panels, rows; /* rows of a piece of work */
    int64_t first, n;     /* the numbers of K of this block: first .. first + n - 1 */
    dev_cpu_epilogue epilogue;
};

static int64_t panels_of(int64_t N)
{
    return dev_cpu_div_up(N, GEMM_WIDTH);
}

static bool is_large(const struct dev_gemm *a)
{
    return a->M >= FEWEST_ROWS && a->N >= FEWEST_COLUMNS && a->K >= FEWEST_K;
}

bool DEV_CPU(dev_cpu_gemm_by_rows)(const struct dev_gemm *a)
{
    return is_large(a) && a->N <= MOST_COLUMNS;
}

/* Of a thread's block of rows. */
static int64_t block_floats(const struct dev_gemm *a)
{
    int64_t rows = dev_cpu_div_up(dev_cpu_least(a->M, BLOCK_ROWS), GEMM_ROWS) * GEMM_ROWS;

    return a->trans_a ? dev_cpu_div_up(rows * dev_cpu_least(a->K, BLOCK_K), DEV_LINE) * DEV_LINE
                      : 0;
}

/* It grows with each side, though the products of a larger one may not be computed here. */
int64_t DEV_CPU(dev_cpu_gemm_rows_scratch)(const struct dev *d, const struct dev_gemm *a)
{
    int64_t columns = panels_of(dev_cpu_least(a->N, MOST_COLUMNS)) * GEMM_WIDTH;

    return is_large(a)
               ? dev_cpu_least(a->K, BLOCK_K) * columns + t2_pool_threads(d->pool) * block_floats(a)
               : 0;
}

/* n floats that lie one behind the other. */
DEV_INLINE void ask(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i += DEV_LINE)
        __builtin_prefetch(x + i, 0, 2);
}

/* A panel's columns, (n,GEMM_WIDTH), 0 behind the last column of B. */
static void pack_panel(void *arg, int64_t panel, int worker)
{
    enum { AT_ONCE = 64 }; /* of K: what is written stays in the first-level cache */
    const struct product *p = arg;
    const struct dev_gemm *a = p->a;
    int64_t col = panel * GEMM_WIDTH, width = dev_cpu_least(GEMM_WIDTH, a->N - col), n = p->n;
    const float *B = (const float *) a->B + (a->trans_b ? p->first : p->first * a->ldb);
    float *restrict to = p->packed + panel * n * GEMM_WIDTH;

    (void) worker;
    if (width < GEMM_WIDTH)
        memset(to, 0, (size_t) (n * GEMM_WIDTH) * sizeof *to);
    for (int64_t k = 0; k < n && !a->trans_b; k++) {
        if (k + AHEAD < n)
            ask(B + (k + AHEAD) * a->ldb + col, width);
        if (width == GEMM_WIDTH) /* a constant: no call */
            memcpy(to + k * GEMM_WIDTH, B + k * a->ldb + col, GEMM_WIDTH * sizeof *to);
        else
            memcpy(to + k * GEMM_WIDTH, B + k * a->ldb + col, (size_t) width * sizeof *to);
    }
    for (int64_t k0 = 0; k0 < n && a->trans_b; k0 += AT_ONCE)
        for (int64_t j = 0; j < width; j++) {
            const float *from = B + (col + j) * a->ldb;

            if (k0 + AT_ONCE < n)
                ask(from + k0 + AT_ONCE, dev_cpu_least(AT_ONCE, n - k0 - AT_ONCE));
            for (int64_t k = k0; k < dev_cpu_least(k0 + AT_ONCE, n); k++)
                to[k * GEMM_WIDTH + j] = from[k];
        }
}

/* Rows row .. row + m - 1 of A, transposed, for tiles: those of a tile side by side, (tiles, n,
 * GEMM_ROWS).  What stands in a row of memory is read at once. */
static void pack_rows(const struct product *p, int64_t row, int64_t m, float *restrict to)
{
    const struct dev_gemm *a = p->a;
    const float *from = (const float *) a->A + p->first * a->lda + row;
    int64_t whole = m / GEMM_ROWS * GEMM_ROWS;

    for (int64_t k = 0; k < p->n; k++, from += a->lda) {
        float *at = to + k * GEMM_ROWS;

        if (k + AHEAD < p->n)
            ask(from + AHEAD * a->lda, m);
        for (int64_t r = 0; r < whole; r += GEMM_ROWS)
            memcpy(at + r * p->n, from + r, GEMM_ROWS * sizeof *to);
        if (whole < m)
            memcpy(at + whole * p->n, from + whole, (size_t) (m - whole) * sizeof *to);
    }
}

/* c (GEMM_WIDTH) [+]= sum */
DEV_INLINE void put(const vf sum[GEMM_VECTORS], bool accumulate, float *c)
{
#pragma GCC unroll 4
    for (int v = 0; v < GEMM_VECTORS; v++) {
        float *to = c + v * DEV_LANES;

        vf_store(to, accumulate ? vf_load(to) + sum[v] : sum[v]);
    }
}

/* C (R,n), row stride ldc, [+]= R rows times a panel; R is a constant where this is inlined. */
DEV_INLINE void tile(const struct tile_rows rows, const float *panel, int64_t K, bool accumulate,
                     float *c, int64_t ldc, int64_t n, const int R)
{
    vf sum[GEMM_ROWS][GEMM_VECTORS] = {{{0}}};

#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
#pragma GCC unroll 4
        for (int64_t j = 0; j < GEMM_WIDTH; j += DEV_LINE) {
            __builtin_prefetch(c + r * ldc + j, 1, 3);
        }
    }
    tile_add(rows, panel, K, NULL, R, false, sum);
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        float part[GEMM_WIDTH];

        if (n == GEMM_WIDTH) {
            put(sum[r], accumulate, c + r * ldc);
            continue;
        }
        memset(part, 0, sizeof part);
        memcpy(part, c + r * ldc, (size_t) n * sizeof *c);
        put(sum[r], accumulate, part);
        memcpy(c + r * ldc, part, (size_t) n * sizeof *c);
    }
}

/* In place: rows of A as they are; packed: as pack_rows has them. */
#define TILE(R)                                                                                    \
    static void in_place_##R(const float *x, int64_t row, const float *panel, int64_t K, bool add, \
                             float *c, int64_t ldc, int64_t n)                                     \
    {                                                                                              \
        tile((struct tile_rows){x, row, 1}, panel, K, add, c, ldc, n, R);                          \
    }                                                                                              \
    static void packed_##R(const float *x, int64_t row, const float *panel, int64_t K, bool add,   \
                           float *c, int64_t ldc, int64_t n)                                       \
    {                                                                                              \
        (void) row;                                                                                \
        tile((struct tile_rows){x, 1, GEMM_ROWS}, panel, K, add, c, ldc, n, R);                    \
    }
GEMM_EACH_HEIGHT(TILE)

static void (*const tiles[2][GEMM_ROWS])(const float *x, int64_t row, const float *panel, int64_t K,
                                         bool add, float *c, int64_t ldc,
                                         int64_t n) = {GEMM_HEIGHTS(in_place),
                                                       GEMM_HEIGHTS(packed)};

/* Part i of so many of the rows of A from `row` on, m of them. */
static void ask_part(const struct product *p, int64_t row, int64_t m, int64_t i, int64_t parts)
{
    const struct dev_gemm *a = p->a;
    int64_t lines = a->trans_a ? p->n : m, first = i * lines / parts, end = (i + 1) * lines / parts;
    const float *from =
        (const float *) a->A + (a->trans_a ? p->first * a->lda + row : row * a->lda + p->first);

    for (int64_t at = first; at < end; at++)
        ask(from + at * a->lda, a->trans_a ? m : p->n);
}

/* m rows from `row` on; of `soon` rows behind them the next block will be made. */
static void run_block(const struct product *p, int64_t row, int64_t m, int64_t soon, float *packed)
{
    const struct dev_gemm *a = p->a;
    const float *A = (const float *) a->A + (a->trans_a ? 0 : row * a->lda + p->first);

    if (a->trans_a)
        pack_rows(p, row, m, packed);
    for (int64_t panel = 0; panel < p->panels; panel++) {
        int64_t col = panel * GEMM_WIDTH, width = dev_cpu_least(GEMM_WIDTH, a->N - col);
        float *C = (float *) a->C + row * a->ldc + col;

        if (soon > 0)
            ask_part(p, row + m, soon, panel, p->panels);
        for (int64_t r = 0; r < m; r += GEMM_ROWS)
            tiles[a->trans_a][dev_cpu_least(GEMM_ROWS, m - r) - 1](
                a->trans_a ? packed + r * p->n : A + r * a->lda, a->lda, p->packed + col * p->n,
                p->n, a->accumulate || p->first > 0, C + r * a->ldc, a->ldc, width);
    }
    if (p->epilogue && p->first + p->n == a->K)
        p->epilogue(a, row, m, 0, a->N);
}

static void run_blocks(void *arg, int64_t piece, int worker)
{
    const struct product *p = arg;
    int64_t end = dev_cpu_least((piece + 1) * p->rows, p->a->M);

    for (int64_t row = piece * p->rows; row < end; row += BLOCK_ROWS) {
        int64_t left = end - row, m = dev_cpu_least(BLOCK_ROWS, left);

        run_block(p, row, m, dev_cpu_least(BLOCK_ROWS, left - m),
                  p->blocks + worker * block_floats(p->a));
    }
}

/* Of a piece of work: whole tiles, or whole blocks where there are as many. */
static int64_t piece_rows(const struct dev *d, int64_t M)
{
    int64_t rows = dev_cpu_div_up(M, PIECES * t2_pool_threads(d->pool));
    int64_t multiple = rows < BLOCK_ROWS ? GEMM_ROWS : BLOCK_ROWS;

    return dev_cpu_least(BLOCKS * BLOCK_ROWS, dev_cpu_div_up(rows, multiple) * multiple);
}

void DEV_CPU(dev_cpu_gemm_rows)(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue)
{
    struct product p = {.a = a,
                        .packed = a->scratch,
                        .panels = panels_of(a->N),
                        .rows = piece_rows(d, a->M),
                        .epilogue = epilogue};
    int64_t k_block = dev_cpu_div_up(a->K, dev_cpu_div_up(a->K, BLOCK_K));

    p.blocks = p.packed + k_block * p.panels * GEMM_WIDTH;
    for (; p.first < a->K; p.first += k_block) {
        p.n = dev_cpu_least(k_block, a->K - p.first);
        dev_cpu_run(d, p.panels, pack_panel, &p);
        dev_cpu_run(d, dev_cpu_div_up(a->M, p.rows), run_blocks, &p);
    }
}
