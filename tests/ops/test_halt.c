/*
 * tests/ops/test_halt.c - adaptive computation time: kernels on every device against the reference,
 * values by hand, gradients, what it costs.
 */
#include "train/ops/halt.h"

#include <math.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"
#include "train/ops/image_layout.h"

struct args {
    int64_t rows, D;
    bool first, accumulated, accumulate, no_dnext;
};

static struct dev_halt halt_of(const struct args *x)
{
    return (struct dev_halt){.type = op_type(),
                             .rows = x->rows,
                             .D = x->D,
                             .threshold = 0.99f,
                             .accumulated = x->accumulated};
}

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_halt a = halt_of(x);

    a.logits = p[0];
    a.state = x->first ? NULL : p[1];
    a.x = p[2];
    a.mixed = x->first ? NULL : p[3];
    a.next = p[4];
    a.y = p[5];
    d->kernels->halt(d, &a);
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_halt a = halt_of(x);

    a.logits = p[0];
    a.state = x->first ? NULL : p[1];
    a.x = p[2];
    a.mixed = x->first ? NULL : p[3];
    a.dy = p[4];
    a.dnext = x->no_dnext ? NULL : p[5];
    a.dlogits = p[6];
    a.dx = p[7];
    a.dmixed = x->first ? NULL : p[8];
    a.dstate = x->first ? NULL : p[9];
    a.accumulate_x = a.accumulate_logits = a.accumulate_mixed = a.accumulate_state = x->accumulate;
    d->kernels->halt_bwd(d, &a);
}

/* Rows that have halted, that halt now, and that go on. */
static void add_inputs(struct op_call *c, const struct args *x)
{
    float *logits = op_in(c, x->rows, 1), *state = op_in(c, 3 * x->rows, 2);

    for (int64_t r = 0; r < x->rows; r++) {
        logits[r] *= 3.0f;
        state[3 * r] = r % 3 == 0 ? 1.0f : fabsf(state[3 * r]);
        state[3 * r + 1] = r % 3 == 0 ? 0.25f : 0.0f;
        state[3 * r + 2] = (float) (1 + r % 4);
    }
    (void) op_typed_in(c, x->rows * x->D, 3);
    (void) op_typed_in(c, x->rows * x->D, 4);
}

static void test_devices_agree(void **state)
{
    static const int64_t shapes[][2] = {{1, 1}, {7, 5}, {40, 33}, {3, 1500}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int bits = 0; bits < 16; bits++) {
            struct args a = {shapes[i][0], shapes[i][1], bits & 1, bits & 2, bits & 4, bits & 8};
            int64_t n = a.rows * a.D;
            struct op_call c;

            op_begin(&c, 2e-6, 2e-6, "halt %zu bits %d", i, bits);
            add_inputs(&c, &a);
            (void) op_out(&c, 3 * a.rows, false, 5);
            (void) op_typed_out(&c, n, false, 6);
            op_check(&c, call_forward, &a);
            op_begin(&c, 2e-6, 2e-6, "halt_bwd %zu bits %d", i, bits);
            add_inputs(&c, &a);
            (void) op_typed_in(&c, n, 5);
            (void) op_in(&c, 3 * a.rows, 6);
            (void) op_out(&c, a.rows, a.accumulate, 7);
            op_tolerance(&c, 2e-5, 2e-5); /* a sum over D */
            (void) op_typed_out(&c, n, a.accumulate, 8);
            (void) op_typed_out(&c, n, a.accumulate || a.first, 9);
            (void) op_out(&c, 3 * a.rows, a.accumulate || a.first, 10);
            op_tolerance(&c, 2e-5, 2e-5);
            op_check(&c, call_backward, &a);
        }
}

struct ponder {
    int64_t rows;
    bool accumulate;
    int64_t columns;
};

static void call_ponder(struct dev *d, void *const *p, const void *arg)
{
    const struct ponder *x = arg;

    d->zero(d, p[1], sizeof(struct dev_loss_sums));
    d->kernels->ponder(d, &(struct dev_ponder_args){.state = p[0],
                                                    .rows = x->rows,
                                                    .columns = x->columns,
                                                    .first = x->columns == 3 ? 1 : 0,
                                                    .n = x->columns == 3 ? 2 : 1,
                                                    .weight = 0.125f,
                                                    .sums = p[1]});
}

static void call_ponder_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct ponder *x = arg;
    const struct dev_step step = {.loss_scale = 8.0f, .all_rows = 5};

    d->kernels->ponder_bwd(d, &(struct dev_ponder_bwd_args){.step = op_step_of(d, &step),
                                                            .rows = x->rows,
                                                            .weight = 0.5f,
                                                            .accumulate = x->accumulate,
                                                            .dstate = p[0]});
}

static void test_cost(void **state)
{
    (void) state;
    for (int64_t rows = 1; rows < 1000; rows = 7 * rows + 2)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct ponder x = {rows, accumulate, accumulate ? 3 : 4};
            struct op_call c;
            float *values;

            op_begin(&c, 0.0, 0.0, "ponder %d", (int) rows);
            values = op_in(&c, x.columns * rows, 1);
            for (int64_t i = 0; i < x.columns * rows; i++) /* whose sum is exact */
                values[i] = (float) (i % 7) * 0.25f;
            (void) op_out(&c, (int64_t) (sizeof(struct dev_loss_sums) / sizeof(float)), false, 2);
            op_check(&c, call_ponder, &x);
            op_begin(&c, 1e-7, 1e-7, "ponder_bwd %d", (int) rows);
            (void) op_out(&c, 3 * rows, accumulate, 3);
            op_check(&c, call_ponder_bwd, &x);
        }
}

/* Three rows over two steps: one goes on, one halts at once, one had halted before. */
static void test_by_hand(void **state)
{
    static const float logits[] = {0.0f, 100.0f, 0.0f}, x[] = {2, 4, 6, 8, 10, 12};
    static const float before[] = {0.25f, 0, 1, 0.75f, 0, 2, 1, 0.5f, 3},
                       mixed[] = {1, 1, 1, 1, 1, 1};
    float next[9], y[6];
    struct dev *d = op_device("cpu", 1);
    struct dev_halt a = {.type = DEV_FLOAT32,
                         .rows = 3,
                         .D = 2,
                         .threshold = 0.99f,
                         .logits = logits,
                         .x = x,
                         .mixed = mixed,
                         .state = before,
                         .next = next,
                         .y = y};

    (void) state;
    d->kernels->halt(d, &a);
    t_assert_close(next, ((float[]){0.75f, 0, 2, 1, 0.25f, 3, 1, 0.5f, 3}), 9, 0, 0);
    t_assert_close(y, ((float[]){1.5f, 2.5f, 2.25f, 2.75f, 1, 1}), 6, 0, 0);
    a.accumulated = true;
    d->kernels->halt(d, &a);
    t_assert_close(y, ((float[]){2, 3, 2.5f, 3, 1, 1}), 6, 0, 0);
}

/* ---- steps ---- */

enum { B = 2, L = 3, D = 4, STEPS = 4 };

struct build {
    bool accumulated;
};

static void build(struct op_graph *t, const void *arg)
{
    static const char *const x[STEPS] = {"x0", "x1", "x2", "x3"};
    static const char *const logits[STEPS] = {"l0", "l1", "l2", "l3"};
    const struct build *how = arg;
    const struct nn_halt halt = {.epsilon = 0.05, .accumulated = how->accumulated};
    struct nn_halted h = {0};
    struct gr_tensor *both[2];

    for (int s = 0; s < STEPS; s++)
        nn_halt(t->g, op_param(t, x[s], 3, B, L, D), op_param(t, logits[s], 2, B * L, 1, 0), &halt,
                &h);
    /* of both results */
    both[0] = nn_reshape(t->g, h.mixed, 4, (int64_t[]){B * L, 1, 1, D});
    both[1] = nn_reshape(t->g, h.state, 4, (int64_t[]){B * L, 1, 1, 3});
    op_sum_loss(t, nn_concat_channels(t->g, both, 2));
}

static void test_gradients(void **state)
{
    static const struct build how[] = {{false}, {true}};

    (void) state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        op_check_gradient(build, &how[i], 2e-3, 5e-3);
}

T_MAIN(cmocka_unit_test(test_devices_agree), cmocka_unit_test(test_cost),
       cmocka_unit_test(test_by_hand), cmocka_unit_test(test_gradients))
