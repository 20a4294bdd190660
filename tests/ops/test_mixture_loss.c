/*
 * tests/ops/test_mixture_loss.c - pixels under mixtures of logistics: kernels, probabilities that
 * add up to one, gradients.
 */
#include "train/ops/mixture_loss.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct args {
    int64_t N, K;
    bool gradient, accumulate;
};

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_mixture_loss a = {.N = x->N,
                                 .K = x->K,
                                 .params = p[0],
                                 .pixels = p[1],
                                 .weight = 1.0f / 3.0f,
                                 .step = op_step(d, 0.3f, 0),
                                 .dparams = x->gradient ? p[3] : NULL,
                                 .accumulate = x->accumulate,
                                 .row_stats = p[2]};

    d->kernels->mixture_loss(d, &a);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {5, 3}, {70, 10}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bits = 0; bits < 4; bits++) {
            struct args a = {shapes[i][0], shapes[i][1], bits & 1, bits & 2};
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "mixture_loss %d %d bits %d", (int) a.N, (int) a.K, bits);
            (void) op_in(&c, a.N * a.K * 10, 1);
            (void) op_in(&c, a.N * 3, 2);
            (void) op_out(&c, 4 * a.N, false, 3);
            (void) op_out(&c, a.N * a.K * 10, a.accumulate || !a.gradient, 4);
            op_check(&c, call, &a);
        }
}

static float level(int v)
{
    return (float) (v / 127.5 - 1.0);
}

/* exp(-loss) of the pixel, weight 1. */
static double probability(const float *params, int64_t K, const float *pixel)
{
    struct dev *d = op_device("cpu", 1);
    float stats[4];

    d->kernels->mixture_loss(d, &(struct dev_mixture_loss){.N = 1,
                                                           .K = K,
                                                           .params = params,
                                                           .pixels = pixel,
                                                           .weight = 1.0f,
                                                           .step = op_step(d, 1.0f, 0),
                                                           .row_stats = stats});
    assert_true(stats[1] == 0.0f && stats[2] == -stats[0] && stats[3] == 1.0f);
    return exp(-(double) stats[0]);
}

/* Over all levels of one channel, where the other two are so wide that they cost what one logistic
 * of their level costs: the sum over blue of p(r,g,b) does not depend on which mean blue has. */
static void test_levels_add_up(void **state)
{
    float params[20] = {0.3f, -0.2f}; /* 2 mixtures */
    double sums[2] = {0};

    (void) state;
    for (int i = 2; i < 20; i++)
        params[i] = 0.1f * (float) (i % 7) - 0.3f;
    for (int moved = 0; moved < 2; moved++) {
        params[2 + 2] = moved ? 0.9f : -0.4f; /* blue's mean of mixture 0 */
        for (int v = 0; v < 256; v++)
            sums[moved] += probability(params, 2, (float[]){level(40), level(200), level(v)});
    }
    assert_true(sums[0] > 0.0 && fabs(sums[0] - sums[1]) < 1e-5 * sums[0]);
}

/* One narrow logistic on a level has nearly all of its mass there; far away the density counts and
 * nothing overflows; a log-scale below the floor is the floor. */
static void test_narrow(void **state)
{
    float params[10] = {0, 0.0f, 0.0f, 0.0f, -8, -7, -7.5f, 0, 0, 0}; /* 1 mixture */
    float middle[] = {level(128), level(128), level(128)}, far_away[] = {1.0f, -1.0f, level(3)};
    double near_one;

    (void) state;
    params[1] = params[2] = params[3] = level(128);
    near_one = probability(params, 1, middle);
    assert_true(near_one > 0.9 && near_one < 1.0);
    assert_true(probability(params, 1, far_away) == 0.0);
    params[4] = params[5] = params[6] = -7;
    assert_true(probability(params, 1, middle) == near_one);
}

static const float pixels[] = {-1.0f, 0.2f, 1.0f, 0.5f, -0.25f, 0.125f, 0.0f, -1.0f, 0.75f};

static void build(struct op_graph *t, const void *arg)
{
    const int64_t dims[] = {3, 3};
    struct gr_tensor *stats;
    struct gr_node *loss = nn_mixture_loss(t->g, op_param(t, "x", 2, 3, 20, 0),
                                           op_const(t, 2, dims, pixels), 0.5, &stats);

    (void) arg;
    op_xent_loss(t, loss, stats);
}

static void test_gradients(void **state)
{
    (void) state;
    op_check_gradient(build, NULL, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_levels_add_up),
       cmocka_unit_test(test_narrow), cmocka_unit_test(test_gradients))
