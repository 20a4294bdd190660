/*
 * tests/unit/train/test_trial_process.c - what a trial's process is given, and what it says last.
 */
#include "train/tune/trial_process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "tests/unit/train/fake_trainer.h"
#include "tests/unit/train/small_study.h"
#include "train/tune/study_log.h"

static int run(const struct tune_start *start)
{
    struct t2_err err = T2_ERR_INIT;
    int status;
    pid_t pid;

    if (tune_process_start(start, &pid, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static char *text_in(const char *dir, const char *name)
{
    char *path = t2_path_join(dir, name);
    size_t n;
    char *text = t_read_file(path, &n);

    t2_free(path);
    return text;
}

static void test_start(void **state)
{
    struct tune_study s = small_study(TUNE_ASHA, 20, 3, 90, 10);
    const char *dir = t_tmp_path("start");
    struct tune_start start = {.study = &s,
                               .study_dir = dir,
                               .trainer =
                                   fake_trainer("trainer",
                                                "pwd >$dir/pwd; env >$dir/env; echo told; cat"),
                               .hparams = "x=0.5",
                               .lock_fd = -1,
                               .trial = 7,
                               .rung = 1,
                               .slot = 2,
                               .num_threads = 3,
                               .max_memory = 1 << 20};
    char want[8192], *got, *trial_dir = tune_trial_dir(dir, 7);

    (void) state;
    assert_int_equal(setenv("OMPI_COMM_WORLD_RANK", "3", 1), 0);
    assert_int_equal(setenv("SLURM_PROCID", "3", 1), 0);
    assert_int_equal(setenv("MINE", "is kept", 1), 0);
    assert_int_equal(run(&start), 0);
    got = text_in(trial_dir, "args");
    snprintf(want, sizeof want,
             "--problem=ids --output_dir=%s/trials/0007 --hparams=batch_size=7,x=0.5 "
             "--pause_at_step=30 --num_threads=3 --max_memory=1048576\n",
             dir);
    assert_string_equal(got, want);
    free(got);
    got = text_in(trial_dir, "pwd");
    assert_string_equal(got, "/\n"); /* study->cwd */
    free(got);
    got = text_in(trial_dir, "env");
    t_assert_contains(got, "T2_TUNE_TRIAL=7\n");
    t_assert_contains(got, "T2_TUNE_SLOT=2\n");
    t_assert_contains(got, "MINE=is kept\n");
    assert_null(strstr(got, "OMPI_"));
    assert_null(strstr(got, "SLURM_PROCID"));
    free(got);
    got = text_in(trial_dir, "log.txt");
    assert_string_equal(got, "told\n");
    free(got);

    start.rung = 2; /* to the end */
    start.num_threads = 0;
    start.max_memory = 0;
    assert_int_equal(run(&start), 0);
    got = text_in(trial_dir, "args");
    t_assert_contains(got, "x=0.5\n");
    free(got);
    t2_free(trial_dir);
    tune_study_release(&s);
}

/* The lock of the trial is the process's, too: its descriptor outlives exec, and the worker. */
static void test_lock(void **state)
{
    struct tune_study s = small_study(TUNE_RANDOM, 20, 3, 90, 10);
    const char *dir = t_tmp_path("lock");
    struct tune_start start = {.study = &s,
                               .study_dir = dir,
                               .hparams = "x=1",
                               .trainer = fake_trainer("waits", "read x <$dir/go")};
    struct t2_err err = T2_ERR_INIT;
    char *trial_dir = tune_trial_dir(dir, 0), *go = t2_path_join(trial_dir, "go");
    struct tune_log log;
    int status, fd;
    pid_t pid;

    (void) state;
    assert_int_equal(t2_make_dirs(trial_dir, &err), T2_OK);
    assert_int_equal(mkfifo(go, 0600), 0);
    assert_int_equal(tune_log_open(dir, true, &log, &err), T2_OK);
    assert_int_equal(tune_log_hold(&log, 0, &start.lock_fd, &err), T2_OK);
    assert_int_equal(tune_process_start(&start, &pid, &err), T2_OK);
    tune_log_let_go(start.lock_fd);
    fd = open(go, O_WRONLY); /* the trainer runs */
    assert_true(fd >= 0);
    assert_true(tune_log_is_held(&log, 0));
    close(fd);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_false(tune_log_is_held(&log, 0));
    tune_log_close(&log);
    t2_free(go);
    t2_free(trial_dir);
    tune_study_release(&s);
}

static void test_cannot(void **state)
{
    struct tune_study s = small_study(TUNE_RANDOM, 20, 3, 90, 10);
    const char *dir = t_tmp_path("cannot");
    struct tune_start start = {.study = &s,
                               .study_dir = dir,
                               .trainer = "no-such-program",
                               .hparams = "x=1",
                               .lock_fd = -1};
    char *trial_dir = tune_trial_dir(dir, 0), *words;
    struct t2_err err = T2_ERR_INIT;
    pid_t pid;

    (void) state;
    assert_int_equal(WEXITSTATUS(run(&start)), 127);
    words = tune_last_words(trial_dir);
    assert_string_equal(words, "cannot start no-such-program: No such file or directory");
    t2_free(words);
    t2_free(s.cwd);
    s.cwd = t2_strdup("/no/such/folder");
    assert_int_equal(WEXITSTATUS(run(&start)), 127);
    words = tune_last_words(trial_dir);
    assert_string_equal(words, "cannot enter the folder that the search was started in: "
                               "/no/such/folder: No such file or directory");
    t2_free(words);
    start.study_dir = "/proc/nowhere";
    assert_int_not_equal(tune_process_start(&start, &pid, &err), T2_OK);
    t2_free(trial_dir);
    tune_study_release(&s);
}

static void test_last_words(void **state)
{
    static const struct {
        const char *log, *words;
    } cases[] = {
        {"", ""},
        {"\n\n", ""},
        {"one\ntwo", "two"},
        {"one\ntwo\n\n", "two"},
        {"t2t-trainer: error: the first\nt2t-trainer: error: out of sugar\nbye\n", "out of sugar"},
    };
    const char *dir = t_tmp_path("words");
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(dir, "log.txt"), *words, *large;

    (void) state;
    words = tune_last_words(dir); /* no log */
    assert_string_equal(words, "");
    t2_free(words);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t_write_file(path, cases[i].log, strlen(cases[i].log));
        words = tune_last_words(dir);
        assert_string_equal(words, cases[i].words);
        t2_free(words);
    }
    large = malloc(100000);
    assert_non_null(large);
    memset(large, 'x', 100000);
    memcpy(large + 99980, "\nerror: at the end", 18);
    t_write_file(path, large, 99998);
    words = tune_last_words(dir);
    assert_string_equal(words, "at the end");
    t2_free(words);
    free(large);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_start), cmocka_unit_test(test_lock), cmocka_unit_test(test_cannot),
       cmocka_unit_test(test_last_words))
