/*
 * tests/ops/test_class_loss.c - the loss of class labels: kernels, values by hand, gradients.
 */
#include "train/ops/class_loss.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct args {
    int64_t N, V;
    float smoothing;
    bool gradient, accumulate, uniform;
};

enum { LOGITS, LABELS, STATS, DLOGITS };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_class_xent a = {.N = x->N,
                               .V = x->V,
                               .logits = p[LOGITS],
                               .labels = p[LABELS],
                               .smoothing = x->smoothing,
                               .uniform = x->uniform,
                               .grad_scale = 0.3f,
                               .dlogits = x->gradient ? p[DLOGITS] : NULL,
                               .accumulate = x->accumulate,
                               .row_stats = p[STATS]};

    d->kernels->class_xent(d, &a);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 2}, {5, 3}, {17, 100}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i)
        for (int bits = 0; bits < 16; ++bits) {
            struct args a = {.N = shapes[i][0],
                             .V = shapes[i][1],
                             .smoothing = bits & 1 ? 0.1f : 0.0f,
                             .gradient = bits & 2,
                             .accumulate = bits & 4,
                             .uniform = bits & 8};
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "class_xent %d %d bits %d", (int) a.N, (int) a.V, bits);
            (void) op_in(&c, a.N * a.V, 1);
            (void) op_in_ids(&c, a.N, (int32_t) a.V, 3, 2);
            (void) op_out(&c, 4 * a.N, false, 3);
            (void) op_out(&c, a.N * a.V, a.accumulate || !a.gradient, 4);
            op_check(&c, call, &a);
        }
}

/* Equal logits of 4 classes: ln 4 less the constant; label 0 counts as any other. */
static void test_by_hand(void **state)
{
    static const float logits[] = {2, 2, 2, 2, 0, 0, 1.0986123f, 0};
    static const int32_t labels[] = {0, 2};
    struct dev *d = op_device("plain", 1);
    struct dev_class_xent a = {.N = 2, .V = 4, .logits = logits, .labels = labels};
    float stats[8];

    (void) state;
    a.row_stats = stats;
    d->kernels->class_xent(d, &a);
    t_assert_close(stats, ((float[]){1.3862944f, 1, -1.3862944f, 1, 0.6931472f, 1, -0.6931472f, 1}),
                   8, 1e-6, 0);
    a.smoothing = 0.4f;
    d->kernels->class_xent(d, &a);
    assert_true(fabs((double) stats[0] - (1.3862944 + 0.6 * log(0.6) + 0.4 * log(0.4 / 3.0))) <
                1e-6);
}

/* tf.losses.softmax_cross_entropy with label_smoothing 0.4 of 4 classes: 0.7 and three times 0.1. */
static void test_uniform_by_hand(void **state)
{
    static const float logits[] = {0, 0, 1.0986123f, 0}; /* probabilities 1/6, 1/6, 1/2, 1/6 */
    static const int32_t label = 2;
    struct dev *d = op_device("plain", 1);
    float stats[4], dlogits[4];
    struct dev_class_xent a = {.N = 1,
                               .V = 4,
                               .logits = logits,
                               .labels = &label,
                               .smoothing = 0.4f,
                               .uniform = true,
                               .grad_scale = 1.0f,
                               .dlogits = dlogits,
                               .row_stats = stats};

    (void) state;
    d->kernels->class_xent(d, &a);
    assert_true(fabs((double) stats[0] - (0.7 * log(2.0) + 0.3 * log(6.0))) < 1e-6);
    t_assert_close(dlogits,
                   ((float[]){1.0f / 6 - 0.1f, 1.0f / 6 - 0.1f, 0.5f - 0.7f, 1.0f / 6 - 0.1f}), 4,
                   1e-6, 0);
}

static const int32_t labels[] = {0, 3, 2};

static void build(struct op_graph *t, const void *arg)
{
    const double *smoothing = arg; /* below 0: the uniform one */
    struct gr_tensor *stats;
    struct gr_node *loss;

    loss = (*smoothing < 0.0 ? nn_class_loss_uniform
                             : nn_class_loss)(t->g, op_param(t, "logits", 3, 3, 1, 4),
                                              op_ids(t, 3, 1, labels), fabs(*smoothing), &stats);
    op_xent_loss(t, loss, stats);
}

static void test_gradients(void **state)
{
    static const double smoothing[] = {0.0, 0.1, -0.2};

    (void) state;
    for (int i = 0; i < 3; ++i)
        op_check_gradient(build, &smoothing[i], 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_uniform_by_hand), cmocka_unit_test(test_gradients))
