/* tests/ops/test_mark_rows.c - which rows hold something, on all devices. */
#include "train/ops/mark_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/op_check.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

struct shape {
    int64_t rows, D, length, n_marked;
};

static void call(struct dev *d, void *const *p, const void *arg)
{
    const struct shape *s = arg;

    d->kernels->mark_rows(d, &(struct dev_mark_rows_args){.type = DEV_FLOAT32,
                                                          .x = p[0],
                                                          .rows = s->rows,
                                                          .D = s->D,
                                                          .length = s->length,
                                                          .n_marked = s->n_marked,
                                                          .ids = p[1]});
}

/* Row r is zeros but for one element, or, every third row, all zeros. */
static void fill(float *x, const struct shape *s)
{
    memset(x, 0, (size_t) (s->rows * s->D) * sizeof *x);
    for (int64_t r = 0; r < s->rows; r++)
        if (r % 3 != 0)
            x[r * s->D + r % s->D] = r % 2 ? -1e-30f : 1.0f;
}

static void test_marks(void **state)
{
    static const struct shape shapes[] = {{1, 1, 1, 0},
                                          {7, 5, 7, 0},
                                          {64, 384, 8, 3},
                                          {1000, 3, 100, 100}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct op_call c;

        op_begin(&c, 0, 0, "mark_rows %zu", i);
        fill(op_in(&c, shapes[i].rows * shapes[i].D, 1), &shapes[i]);
        (void) op_in_ids(&c, shapes[i].rows, 2, 0, 2);
        c.buffers[1].output = true;
        op_check(&c, call, &shapes[i]);
    }
}

static void test_values(void **state)
{
    static const float rows[] = {0, 0, -0.0f, 0, 0, 3, 1e-40f, 0};
    static const int32_t expected[] = {0, 0, 1, 1}, expected_but[] = {0, 1, 1, 1};
    struct dev *d = op_device("reference", 1);
    int32_t ids[4] = {7, 7, 7, 7};

    (void) state;
    d->kernels->mark_rows(d, &(struct dev_mark_rows_args){.type = DEV_FLOAT32,
                                                          .x = op_upload(d, rows, sizeof rows),
                                                          .rows = 4,
                                                          .D = 2,
                                                          .ids = op_result(d, ids, sizeof ids)});
    op_done();
    assert_memory_equal(ids, expected, sizeof ids);
    d = op_device("reference", 1);
    d->kernels->mark_rows(d, &(struct dev_mark_rows_args){.type = DEV_FLOAT32,
                                                          .x = op_upload(d, rows, sizeof rows),
                                                          .rows = 4,
                                                          .D = 2,
                                                          .length = 2,
                                                          .n_marked = 1,
                                                          .ids = op_result(d, ids, sizeof ids)});
    op_done();
    assert_memory_equal(ids, expected_but, sizeof ids);
}

T_MAIN(cmocka_unit_test(test_marks), cmocka_unit_test(test_values))
