/*
 * tests/unit/train/test_gemm_times.c - products are counted by their shape, on every device.
 */
#include "train/device/gemm_times.h"

#include "tests/support/t.h"

static void multiply(struct dev *d, int64_t M, int64_t N, int64_t K, bool trans_a)
{
    float *A = d->alloc(d, (size_t) (M * K) * sizeof *A), *B = d->alloc(d, (size_t) (K * N) * 4);
    float *C = d->alloc(d, (size_t) (M * N) * sizeof *C);
    struct dev_gemm a = {.trans_a = trans_a,
                         .M = M,
                         .N = N,
                         .K = K,
                         .A = A,
                         .lda = trans_a ? M : K,
                         .B = B,
                         .ldb = N,
                         .C = C,
                         .ldc = N};

    d->kernels->gemm(d, &a);
    d->free(d, A);
    d->free(d, B);
    d->free(d, C);
}

static void check(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev_gemm_times *t;
    struct dev *d = NULL;

    assert_int_equal(dev_open(name, 2, &d, &err), T2_OK);
    multiply(d, 2, 3, 4, false); /* nobody asks */
    t = dev_gemm_times_start(d);
    assert_ptr_equal(d->gemm_times, t);
    multiply(d, 5, 6, 7, false);
    multiply(d, 5, 6, 7, true);
    multiply(d, 5, 6, 7, false);
    assert_int_equal(t->n, 2);
    assert_int_equal(t->items[0].calls, 2);
    assert_int_equal(t->items[0].K, 7);
    assert_false(t->items[0].trans_a);
    assert_true(t->items[0].multiply_adds == 420.0);
    assert_int_equal(t->items[1].calls, 1);
    assert_true(t->items[1].trans_a && t->items[1].seconds >= 0.0 && t->items[1].seconds < 60.0);
    dev_gemm_times_stop(d);
    assert_null(d->gemm_times);
    dev_gemm_times_stop(d);
    multiply(d, 2, 3, 4, false);
    dev_close(d);
}

static void test_shapes(void **state)
{
    (void) state;
    check("cpu");
    check("reference");
    check("far");
}

/* More shapes than places: the last holds the rest. */
static void test_many(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev_gemm_times *t;
    struct dev *d = NULL;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &d, &err), T2_OK);
    t = dev_gemm_times_start(d);
    for (int64_t n = 1; n <= DEV_MAX_GEMM_TIMES + 9; n++)
        multiply(d, 1, n, 1, false);
    assert_int_equal(t->n, DEV_MAX_GEMM_TIMES);
    assert_int_equal(t->items[DEV_MAX_GEMM_TIMES - 1].M, 0);
    assert_int_equal(t->items[DEV_MAX_GEMM_TIMES - 1].calls, 10);
    assert_int_equal(t->items[DEV_MAX_GEMM_TIMES - 2].N, DEV_MAX_GEMM_TIMES - 1);
    dev_gemm_times_stop(d);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_many))
