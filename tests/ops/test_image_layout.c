/*
 * tests/ops/test_image_layout.c - channels joined, images moved: kernels, gradients.
 */
#include "train/ops/image_layout.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct columns {
    int64_t rows, cols, x_stride, y_stride;
    bool accumulate;
};

static void call_columns(struct dev *d, void *const *p, const void *arg)
{
    const struct columns *a = arg;

    d->kernels->copy_columns(d, &(struct dev_copy_columns_args){.type = op_type(),
                                                                .x = p[0],
                                                                .rows = a->rows,
                                                                .cols = a->cols,
                                                                .x_stride = a->x_stride,
                                                                .accumulate = a->accumulate,
                                                                .y = p[1],
                                                                .y_stride = a->y_stride});
}

static void test_columns(void **state)
{
    static const struct columns cases[] = {{1, 1, 1, 1, false},
                                           {5, 3, 3, 7, true},
                                           {200, 16, 40, 16, false},
                                           {65, 9, 11, 10, true},
                                           {130, 33, 33, 64, true}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct columns *a = &cases[i];
        struct op_call c;

        op_begin(&c, 1e-7, 1e-7, "copy_columns %zu", i);
        (void) op_typed_in(&c, (a->rows - 1) * a->x_stride + a->cols, 1);
        /* what lies between the columns stays as it was */
        (void) op_typed_out(&c, (a->rows - 1) * a->y_stride + a->cols, true, 2);
        op_check(&c, call_columns, a);
    }
}

struct shift {
    int64_t dims[4], rows, columns;
    bool accumulate;
};

static void call_shift(struct dev *d, void *const *p, const void *arg)
{
    const struct shift *a = arg;

    d->kernels->shift_pixels(d, &(struct dev_shift_pixels_args){.type = op_type(),
                                                                .x = p[0],
                                                                .dims = {a->dims[0], a->dims[1],
                                                                         a->dims[2], a->dims[3]},
                                                                .rows = a->rows,
                                                                .columns = a->columns,
                                                                .accumulate = a->accumulate,
                                                                .y = p[1]});
}

static void test_shifts(void **state)
{
    static const int64_t moves[][2] = {{0, 0}, {1, 1}, {-1, -1}, {2, 0}, {0, -3}, {9, 1}, {1, 9}};

    (void) state;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        for (int accumulate = 0; accumulate < 2; accumulate++) {
            struct shift a = {{2, 4, 5, 3}, moves[i][0], moves[i][1], accumulate};
            struct op_call c;

            op_begin(&c, 1e-7, 1e-7, "shift_pixels %zu", i);
            (void) op_typed_in(&c, 2 * 4 * 5 * 3, 1);
            (void) op_typed_out(&c, 2 * 4 * 5 * 3, accumulate, 2);
            op_check(&c, call_shift, &a);
        }
}

static void test_shift_by_hand(void **state)
{
    static const float x[] = {1, 2, 3, 4, 5, 6}, expected[] = {5, 6, 0, 0, 0, 0};
    static const int64_t dims[] = {1, 2, 3, 1};
    struct dev *d = op_device("reference", 1);
    float y[6];

    (void) state;
    d->kernels->shift_pixels(d, &(struct dev_shift_pixels_args){.x = op_upload(d, x, sizeof x),
                                                                .dims = {dims[0], dims[1], dims[2],
                                                                         dims[3]},
                                                                .rows = 1,
                                                                .columns = 1,
                                                                .accumulate = false,
                                                                .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, expected, 6, 0, 0);
}

static void call_mirror(struct dev *d, void *const *p, const void *arg)
{
    const int64_t *dims = arg;

    d->kernels->mirror_pixels(d, &(struct dev_mirror_pixels_args){.type = op_type(),
                                                                  .x = p[0],
                                                                  .dims = {dims[0], dims[1],
                                                                           dims[2], dims[3]},
                                                                  .y = p[1]});
}

static void test_mirror(void **state)
{
    static const int64_t dims[] = {2, 4, 5, 3}, row[] = {1, 1, 3, 2};
    static const float x[] = {1, 2, 3, 4, 5, 6}, expected[] = {5, 6, 3, 4, 1, 2};
    struct dev *d = op_device("cpu", 2);
    struct op_call c;
    float y[6];

    (void) state;
    op_begin(&c, 0, 0, "mirror_pixels");
    (void) op_typed_in(&c, 2 * 4 * 5 * 3, 1);
    (void) op_typed_out(&c, 2 * 4 * 5 * 3, false, 2);
    op_check(&c, call_mirror, dims);
    d->kernels->mirror_pixels(d, &(struct dev_mirror_pixels_args){.x = op_upload(d, x, sizeof x),
                                                                  .dims = {row[0], row[1], row[2],
                                                                           row[3]},
                                                                  .y = op_result(d, y, sizeof y)});
    op_done();
    t_assert_close(y, expected, 6, 0, 0);
}

static void build_concat(struct op_graph *t, const void *arg)
{
    int64_t a[] = {2, 3, 2, 1}, b[] = {2, 3, 2, 3}, c[] = {2, 3, 2, 2};
    struct gr_tensor *x[] = {gr_param(t->g, "a", 4, a, 0, GR_INIT_ZEROS, 0.0),
                             gr_param(t->g, "b", 4, b, 0, GR_INIT_ZEROS, 0.0),
                             gr_param(t->g, "c", 4, c, 0, GR_INIT_ZEROS, 0.0)};
    struct gr_tensor *y = nn_concat_channels(t->g, x, 3);

    (void) arg;
    assert_int_equal(y->dims[3], 6);
    op_sum_loss(t, y);
}

static void build_shift(struct op_graph *t, const void *arg)
{
    int64_t dims[] = {2, 3, 4, 2};

    (void) arg;
    op_sum_loss(t,
                nn_shift_pixels(t->g, gr_param(t->g, "x", 4, dims, 0, GR_INIT_ZEROS, 0.0), 1, 1));
}

static void test_gradients(void **state)
{
    (void) state;
    op_check_gradient(build_concat, NULL, 5e-3, 1e-3);
    op_check_gradient(build_shift, NULL, 5e-3, 1e-3);
}

T_MAIN(cmocka_unit_test(test_columns), cmocka_unit_test(test_shifts),
       cmocka_unit_test(test_shift_by_hand), cmocka_unit_test(test_mirror),
       cmocka_unit_test(test_gradients))
