/*
 * tests/ops/test_gemm.c - products of matrices: every combination of what may follow one, odd
 * sizes, strides, several tiles.  num_threads is 1, 2 and 3 (op_check.c).
 */
#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct product {
    bool trans_a, trans_b;
    int64_t M, N, K;
    int64_t gap; /* of the row strides beyond the least */
    bool accumulate, bias, relu;
    double dropout;
    int64_t shared; /* rows that share a mask */
    bool sums;      /* C is float32, whatever the factors are, as gradients of weights are */
    enum dev_type precision;
};

enum { A, B, C, BIAS };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct product *x = arg;
    struct dev_gemm g = {.trans_a = x->trans_a,
                         .trans_b = x->trans_b,
                         .M = x->M,
                         .N = x->N,
                         .K = x->K,
                         .type_a = op_type(),
                         .type_b = op_type(),
                         .type_c = x->sums ? DEV_FLOAT32 : op_type(),
                         .A = p[A],
                         .B = p[B],
                         .lda = (x->trans_a ? x->M : x->K) + x->gap,
                         .ldb = (x->trans_b ? x->K : x->N) + x->gap,
                         .ldc = x->N,
                         .C = p[C],
                         .accumulate = x->accumulate,
                         .bias = x->bias ? p[BIAS] : NULL,
                         .activation = x->relu ? DEV_RELU : DEV_LINEAR,
                         .dropout = op_dropout(d, x->dropout, 3)};

    if (x->shared) {
        g.dropout.shared_rows = x->shared;
        g.dropout.shared_cols = x->N;
    }
    if (!x->bias && !x->relu && x->dropout == 0.0)
        g.ldc += x->gap;
    d->precision =
        x->precision == DEV_FLOAT32 || op_type() == DEV_FLOAT32 ? x->precision : op_type();
    g.scratch = op_scratch(d, d->kernels->gemm_scratch_floats(d, &g));
    d->kernels->gemm(d, &g);
    d->precision = DEV_FLOAT32;
}

/* Rows of `cols`, the last one without its gap: what a kernel may touch. */
static int64_t extent(int64_t rows, int64_t cols, int64_t gap)
{
    return rows * (cols + gap) - gap;
}

/* Factors that are bfloat16 already, for all types: a device may multiply what is stored as floats
 * as it is. */
static void factor_in(const struct product *x, struct op_call *c, int64_t n, uint64_t seed)
{
    float *factor = op_typed_in(c, n, seed);

    for (int64_t i = 0; x->precision != DEV_FLOAT32 && i < n; i++)
        factor[i] = dev_round(x->precision, factor[i]);
}

static void check(const struct product *x)
{
    bool plain = !x->bias && !x->relu && x->dropout == 0.0;
    struct op_call c;

    /* as in test_gemm_lib.c: 4 sigma of K independent roundings of partial sums of about sqrt(K) /
     * 3 */
    op_begin(&c, 1e-6 + 8e-8 * (double) x->K, 1e-6,
             "gemm %d%d (%d, %d, %d) gap %d accumulate %d bias %d relu %d dropout %g", x->trans_a,
             x->trans_b, (int) x->M, (int) x->N, (int) x->K, (int) x->gap, x->accumulate, x->bias,
             x->relu, x->dropout);
    factor_in(x, &c, x->trans_a ? extent(x->K, x->M, x->gap) : extent(x->M, x->K, x->gap), 1);
    factor_in(x, &c, x->trans_b ? extent(x->N, x->K, x->gap) : extent(x->K, x->N, x->gap), 2);
    if (x->sums)
        (void) op_out(&c, extent(x->M, x->N, plain ? x->gap : 0), x->accumulate, 3);
    else
        (void) op_typed_out(&c, extent(x->M, x->N, plain ? x->gap : 0), x->accumulate, 3);
    (void) op_in(&c, x->N, 4);
    op_check(&c, call, x);
}

static const int64_t shapes[][3] = {{1, 1, 1},   {1, 7, 3},    {5, 1, 2},    {3, 5, 1},
                                    {2, 17, 33}, {16, 16, 16}, {31, 33, 17}, {64, 48, 8},
                                    {7, 129, 5}, {130, 3, 65}, {1, 257, 70}, {70, 1, 257}};

static void test_all_shapes(void **state)
{
    (void) state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        check(&(struct product){.M = shapes[s][0] * 3,
                                .N = shapes[s][1],
                                .K = shapes[s][2],
                                .relu = true,
                                .dropout = 0.4,
                                .shared = 3});
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int bits = 0; bits < 16; bits++) {
            struct product x = {.trans_a = bits & 1,
                                .trans_b = bits & 2,
                                .accumulate = bits & 4,
                                .gap = bits & 8 ? 3 : 0,
                                .M = shapes[s][0],
                                .N = shapes[s][1],
                                .K = shapes[s][2]};

            check(&x);
        }
}

static void test_bfloat16(void **state)
{
    (void) state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int bits = 0; bits < 16; bits++) {
            struct product x = {.trans_a = bits & 1,
                                .trans_b = bits & 2,
                                .accumulate = bits & 4,
                                .gap = bits & 8 ? 3 : 0,
                                .M = shapes[s][0],
                                .N = shapes[s][1],
                                .K = shapes[s][2],
                                .precision = DEV_BFLOAT16};

            check(&x);
        }
}

static void test_all_epilogues(void **state)
{
    static const double rates[] = {0.0, 0.1, 0.5};

    (void) state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int bits = 0; bits < 4; bits++)
            for (int r = 0; r < 3; r++) {
                struct product x = {.bias = bits & 1,
                                    .relu = bits & 2,
                                    .dropout = rates[r],
                                    .trans_b = s % 2,
                                    .M = shapes[s][0],
                                    .N = shapes[s][1],
                                    .K = shapes[s][2]};

                check(&x);
            }
}

/* Large enough to be cut into tiles, each with its own epilogue. */
static void test_several_tiles(void **state)
{
    static const struct product products[] = {
        {.M = 203, .N = 311, .K = 64, .bias = true, .relu = true, .dropout = 0.1},
        {.M = 519, .N = 70, .K = 130, .trans_b = true},
        {.M = 70, .N = 519, .K = 130, .trans_a = true, .accumulate = true, .gap = 5},
        {.M = 33, .N = 1500, .K = 90, .bias = true},
        {.M = 90, .N = 300, .K = 1100, .trans_a = true, .accumulate = true, .sums = true},
        {.M = 300, .N = 90, .K = 1100, .trans_b = true, .gap = 3, .sums = true},
        {.M = 300, .N = 90, .K = 600, .bias = true, .relu = true, .dropout = 0.1, .sums = true},
        {.M = 700, .N = 71, .K = 530, .trans_a = true, .accumulate = true, .gap = 5},
        {.M = 707, .N = 65, .K = 530, .trans_b = true, .bias = true, .relu = true, .dropout = 0.1},
        {.M = 2, .N = 5, .K = 300000, .trans_b = true}, /* nothing to cut, and much to do */
    };

    (void) state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        check(&products[i]);
}

/* K is far longer than the sides of C: it is cut, and the shares are added up in their order. */
static void test_several_parts(void **state)
{
    static const struct product products[] = {
        {.M = 40, .N = 130, .K = 4500, .bias = true, .relu = true, .dropout = 0.1},
        {.M = 1, .N = 7, .K = 4096, .accumulate = true},
        {.M = 70, .N = 33, .K = 5003, .trans_a = true, .accumulate = true, .gap = 5},
        {.M = 33, .N = 70, .K = 4099, .trans_b = true, .gap = 3},
        {.M = 20, .N = 40, .K = 4500, .precision = DEV_BFLOAT16},
        {.M = 520, .N = 3, .K = 17000, .trans_b = true}, /* several blocks of what is no float */
    };

    (void) state;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        check(&products[i]);
}

static int64_t scratch_of(struct dev *d, enum dev_type type, int64_t M, int64_t N, int64_t K)
{
    struct dev_gemm g = {.M = M, .N = N, .K = K, .lda = K, .ldb = N, .ldc = N};

    g.type_a = g.type_b = g.type_c = type;
    return d->kernels->gemm_scratch_floats(d, &g);
}

/* Shorter batches multiply in the memory that was planned for the longest. */
static void test_memory_for_smaller(void **state)
{
    static const int64_t sides[] = {1, 60, 127, 128, 129, 500, 600, 4095, 4096, 5000, 40000};
    static const enum dev_type types[] = {DEV_FLOAT32, DEV_BFLOAT16};
    enum { N_SIDES = sizeof sides / sizeof *sides };
    struct dev *d = op_device("cpu", 2);

    (void) state;
    for (int i = 0; i < 2 * N_SIDES * N_SIDES * N_SIDES; i++) {
        int m = i % N_SIDES, n = i / N_SIDES % N_SIDES, k = i / (N_SIDES * N_SIDES) % N_SIDES;
        enum dev_type type = types[i / (N_SIDES * N_SIDES * N_SIDES)];
        int64_t floats = scratch_of(d, type, sides[m], sides[n], sides[k]);

        assert_true(m == 0 || scratch_of(d, type, sides[m - 1], sides[n], sides[k]) <= floats);
        assert_true(n == 0 || scratch_of(d, type, sides[m], sides[n - 1], sides[k]) <= floats);
        assert_true(k == 0 || scratch_of(d, type, sides[m], sides[n], sides[k - 1]) <= floats);
    }
}

/* Nothing to do is not an error. */
static void test_no_rows(void **state)
{
    struct product x = {.M = 0, .N = 4, .K = 3};
    struct op_call c;

    (void) state;
    op_begin(&c, 0.0, 0.0, "gemm without rows");
    (void) op_in(&c, 0, 1);
    (void) op_in(&c, 12, 2);
    (void) op_out(&c, 0, false, 3);
    op_check(&c, call, &x);
}

/* A value that is not a number must not disappear in an epilogue; the loss has to show it. */
static void test_not_a_number_stays(void **state)
{
    struct product x = {.M = 2, .N = 3, .K = 2, .bias = true, .relu = true};
    struct op_call c;
    float *a;

    (void) state;
    op_begin(&c, 1e-6, 1e-6, "gemm with NaN");
    a = op_in(&c, 4, 1);
    a[2] = NAN;
    (void) op_in(&c, 6, 2);
    (void) op_out(&c, 6, false, 3);
    (void) op_in(&c, 3, 4);
    op_check(&c, call, &x);
}

T_MAIN(cmocka_unit_test(test_all_shapes), cmocka_unit_test(test_bfloat16),
       cmocka_unit_test(test_all_epilogues), cmocka_unit_test(test_several_tiles),
       cmocka_unit_test(test_several_parts), cmocka_unit_test(test_memory_for_smaller),
       cmocka_unit_test(test_no_rows), cmocka_unit_test(test_not_a_number_stays))
