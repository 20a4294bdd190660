/*
 * tests/unit/train/test_trial_draw.c - what is drawn: the same for a seed, within its range, along
 * its scale; every combination once where they can be counted.
 */
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "tests/unit/train/small_range.h"
#include "train/tune/param_scale.h"
#include "train/tune/trial_draw.h"

static double number_of(const struct tune_drawing *d, uint64_t trial, const char *name)
{
    struct t2_buf text = {0};
    const char *value;
    double v = NAN;
    size_t n;

    tune_draw(d, trial, &text);
    value = tune_hparam_value(t2_buf_cstr(&text), name, &n);
    assert_non_null(value);
    text.data[(size_t) (value - (char *) text.data) + n] = '\0';
    assert_true(t2_parse_double(value, &v));
    t2_buf_release(&text);
    return v;
}

static void test_same_seed(void **state)
{
    struct tune_range *r = range_of("a: {float: [0, 1]}\nb: {categorical: [x, y, z]}");
    struct tune_drawing d = {.range = r, .seed = 7}, other = {.range = r, .seed = 8};
    struct t2_buf first = {0}, second = {0}, third = {0};

    (void) state;
    assert_true(tune_draw_count(&d) == UINT64_MAX);
    for (uint64_t i = 0; i < 20; i++) {
        t2_buf_clear(&first);
        t2_buf_clear(&second);
        t2_buf_clear(&third);
        tune_draw(&d, i, &first);
        tune_draw(&d, i + 1, &third);
        tune_draw(&d, i, &second);
        assert_string_equal(t2_buf_cstr(&first), t2_buf_cstr(&second));
        assert_string_not_equal(t2_buf_cstr(&first), t2_buf_cstr(&third));
        t2_buf_clear(&third);
        tune_draw(&other, i, &third);
        assert_string_not_equal(t2_buf_cstr(&first), t2_buf_cstr(&third));
    }
    t2_buf_release(&first);
    t2_buf_release(&second);
    t2_buf_release(&third);
    tune_range_free(r);
}

/* Of the first n_spread trials each n-th of every param has one, words as often as each other; the
 * others are those of a drawing without. */
static void test_spread(void **state)
{
    struct tune_range *r = range_of("a: {float: [1, 1000], scale: log}\nb: {int: [0, 99]}\n"
                                    "c: {categorical: [x, y]}\nd: {float: [0, 8]}");
    struct tune_drawing d = {.range = r, .n_spread = 8, .seed = 7}, plain = {.range = r, .seed = 7};
    int counts[3][8] = {{0}}, n_x = 0, same_order = 0;

    (void) state;
    for (uint64_t i = 0; i < 8; i++) {
        int a = (int) (8 * log(number_of(&d, i, "a")) / log(1000));
        int other = (int) number_of(&d, i, "d");
        struct t2_buf text = {0};

        counts[0][a]++;
        counts[1][(int) (8 * number_of(&d, i, "b") / 100)]++;
        counts[2][other]++;
        same_order += a == other;
        tune_draw(&d, i, &text);
        n_x += strstr(t2_buf_cstr(&text), "c=x") != NULL;
        t2_buf_release(&text);
    }
    for (int k = 0; k < 24; k++)
        assert_int_equal(counts[k / 8][k % 8], 1);
    assert_int_equal(n_x, 4);
    assert_true(same_order < 8);
    assert_true(number_of(&d, 8, "a") == number_of(&plain, 8, "a"));
    assert_true(number_of(&d, 7, "a") != number_of(&plain, 7, "a"));
    tune_range_free(r);
}

/* Halves of the scale get half of the trials each. */
static void test_scales(void **state)
{
    enum { N = 2000 };
    static const struct {
        const char *yaml;
        double middle;
    } cases[] = {
        {"a: {float: [1, 100]}", 50.5},
        {"a: {float: [1, 100], scale: linear}", 50.5},
        {"a: {float: [1, 100], scale: log}", 10},
        {"a: {float: [1, 100], scale: reverse_log}", 91},
        {"a: {int: [1, 1000000], scale: log}\nb: {float: [0, 1]}", 1000.5},
        {"a: {int: [1, 4]}\nb: {float: [0, 1]}", 2.5},
        {"a: {discrete: [1, 2, 3, 4]}\nb: {float: [0, 1]}", 2.5},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tune_range *r = range_of(cases[i].yaml);
        struct tune_drawing d = {.range = r, .seed = 1};
        const struct tune_param *p = &r->params[0];
        int below = 0;

        for (uint64_t k = 0; k < N; k++) {
            double v = number_of(&d, k, "a");

            if (p->values.n == 0)
                assert_true(v >= p->min && v <= p->max);
            if (p->kind == TUNE_INT)
                assert_true(v == floor(v));
            below += v < cases[i].middle;
        }
        assert_in_range(below, N / 2 - 120, N / 2 + 120); /* five standard deviations */
        tune_range_free(r);
    }
}

static void test_all_once(const struct tune_drawing *d, uint64_t want)
{
    struct t2_map *seen = t2_map_new();
    struct t2_buf text = {0};
    bool is_new;

    assert_int_equal(tune_draw_count(d), want);
    for (uint64_t i = 0; i < want; i++) {
        t2_buf_clear(&text);
        tune_draw(d, i, &text);
        (void) t2_map_at(seen, text.data, text.len_bytes, &is_new);
        assert_true(is_new);
    }
    t2_buf_release(&text);
    t2_map_free(seen);
}

static void test_counted(void **state)
{
    struct tune_range *r = range_of("a: {int: [-2, 3]}\nb: {categorical: [x, y]}\n"
                                    "c: {discrete: [1, 2, 3]}");
    struct tune_drawing d = {.range = r, .seed = 3};

    (void) state;
    test_all_once(&d, 6 * 2 * 3);
    d.grid = true;
    d.grid_points = 2;
    test_all_once(&d, 2 * 2 * 3);
    d.grid_points = 6;
    test_all_once(&d, 6 * 2 * 3);
    tune_range_free(r);
}

/* Points of a grid: ends and equal steps along the scale; neighbours that round to the same whole
 * number are one. */
static void test_grid(void **state)
{
    struct tune_range *r = range_of("a: {float: [0.01, 100], scale: log}");
    struct tune_drawing d = {.range = r, .grid = true, .grid_points = 5, .seed = 1};
    double sum = 0;

    (void) state;
    assert_int_equal(tune_draw_count(&d), 5);
    for (uint64_t i = 0; i < 5; i++)
        sum += number_of(&d, i, "a");
    assert_true(fabs(sum - 111.11) < 1e-9);
    d.grid_points = 1; /* the middle of the scale */
    assert_true(number_of(&d, 0, "a") == 1);
    tune_range_free(r);

    r = range_of("a: {int: [1, 6], scale: log}");
    d = (struct tune_drawing){.range = r, .grid = true, .grid_points = 5, .seed = 1};
    test_all_once(&d, 4); /* 1, 1.57, 2.45, 3.83, 6 */
    tune_range_free(r);

    r = range_of("a: {float: [2, 2]}");
    d = (struct tune_drawing){.range = r, .grid = true, .grid_points = 5, .seed = 1};
    test_all_once(&d, 1);
    tune_range_free(r);
}

/* More combinations than can be counted are drawn one by one. */
static void test_huge(void **state)
{
    struct tune_range *r =
        range_of("a: {int: [0, 9007199254740991]}\nb: {int: [-9007199254740991, 0]}");
    struct tune_drawing d = {.range = r, .seed = 1};

    (void) state;
    assert_true(tune_draw_count(&d) == UINT64_MAX);
    for (uint64_t i = 0; i < 100; i++)
        assert_true(number_of(&d, i, "a") <= 9007199254740991.0 && number_of(&d, i, "b") <= 0);
    tune_range_free(r);
}

T_MAIN(cmocka_unit_test(test_same_seed), cmocka_unit_test(test_spread),
       cmocka_unit_test(test_scales), cmocka_unit_test(test_counted), cmocka_unit_test(test_grid),
       cmocka_unit_test(test_huge))
