/*
 * tests/unit/train/test_trials.c - what the lines of a study's file make of its trials, lines that
 * make no sense, and who is best.
 */
#include "train/tune/trials.h"

#include <math.h>
#include <stdio.h>

#include "tests/unit/train/small_study.h"

static void begin(const char *name, enum tune_algorithm algorithm, struct tune_log *log,
                  struct tune_trials *t)
{
    struct tune_study s = small_study(algorithm, 20, 3, 90, 10);

    begin_study(t_tmp_path(name), &s, log, t);
    STUDY_OK(tune_log_lock(log, err));
}

static void end(struct tune_log *log, struct tune_trials *t)
{
    tune_trials_release(t);
    tune_log_close(log);
}

static void test_story(void **state)
{
    struct tune_trials t;
    struct tune_log log;

    (void) state;
    begin("story", TUNE_ASHA, &log, &t);
    assert_true(t.has_study);
    assert_int_equal(t.n, 0);
    tune_say_claim(&log, 0, 0, "x=0.5", "a/1");
    tune_say_claim(&log, 1, 0, "x=0.25", "b/2");
    tune_say_done(&log, 0, 0, 3.25, 10);
    flush_study(&log, &t);
    assert_int_equal(t.n, 2);
    assert_string_equal(t.items[0].hparams, "x=0.5");
    assert_int_equal(t.items[0].n_values, 1);
    assert_true(tune_trial_value(&t.items[0]) == 3.25);
    assert_true(isnan(tune_trial_value(&t.items[1])));
    assert_string_equal(t.items[1].by, "b/2");

    tune_say_claim(&log, 0, 1, "x=0.5", "c/3");
    tune_say_died(&log, 0, 1, "killed by signal 9", 12);
    tune_say_died(&log, 0, 1, "killed by signal 9", 12);
    flush_study(&log, &t);
    assert_int_equal(t.items[0].entered, 1);
    assert_int_equal(t.items[0].n_deaths, 2);
    tune_say_died(&log, 0, 1, "killed by signal 9", 20); /* a new checkpoint in between */
    flush_study(&log, &t);
    assert_int_equal(t.items[0].n_deaths, 1);
    tune_say_done(&log, 0, 1, 2.5, 20);
    tune_say_failed(&log, 1, 0, "no memory");
    tune_say_stop(&log, 1);
    flush_study(&log, &t);
    assert_true(t.items[0].seconds == 30);
    assert_true(tune_trial_value(&t.items[0]) == 2.5);
    assert_int_equal(t.items[0].n_deaths, 0);
    assert_true(t.items[1].is_failed && t.items[1].is_stopped);
    assert_string_equal(t.items[1].reason, "no memory");
    tune_say_continue(&log, 1);
    tune_say_max_trials(&log, 40);
    flush_study(&log, &t);
    assert_false(t.items[1].is_failed || t.items[1].is_stopped);
    assert_int_equal(t.study.max_trials, 40);
    end(&log, &t);
}

/* Said of two trials that stand at rung 0, one of them with its result. */
static void test_no_sense(void **state)
{
    static const char *const lines[] = {
        "\"event\": \"what\"",
        "\"event\": \"study\"",
        "\"x\": 1",
        "\"event\": \"claim\", \"trial\": 3, \"rung\": 0, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": -1, \"rung\": 0, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 2, \"rung\": 1, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 0, \"rung\": 2, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 0, \"rung\": -1, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 1, \"rung\": 1, \"hparams\": \"\", \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 0, \"rung\": 1, \"by\": \"\"",
        "\"event\": \"claim\", \"trial\": 0, \"rung\": 1, \"hparams\": \"\"",
        "\"event\": \"done\", \"trial\": 0, \"rung\": 0, \"value\": 1, \"seconds\": 1",
        "\"event\": \"done\", \"trial\": 1, \"rung\": 1, \"value\": 1, \"seconds\": 1",
        "\"event\": \"done\", \"trial\": 1, \"rung\": 0, \"value\": null, \"seconds\": 1",
        "\"event\": \"done\", \"trial\": 2, \"rung\": 0, \"value\": 1, \"seconds\": 1",
        "\"event\": \"failed\", \"trial\": 1, \"rung\": 0",
        "\"event\": \"died\", \"trial\": 1, \"rung\": 0, \"reason\": \"x\"",
        "\"event\": \"stop\"",
        "\"event\": \"stop\", \"trial\": 2",
        "\"event\": \"max_trials\", \"max_trials\": 0",
    };

    (void) state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct t2_err why = T2_ERR_INIT;
        struct tune_trials t;
        struct tune_log log;
        char name[32];

        snprintf(name, sizeof name, "no-sense-%zu", i);
        begin(name, TUNE_ASHA, &log, &t);
        tune_say_claim(&log, 0, 0, "x=0.5", "a/1");
        tune_say_claim(&log, 1, 0, "x=0.25", "b/2");
        tune_say_done(&log, 0, 0, 3.25, 10);
        flush_study(&log, &t);
        tune_log_add(&log, lines[i]);
        STUDY_OK(tune_log_flush(&log, false, err));
        if (tune_trials_read(&t, &log, &why) != T2_EFORMAT)
            fail_msg("%s is taken", lines[i]);
        t_assert_contains(why.message, "study.jsonl'");
        end(&log, &t);
    }
}

static void test_ranks(void **state)
{
    static const double values[] = {3, 1, 1, 2};
    struct tune_trials t;
    struct tune_log log;
    int64_t *order;

    (void) state;
    begin("ranks", TUNE_ASHA, &log, &t);
    assert_int_equal(tune_trials_best(&t), -1);
    for (int i = 0; i < 7; i++)
        tune_say_claim(&log, i, 0, "x=0.5", "a/1");
    for (int i = 0; i < 4; i++)
        tune_say_done(&log, i, 0, values[i], 1);
    tune_say_failed(&log, 4, 0, "x");
    flush_study(&log, &t);
    assert_int_equal(tune_trials_best(&t), 1); /* the earlier of two */
    tune_say_claim(&log, 3, 1, "x=0.5", "a/1");
    tune_say_done(&log, 3, 1, 9, 1); /* further, though worse */
    flush_study(&log, &t);
    assert_int_equal(tune_trials_best(&t), 3);
    order = tune_trials_ranked(&t);
    for (int i = 0; i < 7; i++)
        assert_int_equal(order[i], ((const int[]){3, 1, 2, 0, 5, 6, 4})[i]);
    t2_free(order);
    t.study.maximize = true;
    order = tune_trials_ranked(&t);
    assert_int_equal(order[1], 0);
    t2_free(order);
    end(&log, &t);
}

T_MAIN(cmocka_unit_test(test_story), cmocka_unit_test(test_no_sense), cmocka_unit_test(test_ranks))
