/*
 * tests/ops/test_windows.c - windows of images cut out and put back: kernels, gradients.
 */
#include "train/ops/windows.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct one_case {
    struct dev_windows of;
    bool accumulate;
};

static int64_t n_cut(const struct dev_windows *of)
{
    return of->B * of->rows * of->columns * of->size[0] * of->size[1] * of->C;
}

static void call_cut(struct dev *d, void *const *p, const void *arg)
{
    const struct one_case *a = arg;

    d->kernels->cut_windows(d, &(struct dev_cut_windows_args){.of = a->of,
                                                              .type = op_type(),
                                                              .x = p[0],
                                                              .accumulate = a->accumulate,
                                                              .y = p[1]});
}

static void call_put(struct dev *d, void *const *p, const void *arg)
{
    const struct one_case *a = arg;

    d->kernels->put_windows(d, &(struct dev_put_windows_args){.of = a->of,
                                                              .type = op_type(),
                                                              .y = p[0],
                                                              .accumulate = a->accumulate,
                                                              .x = p[1]});
}

/* Side by side, beyond the edges, overlapping, with gaps, none with a pixel, of one row. */
static const struct dev_windows shapes[] = {
    {1, 1, 1, 1, 1, 1, {1, 1}, {0, 0}, {1, 1}},     {2, 6, 8, 3, 2, 2, {3, 4}, {0, 0}, {3, 4}},
    {2, 5, 7, 33, 2, 2, {4, 5}, {-3, -4}, {7, 13}}, {3, 4, 4, 2, 1, 2, {2, 3}, {1, 0}, {1, 1}},
    {1, 3, 3, 5, 2, 2, {9, 9}, {-9, 3}, {2, 2}},    {2, 1, 41, 300, 1, 6, {1, 7}, {0, -9}, {1, 5}},
};

static void test_kernels(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct one_case a = {shapes[i], accumulate};
            int64_t n = a.of.B * a.of.H * a.of.W * a.of.C;
            struct op_call c;

            op_begin(&c, 1e-7, 1e-7, "cut_windows %zu", i);
            (void) op_typed_in(&c, n, 1);
            (void) op_typed_out(&c, n_cut(&a.of), accumulate, 2);
            op_check(&c, call_cut, &a);
            op_begin(&c, 1e-7, 1e-7, "put_windows %zu", i);
            (void) op_typed_in(&c, n_cut(&a.of), 3);
            (void) op_typed_out(&c, n, accumulate, 4);
            op_check(&c, call_put, &a);
        }
}

/* A row of four pixels; windows of three, two apart, from the pixel before the first on. */
static void test_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4}, cut[] = {0, 1, 2, 2, 3, 4}, sums[] = {1, 4, 3, 4};
    static const struct dev_windows of = {1, 1, 4, 1, 1, 2, {1, 2}, {0, -1}, {1, 3}};
    struct dev *d = op_device("reference", 1);
    float y[6], back[4];

    (void) state;
    d->kernels->cut_windows(d, &(struct dev_cut_windows_args){.of = of,
                                                              .x = op_upload(d, x, sizeof x),
                                                              .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, cut, 6, 0, 0);
    d->kernels->put_windows(d,
                            &(struct dev_put_windows_args){.of = of,
                                                           .y = op_upload(d, cut, sizeof cut),
                                                           .x = op_result(d, back, sizeof back)});
    op_done();
    t_assert_close(back, sums, 4, 0, 0);
}

static const struct nn_windows overlapping = {3, 4, 2, 2, {2, 2}, {-1, -1}, {3, 4}};

static void build_cut(struct op_graph *t, const void *arg)
{
    struct gr_tensor *y = nn_cut_windows(t->g, op_param(t, "x", 3, 2, 12, 3), &overlapping);

    (void) arg;
    assert_int_equal(y->dims[0], 8);
    op_sum_loss(t, y);
}

static void build_put(struct op_graph *t, const void *arg)
{
    (void) arg;
    op_sum_loss(t, nn_put_windows(t->g, op_param(t, "y", 3, 8, 12, 2), &overlapping));
}

static void test_gradients(void **state)
{
    (void) state;
    op_check_gradient(build_cut, NULL, 5e-3, 1e-3);
    op_check_gradient(build_put, NULL, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_kernels), cmocka_unit_test(test_by_hand),
       cmocka_unit_test(test_gradients))
