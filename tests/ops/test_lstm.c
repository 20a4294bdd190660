/*
 * tests/ops/test_lstm.c - the recurrent layer: kernels on every device against the reference,
 * gradients, lengths and directions.
 */
#include "train/ops/lstm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/elementwise.h"

struct shape {
    int64_t B, T, H, t;
    bool reverse, fresh;
};

static const struct shape shapes[] = {{1, 1, 1, 0, false, true},   {3, 4, 5, 1, false, false},
                                      {3, 4, 5, 2, true, false},   {7, 6, 33, 5, true, false},
                                      {64, 3, 96, 0, false, true}, {5, 3, 700, 2, false, false}};

static struct dev_lstm_cell cell_of(const struct shape *s)
{
    return (struct dev_lstm_cell){
        .B = s->B, .T = s->T, .H = s->H, .t = s->t, .reverse = s->reverse, .fresh = s->fresh};
}

/* Rows of 0, 1, ... T positions. */
static void add_lengths(struct op_call *c, const struct shape *s)
{
    float *lengths = op_in(c, s->B, 1);

    for (int64_t b = 0; b < s->B; b++)
        lengths[b] = (float) ((b + s->T) % (s->T + 1));
}

static void call_forward(struct dev *d, void *const *p, const void *arg)
{
    const struct shape *s = arg;
    struct dev_lstm_cell a = cell_of(s);

    a.lengths = p[0];
    a.recurrent = s->fresh ? NULL : p[1];
    a.gates = p[2];
    a.previous = p[3];
    a.state = p[4];
    a.y = p[5];
    d->kernels->lstm_cell(d, &a);
}

static void call_backward(struct dev *d, void *const *p, const void *arg)
{
    const struct shape *s = arg;
    struct dev_lstm_cell a = cell_of(s);

    a.lengths = p[0];
    a.dy = s->t % 2 ? NULL : p[1];
    a.gates = p[2];
    a.previous = p[3];
    a.dstate = p[4];
    a.step_gates = p[5];
    d->kernels->lstm_cell_bwd(d, &a);
}

/* A step changes one position of a row: the others hold what was there. */
static void test_kernels(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        struct op_call c;

        op_begin(&c, 2e-6, 2e-6, "lstm_cell %zu", i);
        add_lengths(&c, s);
        (void) op_in(&c, s->B * 4 * s->H, 2);
        (void) op_out(&c, s->B * s->T * 4 * s->H, true, 3);
        (void) op_out(&c, 2 * s->B * s->T * s->H, true, 4);
        (void) op_out(&c, 2 * s->B * s->H, true, 5);
        (void) op_out(&c, s->B * s->T * s->H, true, 6);
        op_check(&c, call_forward, s);
        op_begin(&c, 2e-6, 2e-6, "lstm_cell_bwd %zu", i);
        add_lengths(&c, s);
        (void) op_in(&c, s->B * s->T * s->H, 2);
        (void) op_out(&c, s->B * s->T * 4 * s->H, true, 3);
        (void) op_in(&c, 2 * s->B * s->T * s->H, 4);
        (void) op_out(&c, 2 * s->B * s->H, true, 5);
        (void) op_out(&c, s->B * 4 * s->H, false, 6);
        op_check(&c, call_backward, s);
    }
}

static void call_count(struct dev *d, void *const *p, const void *arg)
{
    const int64_t *counted = arg;

    d->kernels->count_ids(d, &(struct dev_count_ids_args){.ids = p[0],
                                                          .rows = 9,
                                                          .cols = 7,
                                                          .counted = *counted,
                                                          .extra = 1,
                                                          .lengths = p[1]});
}

static void test_count(void **state)
{
    (void) state;
    for (int64_t counted = 0; counted <= 7; counted += 3 + counted % 2) {
        struct op_call c;

        op_begin(&c, 0.0, 0.0, "count_ids %d", (int) counted);
        (void) op_in_ids(&c, 9 * 7, 5, 3, 1);
        (void) op_out(&c, 9, false, 2);
        op_check(&c, call_count, &counted);
    }
}

/* ---- the layer ---- */

enum { B = 3, T = 4, I = 2, H = 3 };

static const int32_t ids[B * T] = {5, 4, 3, 2, 7, 0, 0, 0, 1, 2, 3, 0};

struct build {
    bool reverse, initial, of_state, two;
};

static struct gr_tensor *layer(struct op_graph *t, const struct build *how, struct gr_tensor *x,
                               const char *w, const char *bias, struct gr_tensor **end)
{
    struct nn_lstm l = {.w = op_param(t, w, 2, x->dims[2] + H, 4 * H, 0),
                        .bias = op_param(t, bias, 1, 4 * H, 0, 0),
                        .lengths = nn_lengths(t->g, op_ids(t, B, T, ids), T, 0),
                        .initial = how->initial ? op_param(t, "initial", 3, 2, B, H) : NULL,
                        .reverse = how->reverse};

    return nn_lstm(t->g, x, &l, end);
}

static void build(struct op_graph *t, const void *arg)
{
    const struct build *how = arg;
    struct gr_tensor *end, *y = layer(t, how, op_param(t, "x", 3, B, T, I), "w", "bias", &end);

    if (how->two)
        y = layer(t, how, y, "w2", "bias2", &end);
    op_sum_loss(t, how->of_state ? end : y);
}

static void test_gradients(void **state)
{
    static const struct build how[] = {{false, false, false, false}, {true, true, false, false},
                                       {false, true, true, false},   {true, false, true, false},
                                       {false, false, false, true},  {true, true, true, true}};

    (void) state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        op_check_gradient(build, &how[i], 1e-2, 2e-3);
}

/* What the layer is, in double: TensorFlow's cell over each row of its length. */
static void expect(const float *x, const float *w, const float *bias, bool reverse,
                   double y[B * T * H])
{
    static const int lengths[] = {4, 1, 3};

    memset(y, 0, B * T * H * sizeof *y);
    for (int b = 0; b < B; b++) {
        double h[H] = {0}, c[H] = {0};

        for (int t = 0; t < lengths[b]; t++) {
            int p = reverse ? lengths[b] - 1 - t : t;
            double u[4 * H];

            for (int n = 0; n < 4 * H; n++) {
                u[n] = (double) bias[n];
                for (int i = 0; i < I; i++)
                    u[n] += (double) x[(b * T + p) * I + i] * (double) w[i * 4 * H + n];
                for (int i = 0; i < H; i++)
                    u[n] += h[i] * (double) w[(I + i) * 4 * H + n];
            }
            for (int k = 0; k < H; k++) {
                c[k] = c[k] / (1 + exp(-u[2 * H + k] - 1)) + tanh(u[H + k]) / (1 + exp(-u[k]));
                h[k] = tanh(c[k]) / (1 + exp(-u[3 * H + k]));
                y[(b * T + p) * H + k] = h[k];
            }
        }
    }
}

static void test_values(void **state)
{
    (void) state;
    for (int reverse = 0; reverse < 2; reverse++) {
        struct build how = {.reverse = reverse};
        struct op_graph t;
        const struct gr_params *p = &t.params;
        float *values[3], *got;
        double y[B * T * H];

        op_graph_new(&t, op_device("reference", 1), build, &how);
        (void) op_graph_run(&t);
        for (int i = 0; i < 3; i++) {
            const struct gr_variable *v = gr_params_find(p, (const char *[]){"x", "w", "bias"}[i]);

            values[i] = device_floats(p->dev, p->values + v->offset, v->n);
        }
        got = device_floats(p->dev, t.result->value, B * T * H);
        expect(values[0], values[1], values[2], reverse, y);
        for (int i = 0; i < B * T * H; i++)
            if (!(fabs(y[i] - (double) got[i]) <= 1e-6))
                fail_msg("element %d is %g, not %g", i, (double) got[i], y[i]);
        for (int i = 0; i < 3; i++)
            free(values[i]);
        free(got);
        op_graph_release(&t);
    }
}

T_MAIN(cmocka_unit_test(test_kernels), cmocka_unit_test(test_count),
       cmocka_unit_test(test_gradients), cmocka_unit_test(test_values))
