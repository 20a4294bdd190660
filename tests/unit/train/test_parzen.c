/*
 * tests/unit/train/test_parzen.c - the density: its kernels by hand, its integral, and what is
 * drawn from it.
 */
#include "train/tune/parzen.h"

#include <math.h>

#include "tests/unit/train/small_range.h"

enum { MOST = 64, MOST_PARAMS = 3 };

/* A density over trials with these hparams. */
static void make(struct tune_parzen *z, const struct tune_range *r, const char *const *hparams,
                 int64_t n)
{
    struct tune_coord at[MOST * MOST_PARAMS];

    assert_true(n <= MOST && r->n <= MOST_PARAMS);
    for (int64_t i = 0; i < n; i++)
        assert_true(tune_coords_read(r, hparams[i], &at[(size_t) i * r->n]));
    tune_parzen_init(z, r, at, n);
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) < 1e-12))
        fail_msg("%.17g is not %.17g", a, b);
}

/* The larger distance to a neighbour, not below 1 / (n + 2), and the kernel of the range. */
static void test_widths(void **state)
{
    static const char *const one[] = {"x=7"}, *const three[] = {"x=7", "x=1", "x=2"};
    struct tune_range *r = range_of("x: {float: [0, 10]}");
    struct tune_parzen z;

    (void) state;
    make(&z, r, three, 3);
    close_to(z.centres[0], 0.7);
    close_to(z.widths[0], 0.5);
    close_to(z.widths[1], 0.2); /* 0.1 is below a fifth */
    close_to(z.widths[2], 0.5);
    close_to(z.centres[3], 0.5);
    close_to(z.widths[3], 1.0);
    for (int i = 0; i < 4; i++)
        close_to(z.weights[i], 0.25);
    tune_parzen_release(&z);
    make(&z, r, one, 1); /* the ends of the range are its neighbours */
    close_to(z.widths[0], 0.7);
    tune_parzen_release(&z);
    make(&z, r, NULL, 0);
    assert_int_equal(z.n, 1);
    tune_parzen_release(&z);
    tune_range_free(r);
}

/* Of 27 trials the first two weigh 1 / 27 and 1, of which the ramp has no more, the others 1. */
static void test_weights(void **state)
{
    const char *hparams[30];
    struct tune_range *r = range_of("x: {float: [0, 10]}");
    struct tune_parzen z;
    double sum = 0;

    (void) state;
    for (int i = 0; i < 30; i++)
        hparams[i] = "x=1";
    make(&z, r, hparams, 27);
    close_to(z.weights[0] / z.weights[26], 1.0 / 27);
    for (int i = 1; i < 28; i++)
        close_to(z.weights[i], z.weights[27]);
    tune_parzen_release(&z);
    make(&z, r, hparams, 30); /* five in the ramp, from 1 / 30 to 1 */
    close_to(z.weights[2] / z.weights[29], 0.5 * (1.0 / 30 + 1));
    for (int i = 0; i < 31; i++)
        sum += z.weights[i];
    close_to(sum, 1);
    tune_parzen_release(&z);
    tune_range_free(r);
}

/* Three values, two trials: three kernels.  A kernel's own value has 4 / 3 of 2, others 1 / 3. */
static void test_values(void **state)
{
    static const char *const two[] = {"x=b", "x=b"};
    static const double want[] = {(1.0 / 6 + 1.0 / 6 + 1.0 / 3) / 3,
                                  (2.0 / 3 + 2.0 / 3 + 1.0 / 3) / 3,
                                  (1.0 / 6 + 1.0 / 6 + 1.0 / 3) / 3};
    struct tune_range *r = range_of("x: {categorical: [a, b, c]}");
    struct tune_parzen z;

    (void) state;
    make(&z, r, two, 2);
    for (int i = 0; i < 3; i++)
        close_to(exp(tune_parzen_log_density(&z, &(struct tune_coord){i, i})), want[i]);
    tune_parzen_release(&z);
    tune_range_free(r);
}

/* Two floats: kernels are over both, so what was seen together is likely together. */
static void test_together(void **state)
{
    static const char *const pairs[] = {"x=1,y=1", "x=9,y=9", "x=1.2,y=1.2", "x=8.8,y=8.8"};
    struct tune_range *r = range_of("x: {float: [0, 10]}\ny: {float: [0, 10]}");
    struct tune_coord same[2], mixed[2];
    struct tune_parzen z;

    (void) state;
    make(&z, r, pairs, 4);
    assert_true(tune_coords_read(r, "x=1,y=1", same));
    assert_true(tune_coords_read(r, "x=1,y=9", mixed));
    assert_true(tune_parzen_log_density(&z, same) > tune_parzen_log_density(&z, mixed) + 0.2);
    tune_parzen_release(&z);
    tune_range_free(r);
}

/* Cells of the range: `n` along the first param by all of a second with three values. */
static double mass_of_cell(const struct tune_parzen *z, const struct tune_param *p, int cell, int n,
                           int value)
{
    enum { POINTS = 200 };
    double sum = 0;

    if (p->kind == TUNE_INT) {
        struct t2_buf text = {0};
        struct tune_coord at[2] = {{0, 0}, {value, value}};

        tune_put_value(p, p->min + cell, &text);
        assert_true(tune_coord_of(p, t2_buf_cstr(&text), &at[0]));
        t2_buf_release(&text);
        return exp(tune_parzen_log_density(z, at));
    }
    for (int k = 0; k < POINTS; k++) {
        double share = (cell + (k + 0.5) / POINTS) / n;
        struct tune_coord at[2] = {{share, share}, {value, value}};

        sum += exp(tune_parzen_log_density(z, at)) / POINTS / n;
    }
    return sum;
}

/* The density's integral is 1, and of many draws each cell gets its share. */
static void test_integral(void **state)
{
    enum { N = 20000, CELLS = 20 };
    static const struct {
        const char *yaml;
        const char *hparams[4];
    } cases[] = {
        {"x: {float: [1, 21]}\nw: {categorical: [a, b, c]}", {"x=1,w=a", "x=21,w=b", "x=20,w=b"}},
        {"x: {float: [0.001, 10], scale: log}\nw: {categorical: [a, b, c]}",
         {"x=0.002,w=a", "x=5,w=c", "x=0.001,w=b"}},
        {"x: {int: [1, 20]}\nw: {categorical: [a, b, c]}", {"x=1,w=a", "x=20,w=b", "x=7,w=b"}},
        {"x: {int: [1, 20], scale: log}\nw: {categorical: [a, b, c]}",
         {"x=1,w=a", "x=20,w=b", "x=7,w=b"}},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tune_range *r = range_of(cases[i].yaml);
        const struct tune_param *p = &r->params[0];
        double want[CELLS][3], sum = 0;
        int got[CELLS][3] = {{0}};
        struct tune_parzen z;
        struct t2_rng rng;

        make(&z, r, cases[i].hparams, 3);
        for (int c = 0; c < CELLS; c++)
            for (int v = 0; v < 3; v++)
                sum += want[c][v] = mass_of_cell(&z, p, c, CELLS, v);
        assert_true(fabs(sum - 1) < (p->kind == TUNE_INT ? 1e-12 : 1e-5));

        t2_rng_init(&rng, 1, T2_RNG_TEST, i, 0);
        for (int k = 0; k < N; k++) {
            struct t2_buf text = {0};
            struct tune_coord at[2];
            int c;

            tune_parzen_draw(&z, &rng, &text);
            assert_true(tune_coords_read(r, t2_buf_cstr(&text), at));
            if (p->kind == TUNE_INT)
                c = (int) lround(tune_value_drawn(p, 0.5 * (at[0].from + at[0].to)) - p->min);
            else
                c = (int) fmin(at[0].from * CELLS, CELLS - 1);
            got[c][(int) at[1].from]++;
            t2_buf_release(&text);
        }
        for (int c = 0; c < CELLS; c++)
            for (int v = 0; v < 3; v++) /* five standard deviations, and what six digits round */
                assert_true(fabs(got[c][v] - N * want[c][v]) < 5 * sqrt(N * want[c][v]) + 3);
        tune_parzen_release(&z);
        tune_range_free(r);
    }
}

/* A point that is far from all trials still has a density that can be compared. */
static void test_far(void **state)
{
    const char *hparams[MOST];
    struct tune_range *r = range_of("x: {int: [0, 1000000]}");
    struct tune_parzen z;
    struct tune_coord at;
    double log_density;

    (void) state;
    for (int i = 0; i < MOST; i++)
        hparams[i] = "x=0";
    make(&z, r, hparams, MOST);
    assert_true(tune_coords_read(r, "x=1000000", &at));
    log_density = tune_parzen_log_density(&z, &at);
    assert_true(isfinite(log_density));
    assert_true(log_density < log(1e-6)); /* less than evenly */
    tune_parzen_release(&z);
    tune_range_free(r);
}

T_MAIN(cmocka_unit_test(test_widths), cmocka_unit_test(test_weights), cmocka_unit_test(test_values),
       cmocka_unit_test(test_together), cmocka_unit_test(test_integral), cmocka_unit_test(test_far))
