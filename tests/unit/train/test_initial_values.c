/*
 * tests/unit/train/test_initial_values.c - what variables begin with.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"
#include "train/graph/params.h"

static int get(struct gr_params *p, const char *name, int64_t rows, int64_t cols, int n_shards,
               enum gr_init init, double gain)
{
    int64_t dims[] = {rows, cols};

    return gr_params_get(p, name, cols ? 2 : 1, dims, n_shards, init, gain);
}

struct statistics {
    double mean, deviation, largest;
};

static struct statistics statistics_of(const struct gr_params *p, const char *name)
{
    const struct gr_variable *v = gr_params_find(p, name);
    struct statistics s = {0};
    float *x;

    assert_non_null(v);
    x = device_floats(p->dev, p->values + v->offset, v->n);
    for (int64_t i = 0; i < v->n; i++)
        s.mean += (double) x[i] / (double) v->n;
    for (int64_t i = 0; i < v->n; i++) {
        s.deviation += ((double) x[i] - s.mean) * ((double) x[i] - s.mean) / (double) v->n;
        s.largest = fmax(s.largest, fabs((double) x[i]));
    }
    s.deviation = sqrt(s.deviation);
    free(x);
    return s;
}

static void fill(struct gr_params *p, const char *initializer, double gain, uint64_t seed)
{
    struct t2_err err = T2_ERR_INIT;

    gr_params_init(p, op_device("reference", 1));
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
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

/* Kernels 3 x 3, 8 channels to 32: fans 72 and 288.  Deviations of what is cut at two: 0.87963 of
 * the normal distribution's. */
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
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct gr_params p;
        struct statistics s;

        gr_params_init(&p, op_device("reference", 1));
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

/* Of a forecast: numbers of the same size, the same 256 again and again. */
static void test_repeated(void **state)
{
    static const struct {
        const char *name;
        double deviation;
    } cases[] = {{"uniform", 0.057735}, {"normal_unit_scaling", 0.070711}, {"orthogonal", 0.1}};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gr_variable *w;
        struct gr_params p;
        float *x;

        fill(&p, "uniform", 1.0, 1);
        p.repeats = true;
        assert_int_equal(gr_params_initialise(&p, cases[i].name, 1.0, 1, &err), T2_OK);
        assert_true(fabs(statistics_of(&p, "w").deviation / cases[i].deviation - 1.0) < 0.15);
        assert_true(fabs(statistics_of(&p, "ones").mean - 1.0) < 1e-12);
        w = gr_params_find(&p, "w");
        x = device_floats(p.dev, p.values + w->offset, w->n);
        for (int64_t at = 256; at < 1 << 14; at++)
            assert_true(x[at] == x[at - 256]);
        free(x);
        assert_int_equal(gr_params_initialise(&p, "he_normal", 1.0, 1, &err), T2_EUNSUPPORTED);
        gr_params_release(&p);
    }
}

static void test_unknown_initializer(void **state)
{
    struct gr_params p;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill(&p, "uniform", 1.0, 1);
    assert_int_equal(gr_params_initialise(&p, "he_normal", 1.0, 1, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "initializer 'he_normal' is not supported");
    t_assert_contains(err.message, "uniform_unit_scaling");
    gr_params_release(&p);
}

/* Are n values of two variables, each of its own parameters, the same bits? */
static bool same(const struct gr_params *p, const char *a, const struct gr_params *q, const char *b)
{
    const struct gr_variable *v = gr_params_find(p, a), *w = gr_params_find(q, b);
    float *x = device_floats(p->dev, p->values + v->offset, v->n);
    float *y = device_floats(q->dev, q->values + w->offset, w->n);
    bool equal = v->n == w->n && memcmp(x, y, (size_t) v->n * sizeof *x) == 0;

    free(x);
    free(y);
    return equal;
}

/* Values hang on the seed and the variable's name, not on what else there is. */
static void test_seed_and_name(void **state)
{
    struct gr_params a, b, c, d;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill(&a, "uniform", 1.0, 1);
    fill(&b, "uniform", 1.0, 1);
    fill(&c, "uniform", 1.0, 2);
    device_assert_same(a.dev, a.values, b.dev, b.values, a.n_floats);
    assert_false(same(&a, "w", &c, "w"));
    gr_params_init(&d, op_device("reference", 1));
    (void) get(&d, "other", 33, 0, 0, GR_INIT_DEFAULT, 0.0);
    (void) get(&d, "w", 100, 300, 0, GR_INIT_DEFAULT, 0.0);
    assert_int_equal(gr_params_freeze(&d, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&d, "uniform", 1.0, 1, &err), T2_OK);
    assert_true(same(&d, "w", &a, "w"));
    assert_false(same(&a, "emb_0", &a, "emb_1"));
    gr_params_release(&a);
    gr_params_release(&b);
    gr_params_release(&c);
    gr_params_release(&d);
}

/* The shorter side's vectors are orthogonal and of length gain; vectors have no such matrix. */
static void check_orthogonal(const int64_t *dims, int rank)
{
    const double gain = 1.5;
    struct gr_params p;
    struct t2_err err = T2_ERR_INIT;
    int64_t cols = dims[rank - 1], rows, n, length;
    float *x;

    gr_params_init(&p, op_device("reference", 1));
    (void) gr_params_get(&p, "w", rank, dims, 0, GR_INIT_DEFAULT, 0.0);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&p, "orthogonal", gain, 3, &err), T2_OK);
    x = device_floats(p.dev, p.values, p.variables[0].n);
    rows = p.variables[0].n / cols;
    n = rows < cols ? rows : cols;
    length = rows < cols ? cols : rows;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++) {
            double dot = 0.0;

            for (int64_t i = 0; i < length; i++)
                dot += rows < cols ? (double) x[a * cols + i] * (double) x[b * cols + i]
                                   : (double) x[i * cols + a] * (double) x[i * cols + b];
            assert_true(fabs(dot - (a == b ? gain * gain : 0.0)) < 1e-6);
        }
    free(x);
    gr_params_release(&p);
}

static void test_orthogonal(void **state)
{
    static const int64_t tall[] = {3, 3, 4, 6}, wide[] = {5, 17}, square[] = {1, 1, 40, 40};
    struct gr_params p;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check_orthogonal(tall, 4);
    check_orthogonal(wide, 2);
    check_orthogonal(square, 4);
    gr_params_init(&p, op_device("reference", 1));
    (void) get(&p, "bias", 9, 0, 0, GR_INIT_DEFAULT, 0.0);
    assert_int_equal(gr_params_freeze(&p, &err), T2_OK);
    assert_int_equal(gr_params_initialise(&p, "orthogonal", 1.0, 3, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "variable 'bias'");
    gr_params_release(&p);
}

T_MAIN(cmocka_unit_test(test_initializers), cmocka_unit_test(test_initializers_of_kernels),
       cmocka_unit_test(test_repeated), cmocka_unit_test(test_unknown_initializer),
       cmocka_unit_test(test_seed_and_name), cmocka_unit_test(test_orthogonal))
