/*
 * tests/ops/test_targeted.c - targeted dropout: kernels, what is chosen, gradients.
 */
#include "train/ops/targeted.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void call(struct dev *d, void *const *p, const void *arg)
{
    struct dev_targeted a = *(const struct dev_targeted *) arg;

    a.dropout = op_dropout(d, 0.5, 3);
    a.w = p[0];
    a.factors = p[1];
    a.scratch = op_scratch(d, a.rows + 2 * a.cols);
    d->kernels->targeted(d, &a);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {27, 16}, {1, 40}, {576, 5}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int columns = 0; columns < 2; columns++) {
            struct dev_targeted a = {.rows = shapes[i][0],
                                     .cols = shapes[i][1],
                                     .columns = columns};
            struct op_call c;

            a.nth = (columns ? a.cols : a.rows) / 2;
            op_begin(&c, 0.0, 0.0, "targeted %zu columns %d", i, columns);
            (void) op_in(&c, a.rows * a.cols, 1);
            (void) op_out(&c, a.rows * a.cols, false, 2);
            op_check(&c, call, &a);
        }
}

static int64_t count_zeros(const struct dev_targeted *a, int64_t from, int64_t n)
{
    int64_t zeros = 0;

    for (int64_t i = 0; i < n; i++)
        zeros += a->factors[from + i * a->cols] == 0.0f;
    return zeros;
}

/* Against counting: nth + 1 of each column, those that no more than nth are smaller than. */
static void test_chosen(void **state)
{
    enum { ROWS = 50, COLS = 3 };
    float w[ROWS * COLS], factors[ROWS * COLS], scratch[ROWS + 2 * COLS];
    struct dev *d = op_device("cpu", 1);
    struct dev_targeted a = {.rows = ROWS,
                             .cols = COLS,
                             .w = w,
                             .dropout = op_dropout(d, 1.0, 1),
                             .factors = factors,
                             .scratch = scratch};

    (void) state;
    t_fill(w, ROWS * COLS, 4);
    for (a.nth = 0; a.nth < ROWS; a.nth += 7) {
        d->kernels->targeted(d, &a);
        for (int64_t i = 0; i < ROWS * COLS; i++) {
            int64_t smaller = 0;

            for (int64_t k = i % COLS; k < ROWS * COLS; k += COLS)
                smaller += fabsf(w[k]) < fabsf(w[i]);
            assert_true(factors[i] == (smaller <= a.nth ? 0.0f : 1.0f));
        }
    }
}

/* Equals are chosen together; a NaN is the largest. */
static void test_equals(void **state)
{
    static const float w[] = {1, -1, 2, 1, NAN, 3};
    float factors[6], scratch[8];
    struct dev *d = op_device("cpu", 1);
    struct dev_targeted a = {.rows = 6,
                             .cols = 1,
                             .w = w,
                             .dropout = op_dropout(d, 1.0, 1),
                             .factors = factors,
                             .scratch = scratch};

    (void) state;
    d->kernels->targeted(d, &a);
    t_assert_close(factors, ((float[]){0, 0, 1, 0, 1, 1}), 6, 0, 0);
    a.nth = 5;
    d->kernels->targeted(d, &a);
    assert_int_equal(count_zeros(&a, 0, 6), 6);
}

/* Filters by their norm: 5, 1, 2. */
static void test_units(void **state)
{
    static const float w[] = {3, 0, 2, 4, 1, 0};
    float factors[6], scratch[8];
    struct dev *d = op_device("cpu", 1);
    struct dev_targeted a = {.rows = 2,
                             .cols = 3,
                             .nth = 1,
                             .columns = true,
                             .w = w,
                             .dropout = op_dropout(d, 1.0, 1),
                             .factors = factors,
                             .scratch = scratch};

    (void) state;
    d->kernels->targeted(d, &a);
    t_assert_close(factors, ((float[]){1, 0, 0, 1, 0, 0}), 6, 0, 0);
}

/* About half of the targeted ones are dropped, the others doubled. */
static void test_share(void **state)
{
    enum { N = 4000 };
    static float w[N], factors[N], scratch[N + 2];
    struct dev *d = op_device("cpu", 1);
    struct dev_targeted a = {.rows = N,
                             .cols = 1,
                             .nth = N / 2 - 1,
                             .w = w,
                             .dropout = op_dropout(d, 0.5, 1),
                             .factors = factors,
                             .scratch = scratch};
    int64_t doubled = 0, zeros;

    (void) state;
    t_fill(w, N, 9);
    d->kernels->targeted(d, &a);
    zeros = count_zeros(&a, 0, N);
    for (int64_t i = 0; i < N; i++)
        doubled += factors[i] == 2.0f;
    assert_int_equal(zeros + doubled, N / 2);
    assert_true(zeros > N / 4 - 100 && zeros < N / 4 + 100);
}

static void build(struct op_graph *t, const void *arg)
{
    op_sum_loss(t, nn_targeted(t->g, op_param(t, "w", 3, 4, 3, 5), arg));
}

static void test_gradients(void **state)
{
    static const struct nn_targeted how[] = {{.rate = 0.5, .keep_prob = 0.5},
                                             {.units = true, .rate = 0.4, .keep_prob = 0.25}};

    (void) state;
    for (int i = 0; i < 2; i++)
        op_check_gradient(build, &how[i], 1e-5, 2e-3);
}

/* A graph for evaluation drops round(6 * 0.25) + 1 = 3 of 12 in each filter. */
static void test_evaluation(void **state)
{
    struct nn_targeted how = {.rate = 0.5, .keep_prob = 0.75};
    const int64_t dims[] = {4, 3, 2};
    struct gr_context context = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = op_device("cpu", 1);
    struct gr_params params;
    struct gr_tensor *y;
    struct gr_graph *g;
    int zeros = 0;
    void *arena;

    (void) state;
    gr_params_init(&params, d);
    g = gr_new(d, &params, false);
    y = nn_targeted(g, gr_param(g, "w", 3, dims, 0, GR_INIT_ZEROS, 0.0), &how);
    assert_int_equal(gr_finish(g, NULL, &y, 1, &err), T2_OK);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    t_fill(params.values, 24, 7);
    arena = d->alloc(d, g->arena_bytes);
    gr_bind(g, arena);
    gr_run_forward(g, &context);
    for (int i = 0; i < 24; i++) {
        float value = ((const float *) y->value)[i];

        zeros += value == 0.0f;
        assert_true(value == 0.0f || value == params.values[i]);
    }
    assert_int_equal(zeros, 6);
    d->free(d, arena);
    gr_free(g);
    gr_params_release(&params);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_chosen),
       cmocka_unit_test(test_equals), cmocka_unit_test(test_units), cmocka_unit_test(test_share),
       cmocka_unit_test(test_gradients), cmocka_unit_test(test_evaluation))
