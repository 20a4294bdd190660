/*
 * tests/unit/train/test_params.c - parameters: shards, offsets, initial values, memory.
 */
#include "train/graph/params.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"

static int get(struct gr_params *p, const char *name, int64_t rows, int64_t cols, int n_shards,
               enum gr_init init, double gain)
{
    int64_t dims[] = {rows, cols};

    return gr_params_get(p, name, cols ? 2 : 1, dims, n_shards, init, gain);
}

static void test_shards(void **state)
{
    static const int64_t rows[] = {4, 4, 3, 3};
    struct gr_params p;
    int table, vector;

    (void) state;
    gr_params_init(&p, op_device("plain", 1));
    table = get(&p, "emb", 14, 5, 4, GR_INIT_NORMAL, 0.1);
    vector = get(&p, "bias", 7, 0, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(table, 0);
    assert_int_equal(vector, 1);
    assert_int_equal(get(&p, "emb", 14, 5, 4, GR_INIT_NORMAL, 0.1), table);
    assert_int_equal(get(&p, "bias", 7, 0, 0, GR_INIT_ZEROS, 0.0), vector);
    assert_int_equal(p.n_params, 2);
    assert_int_equal(p.n_variables, 5);
    assert_int_equal(gr_params_count(&p), 14 * 5 + 7);
    for (int s = 0, row = 0; s < 4; ++s) {
        char name[16];
        const struct gr_variable *v;

        snprintf(name, sizeof name, "emb_%d", s);
        v = gr_params_find(&p, name);
        assert_non_null(v);
        assert_int_equal(v->rank, 2);
        assert_int_equal(v->dims[0], rows[s]);
        assert_int_equal(v->dims[1], 5);
        assert_int_equal(v->n, rows[s] * 5);
        assert_int_equal(v->offset, p.params[table].offset + row * 5); /* still one matrix */
        assert_int_equal(v->param, table);
        row += (int) rows[s];
    }
    assert_int_equal(p.params[vector].offset % 16, 0);
    assert_true(p.params[vector].offset >= 70);
    assert_true(p.n_floats % 16 == 0 && p.n_floats >= p.params[vector].offset + 7);
    assert_null(gr_params_find(&p, "emb"));
    assert_null(gr_params_find(&p, "emb_4"));
    assert_non_null(gr_params_find(&p, "bias"));
    gr_params_release(&p);
    gr_params_release(&p); /* again is nothing */
}

static void test_one_shard_has_a_number_too(void **state)
{
    struct gr_params p;

    (void) state;
    gr_params_init(&p, op_device("plain", 1));
    (void) get(&p, "w", 3, 2, 1, GR_INIT_ZEROS, 0.0);
    assert_string_equal(p.variables[0].name, "w_0");
    gr_params_release(&p);
}

static void test_out_of_memory(void **state)
{
    (void) state;
    for (uint64_t n = 1; n <= 2; ++n) {
        struct gr_params p;
        struct t2_err err = T2_ERR_INIT;

        gr_params_init(&p, op_device("plain", 1));
        (void) get(&p, "w", 1000, 300, 0, GR_INIT_ZEROS, 0.0);
        t2_alloc_fail_after(n);
        assert_int_equal(gr_params_freeze(&p, &err), T2_ENOMEM);
        t2_alloc_fail_after(0);
        t_assert_contains(err.message, "not enough memory for parameters and gradients");
        t_assert_contains(err.message, "1.2 MB");
        assert_false(p.frozen);
        gr_params_release(&p);
    }
}

static void test_values_only(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;

    (void) state;
    gr_params_init(&p, op_device("plain", 1));
    p.values_only = true;
    (void) get(&p, "w", 1000, 300, 0, GR_INIT_ONES, 0.0);
    t2_alloc_fail_after(1);
    assert_int_equal(gr_params_freeze(&p, &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    assert_string_equal(err.message, "not enough memory for parameters (1.2 MB)");
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_null(p.grads);
    assert_int_equal(gr_params_initialise(&p, "xavier", 1.0, 1, &err), T2_OK);
    assert_true(p.values[299999] == 1.0f);
    gr_params_release(&p);
}

/* Saved and initialised as the others; not counted. */
static void test_states(void **state)
{
    int64_t n = 7;
    struct t2_err err = T2_ERR_INIT;
    struct gr_params p;
    int mean;

    (void) state;
    gr_params_init(&p, op_device("plain", 1));
    (void) get(&p, "w", 10, 3, 0, GR_INIT_ONES, 0.0);
    mean = gr_params_get_state(&p, "variance", 1, &n, GR_INIT_ONES, 0.0);
    (void) get(&p, "b", 10, 0, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_get_state(&p, "variance", 1, &n, GR_INIT_ONES, 0.0), mean);
    assert_int_equal(p.n_variables, 3);
    assert_int_equal(gr_params_count_variables(&p), 2);
    assert_int_equal(gr_params_count(&p), 40);
    assert_int_equal(gr_params_count_states(&p), 7);
    assert_true(gr_params_find(&p, "w")->trainable && !gr_params_find(&p, "variance")->trainable);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&p, "xavier", 1.0, 1, &err), T2_OK);
    assert_true(p.values[p.params[mean].offset + 6] == 1.0f);
    gr_params_release(&p);
}

/* ---- initial values ---- */

struct statistics {
    double mean, deviation, largest;
};

static struct statistics statistics_of(const struct gr_params *p, const char *name)
{
    const struct gr_variable *v = gr_params_find(p, name);
    struct statistics s = {0};
    const float *x;

    assert_non_null(v);
    x = p->values + v->offset;
    for (int64_t i = 0; i < v->n; ++i)
        s.mean += (double) x[i] / (double) v->n;
    for (int64_t i = 0; i < v->n; ++i) {
        s.deviation += ((double) x[i] - s.mean) * ((double) x[i] - s.mean) / (double) v->n;
        s.largest = fmax(s.largest, fabs((double) x[i]));
    }
    s.deviation = sqrt(s.deviation);
    return s;
}

static void fill(struct gr_params *p, const char *initializer, double gain, uint64_t seed)
{
    struct t2_err err = T2_ERR_INIT;

    gr_params_init(p, op_device("plain", 1));
    (void) get(p, "w", 100, 300, 0, GR_INIT_DEFAULT, 0.0);
    (void) get(p, "emb", 200, 50, 2, GR_INIT_NORMAL, 0.25);
    (void) get(p, "ones", 9, 0, 0, GR_INIT_ONES, 0.0);
    (void) get(p, "zeros", 9, 0, 0, GR_INIT_ZEROS, 0.0);
    assert_int_equal(gr_params_freeze(p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(p, initializer, gain, seed, &err), T2_OK);
}

/* Mean of the fans is 200.  Deviations of the uniform: half width / sqrt 3. */
static void test_initializers(void **state)
{
    static const struct {
        const char *name;
        double gain, deviation, largest;
    } cases[] = {{"uniform_unit_scaling", 1.0, 0.070711, 0.122475},
                 {"uniform_unit_scaling", 2.0, 0.1, 0.173206},
                 {"normal_unit_scaling", 1.0, 0.070711, 0.160779}, /* cut at two of 0.080388 */
                 {"uniform", 0.5, 0.028868, 0.05},
                 {"xavier", 7.0, 0.070711, 0.122475},
                 {"", 7.0, 0.070711, 0.122475}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct gr_params p;
        struct statistics s;

        fill(&p, cases[i].name, cases[i].gain, 1);
        s = statistics_of(&p, "w");
        assert_true(fabs(s.mean) < 4.0 * cases[i].deviation / sqrt(30000.0));
        assert_true(fabs(s.deviation / cases[i].deviation - 1.0) < 0.02);
        assert_true(s.largest <= cases[i].largest && s.largest > 0.98 * cases[i].largest);
        s = statistics_of(&p, "emb_1");
        assert_true(fabs(s.mean) < 4.0 * 0.25 / sqrt(5000.0) &&
                    fabs(s.deviation / 0.25 - 1.0) < 0.05);
        assert_true(s.largest > 0.25 * 3.0); /* not truncated */
        s = statistics_of(&p, "ones");
        assert_true(fabs(s.mean - 1.0) < 1e-12 && s.deviation < 1e-12);
        assert_true(statistics_of(&p, "zeros").largest == 0.0);
        gr_params_release(&p);
    }
}

/* Kernels 3 x 3, 8 channels to 32: fans 72 and 288.  Deviations of what is cut at two: 0.87963 of the
 * normal distribution's. */
static void test_initializers_of_kernels(void **state)
{
    static const struct {
        enum gr_init init;
        double gain, deviation, largest;
    } cases[] = {{GR_INIT_FAN_IN, 1.0, 0.117851, 0.267956},
                 {GR_INIT_FAN_IN, 2.0, 0.166667, 0.378948},
                 {GR_INIT_TRUNCATED_NORMAL, 0.1, 0.087963, 0.2},
                 {GR_INIT_GLOROT, 0.0, 0.074536, 0.129099}};
    const int64_t dims[] = {3, 3, 8, 32};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct t2_err err = T2_ERR_INIT;
        struct gr_params p;
        struct statistics s;

        gr_params_init(&p, op_device("plain", 1));
        (void) gr_params_get(&p, "w", 4, dims, 0, cases[i].init, cases[i].gain);
        assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
        assert_int_equal(gr_params_initialise(&p, "uniform", 1.0, 5, &err), T2_OK);
        s = statistics_of(&p, "w");
        assert_true(fabs(s.mean) < 4.0 * cases[i].deviation / sqrt(2304.0));
        assert_true(fabs(s.deviation / cases[i].deviation - 1.0) < 0.05);
        assert_true(s.largest <= cases[i].largest && s.largest > 0.97 * cases[i].largest);
        gr_params_release(&p);
    }
}

static void test_unknown_initializer(void **state)
{
    struct gr_params p;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill(&p, "uniform", 1.0, 1);
    assert_int_equal(gr_params_initialise(&p, "orthogonal", 1.0, 1, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "initializer 'orthogonal' is not supported");
    t_assert_contains(err.message, "uniform_unit_scaling");
    gr_params_release(&p);
}

/* Values hang on the seed and the variable's name, not on what else there is. */
static void test_seed_and_name(void **state)
{
    struct gr_params a, b, c, d;
    struct t2_err err = T2_ERR_INIT;
    const struct gr_variable *v;

    (void) state;
    fill(&a, "uniform", 1.0, 1);
    fill(&b, "uniform", 1.0, 1);
    fill(&c, "uniform", 1.0, 2);
    assert_memory_equal(a.values, b.values, (size_t) a.n_floats * sizeof(float));
    assert_memory_not_equal(a.values, c.values, (size_t) a.n_floats * sizeof(float));
    gr_params_init(&d, op_device("plain", 1));
    (void) get(&d, "other", 33, 0, 0, GR_INIT_DEFAULT, 0.0);
    (void) get(&d, "w", 100, 300, 0, GR_INIT_DEFAULT, 0.0);
    assert_int_equal(gr_params_freeze(&d, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&d, "uniform", 1.0, 1, &err), T2_OK);
    v = gr_params_find(&d, "w");
    assert_memory_equal(d.values + v->offset, a.values + gr_params_find(&a, "w")->offset,
                        (size_t) v->n * sizeof(float));
    assert_memory_not_equal(a.values + gr_params_find(&a, "emb_0")->offset,
                            a.values + gr_params_find(&a, "emb_1")->offset, 5000 * sizeof(float));
    gr_params_release(&a);
    gr_params_release(&b);
    gr_params_release(&c);
    gr_params_release(&d);
}

T_MAIN(cmocka_unit_test(test_shards), cmocka_unit_test(test_one_shard_has_a_number_too),
       cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_values_only),
       cmocka_unit_test(test_states), cmocka_unit_test(test_initializers_of_kernels),
       cmocka_unit_test(test_initializers), cmocka_unit_test(test_unknown_initializer),
       cmocka_unit_test(test_seed_and_name))
