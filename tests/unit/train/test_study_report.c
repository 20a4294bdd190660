/*
 * tests/unit/train/test_study_report.c - what is said of a study: states, table, JSON, page.
 */
#include "train/tune/study_report.h"

#include <stdlib.h>

#include "base/file.h"
#include "tests/unit/train/small_study.h"
#include "train/tune/trial_process.h"

/* Five trials: finished, at a rung, claimed and left, stopped, failed. */
static const char *make(const char *name, struct tune_log *log, struct tune_trials *t)
{
    struct tune_study s = small_study(TUNE_ASHA, 9, 3, 90, 10);
    static const char metrics[] = "{\"kind\": \"eval\", \"step\": 10, \"loss\": 2}\n"
                                  "{\"kind\": \"eval\", \"step\": 30, \"loss\": 1.5}\n";
    const char *dir = t_tmp_path(name);
    char *trial_dir = tune_trial_dir(dir, 0), *path = t2_path_join(trial_dir, "metrics.jsonl");

    begin_study(dir, &s, log, t);
    STUDY_OK(t2_write_file(path, metrics, sizeof metrics - 1, err));
    STUDY_OK(tune_log_lock(log, err));
    for (int i = 0; i < 5; i++)
        tune_say_claim(log, i, 0, i == 0 ? "x=0.5" : "x=0.25", "node/1");
    tune_say_done(log, 0, 0, 2, 60);
    tune_say_claim(log, 0, 1, "x=0.5", "node/1");
    tune_say_done(log, 0, 1, 1.5, 60);
    tune_say_claim(log, 0, 2, "x=0.5", "node/1");
    tune_say_done(log, 0, 2, 1, 60);
    tune_say_done(log, 1, 0, 3, 60);
    tune_say_stop(log, 3);
    tune_say_failed(log, 4, 0, "</script><b>no luck");
    flush_study(log, t);
    tune_log_unlock(log);
    t2_free(path);
    t2_free(trial_dir);
    return dir;
}

static void end(struct tune_log *log, struct tune_trials *t)
{
    tune_trials_release(t);
    tune_log_close(log);
}

static void test_words(void **state)
{
    struct tune_trials t;
    struct tune_log log;
    struct t2_buf text = {0};
    const char *dir = make("words", &log, &t);

    (void) state;
    tune_report_status(&t, &log, &text);
    t_assert_contains(t2_buf_cstr(&text),
                      "asha, loss to be minimized, 9 trials, steps 10, 30, 90\n"
                      "trials: 1 finished, 1 at rung, 1 interrupted, 1 stopped, "
                      "1 failed, 4 to begin\n"
                      "trial 2: interrupted  x=0.25\n"
                      "trial 3: stopped  x=0.25\n"
                      "trial 4: failed: </script><b>no luck  x=0.25\n"
                      "best so far: trial 0, 1 at step 90  x=0.5\n");
    t2_buf_clear(&text);
    tune_report_text(&t, &log, 2, &text);
    t_assert_contains(t2_buf_cstr(&text), "trial  state             step          loss     x\n"
                                          "    0  finished            90             1   0.5\n"
                                          "    1  at rung             10             3  0.25\n"
                                          "  ... and 3 more\n"
                                          "best: trial 0, 1 at step 90\n"
                                          "cd / && t2t-trainer --problem=ids --output_dir=");
    t_assert_contains(t2_buf_cstr(&text), dir);
    t_assert_contains(t2_buf_cstr(&text), "/best --hparams=batch_size=7,x=0.5\n");
    t2_buf_release(&text);
    end(&log, &t);
}

/* Nothing has happened yet. */
static void test_empty(void **state)
{
    struct tune_study s = small_study(TUNE_RANDOM, 9, 3, 90, 10);
    struct tune_trials t;
    struct tune_log log;
    struct t2_buf text = {0};

    (void) state;
    begin_study(t_tmp_path("empty"), &s, &log, &t);
    tune_report_text(&t, &log, 2, &text);
    t_assert_contains(t2_buf_cstr(&text), "\ntrials: 9 to begin\n");
    t2_buf_clear(&text);
    STUDY_OK(tune_report_json(&t, &log, &text, err));
    t_assert_contains(t2_buf_cstr(&text), "\"best\": null, \"trials\": []}");
    t2_buf_release(&text);
    end(&log, &t);
}

static void test_json(void **state)
{
    struct tune_trials t;
    struct tune_log log;
    struct t2_buf text = {0};
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *trials, *first;
    char *trial_dir, *path;

    (void) state;
    (void) make("json", &log, &t);
    STUDY_OK(tune_report_json(&t, &log, &text, err));
    STUDY_OK(t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "x", &doc, err));
    trials = t2_json_get(t2_json_root(doc), "trials");
    first = t2_json_item(trials, 0);
    assert_int_equal(t2_json_size(trials), 5);
    assert_int_equal(t2_json_size(t2_json_get(first, "rungs")), 3);
    assert_int_equal(t2_json_size(t2_json_get(first, "curve")), 2);
    assert_true(t2_json_as_double(t2_json_get(first, "value"), 0) == 1);
    assert_true(t2_json_as_double(t2_json_get(first, "seconds"), 0) == 180);
    assert_true(t2_json_as_double(t2_json_get(t2_json_get(first, "hparams"), "x"), 0) == 0.5);
    assert_string_equal(t2_json_as_string(t2_json_get(t2_json_item(trials, 4), "reason"), ""),
                        "</script><b>no luck");
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_get(t2_json_root(doc), "best"), "trial"),
                                    9),
                     0);
    t2_json_free(doc);

    /* metrics.jsonl that is no file */
    trial_dir = tune_trial_dir(log.dir, 1);
    path = t2_path_join(trial_dir, "metrics.jsonl");
    STUDY_OK(t2_make_dirs(path, err));
    t2_buf_clear(&text);
    {
        struct t2_err why = T2_ERR_INIT;

        assert_int_equal(tune_report_json(&t, &log, &text, &why), T2_EIO);
    }
    t2_free(path);
    t2_free(trial_dir);
    t2_buf_release(&text);
    end(&log, &t);
}

/* The data stand in the page as a script that no text of theirs can end. */
static void test_page(void **state)
{
    struct tune_trials t;
    struct tune_log log;
    struct t2_buf page = {0};
    const char *data, *data_end;

    (void) state;
    (void) make("page", &log, &t);
    STUDY_OK(tune_report_page(&t, &log, &page, err));
    data = strstr(t2_buf_cstr(&page), "type=\"application/json\">");
    assert_non_null(data);
    data_end = strstr(data, "</script>");
    assert_non_null(data_end);
    t_assert_contains(data, "\\u003c/script>\\u003cb>no luck");
    assert_true(strstr(data, "no luck") < data_end);
    assert_null(strstr(t2_buf_cstr(&page), "src=")); /* nothing from elsewhere */
    assert_null(strstr(t2_buf_cstr(&page), "href="));
    t2_buf_release(&page);
    end(&log, &t);
}

T_MAIN(cmocka_unit_test(test_words), cmocka_unit_test(test_empty), cmocka_unit_test(test_json),
       cmocka_unit_test(test_page))
