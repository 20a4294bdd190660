/*
 * tests/ops/test_packed.c - products with packed weights: every device against the reference loops,
 * int8 against whole numbers that are exact, and rows that do not depend on those beside them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct product {
    enum dev_type type;
    int64_t M, N, K;
    bool trans_b, bias, relu;
    const struct dev_live *live;
};

enum { A, B, C, BIAS };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct product *x = arg;
    const struct dev_kernels *k = d->kernels;
    struct dev_pack_args pack = {.type = x->type,
                                 .trans_b = x->trans_b,
                                 .K = x->K,
                                 .N = x->N,
                                 .B = p[B],
                                 .ldb = x->trans_b ? x->K : x->N,
                                 .packed =
                                     op_scratch(d, k->pack_scratch_floats(d, x->type, x->K, x->N))};
    struct dev_packed_gemm g = {.type = x->type,
                                .M = x->M,
                                .N = x->N,
                                .K = x->K,
                                .A = p[A],
                                .packed = pack.packed,
                                .C = p[C],
                                .bias = x->bias ? p[BIAS] : NULL,
                                .activation = x->relu ? DEV_RELU : DEV_LINEAR,
                                .live = x->live};

    g.scratch = op_scratch(d, k->packed_gemm_scratch_floats(d, &g));
    k->pack(d, &pack);
    k->packed_gemm(d, &g);
}

/* Devices may round rows to bfloat16, or not: of such numbers they make the same. */
static void round_rows(float *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        a[i] = dev_from_bfloat16(dev_bfloat16(a[i]));
}

static float *begin(struct op_call *c, const struct product *x)
{
    float *a;

    /* int8: sums are exact, and what follows is three roundings; float32: as in test_gemm.c */
    op_begin(c, x->type == DEV_INT8 ? 1e-6 : 1e-6 + 8e-8 * (double) x->K, 1e-6,
             "packed %s (%d, %d, %d) trans %d bias %d relu %d", dev_type_name(x->type), (int) x->M,
             (int) x->N, (int) x->K, x->trans_b, x->bias, x->relu);
    a = op_in(c, x->M * x->K, 1);
    if (x->type == DEV_BFLOAT16)
        round_rows(a, x->M * x->K);
    (void) op_in(c, x->N * x->K, 2);
    (void) op_out(c, x->M * x->N, false, 3);
    (void) op_in(c, x->N, 4);
    return a;
}

static void check(const struct product *x)
{
    struct op_call c;

    (void) begin(&c, x);
    op_check(&c, call, x);
}

static const enum dev_type types[] = {DEV_FLOAT32, DEV_INT8, DEV_BFLOAT16};

static void test_shapes(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1},     {2, 3, 5},      {5, 15, 7},    {6, 16, 8},
                                        {7, 17, 9},    {12, 64, 64},   {13, 65, 63},  {25, 33, 31},
                                        {3, 200, 66},  {31, 130, 129}, {4, 70, 1030}, {5, 70, 128},
                                        {40, 130, 192}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int t = 0; t < 3; t++)
            for (int how = 0; how < 4; how++)
                check(&(struct product){.type = types[t],
                                        .M = shapes[i][0],
                                        .N = shapes[i][1],
                                        .K = shapes[i][2],
                                        .trans_b = how & 1,
                                        .bias = how & 2,
                                        .relu = how == 3});
}

/* Of rows of other numbers a device makes the product of what they are rounded to, or of
 * themselves, all of it. */
static void test_rows_of_bfloat16(void **state)
{
    struct product x = {.type = DEV_BFLOAT16, .M = 14, .N = 130, .K = 301};
    float *products[3]; /* the device's; the reference's, of rows as they are and rounded */
    double off[2] = {0, 0};
    struct op_call c;
    float *a = begin(&c, &x);

    (void) state;
    for (int64_t i = 0; i < x.M * x.K; i++)
        a[i] = (float) (i * 7919 % 20011) / 20011.0f - 0.5f;
    products[0] = op_run_on(op_device("cpu", 2), &c, call, &x);
    products[1] = op_run_on(op_device("reference", 1), &c, call, &x);
    round_rows(a, x.M * x.K);
    products[2] = op_run_on(op_device("reference", 1), &c, call, &x);
    for (int64_t i = 0; i < x.M * x.N; i++)
        for (int how = 0; how < 2; how++)
            off[how] =
                fmax(off[how], fabs((double) products[0][i] - (double) products[how + 1][i]));
    assert_true(fmin(off[0], off[1]) < 3e-5 && fmax(off[0], off[1]) > 1e-4);
    for (int i = 0; i < 3; i++)
        free(products[i]);
    op_release(&c);
}

/* got (M,N) is the product of whole numbers a (M,K) and b (K,N), rounded to such. */
static void assert_exact(const struct product *x, const float *a, const float *b, const float *got)
{
    for (int64_t m = 0; m < x->M; m++)
        for (int64_t n = 0; n < x->N; n++) {
            int64_t sum = 0;

            for (int64_t k = 0; k < x->K; k++)
                sum += (int64_t) a[m * x->K + k] * (int64_t) rintf(b[k * x->N + n]);
            assert_int_equal((int64_t) got[m * x->N + n], sum);
        }
}

/* The number in row k of a column of which neighbours' sizes add up to `most`; i is the same for
 * both. */
static float fitting(int64_t i, int64_t k, int most)
{
    int first = (int) (i * 37 % (2 * most + 1)) - most;

    return (float) (k % 2 == 0 ? first : (most - abs(first)) * (i % 5 == 0 ? -1 : 1));
}

/* Whole numbers up to 127 in rows that have a 127, and columns with neighbours of 127 together,
 * have scales of 1: int8 is exact, with the largest products too, and where no number of A is
 * negative.
 */
static void test_whole_numbers_are_exact(void **state)
{
    static const char *const devices[] = {"reference", "cpu"};
    static const int64_t shapes[][3] = {{7, 70, 130}, {35, 70, 192}, {6, 16, 7}, {1, 40, 23}};

    (void) state;
    for (int at = 0; at < 24; at++) {
        const int64_t *shape = shapes[at / 6];
        struct product x = {.type = DEV_INT8, .M = shape[0], .N = shape[1], .K = shape[2]};
        struct op_call c;
        float *a = begin(&c, &x), *b = c.buffers[B].initial, *got;
        const int how = at / 2 % 3; /* any rows; none negative; the largest, of one sign each */

        for (int64_t i = 0; i < x.M * x.K; i++)
            a[i] = how == 2 ? (i / x.K % 2 ? -127.0f : 127.0f)
                   : i % x.K == 3
                       ? (how == 0 ? -127.0f : 127.0f)
                       : (float) (i * 31 % (how == 0 ? 255 : 128) - (how == 0 ? 127 : 0));
        for (int64_t i = 0; i < x.K * x.N; i++)
            b[i] = how == 2 ? (i % x.N % 2 ? -63.5f : 63.5f)
                            : fitting(i % x.N * 97 + i / x.N / 2, i / x.N, 127);
        got = op_run_on(op_device(devices[at % 2], 2), &c, call, &x);
        assert_exact(&x, a, b, got);
        free(got);
        op_release(&c);
    }
}

/* The bits of a row are the same beside any others. */
static void test_rows_are_independent(void **state)
{
    (void) state;
    for (int t = 0; t < 6; t++) {
        struct product all = {.type = types[t % 3], .M = 29, .N = 75, .K = t < 3 ? 67 : 128};
        struct product some = all;
        struct op_call c;
        float *a = begin(&c, &all), *want = op_run_on(op_device("cpu", 1), &c, call, &all);

        for (int64_t m = 0; m < all.M; m++)
            for (some.M = 1; some.M <= 13 && m + some.M <= all.M; some.M += 3) {
                struct op_call part;
                float *rows = begin(&part, &some), *got;

                memcpy(rows, a + m * all.K, (size_t) (some.M * all.K) * sizeof *a);
                got = op_run_on(op_device("cpu", 1), &part, call, &some);
                assert_memory_equal(got, want + m * all.N, (size_t) (some.M * all.N) * sizeof *got);
                free(got);
                op_release(&part);
            }
        free(want);
        op_release(&c);
    }
}

/* Of rows that rest the CPU computes nothing; the others have the bits that they have beside them.
 */
static void test_rows_that_rest(void **state)
{
    enum { M = 29 };
    bool is_live[M];
    int32_t rows[M];

    (void) state;
    for (int t = 0; t < 3; t++)
        for (int32_t every = 1; every <= M; every += 4) {
            struct dev_live live = {.of = M, .rows = rows, .is_live = is_live};
            struct product x = {.type = types[t], .M = M, .N = 75, .K = 67, .bias = true};
            float *all, *some, *before;
            struct op_call c;

            for (int32_t m = 0; m < M; m++) {
                is_live[m] = m % every == every / 2;
                if (is_live[m])
                    rows[live.n++] = m;
            }
            (void) begin(&c, &x);
            before = c.buffers[C].initial;
            all = op_run_on(op_device("cpu", 2), &c, call, &x);
            x.live = &live;
            some = op_run_on(op_device("cpu", 2), &c, call, &x);
            for (int64_t m = 0; m < M; m++)
                assert_memory_equal(some + m * x.N, (is_live[m] ? all : before) + m * x.N,
                                    (size_t) x.N * sizeof *some);
            free(all);
            free(some);
            op_release(&c);
        }
}

/* Rows and columns of zeros, of numbers too small for a factor, and of none at all. */
static void test_extremes(void **state)
{
    struct product x = {.type = DEV_INT8, .M = 4, .N = 3, .K = 6, .bias = true};
    struct op_call c;
    float *a = begin(&c, &x), *b = c.buffers[B].initial, *got;

    (void) state;
    for (int64_t k = 0; k < x.K; k++) {
        a[k] = 0.0f;
        a[x.K + k] = 1e-39f;
        a[3 * x.K + k] = 1e30f;
        b[k * x.N] = 0.0f;
    }
    a[2 * x.K + 1] = NAN;
    got = op_run_on(op_device("cpu", 1), &c, call, &x);
    for (int64_t n = 0; n < x.N; n++) {
        const float *bias = c.buffers[BIAS].initial;

        assert_true(got[n] == bias[n] && got[x.N + n] == bias[n]);
        assert_true(isnan(got[2 * x.N + n]));
        assert_true(isfinite(got[3 * x.N + n]));
    }
    assert_true(got[3 * x.N] == ((const float *) c.buffers[BIAS].initial)[0]);
    free(got);
    op_check(&c, call, &x);
    x.M = 0;
    check(&x);
}

/* C (K,N) = 127 I times weights that are packed in d. */
static float *spelt_out(struct dev *d, const struct dev_pack_args *how)
{
    const struct dev_kernels *k = d->kernels;
    const int64_t K = how->K, N = how->N;
    struct dev_pack_args pack = *how;
    struct dev_packed_gemm g = {.type = DEV_INT8, .M = K, .N = N, .K = K};
    float *a = t2_alloc((size_t) (K * K), sizeof *a), *c = t2_alloc((size_t) (K * N), sizeof *c);

    for (int64_t i = 0; i < K; i++)
        a[i * K + i] = 127.0f;
    pack.packed = d->alloc(d, (size_t) k->pack_scratch_floats(d, DEV_INT8, K, N) * sizeof(float));
    k->pack(d, &pack);
    g.A = a;
    g.C = c;
    g.packed = pack.packed;
    g.scratch = d->alloc(d, (size_t) k->packed_gemm_scratch_floats(d, &g) * sizeof(float));
    k->packed_gemm(d, &g);
    d->free(d, g.scratch);
    d->free(d, pack.packed);
    t2_free(a);
    return c;
}

/* Weights that are whole numbers with scales: columns whose neighbours fit are packed as they are,
 * others as the floats that these make, to the last bit, for scales of all kinds. */
static void check_whole(struct dev *d, int64_t K, int64_t N, bool trans_b)
{
    static const float some[] = {0.013f, 1.0f, 3e-5f, 1e-39f, 0.0f, -0.02f, 1e-44f, 2e36f};
    static const int largest[] = {127, 254, 127, 0,
                                  1,   126, 255, 77}; /* of two; 255: -128 and -127 */
    float *floats = t2_alloc((size_t) (K * N), sizeof *floats), *of_floats, *of_whole;
    float *scales = t2_alloc((size_t) N, sizeof *scales);
    int8_t *whole = t2_alloc((size_t) (K * N), 1);
    struct dev_pack_args args = {
        .type = DEV_INT8, .trans_b = trans_b, .K = K, .N = N, .ldb = trans_b ? K : N};

    for (int64_t n = 0; n < N; n++) {
        int most = largest[n % 8];

        scales[n] = some[n / 8 % 8] * (1.0f + (float) n / 999.0f);
        for (int64_t k = 0; k < K; k++) {
            int64_t at = trans_b ? n * K + k : k * N + n;
            int q = most == 255 ? -127 - (k % 2 == 0) : (int) fitting(n * 7 + k / 2, k, most);

            whole[at] = (int8_t) (most == 254 ? q / 2 : q);
            floats[at] = scales[n] * (float) whole[at];
        }
    }
    args.B = floats;
    of_floats = spelt_out(d, &args);
    args.B = NULL;
    args.whole = whole;
    args.scales = scales;
    of_whole = spelt_out(d, &args);
    for (int64_t n = 0; n < N; n++) {
        bool fits = true;

        for (int64_t k = 0; k < K; k += 2) {
            int64_t at = trans_b ? n * K + k : k * N + n, next = trans_b ? at + 1 : at + N;

            fits &= abs(whole[at]) + (k + 1 < K ? abs(whole[next]) : 0) <= 128;
        }
        for (int64_t k = 0; k < K; k++) {
            int8_t q = whole[trans_b ? n * K + k : k * N + n];
            float as_is = (float) (127 * q) * scales[n];

            assert_memory_equal(&of_whole[k * N + n], fits ? &as_is : &of_floats[k * N + n],
                                sizeof as_is);
        }
    }
    t2_free(of_floats);
    t2_free(of_whole);
    t2_free(whole);
    t2_free(scales);
    t2_free(floats);
}

static void test_weights_that_are_whole(void **state)
{
    static const char *const devices[] = {"reference", "cpu"};

    (void) state;
    OP_NEEDS_CPU();
    for (int at = 0; at < 2; at++)
        for (int trans_b = 0; trans_b < 2; trans_b++) {
            struct dev *d = op_device(devices[at], 2);

            if (!d->host_memory) /* far in place of cpu: nobody packs from such numbers there */
                continue;
            check_whole(d, 66, 131, trans_b);
            check_whole(d, 33, 64, trans_b);
            check_whole(d, 1, 65, trans_b);
            check_whole(d, 7, 5, trans_b);
        }
}

T_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_rows_of_bfloat16),
       cmocka_unit_test(test_whole_numbers_are_exact), cmocka_unit_test(test_rows_are_independent),
       cmocka_unit_test(test_rows_that_rest), cmocka_unit_test(test_extremes),
       cmocka_unit_test(test_weights_that_are_whole))
