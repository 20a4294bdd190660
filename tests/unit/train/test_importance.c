/*
 * tests/unit/train/test_importance.c - a param that decides explains nearly all, one that does
 * nothing explains nearly nothing.
 */
#include "train/tune/importance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/train/small_study.h"
#include "train/tune/param_scale.h"

/* n trials of `decides`, `idle` and `word`, whose loss follows the first, and for words B is best.
 */
static struct tune_trials trials(int n, struct tune_log *log)
{
    static const char yaml[] = "decides: {float: [0.001, 1], scale: log}\nidle: {int: [0, 100]}\n"
                               "word: {categorical: [A, B]}";
    struct tune_study s = small_study(TUNE_RANDOM, 64, 3, 9, 1);
    struct tune_drawing d;
    struct tune_trials t;
    static int made;
    char name[32];

    tune_range_free(s.range);
    STUDY_OK(tune_range_parse(yaml, strlen(yaml), "x.yaml", &s.range, err));
    snprintf(name, sizeof name, "importance-%d", made++);
    begin_study(t_tmp_path(name), &s, log, &t);
    STUDY_OK(tune_log_lock(log, err));
    d = tune_study_drawing(&t.study);
    for (int i = 0; i < n; i++) {
        struct t2_buf text = {0};
        size_t length;

        tune_draw(&d, (uint64_t) i, &text);
        tune_say_claim(log, i, 0, t2_buf_cstr(&text), "a/1");
        tune_say_done(log, i, 0,
                      strtod(tune_hparam_value(t2_buf_cstr(&text), "decides", &length), NULL), 1);
        t2_buf_release(&text);
    }
    flush_study(log, &t);
    return t;
}

static void test_shares(void **state)
{
    struct tune_log log;
    struct tune_trials t = trials(64, &log);

    (void) state;
    assert_true(tune_importance(&t, 0) > 0.85);
    assert_true(tune_importance(&t, 0) <= 1);
    assert_true(tune_importance(&t, 1) < 0.1);
    assert_true(tune_importance(&t, 2) < 0.1);
    /* a loss that is a word's alone */
    for (int64_t i = 0; i < t.n; i++)
        t.items[i].values[0] = strstr(t.items[i].hparams, "word=B") ? 1 : 2;
    assert_true(tune_importance(&t, 2) > 0.95);
    assert_true(tune_importance(&t, 0) < 0.1);
    /* that of all is the same */
    for (int64_t i = 0; i < t.n; i++)
        t.items[i].values[0] = 2;
    assert_true(tune_importance(&t, 2) == 0);
    tune_trials_release(&t);
    tune_log_close(&log);
}

static void test_too_few(void **state)
{
    struct tune_log log;
    struct tune_trials t = trials(5, &log);

    (void) state;
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(tune_importance(&t, i)));
    tune_trials_release(&t);
    tune_log_close(&log);
    t = trials(6, &log);
    assert_false(isnan(tune_importance(&t, 0)));
    tune_trials_release(&t);
    tune_log_close(&log);
}

T_MAIN(cmocka_unit_test(test_shares), cmocka_unit_test(test_too_few))
