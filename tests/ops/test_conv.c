/*
 * tests/ops/test_conv.c - convolutions along positions: kernels on every device against the
 * reference loops, plain by hand, gradients.
 */
#include "train/ops/conv.h"

#include <stdlib.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ops/linear.h"

/* ---- kernels ---- */

struct args {
    int64_t B, L, D, taps, first, x_rows, at;
    bool ids, accumulate;
};

enum { X, IDS, OUT, DX = OUT, DOUT };

static struct dev_unfold unfold_of(const struct args *a, void *const *p)
{
    return (struct dev_unfold){.B = a->B,
                               .L = a->L,
                               .D = a->D,
                               .taps = a->taps,
                               .first = a->first,
                               .x_rows = a->x_rows ? a->x_rows : a->L,
                               .at = a->at,
                               .scale = 0.5f,
                               .row_ids = a->ids ? p[IDS] : NULL,
                               .type = op_type(),
                               .x = p[X]};
}

static void call_unfold(struct dev *d, void *const *p, const void *arg)
{
    struct dev_unfold u = unfold_of(arg, p);

    d->kernels->unfold(d, &(struct dev_unfold_args){.of = u, .out = p[OUT]});
}

/* The ids are the tables of cache_index. */
static void call_unfold_indexed(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_unfold u = unfold_of(arg, p);

    u.at_step = op_step(d, 1.0f, (int32_t) a->at);
    u.cache_index = p[IDS];
    d->kernels->unfold(d, &(struct dev_unfold_args){.of = u, .out = p[OUT]});
}

static void call_unfold_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *a = arg;
    struct dev_unfold u = unfold_of(a, p);

    d->kernels->unfold_bwd(d, &(struct dev_unfold_bwd_args){.of = u,
                                                            .dout = p[DOUT],
                                                            .accumulate = a->accumulate,
                                                            .dx = p[DX]});
}

static void add_inputs(struct op_call *c, const struct args *a, const char *what)
{
    int64_t rows = a->x_rows ? a->x_rows : a->L;

    op_begin(c, 1e-6, 1e-6, "%s B %d L %d D %d taps %d first %d at %d ids %d accumulate %d", what,
             (int) a->B, (int) a->L, (int) a->D, (int) a->taps, (int) a->first, (int) a->at, a->ids,
             a->accumulate);
    (void) op_typed_in(c, a->B * rows * a->D, 1);
    (void) op_in_ids(c, a->B * a->L, 5, 3, 2);
}

static const struct args shapes[] = {
    {1, 1, 1, 3, -1, 0, 0, false, false},  {2, 7, 5, 3, -1, 0, 0, true, false},
    {3, 9, 16, 3, -2, 0, 0, false, true},  {2, 4, 33, 9, -8, 0, 0, false, false},
    {2, 12, 17, 9, -4, 0, 0, true, true},  {1, 2, 3, 5, -2, 0, 0, true, false},
    {4, 20, 64, 2, -1, 0, 0, false, true},
};

static void test_unfold(void **state)
{
    /* one row of a cache of nine */
    static const struct args cached[] = {{3, 1, 8, 3, -2, 9, 0, false, false},
                                         {3, 1, 8, 3, -2, 9, 1, false, false},
                                         {2, 1, 5, 9, -8, 9, 8, false, false}};
    struct op_call c;

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct args *a = &shapes[i];

        add_inputs(&c, a, "unfold");
        (void) op_typed_out(&c, a->B * a->L * a->taps * a->D, false, 3);
        op_check(&c, call_unfold, a);
        add_inputs(&c, a, "unfold_bwd");
        (void) op_typed_out(&c, a->B * a->L * a->D, a->accumulate, 3);
        (void) op_typed_in(&c, a->B * a->L * a->taps * a->D, 4);
        op_check(&c, call_unfold_bwd, a);
    }
    for (size_t i = 0; i < sizeof cached / sizeof *cached; i++) {
        add_inputs(&c, &cached[i], "unfold of a cache");
        (void) op_typed_out(&c, cached[i].B * cached[i].taps * cached[i].D, false, 3);
        op_check(&c, call_unfold, &cached[i]);
    }
}

/* Tap t of hypothesis b reads the row where the table of the position says it lies. */
static void test_unfold_by_an_index(void **state)
{
    enum { B = 3, ROWS = 9, D = 5, TAPS = 3 };

    (void) state;
    for (int64_t at = 0; at < ROWS; at++) {
        const struct args a = {B, 1, D, TAPS, 1 - TAPS, ROWS, at, false, false};
        struct op_call c;
        int32_t *index;
        float *x, *out;

        op_begin(&c, 1e-6, 1e-6, "unfold by an index at %d", (int) at);
        x = op_in(&c, B * ROWS * D, 1);
        index = op_in_ids(&c, 2 * B * ROWS, B, 0, (uint64_t) at + 9);
        (void) op_out(&c, B * TAPS * D, false, 3);
        out = op_run_on(op_device("reference", 1), &c, call_unfold_indexed, &a);
        for (int64_t b = 0; b < B; b++)
            for (int64_t t = 0; t < TAPS; t++) {
                int64_t row = t == 0 ? at : at + 1 - TAPS + t;

                for (int64_t i = 0; i < D && row >= 0; i++) {
                    int64_t from = index[at % 2 * B * ROWS + b * ROWS + row];

                    assert_true(out[(b * TAPS + t) * D + i] ==
                                0.5f * x[(from * ROWS + row) * D + i]);
                }
            }
        free(out);
        op_check(&c, call_unfold_indexed, &a);
    }
}

/* Tap 0 reads its own position, whatever `first` says. */
static void test_unfold_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4};
    static const int32_t ids[] = {7, 7, 0, 7};
    static const float same[] = {1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 0};
    static const float left[] = {1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4};
    static const float padded[] = {1, 1, 2, 2, 2, 0, 0, 0, 4, 4, 4, 0};
    struct dev *d = op_device("reference", 1);
    struct dev_unfold a = {.B = 1,
                           .L = 4,
                           .D = 1,
                           .taps = 3,
                           .first = -1,
                           .x_rows = 4,
                           .scale = 1.0f,
                           .x = op_upload(d, x, sizeof x)};
    float out[12];
    float *there = op_result(d, out, sizeof out);

    (void) state;
    d->kernels->unfold(d, &(struct dev_unfold_args){.of = a, .out = there});
    op_fetch();
    t_assert_close(out, same, 12, 0, 0);
    a.row_ids = op_upload(d, ids, sizeof ids);
    d->kernels->unfold(d, &(struct dev_unfold_args){.of = a, .out = there});
    op_fetch();
    t_assert_close(out, padded, 12, 0, 0);
    a.row_ids = NULL;
    a.first = -2;
    d->kernels->unfold(d, &(struct dev_unfold_args){.of = a, .out = there});
    op_done();
    t_assert_close(out, left, 12, 0, 0);
}

enum { W = 1, Y, DY = Y, D_X, D_W };

static struct dev_depthwise depthwise_of(const struct args *a, void *const *p)
{
    return (struct dev_depthwise){
        .B = a->B, .L = a->L, .C = a->D, .taps = a->taps, .type = op_type(), .x = p[X], .w = p[W]};
}

static void call_depthwise(struct dev *d, void *const *p, const void *arg)
{
    struct dev_depthwise a = depthwise_of(arg, p);

    d->kernels->depthwise(d, &(struct dev_depthwise_args){.of = a, .y = p[Y]});
}

static void call_depthwise_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct args *x = arg;
    struct dev_depthwise a = depthwise_of(x, p);

    d->kernels->depthwise_bwd(d, &(struct dev_depthwise_bwd_args){.of = a,
                                                                  .dy = p[DY],
                                                                  .dx = p[D_X],
                                                                  .accumulate_x = x->accumulate,
                                                                  .dw = p[D_W],
                                                                  .accumulate_w = x->accumulate});
}

static void test_depthwise(void **state)
{
    static const float x[] = {1, 10, 2, 20, 3, 30}, w[] = {1, 0, 1, 2, 100, 3};
    static const float by_hand[] = {100, 30, 201, 80, 303, 130}; /* taps 3, channels 2 */
    struct dev *plain = op_device("reference", 1);
    struct dev_depthwise a = {.B = 1,
                              .L = 3,
                              .C = 2,
                              .taps = 3,
                              .x = op_upload(plain, x, sizeof x),
                              .w = op_upload(plain, w, sizeof w)};
    float y[6];

    (void) state;
    plain->kernels->depthwise(plain,
                              &(struct dev_depthwise_args){.of = a,
                                                           .y = op_result(plain, y, sizeof y)});
    op_done();
    t_assert_close(y, by_hand, 6, 0, 0);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int wide = 0; wide < 2; wide++) {
            struct args s = shapes[i];
            struct op_call c;

            s.D = wide ? 130 : s.D;
            s.taps = wide ? 31 : s.taps;
            op_begin(&c, 2e-5, 1e-5, "depthwise %d %d %d taps %d", (int) s.B, (int) s.L, (int) s.D,
                     (int) s.taps);
            (void) op_typed_in(&c, s.B * s.L * s.D, 1);
            (void) op_in(&c, s.taps * s.D, 2);
            (void) op_typed_out(&c, s.B * s.L * s.D, false, 3);
            op_check(&c, call_depthwise, &s);
            op_begin(&c, 3e-5, 1e-5, "depthwise_bwd %d %d %d taps %d accumulate %d", (int) s.B,
                     (int) s.L, (int) s.D, (int) s.taps, s.accumulate);
            (void) op_typed_in(&c, s.B * s.L * s.D, 1);
            (void) op_in(&c, s.taps * s.D, 2);
            (void) op_typed_in(&c, s.B * s.L * s.D, 3);
            (void) op_typed_out(&c, s.B * s.L * s.D, s.accumulate, 4);
            (void) op_out(&c, s.taps * s.D, s.accumulate, 5);
            op_check(&c, call_depthwise_bwd, &s);
        }
}

/* ---- gradients ---- */

static const int32_t row_ids[] = {3, 3, 0, 3, 3, 3, 0, 0, 3, 3};

static void build_unfold(struct op_graph *t, const void *arg)
{
    const struct args *a = arg;
    struct nn_unfold u = {.taps = a->taps, .first = a->first, .scale = 0.7};

    if (a->ids)
        u.row_ids = op_ids(t, a->B, a->L, row_ids);
    op_sum_loss(t, nn_linear(t->g, nn_unfold(t->g, op_param(t, "x", 3, a->B, a->L, a->D), &u),
                             op_param(t, "w", 2, a->taps * a->D, 3, 0), NULL, false, 0.0));
}

static void build_depthwise(struct op_graph *t, const void *arg)
{
    const struct args *a = arg;

    op_sum_loss(t, nn_depthwise(t->g, op_param(t, "x", 3, a->B, a->L, a->D),
                                op_param(t, "w", 2, a->taps, a->D, 0)));
}

static void test_gradients(void **state)
{
    static const struct args cases[] = {{2, 5, 3, 3, -1, 0, 0, true, false},
                                        {2, 5, 2, 3, -2, 0, 0, false, false},
                                        {1, 6, 2, 5, -2, 0, 0, false, false}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        op_check_gradient(build_unfold, &cases[i], 5e-3, 1e-3);
        op_check_gradient(build_depthwise, &cases[i], 5e-3, 1e-3);
    }
}

T_MAIN(cmocka_unit_test(test_unfold), cmocka_unit_test(test_unfold_by_an_index),
       cmocka_unit_test(test_unfold_by_hand), cmocka_unit_test(test_depthwise),
       cmocka_unit_test(test_gradients))
