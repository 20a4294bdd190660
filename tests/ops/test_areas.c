/*
 * tests/ops/test_areas.c - areas of neighbouring positions: kernels, values by hand, gradients.
 */
#include "train/ops/areas.h"

#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/t.h"

struct one_case {
    struct dev_areas of;
    enum dev_area_kind kind;
    enum dev_area_id_kind id_kind;
    bool accumulate;
};

static int64_t n_positions(const struct dev_areas *of)
{
    return of->B * of->height * of->width;
}

static int64_t n_areas(const struct dev_areas *of)
{
    return n_positions(of) * of->most_height * of->most_width;
}

static void call_values(struct dev *d, void *const *p, const void *arg)
{
    const struct one_case *a = arg;

    d->kernels->area_values(d, &(struct dev_area_values_args){.of = a->of,
                                                              .kind = a->kind,
                                                              .type = op_type(),
                                                              .x = p[0],
                                                              .y = p[1]});
}

static void call_values_bwd(struct dev *d, void *const *p, const void *arg)
{
    const struct one_case *a = arg;

    d->kernels->area_values_bwd(d, &(struct dev_area_values_bwd_args){.of = a->of,
                                                                      .kind = a->kind,
                                                                      .type = op_type(),
                                                                      .x = p[0],
                                                                      .dy = p[1],
                                                                      .accumulate = a->accumulate,
                                                                      .dx = p[2]});
}

static void call_ids(struct dev *d, void *const *p, const void *arg)
{
    const struct one_case *a = arg;

    d->kernels->area_ids(
        d, &(struct dev_area_ids_args){.of = a->of, .kind = a->id_kind, .ids = p[0], .y = p[1]});
}

/* B, height, width, D, most_height, most_width: areas of one position, in a row, wider than the
 * row, of a grid, higher than it, with more channels than a block. */
static const struct dev_areas shapes[] = {
    {1, 1, 1, 1, 1, 1},  {2, 1, 7, 3, 1, 3},   {3, 1, 2, 17, 1, 5}, {2, 3, 4, 5, 2, 3},
    {1, 2, 5, 33, 4, 1}, {1, 1, 9, 300, 1, 4}, {2, 4, 4, 16, 3, 2},
};

static void test_kernels(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = DEV_AREA_MEAN; kind <= DEV_AREA_DEVIATION; kind++) {
            struct one_case a = {.of = shapes[i], .kind = (enum dev_area_kind) kind};
            int64_t n = n_positions(&a.of) * a.of.D, all = n_areas(&a.of) * a.of.D;
            struct op_call c;

            op_begin(&c, 1e-6, 1e-6, "area_values %zu %d", i, kind);
            (void) op_typed_in(&c, n, 1);
            (void) op_typed_out(&c, all, false, 2);
            op_check(&c, call_values, &a);
            for (int accumulate = 0; accumulate < 2; accumulate++) {
                a.accumulate = accumulate;
                op_begin(&c, 1e-5, 1e-5, "area_values_bwd %zu %d", i, kind);
                (void) op_typed_in(&c, n, 3);
                (void) op_typed_in(&c, all, 4);
                (void) op_typed_out(&c, n, accumulate, 5);
                op_check(&c, call_values_bwd, &a);
            }
        }
}

static void test_id_kernel(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int kind = DEV_AREA_THERE; kind <= DEV_AREA_LAST; kind++) {
            struct one_case a = {.of = shapes[i], .id_kind = (enum dev_area_id_kind) kind};
            struct op_call c;

            op_begin(&c, 0, 0, "area_ids %zu %d", i, kind);
            (void) op_in_ids(&c, n_positions(&a.of), 3, 4, 6);
            (void) op_in_ids(&c, n_areas(&a.of), 2, 0, 7);
            c.buffers[1].output = true;
            op_check(&c, call_ids, &a);
        }
}

/* Three positions in a row, areas of one and two; then a grid of 2 x 2 with its areas of 2 x 2. */
static void test_by_hand(void **state)
{
    static const float x[] = {1, 3, -1}, grid[] = {1, 2, 3, 6};
    static const float last[] = {6, 9, 8, 12}, first[] = {1, 0, 0, 0};
    static const float mean[] = {1, 0, 3, 2, -1, 1}, sum[] = {1, 0, 3, 4, -1, 2};
    static const float most[] = {1, 0, 3, 3, -1, 3};
    static const float deviation[] = {1e-3f, 0, 1e-3f, 1.0000005f, 1e-3f, 2.00000025f};
    static const float *const expected[] = {mean, sum, most, deviation};
    static const struct dev_areas row = {1, 1, 3, 1, 1, 2}, square = {1, 2, 2, 1, 2, 2};
    struct dev *d = op_device("reference", 1);
    float y[16];

    (void) state;
    for (int kind = 0; kind < 4; kind++) {
        struct dev_area_values_args a = {.of = row,
                                         .kind = (enum dev_area_kind) kind,
                                         .x = op_upload(d, x, sizeof x),
                                         .y = op_result(d, y, 6 * sizeof *y)};

        d->kernels->area_values(d, &a);
        op_done();
        t_assert_close(y, expected[kind], 6, 1e-9, 1e-6);
    }
    d->kernels->area_values(d, &(struct dev_area_values_args){.of = square,
                                                              .kind = DEV_AREA_SUM,
                                                              .x = op_upload(d, grid, sizeof grid),
                                                              .y = op_result(d, y, sizeof y)});
    op_done();
    /* of the last position: 1 x 1, 1 x 2, 2 x 1, 2 x 2 */
    t_assert_close(y + 12, last, 4, 0, 0);
    /* of the first: nothing but itself */
    t_assert_close(y, first, 4, 0, 0);
}

static void test_ids_by_hand(void **state)
{
    static const int32_t ids[] = {2, 2, 0, 5};
    static const int32_t expected[][8] = {{1, 0, 1, 1, 1, 1, 1, 1},
                                          {1, 0, 1, 1, 0, 0, 1, 0},
                                          {2, -1, 2, 2, 0, -1, 5, -1},
                                          {2, INT32_MAX, 2, 2, 0, 2, 5, 5},
                                          {0, INT32_MAX, 1, 1, 2, 2, 3, 3}};
    static const struct dev_areas row = {1, 1, 4, 0, 1, 2};
    struct dev *d = op_device("reference", 1);

    (void) state;
    for (int kind = 0; kind < 5; kind++) {
        int32_t y[8];
        struct dev_area_ids_args a = {.of = row,
                                      .kind = (enum dev_area_id_kind) kind,
                                      .ids = op_upload(d, ids, sizeof ids),
                                      .y = op_result(d, y, sizeof y)};

        d->kernels->area_ids(d, &a);
        op_done();
        assert_memory_equal(y, expected[kind], sizeof y);
    }
}

static const struct nn_areas grid_areas = {2, 2, 3};

static void build(struct op_graph *t, const void *arg)
{
    const enum dev_area_kind *kind = arg;
    struct gr_tensor *y =
        nn_area_values(t->g, op_param(t, "x", 3, 2, 8, 4), &grid_areas, *kind, *kind % 2 ? 2 : 0);

    assert_int_equal(y->dims[1], 8 * 6);
    assert_int_equal(y->rank, *kind % 2 ? 4 : 3);
    op_sum_loss(t, y);
}

static void test_gradients(void **state)
{
    (void) state;
    for (int i = DEV_AREA_MEAN; i <= DEV_AREA_DEVIATION; i++) {
        enum dev_area_kind kind = (enum dev_area_kind) i;

        op_check_gradient(build, &kind, 5e-4, 2e-3);
    }
}

/* Attention sees areas by their ids, which an operator makes. */
static void test_id_operator(void **state)
{
    struct dev *d = op_device("reference", 1);
    struct gr_graph *g = gr_new(d, NULL, false);
    struct gr_tensor *ids = nn_area_ids(g, 2, 8, NULL, &grid_areas, DEV_AREA_LAST);

    (void) state;
    assert_int_equal(ids->n, 2 * 8 * 6);
    assert_int_equal(ids->type, DEV_INT32);
    gr_free(g);
}

T_MAIN(cmocka_unit_test(test_kernels), cmocka_unit_test(test_id_kernel),
       cmocka_unit_test(test_by_hand), cmocka_unit_test(test_ids_by_hand),
       cmocka_unit_test(test_gradients), cmocka_unit_test(test_id_operator))
