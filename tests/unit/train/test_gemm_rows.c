/*
 * tests/unit/train/test_gemm_rows.c - products by our own tiles, in every CPU variant that runs
 * here, whether or not the device takes them on this processor: beside plain C, with guard pages
 * behind all factors; and the same bits for any number of threads.
 */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "tests/support/t.h"
#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/device.h"
#include "train/device/devices.h"

typedef void gemm_fn(struct dev *d, const struct dev_gemm *a, dev_cpu_epilogue epilogue);
typedef int64_t scratch_fn(const struct dev *d, const struct dev_gemm *a);

#define DECLARE(name, cpu)                                                                         \
    gemm_fn dev_cpu_gemm_rows_##name;                                                              \
    scratch_fn dev_cpu_gemm_rows_scratch_##name;
T2_CPU_EACH(DECLARE)

static struct variant {
    gemm_fn *gemm;
    scratch_fn *scratch;
} variants[4];

static int find_variants(void)
{
    int n = 0;
#define ADD(name, cpu)                                                                             \
    if (t2_cpu_variant() >= cpu)                                                                   \
        variants[n++] =                                                                            \
            (struct variant){dev_cpu_gemm_rows_##name, dev_cpu_gemm_rows_scratch_##name};
    T2_CPU_EACH(ADD)
    return n;
}

static float *filled(int64_t n, uint64_t seed)
{
    float *x = t_guarded_alloc((size_t) n * sizeof *x);

    t_fill(x, (size_t) n, seed);
    return x;
}

static void release(float *x, int64_t n)
{
    t_guarded_free(x, (size_t) n * sizeof *x);
}

enum { GAP = 3 }; /* between rows of C */

/* C (M,N) by plain C and by all variants, on one thread and on three. */
static void check(bool trans_a, bool trans_b, bool accumulate, int64_t M, int64_t N, int64_t K)
{
    int64_t n_c = M * (N + GAP) - GAP;
    float *A = filled(M * K, 1), *B = filled(K * N, 2), *expected = filled(n_c, 3);
    struct dev_gemm a = {.trans_a = trans_a,
                         .trans_b = trans_b,
                         .M = M,
                         .N = N,
                         .K = K,
                         .A = A,
                         .B = B,
                         .lda = trans_a ? M : K,
                         .ldb = trans_b ? K : N,
                         .ldc = N + GAP,
                         .accumulate = accumulate};
    int n = find_variants();

    a.type_a = a.type_b = a.type_c = DEV_FLOAT32;
    dev_cpu_plain_gemm()->gemm(trans_a, trans_b, M, N, K, A, a.lda, B, a.ldb, accumulate, expected,
                               a.ldc);
    for (int v = 0; v < n; v++) {
        float *c[2];

        for (int i = 0; i < 2; i++) {
            struct dev *d = dev_cpu_new(i == 0 ? 1 : 3);
            int64_t floats = variants[v].scratch(d, &a);

            c[i] = filled(n_c, 3);
            for (int64_t row = 0; row < M && !accumulate; row++)
                for (int64_t j = 0; j < N; j++)
                    c[i][row * a.ldc + j] = NAN;
            a.C = c[i];
            a.scratch = filled(floats, 4);
            variants[v].gemm(d, &a, NULL);
            release(a.scratch, floats);
            dev_close(d);
        }
        t_assert_close(c[0], expected, (size_t) n_c, 1e-6 + 8e-8 * (double) K, 1e-6);
        assert_memory_equal(c[0], c[1], (size_t) n_c * sizeof *c[0]);
        release(c[0], n_c);
        release(c[1], n_c);
    }
    release(A, M * K);
    release(B, K * N);
    release(expected, n_c);
}

/* Whole tiles and parts of them, a panel that is not full, several blocks of rows and of K. */
static void test_shapes(void **state)
{
    static const int64_t shapes[][3] = {{64, 64, 32},   {67, 66, 33},  {96, 128, 512},
                                        {97, 130, 513}, {401, 65, 70}, {70, 90, 1100}};

    (void) state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int bits = 0; bits < 8; bits++)
            check(bits & 1, bits & 2, bits & 4, shapes[s][0], shapes[s][1], shapes[s][2]);
}

T_MAIN(cmocka_unit_test(test_shapes))
