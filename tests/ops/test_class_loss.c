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
    bool gradient, accumulate, uniform, mixed;
    float beside;
};

enum { LOGITS, LABELS, OTHER_LABELS, WEIGHTS, STATS, DLOGITS };

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    const struct dev_step step = {.grad_scale = 0.3f, .loss_scale = 4.0f, .all_rows = 9};
    struct dev_class_xent a = {.N = x->N,
                               .V = x->V,
                               .logits = p[LOGITS],
                               .labels = p[LABELS],
                               .other_labels = x->mixed ? p[OTHER_LABELS] : NULL,
                               .weights = x->mixed ? p[WEIGHTS] : NULL,
                               .smoothing = x->smoothing,
                               .uniform = x->uniform,
                               .step = op_step_of(d, &step),
                               .beside = x->beside,
                               .dlogits = x->gradient ? p[DLOGITS] : NULL,
                               .accumulate = x->accumulate,
                               .row_stats = p[STATS]};

    d->kernels->class_xent(d, &a);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 2}, {5, 3}, {17, 100}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bits = 0; bits < 32; bits++) {
            struct args a = {.N = shapes[i][0],
                             .V = shapes[i][1],
                             .smoothing = bits & 1 ? 0.1f : 0.0f,
                             .gradient = bits & 2,
                             .accumulate = bits & 4,
                             .uniform = bits & 8,
                             .mixed = bits & 16,
                             .beside = bits % 3 == 0 ? 0.5f : 0.0f};
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "class_xent %d %d bits %d", (int) a.N, (int) a.V, bits);
            (void) op_in(&c, a.N * a.V, 1);
            (void) op_in_ids(&c, a.N, (int32_t) a.V, 3, 2);
            (void) op_in_ids(&c, a.N, (int32_t) a.V, 3, 5);
            (void) op_in(&c, a.N, 6);
            (void) op_out(&c, 4 * a.N, false, 3);
            (void) op_out(&c, a.N * a.V, a.accumulate || !a.gradient, 4);
            op_check(&c, call, &a);
        }
}

/* Runs the kernel with arguments, and for results, that are the host's: logits and dlogits (N,V),
 * labels, other_labels and weights (N), row_stats (N,4). */
static void run(struct dev *d, const struct dev_class_xent *of)
{
    struct dev_class_xent a = *of;
    size_t rows = (size_t) of->N * 4, all = rows * (size_t) of->V;

    a.logits = op_upload(d, of->logits, all);
    a.labels = op_upload(d, of->labels, rows);
    a.other_labels = op_upload(d, of->other_labels, rows);
    a.weights = op_upload(d, of->weights, rows);
    a.row_stats = op_result(d, of->row_stats, 4 * rows);
    if (of->dlogits)
        a.dlogits = op_result(d, of->dlogits, all);
    d->kernels->class_xent(d, &a);
    op_done();
}

/* Equal logits of 4 classes: ln 4 less the constant; label 0 counts as any other. */
static void test_by_hand(void **state)
{
    static const float logits[] = {2, 2, 2, 2, 0, 0, 1.0986123f, 0};
    static const int32_t labels[] = {0, 2};
    struct dev *d = op_device("reference", 1);
    struct dev_class_xent a = {.N = 2, .V = 4, .logits = logits, .labels = labels};
    float stats[8];

    (void) state;
    a.row_stats = stats;
    run(d, &a);
    t_assert_close(stats, ((float[]){1.3862944f, 1, -1.3862944f, 1, 0.6931472f, 1, -0.6931472f, 1}),
                   8, 1e-6, 0);
    a.smoothing = 0.4f;
    run(d, &a);
    assert_true(fabs((double) stats[0] - (1.3862944 + 0.6 * log(0.6) + 0.4 * log(0.4 / 3.0))) <
                1e-6);
}

/* tf.losses.softmax_cross_entropy with label_smoothing 0.4 of 4 classes: 0.7 and three times
 * 0.1. */
static void test_uniform_by_hand(void **state)
{
    static const float logits[] = {0, 0, 1.0986123f, 0}; /* probabilities 1/6, 1/6, 1/2, 1/6 */
    static const int32_t label = 2;
    struct dev *d = op_device("reference", 1);
    float stats[4], dlogits[4];
    struct dev_class_xent a = {.N = 1,
                               .V = 4,
                               .logits = logits,
                               .labels = &label,
                               .smoothing = 0.4f,
                               .uniform = true,
                               .step = op_step(d, 1.0f, 0),
                               .dlogits = dlogits,
                               .row_stats = stats};

    (void) state;
    run(d, &a);
    assert_true(fabs((double) stats[0] - (0.7 * log(2.0) + 0.3 * log(6.0))) < 1e-6);
    t_assert_close(dlogits,
                   ((float[]){1.0f / 6 - 0.1f, 1.0f / 6 - 0.1f, 0.5f - 0.7f, 1.0f / 6 - 0.1f}), 4,
                   1e-6, 0);
}

/* Two labels: lambda times the loss of the one and 1 - lambda times that of the other, and so the
 * gradient; hits and log-probability are of the first. */
static void test_mixed(void **state)
{
    static const float logits[] = {0.5f, -1, 2, 0.25f, 1};
    static const int32_t one = 3, other = 2;
    static const float lambda = 0.3f;
    struct dev *d = op_device("reference", 1);

    (void) state;
    for (int uniform = 0; uniform < 2; uniform++) {
        float stats[3][4], dlogits[3][5];
        struct dev_class_xent a = {.N = 1,
                                   .V = 5,
                                   .logits = logits,
                                   .smoothing = 0.2f,
                                   .uniform = uniform,
                                   .step = op_step(d, 2.0f, 0)};

        for (int i = 0; i < 3; i++) {
            a.labels = i == 1 ? &other : &one;
            a.other_labels = i == 2 ? &other : NULL;
            a.weights = i == 2 ? &lambda : NULL;
            a.row_stats = stats[i];
            a.dlogits = dlogits[i];
            run(d, &a);
        }
        assert_true(fabsf(stats[2][0] - (0.3f * stats[0][0] + 0.7f * stats[1][0])) < 1e-6f);
        for (int k = 1; k < 4; k++)
            assert_true(stats[2][k] == stats[0][k]);
        for (int k = 0; k < 5; k++)
            assert_true(fabsf(dlogits[2][k] - (0.3f * dlogits[0][k] + 0.7f * dlogits[1][k])) <
                        1e-6f);
    }
}

static const int32_t labels[] = {0, 3, 2}, others[] = {1, 3, 0};
static const float weights[] = {0.25f, 0.5f, 1.0f};

static void build_mixed(struct op_graph *t, const void *arg)
{
    const bool *uniform = arg;
    const int64_t n = 3;
    struct nn_class_labels of = {op_ids(t, 3, 1, labels), op_ids(t, 3, 1, others),
                                 op_const(t, 1, &n, weights)};
    struct gr_tensor *stats;
    struct gr_node *loss =
        nn_class_loss_of(t->g, op_param(t, "logits", 3, 3, 1, 4), &of, 0.1, *uniform, &stats);

    op_xent_loss(t, loss, stats);
}

static void build(struct op_graph *t, const void *arg)
{
    const double *smoothing = arg; /* below 0: the uniform one */
    struct gr_tensor *stats;
    struct gr_node *loss;

    loss = nn_class_loss_of(t->g, op_param(t, "logits", 3, 3, 1, 4),
                            &(struct nn_class_labels){.labels = op_ids(t, 3, 1, labels)},
                            fabs(*smoothing), *smoothing < 0.0, &stats);
    op_xent_loss(t, loss, stats);
}

static void test_gradients(void **state)
{
    static const double smoothing[] = {0.0, 0.1, -0.2};

    (void) state;
    for (int i = 0; i < 3; i++)
        op_check_gradient(build, &smoothing[i], 5e-3, 1e-3);
    for (int i = 0; i < 2; i++)
        op_check_gradient(build_mixed, &(const bool){i == 1}, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_uniform_by_hand), cmocka_unit_test(test_mixed),
       cmocka_unit_test(test_gradients))
