/*
 * train/device/cpu/gemm.c - matrix products: tiles on our pool, a library inside a tile.
 *
 * C (M,N) is cut into tiles of tile_m rows and tile_n columns, numbered row by row; a piece of work
 * is one tile, computed by one library call on one thread over the whole of K.  Then the same
 * thread applies the epilogue to the tile, which is still in its cache.  Where K is much longer
 * than the sides of C, K is cut instead (gemm_cpu.c).  Cuts depend on the shape alone, so the
 * result does not depend on the number of threads.  The library's own threads are not used, because
 * their cut follows the number of threads.
 */
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"

struct tiling {
    const struct dev_gemm *a;
    const struct dev_cpu_gemm_lib *lib;
    dev_cpu_epilogue epilogue;
    struct dev_cpu_tiles tiles;
};

static void run_tile(void *arg, int64_t piece, int worker)
{
    const struct tiling *t = arg;
    const struct dev_gemm *a = t->a;
    int64_t row = piece / t->tiles.across * t->tiles.m, col = piece % t->tiles.across * t->tiles.n;
    int64_t m = dev_cpu_least(t->tiles.m, a->M - row), n = dev_cpu_least(t->tiles.n, a->N - col);
    const float *A = (const float *) a->A + (a->trans_a ? row : row * a->lda);
    const float *B = (const float *) a->B + (a->trans_b ? col * a->ldb : col);

    (void) worker;
    t->lib->gemm(a->trans_a, a->trans_b, m, n, a->K, A, a->lda, B, a->ldb, a->accumulate,
                 (float *) a->C + row * a->ldc + col, a->ldc);
    if (t->epilogue)
        t->epilogue(a, row, m, col, n);
}

enum { WANTED_TILES = 8 }; /* or parts */

/*
 * The gradient of the rows behind the logits, whose K is the vocabulary, would get tiles that pack
 * all of the table several times: 39 to 44 GFLOP/s of the 59 to 69 that one call reaches (AVX2,
 * bench/results/2026-11-28-zen3.md).  So would the gradient of weights over many pixels.  K is cut
 * where a side of C is at most K / SHORT.
 */
enum { SHORT = 32, SHORTEST_K = 4096, K_MULTIPLE = 16 };

struct dev_cpu_parts dev_cpu_gemm_parts(const struct dev_gemm *a)
{
    struct dev_cpu_parts p = {.n = 1, .k = a->K};

    if (a->K < SHORTEST_K || a->M > a->K / SHORT || a->N > a->K / SHORT)
        return p;
    p.k = dev_cpu_div_up(dev_cpu_div_up(a->K, WANTED_TILES), K_MULTIPLE) * K_MULTIPLE;
    p.n = dev_cpu_div_up(a->K, p.k);
    return p;
}

/* A product with a smaller side may be cut where this one is not, in the same memory. */
int64_t dev_cpu_gemm_parts_floats(const struct dev_gemm *a)
{
    if (a->K < SHORTEST_K)
        return 0;
    return WANTED_TILES * dev_cpu_least(a->M, a->K / SHORT) * dev_cpu_least(a->N, a->K / SHORT);
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
struct dev_cpu_tiles dev_cpu_gemm_tiles(const struct dev_gemm *a)
{
    enum { SMALLEST_M = 16, SMALLEST_N = 32 };
    enum { LOW = 64, WIDE = 512, VERY_WIDE = 4096 };
    const int64_t smallest_work = 1 << 21; /* multiply-adds */
    struct dev_cpu_tiles t = {.m = a->M, .n = a->N};

    if (a->N >= VERY_WIDE && a->M >= LOW) { /* logits of a vocabulary */
        t.n = WIDE;
        while (t.m > WIDE / 2)
            t.m = half(t.m, SMALLEST_M);
    }
    while (dev_cpu_div_up(a->M, t.m) * dev_cpu_div_up(a->N, t.n) < WANTED_TILES &&
           t.m * t.n * a->K > smallest_work) {
        bool longer = t.m >= t.n && t.m > SMALLEST_M;
        bool rows = longer || (!a->trans_b && t.n <= WIDE && t.m > LOW);

        if (!rows && t.n <= SMALLEST_N)
            break;
        if (rows)
            t.m = half(t.m, SMALLEST_M);
        else
            t.n = half(t.n, SMALLEST_N);
    }
    t.across = dev_cpu_div_up(a->N, t.n);
    t.n_tiles = dev_cpu_div_up(a->M, t.m) * t.across;
    return t;
}

void dev_cpu_gemm_tiled(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue)
{
    struct tiling t = {.a = a, .lib = dev_cpu_gemm_lib(), .epilogue = epilogue};

    if (a->M == 0 || a->N == 0)
        return;
    t.tiles = dev_cpu_gemm_tiles(a);
    dev_cpu_run(d, t.tiles.n_tiles, run_tile, &t);
}
