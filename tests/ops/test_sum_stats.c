/*
 * tests/ops/test_sum_stats.c - statistics of rows become those of the batch.
 */
#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void call(struct dev *d, void *const *p, const void *arg)
{
    struct dev_sum_stats_args a = *(const struct dev_sum_stats_args *) arg;

    a.row_stats = p[0];
    a.sums = p[1];
    d->kernels->sum_stats(d, &a);
}

static void test_kernels_agree(void **state)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {3, 5, 5}, {7, 9, 4}, {2, 300, 299}};

    (void) state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct dev_sum_stats_args a = {.B = shapes[i][0],
                                       .rows = shapes[i][1],
                                       .n_rows = shapes[i][2]};
        struct op_call c;
        float *stats;

        op_begin(&c, 1e-9, 1e-6, "sum_stats %zu", i);
        stats = op_in(&c, a.B * a.rows * 4, 1);
        for (int64_t r = 0; r < a.B * a.rows; r++) {
            stats[4 * r + 1] = (float) (t_hash64((uint64_t) r) % 3) / 2.0f;
            stats[4 * r + 3] = (float) (t_hash64((uint64_t) r + 99) % 2);
        }
        (void) op_out(&c, (int64_t) (sizeof(struct dev_loss_sums) / sizeof(float)), false, 2);
        op_check(&c, call, &a);
    }
}

/* Two examples of three rows, of which two count; the second has one weight of 0. */
static void test_by_hand(void **state)
{
    static const float stats[] = {1, 1.0f, -1, 1, 2, 0.5f, -2, 1, 100, 1, -100, 1,
                                  4, 1.0f, -4, 1, 0, 0.0f, 0,  0, 100, 1, -100, 1};
    struct dev *d = op_device("far", 1);
    struct dev_loss_sums *sums = d->alloc(d, sizeof *sums), got;
    float *on_device = d->alloc(d, sizeof stats);

    (void) state;
    d->upload_now(d, on_device, stats, sizeof stats);
    d->kernels->sum_stats(d, &(struct dev_sum_stats_args){.row_stats = on_device,
                                                          .B = 2,
                                                          .rows = 3,
                                                          .n_rows = 2,
                                                          .sums = sums});
    d->download(d, &got, sums, sizeof got);
    assert_true(got.loss == 7.0 && got.log_prob == -7.0);
    assert_true(got.n_right == 2.0 && got.n_top5 == 3.0);
    assert_true(got.weight == 3.0 && got.n_examples_right == 1.0);
    d->free(d, on_device);
    d->free(d, sums);
}

T_MAIN(cmocka_unit_test(test_kernels_agree), cmocka_unit_test(test_by_hand))
