/*
 * train/device/cpu/gemm.c - products of matrices: tiles on our pool, OpenBLAS inside a tile.
 *
 * The only file that knows OpenBLAS, which runs single-threaded.  The tiles depend on the shape
 * alone, and no sum is cut, so the result does not depend on the number of threads.
 */
#include <pthread.h>
#include <stdio.h>

#ifdef T2_HAVE_OPENBLAS
#include <cblas.h>
#endif

#include "train/device/cpu/cpu_kernels.h"

#ifdef T2_HAVE_OPENBLAS

static void single_thread(void)
{
    openblas_set_num_threads(1);
}

void dev_cpu_gemm_tile(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, single_thread);
    cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
                trans_b ? CblasTrans : CblasNoTrans, (blasint) M, (blasint) N, (blasint) K, 1.0f, A,
                (blasint) lda, B, (blasint) ldb, accumulate ? 1.0f : 0.0f, C, (blasint) ldc);
}

const char *dev_cpu_blas_name(void)
{
    static char name[80];

    snprintf(name, sizeof name, "%.40s (%.20s)", openblas_get_config(), openblas_get_corename());
    return name;
}

#else

/* Without OpenBLAS: the loop order that compilers vectorise, in blocks that stay in cache. */
void dev_cpu_gemm_tile(bool trans_a, bool trans_b, int64_t M, int64_t N, int64_t K, const float *A,
                       int64_t lda, const float *B, int64_t ldb, bool accumulate, float *C,
                       int64_t ldc)
{
    enum { BLOCK_N = 256, BLOCK_K = 128 };
    float packed[BLOCK_K][BLOCK_N];

    for (int64_t n0 = 0; n0 < N; n0 += BLOCK_N) {
        int64_t n = N - n0 < BLOCK_N ? N - n0 : BLOCK_N;

        for (int64_t k0 = 0; k0 < K; k0 += BLOCK_K) {
            int64_t kn = K - k0 < BLOCK_K ? K - k0 : BLOCK_K;

            for (int64_t k = 0; k < kn; ++k)
                for (int64_t j = 0; j < n; ++j)
                    packed[k][j] = trans_b ? B[(n0 + j) * ldb + k0 + k] : B[(k0 + k) * ldb + n0 + j];
            for (int64_t i = 0; i < M; ++i) {
                float *c = C + i * ldc + n0;

                for (int64_t j = 0; k0 == 0 && !accumulate && j < n; ++j)
                    c[j] = 0.0f;
                for (int64_t k = 0; k < kn; ++k) {
                    float x = trans_a ? A[(k0 + k) * lda + i] : A[i * lda + k0 + k];

                    for (int64_t j = 0; j < n; ++j)
                        c[j] += x * packed[k][j];
                }
            }
        }
    }
}

const char *dev_cpu_blas_name(void)
{
    return "plain C products (no OpenBLAS)";
}

#endif

struct tiling {
    const struct dev_gemm *a;
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

    (void) worker;
    dev_cpu_gemm_tile(a->trans_a, a->trans_b, m, n, a->K, a->A + (a->trans_a ? row : row * a->lda),
                      a->lda, a->B + (a->trans_b ? col * a->ldb : col), a->ldb, a->accumulate,
                      a->C + row * a->ldc + col, a->ldc);
    if (t->epilogue)
        t->epilogue(a, row, m, col, n);
}

/* Halves the longer side until there are enough tiles for many threads, or tiles get too small for
 * the packing of a product to pay. */
static void choose_tiles(struct tiling *t, int64_t M, int64_t N, int64_t K)
{
    enum { WANTED_TILES = 8 };
    const int64_t smallest_work = 1 << 21; /* multiply-adds */

    t->tile_m = M;
    t->tile_n = N;
    while (dev_cpu_div_up(M, t->tile_m) * dev_cpu_div_up(N, t->tile_n) < WANTED_TILES &&
           t->tile_m * t->tile_n * K > smallest_work) {
        if (t->tile_m >= t->tile_n)
            t->tile_m = dev_cpu_div_up(dev_cpu_div_up(t->tile_m, 2), 16) * 16;
        else
            t->tile_n = dev_cpu_div_up(dev_cpu_div_up(t->tile_n, 2), 32) * 32;
    }
    t->tiles_n = dev_cpu_div_up(N, t->tile_n);
}

void dev_cpu_gemm_tiled(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue)
{
    struct tiling t = {.a = a, .epilogue = epilogue};

    if (a->M == 0 || a->N == 0)
        return;
    choose_tiles(&t, a->M, a->N, a->K);
    dev_cpu_run(d, dev_cpu_div_up(a->M, t.tile_m) * t.tiles_n, run_tile, &t);
}
