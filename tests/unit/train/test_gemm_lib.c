/*
 * tests/unit/train/test_gemm_lib.c - one product on the calling thread, by every library that is
 * here; buffers end at guard pages.
 */
#include "train/device/cpu/gemm_lib.h"

#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "tests/support/t.h"

static float *filled(size_t n, uint64_t seed)
{
    float *x = t_guarded_alloc(n * sizeof *x);

    t_fill(x, n, seed);
    return x;
}

static void check(dev_cpu_gemm_fn gemm, bool trans_a, bool trans_b, bool accumulate, size_t M,
                  size_t N, size_t K)
{
    float *a = filled(M * K, 1), *b = filled(K * N, 2), *c = filled(M * N, 3);
    float *expected = filled(M * N, 3);

    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = accumulate ? (double) c[i * N + j] : 0.0;

            for (size_t k = 0; k < K; k++)
                sum += (double) (trans_a ? a[k * M + i] : a[i * K + k]) *
                       (double) (trans_b ? b[j * K + k] : b[k * N + j]);
            expected[i * N + j] = (float) sum;
        }
    for (size_t i = 0; !accumulate && i < M * N; i++)
        c[i] = NAN; /* what was there does not matter */
    gemm(trans_a, trans_b, (int64_t) M, (int64_t) N, (int64_t) K, a, (int64_t) (trans_a ? M : K), b,
         (int64_t) (trans_b ? K : N), accumulate, c, (int64_t) N);
    /* Partial sums of K products of values in (-1, 1) are about sqrt(K) / 3; each addition rounds
     * by up to 2^-24 of that, and K independent roundings add up to sqrt(K) of it: 4 sigma is 8e-8
     * K. */
    t_assert_close(c, expected, M * N, 1e-6 + 8e-8 * (double) K, 1e-6);
    t_guarded_free(a, M * K * sizeof *a);
    t_guarded_free(b, K * N * sizeof *b);
    t_guarded_free(c, M * N * sizeof *c);
    t_guarded_free(expected, M * N * sizeof *c);
}

static const size_t shapes[][3] = {{1, 1, 1},    {2, 3, 4},       {5, 300, 7},  {17, 9, 65},
                                   {64, 64, 64}, {100, 257, 130}, {1, 600, 64}, {33, 1, 200}};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void check_shapes(const struct dev_cpu_gemm_lib *p, const char *name)
{
    if (!p)
        t_skip("no such library here");
    assert_int_equal(strncmp(p->name, name, strlen(name)), 0);
    for (size_t s = 0; s < N_SHAPES; s++)
        for (int bits = 0; bits < 8; bits++)
            check(p->gemm, bits & 1, bits & 2, bits & 4, shapes[s][0], shapes[s][1], shapes[s][2]);
}

static uint16_t *halves(const float *x, size_t n)
{
    uint16_t *h = t_guarded_alloc(n * sizeof *h);

    for (size_t i = 0; i < n; i++) {
        uint32_t bits;

        memcpy(&bits, &x[i], sizeof bits);
        h[i] = (uint16_t) (bits >> 16);
    }
    return h;
}

static void check_bf16(dev_cpu_gemm_bf16_fn gemm, bool trans_a, bool trans_b, bool accumulate,
                       size_t M, size_t N, size_t K)
{
    float *a = filled(M * K, 1), *b = filled(K * N, 2), *c = filled(M * N, 3);
    float *expected = filled(M * N, 3);
    uint16_t *a16, *b16;

    for (size_t i = 0; i < M * K; i++) /* nothing is lost by halving */
        a[i] = (float) ((int) (a[i] * 16.0f)) / 8.0f;
    for (size_t i = 0; i < K * N; i++)
        b[i] = (float) ((int) (b[i] * 16.0f)) / 8.0f;
    a16 = halves(a, M * K);
    b16 = halves(b, K * N);
    dev_cpu_plain_gemm()->gemm(trans_a, trans_b, (int64_t) M, (int64_t) N, (int64_t) K, a,
                               (int64_t) (trans_a ? M : K), b, (int64_t) (trans_b ? K : N),
                               accumulate, expected, (int64_t) N);
    for (size_t i = 0; !accumulate && i < M * N; i++)
        c[i] = NAN;
    gemm(trans_a, trans_b, (int64_t) M, (int64_t) N, (int64_t) K, a16, (int64_t) (trans_a ? M : K),
         b16, (int64_t) (trans_b ? K : N), accumulate, c, (int64_t) N);
    t_assert_close(c, expected, M * N, 1e-6 + 8e-8 * (double) K, 1e-6);
    t_guarded_free(a16, M * K * sizeof *a16);
    t_guarded_free(b16, K * N * sizeof *b16);
    t_guarded_free(a, M * K * sizeof *a);
    t_guarded_free(b, K * N * sizeof *b);
    t_guarded_free(c, M * N * sizeof *c);
    t_guarded_free(expected, M * N * sizeof *c);
}

static void test_bf16(void **state)
{
    const struct dev_cpu_gemm_lib *p = dev_cpu_onednn();

    (void) state;
    if (!p || !p->gemm_bf16)
        t_skip("no bfloat16 products here");
    for (size_t s = 0; s < N_SHAPES; s++)
        for (int bits = 0; bits < 8; bits++)
            check_bf16(p->gemm_bf16, bits & 1, bits & 2, bits & 4, shapes[s][0], shapes[s][1],
                       shapes[s][2]);
}

static void test_plain(void **state)
{
    (void) state;
    check_shapes(dev_cpu_plain_gemm(), "plain C products");
}

static bool has_avx2_alone(void)
{
    return strcmp(t2_cpu_name(t2_cpu_variant()), "avx2") == 0;
}

/* Nothing that is slower goes without a word. */
static void test_says_what_is_missing(void **state)
{
    const struct dev_cpu_gemm_lib *all[] = {dev_cpu_plain_gemm(), dev_cpu_openblas(),
                                            dev_cpu_onednn()};

    (void) state;
    for (int i = 0; i < 3; i++)
        if (all[i])
            t_assert_contains(all[i]->bf16,
                              all[i]->fast_bf16 ? "bfloat16 products (" : "not faster");
    assert_int_equal(dev_cpu_gemm_missing()[0] == '\0', all[2] && (all[1] || !has_avx2_alone()));
}

/* As measured: bench/results/2026-11-24-avx2.md. */
static void test_chooses_by_processor(void **state)
{
    (void) state;
    if (!dev_cpu_openblas() || !dev_cpu_onednn())
        t_skip("a library is not here");
    assert_ptr_equal(dev_cpu_gemm_lib(), has_avx2_alone() ? dev_cpu_openblas() : dev_cpu_onednn());
}

static void test_openblas(void **state)
{
    (void) state;
    check_shapes(dev_cpu_openblas(), "OpenBLAS ");
}

static void test_onednn(void **state)
{
    (void) state;
    check_shapes(dev_cpu_onednn(), "oneDNN ");
}

T_MAIN(cmocka_unit_test(test_says_what_is_missing), cmocka_unit_test(test_chooses_by_processor),
       cmocka_unit_test(test_plain), cmocka_unit_test(test_openblas), cmocka_unit_test(test_onednn),
       cmocka_unit_test(test_bf16))
