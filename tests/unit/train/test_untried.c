/*
 * tests/unit/train/test_untried.c - what was tried, and that what is drawn was not.
 */
#include "train/tune/untried.h"

#include "tests/unit/train/some_trials.h"

static void draw_untried(const struct tune_trials *t, struct t2_buf *hparams)
{
    struct t2_map *m = tune_tried(t);

    tune_draw_untried(t, m, hparams);
    t2_map_free(m);
}

static void test_counted(void **state)
{
    struct tune_trials t = trials_of("a: {int: [1, 3]}\nb: {categorical: [x, y]}", TUNE_DRAW, 1, 1);

    (void) state;
    for (int i = 0; i < 6; i++) {
        char *hparams = drawn_by(draw_untried, &t);
        struct t2_map *m = tune_tried(&t);
        struct t2_buf text = {0};

        t2_buf_puts(&text, hparams);
        assert_false(tune_is_tried(m, &text));
        t2_map_free(m);
        add_trial(&t, hparams);
        m = tune_tried(&t);
        assert_true(tune_is_tried(m, &text));
        t2_map_free(m);
        t2_buf_release(&text);
        t2_free(hparams);
    }
    tune_trials_release(&t);
}

/* What cannot be counted is that of the trial's number. */
static void test_uncounted(void **state)
{
    struct tune_trials t = trials_of("a: {float: [1, 3]}", TUNE_DRAW, 1, 1);
    struct tune_drawing d = tune_study_drawing(&t.study);

    (void) state;
    for (uint64_t i = 0; i < 3; i++) {
        char *hparams = drawn_by(draw_untried, &t);
        struct t2_buf text = {0};

        tune_draw(&d, i, &text);
        assert_string_equal(hparams, t2_buf_cstr(&text));
        add_trial(&t, hparams);
        t2_buf_release(&text);
        t2_free(hparams);
    }
    tune_trials_release(&t);
}

T_MAIN(cmocka_unit_test(test_counted), cmocka_unit_test(test_uncounted))
