/*
 * tests/unit/train/test_study_worker.c - a worker with a trainer that ends well, fails, is killed,
 * is stopped, or says nothing of the objective.
 */
#include "train/tune/study_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/signals.h"
#include "tests/unit/train/fake_trainer.h"
#include "tests/unit/train/small_study.h"

/* A study in a new folder, worked on by `parallel` at once. */
static enum t2_status work(const char *name, enum tune_algorithm algorithm, const char *more,
                           int parallel, struct tune_trials *t, struct tune_log *log,
                           struct t2_err *err)
{
    struct tune_study s = small_study(algorithm, 6, 3, 90, 10);
    char script[64];
    struct tune_work_options o = {.parallel = parallel, .num_threads = 1};

    t2_log_set_level(T2_LOG_ERROR);
    snprintf(script, sizeof script, "%s.sh", name);
    o.trainer = fake_trainer(script, more);
    begin_study(t_tmp_path(name), &s, log, t);
    return tune_work(log, t, &o, err);
}

static void end(struct tune_trials *t, struct tune_log *log)
{
    tune_trials_release(t);
    tune_log_close(log);
}

static double x_of(const struct tune_trial *trial)
{
    return strtod(trial->hparams + 2, NULL);
}

static void test_all_finish(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;

    (void) state;
    for (int parallel = 1; parallel <= 4; parallel += 3) {
        char name[32];

        snprintf(name, sizeof name, "finish-%d", parallel);
        assert_int_equal(work(name, TUNE_RANDOM, "", parallel, &t, &log, &err), T2_OK);
        assert_int_equal(t.n, 6);
        for (int i = 0; i < 6; i++) {
            assert_int_equal(t.items[i].n_values, 1);
            assert_true(t.items[i].values[0] == x_of(&t.items[i]));
            assert_false(tune_log_is_held(&log, i));
        }
        end(&t, &log);
    }
}

static void test_halving(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;
    int64_t *order;

    (void) state;
    assert_int_equal(work("halving", TUNE_HALVING, "", 2, &t, &log, &err), T2_OK);
    order = tune_trials_ranked(&t);
    for (int i = 0; i < 6; i++)
        assert_int_equal(t.items[order[i]].n_values, i == 0 ? 3 : i == 1 ? 2 : 1);
    for (int i = 1; i < 6; i++)
        assert_true(x_of(&t.items[order[i - 1]]) < x_of(&t.items[order[i]]));
    t2_free(order);
    end(&t, &log);
}

/* One fails, one is no number, one is killed twice and then is well, one is killed always. */
static void test_failures(void **state)
{
    static const char more[] = "case $trial in\n"
                               "1) echo 'x: error: no luck' >&2; exit 1 ;;\n"
                               "2) x=null ;;\n"
                               "3) [ $(wc -l <$dir/args) -gt 2 ] || kill -9 $$ ;;\n"
                               "4) kill -9 $$ ;;\n"
                               "5) steps=1 ;;\n"
                               "esac";
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;

    (void) state;
    assert_int_equal(work("failures", TUNE_RANDOM, more, 2, &t, &log, &err), T2_OK);
    assert_int_equal(t.items[0].n_values, 1);
    assert_true(t.items[1].is_failed);
    assert_string_equal(t.items[1].reason, "no luck");
    assert_true(t.items[2].is_failed);
    assert_string_equal(t.items[2].reason, "loss is not a finite number at step 90");
    assert_int_equal(t.items[3].n_values, 1);
    assert_true(t.items[4].is_failed);
    assert_string_equal(t.items[4].reason, "killed by signal 9, 3 times without a new checkpoint");
    assert_true(t.items[5].is_failed);
    t_assert_contains(t.items[5].reason, "has no evaluation at step 90");
    end(&t, &log);
}

/* That the objective is missing is said once, and of no trial. */
static void test_no_such_metric(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;

    (void) state;
    assert_int_equal(work("metric", TUNE_RANDOM,
                          "echo '{\"kind\": \"eval\", \"step\": 90, \"accuracy\": 1}' "
                          ">>$dir/metrics.jsonl; exit 0",
                          2, &t, &log, &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "have no 'loss' (--autotune_objective); there are accuracy");
    assert_int_equal(t.items[0].n_values, 0);
    assert_false(t.items[0].is_failed);
    end(&t, &log);
}

/* A trainer that somebody stops by a signal is left alone; the others go on. */
static void test_stopped_outside(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;

    (void) state;
    assert_int_equal(work("outside", TUNE_RANDOM, "[ $trial != 1 ] || exit 130", 2, &t, &log, &err),
                     T2_OK);
    assert_true(t.items[1].is_stopped);
    assert_int_equal(t.items[1].n_values, 0);
    assert_int_equal(t.items[5].n_values, 1);
    end(&t, &log);
}

/* Another process asks for a stop while the trial runs. */
static void test_stop_asked(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log, asking;
    const char *dir = t_tmp_path("asked");
    int status;
    pid_t pid;

    (void) state;
    pid = fork();
    if (pid == 0) {
        struct tune_trials seen = {0};

        while (tune_log_open(dir, false, &asking, &err) != T2_OK)
            usleep(10000);
        while (tune_trials_read(&seen, &asking, &err) == T2_OK && seen.n < 1)
            usleep(10000);
        if (tune_log_lock(&asking, &err) != T2_OK ||
            tune_trials_read(&seen, &asking, &err) != T2_OK)
            _exit(1);
        tune_say_stop(&asking, 0);
        _exit(tune_log_flush(&asking, false, &err) == T2_OK ? 0 : 1);
    }
    assert_int_equal(work("asked", TUNE_RANDOM, "[ $trial != 0 ] || exec sleep 60", 1, &t, &log,
                          &err),
                     T2_OK);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(t.items[0].is_stopped);
    assert_int_equal(t.items[0].n_values, 0);
    assert_int_equal(t.items[5].n_values, 1);
    end(&t, &log);
}

/* A signal to the worker reaches its trials; the next worker goes on with them. */
static void test_interrupted(void **state)
{
    struct t2_err why = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;
    int status;
    pid_t pid = fork();

    (void) state;
    if (pid == 0) {
        t2_signals_install();
        _exit(work("interrupted", TUNE_RANDOM,
                   "[ -e $0.again ] || { [ $trial != 0 ] || kill -TERM $PPID; exec sleep 60; }", 2,
                   &t, &log, &why) == T2_EINTERRUPTED &&
                      strstr(why.message, "0 of 6 trials have ended")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    t_write_file(t_tmp_path("interrupted.sh.again"), "", 0); /* for all trials of the next worker */
    t = (struct tune_trials){0};
    STUDY_OK(tune_log_open(t_tmp_path("interrupted"), false, &log, err));
    STUDY_OK(tune_trials_read(&t, &log, err));
    assert_int_equal(t.n, 2);
    assert_int_equal(tune_work(&log, &t,
                               &(struct tune_work_options){.trainer = t_tmp_path("interrupted.sh"),
                                                           .parallel = 2},
                               &why),
                     T2_OK);
    for (int i = 0; i < 6; i++)
        assert_int_equal(t.items[i].n_values, 1);
    end(&t, &log);
}

/* A study's file that cannot be written ends the work, and the trials with it. */
static void test_no_room(void **state)
{
    struct tune_study s = small_study(TUNE_RANDOM, 6, 3, 90, 10);
    struct tune_work_options o = {.trainer = fake_trainer("room.sh", ""), .parallel = 1};
    struct t2_err err = T2_ERR_INIT;
    struct tune_trials t;
    struct tune_log log;
    int good;

    (void) state;
    begin_study(t_tmp_path("room"), &s, &log, &t);
    good = log.fd;
    log.fd = open("/dev/null", O_RDONLY);
    assert_true(log.fd >= 0);
    assert_int_equal(tune_work(&log, &t, &o, &err), T2_EIO);
    close(log.fd);
    log.fd = good;
    end(&t, &log);
}

T_MAIN(cmocka_unit_test(test_all_finish), cmocka_unit_test(test_halving),
       cmocka_unit_test(test_failures), cmocka_unit_test(test_no_such_metric),
       cmocka_unit_test(test_stopped_outside), cmocka_unit_test(test_stop_asked),
       cmocka_unit_test(test_interrupted), cmocka_unit_test(test_no_room))
