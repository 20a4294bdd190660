/*
 * train/device/cpu/gemm.c - matrix products: tiles on our pool, a library inside a tile.
 *
 * C (M,N) is cut into tiles of tile_m rows and tile_n columns, numbered row by row; a piece of work
 * is one tile, computed by one library call on one thread over the whole of K.  Then the same
 * thread applies the epilogue to the tile, which is still in its cache.  The tiles depend on the
 * shape alone and no sum over K is cut, so the result does not depend on the number of threads.
 * The library's own threads are not used, because their cut follows the number of threads.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"

struct tiling {
    const struct dev_gemm *a;
    const struct dev_cpu_gemm_lib *lib;
    const uint16_t *A16, *B16; /* factors as bfloat16, row strides lda and ldb; NULL: a->A, a->B */
    int64_t lda, ldb;
    dev_cpu_epilogue epilogue;
    int64_t tile_m, tile_n, tiles_n;
};

static void run_tile(void *arg, int64_t piece, int worker)
{
    const struct tiling *t = arg;
    const struct dev_gemm *a = t->a;
    int64_t row = piece / t->tiles_n * t->tile_m, col = piece % t->tiles_n * t->tile_n;
    int64_t m = a->M - row < t->tile_m ? a->M - row : t->tile_m;
    int64_t n = a->N - col < t->tile_n ? a->N - col : t->tile_n;
    int64_t a_at = a->trans_a ? row : row * t->lda, b_at = a->trans_b ? col * t->ldb : col;

    (void) worker;
    if (t->A16)
        t->lib->gemm_bf16(a->trans_a, a->trans_b, m, n, a->K, t->A16 + a_at, t->lda, t->B16 + b_at,
                          t->ldb, a->accumulate, a->C + row * a->ldc + col, a->ldc);
    else
        t->lib->gemm(a->trans_a, a->trans_b, m, n, a->K, a->A + a_at, t->lda, a->B + b_at, t->ldb,
                     a->accumulate, a->C + row * a->ldc + col, a->ldc);
    if (t->epilogue)
        t->epilogue(a, row, m, col, n);
}

/* Half of n, rounded up to a multiple, so that tiles begin at whole vectors. */
static int64_t half(int64_t n, int64_t multiple)
{
    return dev_cpu_div_up(dev_cpu_div_up(n, 2), multiple) * multiple;
}

/*
 * Halves a side until there are enough tiles for many threads, or tiles get too small for the
 * packing of a product to pay.  Rows of B that lie one behind the other are best read 512 floats at
 * a time, so their side is left at that and the other one halved; with a transposed B square tiles
 * are better.  Logits of a vocabulary (N large) get tiles of 256 x 512.
 *
 * Measured on oneDNN 2.6 with AVX-512 by bench/bench_step.c --profile: 158 GFLOP/s per core for
 * logits instead of 136 with tiles of 128 x 4096, 151 instead of 110 for their gradient, of a peak
 * of 165 to 175 (bench/results/2026-11-22-step-notes.md).  Tried there and left: strides 16 floats
 * longer where a dimension is a multiple of 512 (the copies cost what they bring), and transposing
 * the weights once for the gradient of inputs.
 */
static void choose_tiles(struct tiling *t, int64_t M, int64_t N, int64_t K)
{
    enum { WANTED_TILES = 8, SMALLEST_M = 16, SMALLEST_N = 32 };
    enum { LOW = 64, WIDE = 512, VERY_WIDE = 4096 };
    const int64_t smallest_work = 1 << 21; /* multiply-adds */

    t->tile_m = M;
    t->tile_n = N;
    if (N >= VERY_WIDE && M >= LOW) { /* logits of a vocabulary */
        t->tile_n = WIDE;
        while (t->tile_m > WIDE / 2)
            t->tile_m = half(t->tile_m, SMALLEST_M);
    }
    while (dev_cpu_div_up(M, t->tile_m) * dev_cpu_div_up(N, t->tile_n) < WANTED_TILES &&
           t->tile_m * t->tile_n * K > smallest_work) {
        bool longer = t->tile_m >= t->tile_n && t->tile_m > SMALLEST_M;
        bool rows = longer || (!t->a->trans_b && t->tile_n <= WIDE && t->tile_m > LOW);

        if (!rows && t->tile_n <= SMALLEST_N)
            break;
        if (rows)
            t->tile_m = half(t->tile_m, SMALLEST_M);
        else
            t->tile_n = half(t->tile_n, SMALLEST_N);
    }
    t->tiles_n = dev_cpu_div_up(N, t->tile_n);
}

static void run_tiles(struct dev *d, struct tiling *t)
{
    const struct dev_gemm *a = t->a;

    if (a->M == 0 || a->N == 0)
        return;
    choose_tiles(t, a->M, a->N, a->K);
    dev_cpu_run(d, dev_cpu_div_up(a->M, t->tile_m) * t->tiles_n, run_tile, t);
}

void dev_cpu_gemm_tiled(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue)
{
    struct tiling t = {
        .a = a, .lib = dev_cpu_gemm_lib(), .lda = a->lda, .ldb = a->ldb, .epilogue = epilogue};

    run_tiles(d, &t);
}

void dev_cpu_gemm_tiled_bf16(struct dev *d, const struct dev_gemm *a, const uint16_t *A,
                             const uint16_t *B, dev_cpu_epilogue epilogue)
{
    struct tiling t = {.a = a,
                       .lib = dev_cpu_gemm_lib(),
                       .A16 = A,
                       .B16 = B,
                       .lda = a->trans_a ? a->M : a->K,
                       .ldb = a->trans_b ? a->K : a->N,
                       .epilogue = epilogue};

    run_tiles(d, &t);
}
