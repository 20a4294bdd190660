/*
 * tests/unit/train/test_param_scale.c - shares and values along every scale, both ways.
 */
#include "train/tune/param_scale.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/train/small_range.h"

static const char *const yaml[] = {
    "x: {float: [1, 100]}",
    "x: {float: [-3, 5], scale: linear}",
    "x: {float: [0.001, 100], scale: log}",
    "x: {float: [1, 100], scale: reverse_log}",
    "x: {int: [-2, 9]}",
    "x: {int: [1, 1000], scale: log}",
    "x: {int: [1, 40], scale: reverse_log}",
};

/* A whole number that was drawn at a share has a bin there, a float the share that its text says,
 * which six digits may have moved. */
static void test_back(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof yaml / sizeof *yaml; i++) {
        struct tune_range *r = range_of(yaml[i]);
        const struct tune_param *p = &r->params[0];

        for (int k = 0; k <= 1000; k++) {
            double share = k / 1000.0, value = tune_value_drawn(p, share);
            struct t2_buf text = {0};
            struct tune_coord c;

            tune_put_value(p, value, &text);
            assert_true(tune_coord_of(p, t2_buf_cstr(&text), &c));
            if (p->kind == TUNE_INT) {
                assert_true(c.from < c.to);
                assert_true(c.from <= share + 1e-12 && c.to >= share - 1e-12);
                assert_true(fabs(tune_share_drawn(p, share) - (c.from + c.to) / 2) < 1e-12);
            } else {
                double said = fmin(fmax(strtod(t2_buf_cstr(&text), NULL), p->min), p->max);

                assert_true(c.from == c.to);
                assert_true(tune_share_drawn(p, share) == share);
                assert_true(fabs(tune_value_at(p, c.from) - said) <= 1e-12 * fabs(p->max));
                assert_true(fabs(said - value) <= 1e-5 * fabs(value));
            }
            t2_buf_release(&text);
        }
        tune_range_free(r);
    }
}

/* Bins of whole numbers lie side by side, from one end to the other. */
static void test_bins(void **state)
{
    (void) state;
    for (size_t i = 4; i < sizeof yaml / sizeof *yaml; i++) {
        struct tune_range *r = range_of(yaml[i]);
        const struct tune_param *p = &r->params[0];
        double at = 0;

        for (double v = p->min; v <= p->max; v++) {
            struct t2_buf text = {0};
            struct tune_coord c;

            tune_put_value(p, v, &text);
            assert_true(tune_coord_of(p, t2_buf_cstr(&text), &c));
            assert_true(fabs(c.from - at) < 1e-12);
            assert_true(tune_value_drawn(p, 0.5 * (c.from + c.to)) == v);
            at = c.to;
            t2_buf_release(&text);
        }
        assert_true(fabs(at - 1) < 1e-12);
        assert_true(tune_whole_values(p) == p->max - p->min + 1);
        tune_range_free(r);
    }
}

static void test_worked_by_hand(void **state)
{
    struct tune_range *r = range_of("a: {float: [0.01, 100], scale: log}\n"
                                    "b: {float: [1, 10], scale: reverse_log}\n"
                                    "c: {discrete: [4, 2]}\nd: {float: [3, 3]}\n"
                                    "e: {int: [1, 3], scale: log}");
    struct tune_coord c[5];

    (void) state;
    assert_true(tune_coords_read(r, "a=1,b=1,c=2,d=3,e=2", c));
    assert_true(fabs(c[0].from - 0.5) < 1e-12 && c[0].to == c[0].from);
    assert_true(c[1].from == 0);
    assert_true(c[2].from == 1 && c[2].to == 1); /* the index */
    assert_true(c[3].from == 0.5);
    assert_true(fabs(c[4].from - 0.5) < 1e-12); /* [1, 4): log 2 is half of log 4 */
    assert_true(fabs(c[4].to - log(3) / log(4)) < 1e-12);
    assert_true(fabs(tune_value_at(&r->params[1], 0.5) - (11 - sqrt(10))) < 1e-12);
    /* any order; what is more is passed over */
    assert_true(tune_coords_read(r, "x=1,e=3,d=3,c=4,b=10,a=100", c));
    assert_true(c[0].from == 1 && c[1].from == 1 && c[2].from == 0);
    tune_range_free(r);
}

static void test_no_values(void **state)
{
    struct tune_range *r = range_of("a: {float: [1, 2]}\nb: {categorical: [x, y]}");
    struct tune_coord c[2];

    (void) state;
    assert_true(tune_coords_read(r, "a=1.5,b=x", c));
    assert_false(tune_coords_read(r, "a=1.5", c));
    assert_false(tune_coords_read(r, "a=1.5,b=z", c));
    assert_false(tune_coords_read(r, "a=0.9,b=x", c));
    assert_false(tune_coords_read(r, "a=2.1,b=x", c));
    assert_false(tune_coords_read(r, "a=nan,b=x", c));
    assert_false(tune_coords_read(r, "a=,b=x", c));
    assert_false(tune_coords_read(r, "", c));
    tune_range_free(r);
}

static void test_text(void **state)
{
    size_t n;

    (void) state;
    assert_memory_equal(tune_hparam_value("a=1,bb=xyz,b=2", "b", &n), "2", 2);
    assert_int_equal(n, 1);
    assert_memory_equal(tune_hparam_value("a=1,bb=xyz,b=2", "bb", &n), "xyz", 3);
    assert_int_equal(n, 3);
    assert_null(tune_hparam_value("a=1", "c", &n));
    assert_null(tune_hparam_value("", "c", &n));
}

T_MAIN(cmocka_unit_test(test_back), cmocka_unit_test(test_bins),
       cmocka_unit_test(test_worked_by_hand), cmocka_unit_test(test_no_values),
       cmocka_unit_test(test_text))
