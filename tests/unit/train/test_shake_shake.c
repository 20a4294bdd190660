/* Tests of train/models/shake_shake.c; values are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include <math.h>

#include "tests/unit/train/image_model.h"

static const struct image_case small = {
    "shake_shake", "shakeshake_small",
    "hidden_size=32,num_hidden_layers=8,learning_rate=0.1,learning_rate_warmup_steps=1", 8, 3};

static void test_runs(void **state)
{
    static const struct image_case concat = {
        "shake_shake", "shakeshake_small",
        "hidden_size=16,num_hidden_layers=8,shake_shake_concat=1,learning_rate=0.1,"
        "layer_prepostprocess_dropout=0.1,shake_shake_num_branches=3,learning_rate_warmup_steps=1",
        8, 3};

    (void) state;
    image_check_runs(&small);
    image_check_runs(&concat);
}

/* Shares of the first block's two branches, forward and backward of the first, then of the
 * second. */
static void test_shares(void **state)
{
    float a[4][8], b[4][8];
    struct image_run r;

    (void) state;
    image_run_new(&r, &small, 1, false);
    assert_int_equal(image_drawn(&r, "draw_share", 1, 2, a, 4), 3 * 2 * 2);
    (void) image_drawn(&r, "draw_share", 1, 2, b, 4);
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < 8; i++) {
        assert_true(fabs((double) (a[0][i] + a[2][i]) - 1.0) < 1e-6);
        assert_true(fabs((double) (a[1][i] + a[3][i]) - 1.0) < 1e-6);
        assert_true(a[0][i] > 0.0f && a[0][i] < 1.0f);
        assert_true(a[0][i] != a[1][i]);           /* one way and the other */
        assert_true(i == 0 || a[0][i] != a[0][0]); /* of each example */
    }
    (void) image_drawn(&r, "draw_share", 1, 3, b, 4);
    assert_memory_not_equal(a, b, sizeof a);
    (void) image_drawn(&r, "draw_share", 2, 2, b, 4);
    assert_memory_not_equal(a, b, sizeof a);
    image_run_release(&r);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *overrides, *text;
    } rows[] = {{"num_hidden_layers=9", "2 more than a multiple of 6, not 9"},
                {"hidden_size=24", "a multiple of 16, not 24"},
                {"shake_shake_num_branches=9", "between 1 and 8, not 9"}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image_case p = {"shake_shake", "shakeshake_small", rows[i].overrides, 8, 3};

        image_refused(&p, T2_EUSAGE, rows[i].text);
    }
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_shares), cmocka_unit_test(test_refusals))
