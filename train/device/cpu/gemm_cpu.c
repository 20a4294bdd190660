/*
 * train/device/cpu/gemm_cpu.c - what a gemm does beside the library's product of floats: bias, ReLU
 * and dropout of a tile, by the thread that computed it, while it is in its cache; and factors and
 * results of other types.
 *
 * With precision bfloat16, where the library has products of it and the processor instructions for
 * them, both factors are bfloat16: what is stored so as it is, a copy of the rest.  Elsewhere
 * products and sums are those of floats: a factor of floats is multiplied as it is, unrounded, and
 * of a factor of 16 bits a tile turns the part that it needs into floats: all of K up to K_BLOCK,
 * of more K half as many numbers at a time, of which more stay in its second-level cache (whole
 * copies were slower, and tiles without row strides are packed faster than what is stored as
 * floats).  A thread's next tile has its part of one factor from the last one: tiles are numbered
 * along the side that saves more, and where results are floats all tiles have one block of K before
 * the next.  Results that are not floats come to be in a float tile of the thread, so that they are
 * rounded once.
 *
 * Where K is cut (dev_cpu_gemm_parts), a piece of work is a part of K: it gives all of C, as floats
 * in scratch memory, and what the parts gave is added up in their order, a row of C at a time.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/cpu/gemm_rows.h"
#include "train/device/gemm_times.h"

enum {
    GROUP = 128,   /* a dropout group */
    K_BLOCK = 512, /* of a factor that becomes floats; the next tile finds it if it is all of K */
    MOST_TILE = 512
};

static int64_t whole(int64_t floats)
{
    return dev_cpu_div_up(floats, DEV_LINE) * DEV_LINE;
}

/* ---- epilogue ---- */

/* One row of a tile: c[j] = dropout(activation(c[j] + bias[col + j])), j < n.  `at` is the place of
 * c[0] in the mask.  A row of a tile may begin and end inside a group of 128 elements of the mask;
 * the neighbouring tile draws that group again. */
static void finish_row(const struct dev_gemm *a, float *c, int64_t col, int64_t n, int64_t at)
{
    float factor[GROUP];
    int64_t group = -1;

    dev_cpu_bias_relu(c, a->bias ? a->bias + col : NULL, n, a->activation == DEV_RELU);
    if (a->dropout.threshold == 0)
        return;
    for (int64_t j = 0; j < n;) {
        int64_t begin = (at + j) % GROUP, count = dev_cpu_least(GROUP - begin, n - j);

        if ((at + j) / GROUP != group) {
            group = (at + j) / GROUP;
            dropout_group(&a->dropout, (uint64_t) group, factor);
        }
        for (int64_t i = 0; i < count; i++)
            c[j + i] *= factor[begin + i];
        j += count;
    }
}

static bool has_epilogue(const struct dev_gemm *a)
{
    return a->bias || a->activation != DEV_LINEAR || a->dropout.threshold != 0;
}

static int64_t mask_place(const struct dev_gemm *a, int64_t row, int64_t col)
{
    return (int64_t) dev_dropout_index(&a->dropout, (uint64_t) (row * a->N + col));
}

static void epilogue(const struct dev_gemm *a, int64_t row, int64_t n_rows, int64_t col,
                     int64_t n_cols)
{
    for (int64_t i = row; i < row + n_rows; i++)
        finish_row(a, (float *) a->C + i * a->ldc + col, col, n_cols, mask_place(a, i, col));
}

/* ---- more than the library's product: other types than float32, parts of K ---- */

struct general {
    const struct dev_gemm *a;
    const struct dev_cpu_gemm_lib *lib;
    struct dev_cpu_tiles tiles;
    const uint16_t *A16, *B16; /* for the library's product of bfloat16; NULL: there is none */
    int64_t lda, ldb;
    float *work; /* of the first thread, work_floats apart: struct held, C, and of A and of B */
    int64_t k_block, tile_floats, a_floats, work_floats;
    int64_t down;         /* tiles that lie one below the other */
    bool by_columns;      /* so they are numbered */
    int64_t first_k, end; /* of K, in this run of the tiles */
    struct dev_cpu_parts parts;
    float *shares; /* (parts.n,M,N), where K is cut */
};

/* What a thread's parts of A and B are of, by part_key; -1: nothing. */
struct held {
    int64_t a, b;
};

enum { HELD_FLOATS = DEV_LINE };

static bool is_fast(const struct dev *d)
{
    return d->precision == DEV_BFLOAT16 && dev_cpu_gemm_lib()->fast_bf16;
}

static bool is_general(const struct dev *d, const struct dev_gemm *a)
{
    return is_fast(d) || dev_cpu_gemm_parts(a).n > 1 || a->type_a != DEV_FLOAT32 ||
           a->type_b != DEV_FLOAT32 || a->type_c != DEV_FLOAT32;
}

/*
 * The tiles, and what a thread needs for one: the float tile of C where C is not float32, and where
 * there are no products of bfloat16 blocks of the factors that are not.  Tiles are then of at most
 * MOST_TILE x MOST_TILE.  All that grows with each side, so memory for a gemm does for one with a
 * smaller side.
 */
static struct general general_of(const struct dev *d, const struct dev_gemm *a)
{
    struct general g = {.a = a, .lib = dev_cpu_gemm_lib(), .tiles = dev_cpu_gemm_tiles(a)};
    bool own_a = !is_fast(d) && a->type_a != DEV_FLOAT32;
    bool own_b = !is_fast(d) && a->type_b != DEV_FLOAT32;
    int64_t blocks = a->K <= K_BLOCK ? 1 : dev_cpu_div_up(a->K, K_BLOCK / 2);
    int64_t m, n, k = dev_cpu_least(a->K, K_BLOCK);

    g.parts = is_fast(d) ? (struct dev_cpu_parts){.n = 1, .k = a->K} : dev_cpu_gemm_parts(a);
    g.k_block = own_a || own_b ? whole(dev_cpu_div_up(a->K, blocks)) : a->K;
    if (a->type_c == DEV_FLOAT32 && !own_a && !own_b)
        return g;
    g.tiles.m = dev_cpu_least(g.tiles.m, MOST_TILE);
    g.tiles.n = dev_cpu_least(g.tiles.n, MOST_TILE);
    g.tiles.across = dev_cpu_div_up(a->N, g.tiles.n);
    g.tiles.n_tiles = dev_cpu_div_up(a->M, g.tiles.m) * g.tiles.across;
    g.down = g.tiles.n_tiles / g.tiles.across;
    g.by_columns = own_b && (g.down - 1) * a->N > (own_a ? (g.tiles.across - 1) * a->M : 0);
    m = dev_cpu_least(a->M, MOST_TILE);
    n = dev_cpu_least(a->N, MOST_TILE);
    g.tile_floats = a->type_c == DEV_FLOAT32 ? 0 : whole(m * n);
    g.a_floats = own_a ? whole(m * k) : 0;
    g.work_floats = HELD_FLOATS + g.tile_floats + g.a_floats + (own_b ? whole(k * n) : 0);
    return g;
}

/* Floats of a factor's copy as bfloat16. */
static int64_t copy_floats(const struct dev *d, enum dev_type type, int64_t n)
{
    return is_fast(d) && type != DEV_BFLOAT16 ? whole(dev_cpu_div_up(n, 2)) : 0;
}

/* Of rows or columns from `side` on and numbers from k on of K. */
static int64_t part_key(const struct general *g, int64_t side, int64_t k)
{
    return side * g->a->K + k;
}

/* A factor's part (rows, cols) from element `at` on as floats: itself, or in `own`, where it may be
 * from the last tile. */
static const float *as_floats(enum dev_type type, const void *from, int64_t at, int64_t rows,
                              int64_t cols, int64_t *stride, float *own, int64_t key, int64_t *held)
{
    if (type == DEV_FLOAT32)
        return (const float *) from + at;
    if (*held != key)
        DEV_CPU(dev_cpu_matrix_as)(type, from, at, rows, cols, *stride, DEV_FLOAT32, own);
    *held = key;
    *stride = cols;
    return own;
}

/* C (m,n), at c with row stride ldc, from rows of op(A) and columns of op(B), numbers first .. end
 * - 1 of K. */
static void multiply_floats(const struct general *g, int64_t row, int64_t col, int64_t m, int64_t n,
                            int64_t first, int64_t end, float *mine, bool accumulate, float *c,
                            int64_t ldc)
{
    const struct dev_gemm *a = g->a;
    struct held held = {-1, -1};
    float *own_a = mine + HELD_FLOATS + g->tile_floats, *own_b = own_a + g->a_floats;

    if (g->work_floats > 0)
        memcpy(&held, mine, sizeof held);
    for (int64_t k = first; k < end; k += g->k_block) {
        int64_t kn = dev_cpu_least(g->k_block, end - k), lda = a->lda, ldb = a->ldb;
        const float *A = as_floats(a->type_a, a->A, a->trans_a ? k * lda + row : row * lda + k,
                                   a->trans_a ? kn : m, a->trans_a ? m : kn, &lda, own_a,
                                   part_key(g, row, k), &held.a);
        const float *B = as_floats(a->type_b, a->B, a->trans_b ? col * ldb + k : k * ldb + col,
                                   a->trans_b ? n : kn, a->trans_b ? kn : n, &ldb, own_b,
                                   part_key(g, col, k), &held.b);

        g->lib->gemm(a->trans_a, a->trans_b, m, n, kn, A, lda, B, ldb, accumulate || k > first, c,
                     ldc);
    }
    if (g->work_floats > 0)
        memcpy(mine, &held, sizeof held);
}

/* n numbers of C from element i on [+]= x, rounded. */
static void store_row(const struct dev_gemm *a, float *x, int64_t n, int64_t i)
{
    float before[MOST_TILE];

    if (a->accumulate) {
        DEV_CPU(dev_cpu_widen)(a->type_c, a->C, i, n, before);
        for (int64_t c = 0; c < n; c++)
            x[c] += before[c];
    }
    DEV_CPU(dev_cpu_narrow)(a->type_c, x, n, a->C, i);
}

static void general_tile(void *arg, int64_t piece, int worker)
{
    const struct general *g = arg;
    const struct dev_gemm *a = g->a;
    int64_t across = g->tiles.across;
    int64_t row = (g->by_columns ? piece % g->down : piece / across) * g->tiles.m;
    int64_t col = (g->by_columns ? piece / g->down : piece % across) * g->tiles.n;
    int64_t m = dev_cpu_least(g->tiles.m, a->M - row), n = dev_cpu_least(g->tiles.n, a->N - col);
    int64_t a_at = a->trans_a ? row : row * g->lda, b_at = a->trans_b ? col * g->ldb : col;
    bool direct = a->type_c == DEV_FLOAT32, accumulate = direct && a->accumulate;
    float *mine = g->work + worker * g->work_floats;
    float *c = direct ? (float *) a->C + row * a->ldc + col : mine + HELD_FLOATS;
    int64_t ldc = direct ? a->ldc : n;

    if (g->A16)
        g->lib->gemm_bf16(a->trans_a, a->trans_b, m, n, a->K, g->A16 + a_at, g->lda, g->B16 + b_at,
                          g->ldb, accumulate, c, ldc);
    else
        multiply_floats(g, row, col, m, n, g->first_k, g->end, mine, accumulate || g->first_k > 0,
                        c, ldc);
    for (int64_t i = 0; i < m && g->end == a->K; i++) {
        if (has_epilogue(a))
            finish_row(a, c + i * ldc, col, n, mask_place(a, row + i, col));
        if (!direct)
            store_row(a, c + i * ldc, n, (row + i) * a->ldc + col);
    }
}

/* Part `piece` of K: its share of all of C. */
static void general_part(void *arg, int64_t piece, int worker)
{
    const struct general *g = arg;
    const struct dev_gemm *a = g->a;
    int64_t first = piece * g->parts.k, end = dev_cpu_least(first + g->parts.k, a->K);
    bool blocks = g->k_block < a->K; /* in the thread's memory */
    int64_t tile_m = blocks ? MOST_TILE : a->M, tile_n = blocks ? MOST_TILE : a->N;

    for (int64_t row = 0; row < a->M; row += tile_m)
        for (int64_t col = 0; col < a->N; col += tile_n)
            multiply_floats(g, row, col, dev_cpu_least(tile_m, a->M - row),
                            dev_cpu_least(tile_n, a->N - col), first, end,
                            g->work + worker * g->work_floats, false,
                            g->shares + (piece * a->M + row) * a->N + col, a->N);
}

/* Row `row` of C [+]= that row of all shares, and what follows. */
static void sum_parts(void *arg, int64_t row, int worker)
{
    const struct general *g = arg;
    const struct dev_gemm *a = g->a;
    bool direct = a->type_c == DEV_FLOAT32;
    float *first = g->shares + row * a->N, *c = direct ? (float *) a->C + row * a->ldc : first;

    (void) worker;
    for (int64_t part = 0; part < g->parts.n; part++) {
        const float *share = first + part * a->M * a->N;
        bool add = part > 0 || (direct && a->accumulate);

        for (int64_t j = 0; j < a->N; j++)
            c[j] = add ? c[j] + share[j] : share[j];
    }
    if (has_epilogue(a))
        finish_row(a, c, 0, a->N, mask_place(a, row, 0));
    for (int64_t j = 0; !direct && j < a->N; j += MOST_TILE)
        store_row(a, c + j, dev_cpu_least(MOST_TILE, a->N - j), row * a->ldc + j);
}

/* All tiles; of results that are kept as floats all have one block of K before the next. */
static void run_tiles(struct dev *d, struct general *g)
{
    const struct dev_gemm *a = g->a;
    int64_t step = a->type_c == DEV_FLOAT32 && !g->A16 ? g->k_block : a->K;

    for (g->first_k = 0; g->first_k < a->K; g->first_k = g->end) {
        g->end = dev_cpu_least(g->first_k + step, a->K);
        dev_cpu_run(d, g->tiles.n_tiles, general_tile, g);
    }
}

static void hold_nothing(const struct dev *d, struct general *g)
{
    const struct held nothing = {-1, -1};

    for (int i = 0; i < t2_pool_threads(d->pool) && g->work_floats > 0; i++)
        memcpy(g->work + i * g->work_floats, &nothing, sizeof nothing);
}

struct copying {
    enum dev_type type;
    const void *from;
    int64_t rows, cols, stride;
    uint16_t *to;
};

enum { COPY_ROWS = 16 };

static void copy_rows(void *arg, int64_t piece, int worker)
{
    const struct copying *c = arg;
    int64_t first = piece * COPY_ROWS, rows = dev_cpu_least(COPY_ROWS, c->rows - first);

    (void) worker;
    DEV_CPU(dev_cpu_matrix_as)
    (c->type, c->from, first * c->stride, rows, c->cols, c->stride, DEV_BFLOAT16,
     c->to + first * c->cols);
}

/* The factor as bfloat16: itself, or a copy at *work, which moves on. */
static const uint16_t *as_bfloat16(struct dev *d, enum dev_type type, const void *from,
                                   int64_t rows, int64_t cols, int64_t *stride, float **work)
{
    struct copying c = {type, from, rows, cols, *stride, (uint16_t *) (void *) *work};

    if (type == DEV_BFLOAT16)
        return from;
    dev_cpu_run(d, dev_cpu_div_up(rows, COPY_ROWS), copy_rows, &c);
    *work += copy_floats(d, type, rows * cols);
    *stride = cols;
    return c.to;
}

static void general_gemm(struct dev *d, const struct dev_gemm *a)
{
    int64_t a_rows = a->trans_a ? a->K : a->M, a_cols = a->trans_a ? a->M : a->K;
    int64_t b_rows = a->trans_b ? a->N : a->K, b_cols = a->trans_b ? a->K : a->N;
    struct general g;

    if (a->M == 0 || a->N == 0)
        return;
    g = general_of(d, a);
    g.work = a->scratch;
    g.lda = a->lda;
    g.ldb = a->ldb;
    if (is_fast(d)) {
        g.A16 = as_bfloat16(d, a->type_a, a->A, a_rows, a_cols, &g.lda, &g.work);
        g.B16 = as_bfloat16(d, a->type_b, a->B, b_rows, b_cols, &g.ldb, &g.work);
    }
    if (g.parts.n == 1) {
        hold_nothing(d, &g);
        run_tiles(d, &g);
        return;
    }
    g.shares = g.work;
    g.work += g.parts.n * a->M * a->N;
    hold_nothing(d, &g);
    dev_cpu_run(d, g.parts.n, general_part, &g);
    dev_cpu_run(d, a->M, sum_parts, &g);
}

void DEV_CPU(dev_cpu_gemm)(struct dev *d, const struct dev_gemm *a)
{
    bool plain = !has_epilogue(a);

    T2_ASSERT(plain || (!a->accumulate && a->ldc == a->N));
    dev_gemm_begins(d);
    if (is_general(d, a))
        general_gemm(d, a);
    else if (dev_cpu_own_tiles_are_faster() && DEV_CPU(dev_cpu_gemm_by_rows)(a))
        DEV_CPU(dev_cpu_gemm_rows)(d, a, plain ? NULL : epilogue);
    else
        dev_cpu_gemm_tiled(d, a, plain ? NULL : epilogue);
    dev_gemm_ends(d, a);
}

static int64_t rows_scratch(const struct dev *d, const struct dev_gemm *a)
{
    bool floats = a->type_a == DEV_FLOAT32 && a->type_b == DEV_FLOAT32 && a->type_c == DEV_FLOAT32;

    return floats && !is_fast(d) && dev_cpu_own_tiles_are_faster()
               ? DEV_CPU(dev_cpu_gemm_rows_scratch)(d, a)
               : 0;
}

int64_t DEV_CPU(dev_cpu_gemm_scratch)(const struct dev *d, const struct dev_gemm *a)
{
    if (a->M == 0 || a->N == 0)
        return 0;
    return (is_fast(d) ? 0 : dev_cpu_gemm_parts_floats(a)) + rows_scratch(d, a) +
           copy_floats(d, a->type_a, a->M * a->K) + copy_floats(d, a->type_b, a->K * a->N) +
           t2_pool_threads(d->pool) * general_of(d, a).work_floats;
}
