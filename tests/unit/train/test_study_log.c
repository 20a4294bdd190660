/*
 * tests/unit/train/test_study_log.c - lines that are appended and read, whatever a dead writer left
 * behind; locks that a dead process gives back.
 */
#include "train/tune/study_log.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"

#define OK(expression)                                                                             \
    do {                                                                                           \
        struct t2_err ok_err = T2_ERR_INIT;                                                        \
        struct t2_err *err = &ok_err;                                                              \
                                                                                                   \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err->message);                                                          \
    } while (0)

static const char *new_dir(void)
{
    static int n;
    char name[32];

    snprintf(name, sizeof name, "study-%d", n++);
    return t_tmp_path(name);
}

/* The values of "v", one after the other. */
struct seen {
    int64_t values[64];
    int64_t n;
};

static enum t2_status see(void *context, int64_t n, const struct t2_json_value *line,
                          struct t2_err *err)
{
    struct seen *s = context;

    (void) err;
    assert_int_equal(n, s->n);
    s->values[s->n++] = t2_json_as_i64(t2_json_get(line, "v"), -1);
    return T2_OK;
}

/* As any process does: lock, read, append, unlock. */
static void append(struct tune_log *log, struct seen *s, int v)
{
    char members[32];

    OK(tune_log_lock(log, err));
    OK(tune_log_read(log, see, s, err));
    snprintf(members, sizeof members, "\"v\": %d", v);
    tune_log_add(log, members);
    OK(tune_log_flush(log, true, err));
    tune_log_unlock(log);
}

static void test_append_and_read(void **state)
{
    const char *dir = new_dir();
    struct seen a = {.n = 0}, b = {.n = 0};
    struct tune_log one, two;
    struct t2_err why = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tune_log_open(dir, false, &one, &why), T2_ENOTFOUND);
    t_assert_contains(why.message, "no study here");
    assert_int_equal(tune_log_open_to_read(dir, &one, &why), T2_ENOTFOUND);
    OK(tune_log_open(dir, true, &one, err));
    OK(tune_log_open_to_read(dir, &two, err));
    append(&one, &a, 10);
    OK(tune_log_read(&two, see, &b, err));
    assert_int_equal(b.n, 1);
    append(&one, &a, 11);
    append(&one, &a, 12);
    OK(tune_log_read(&two, see, &b, err));
    OK(tune_log_read(&two, see, &b, err));
    assert_int_equal(b.n, 3);
    assert_int_equal(b.values[2], 12);
    tune_log_close(&one);
    tune_log_close(&two);
    tune_log_close(&two); /* does nothing */
}

static char *file_of(const char *dir)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/study.jsonl", dir);
    return path;
}

static int64_t count_good(const char *dir)
{
    struct seen s = {.n = 0};
    struct tune_log log;

    OK(tune_log_open_to_read(dir, &log, err));
    OK(tune_log_read(&log, see, &s, err));
    tune_log_close(&log);
    return s.n;
}

/* Cut at every byte, and continued by another process: nothing that was whole is lost, the piece
 * counts for nobody, or as whole for all. */
static void test_cut_anywhere(void **state)
{
    const char *dir = new_dir();
    struct seen s = {.n = 0};
    struct tune_log log;
    size_t n;
    char *whole;

    (void) state;
    OK(tune_log_open(dir, true, &log, err));
    for (int i = 0; i < 3; i++)
        append(&log, &s, i);
    tune_log_close(&log);
    whole = t_read_file(file_of(dir), &n);
    for (size_t cut = 0; cut <= n; cut++) {
        struct seen before = {.n = 0}, after = {.n = 0};
        int64_t n_before;
        char *text;
        size_t n_text;

        t_write_file(file_of(dir), whole, cut);
        n_before = count_good(dir);
        OK(tune_log_open(dir, true, &log, err));
        append(&log, &before, 77);
        assert_int_equal(before.n, n_before);
        append(&log, &before, 78);
        tune_log_close(&log);
        OK(tune_log_open_to_read(dir, &log, err));
        OK(tune_log_read(&log, see, &after, err));
        tune_log_close(&log);
        assert_int_equal(after.n, n_before + 2);
        assert_int_equal(after.values[n_before], 77);
        assert_int_equal(after.values[n_before + 1], 78);
        text = t_read_file(file_of(dir), &n_text);
        assert_memory_equal(text, whole, cut); /* nothing is taken away */
        free(text);
    }
    free(whole);
}

/* A reader that came in the middle of a write gets the line at its next look. */
static void test_being_written(void **state)
{
    const char *dir = new_dir();
    struct seen a = {.n = 0}, b = {.n = 0};
    struct tune_log log, reader;
    size_t n;
    char *whole;

    (void) state;
    OK(tune_log_open(dir, true, &log, err));
    append(&log, &a, 1);
    append(&log, &a, 2);
    whole = t_read_file(file_of(dir), &n);
    t_write_file(file_of(dir), whole, n - 20);
    OK(tune_log_open_to_read(dir, &reader, err));
    OK(tune_log_read(&reader, see, &b, err));
    assert_int_equal(b.n, 1);
    t_write_file(file_of(dir), whole, n);
    OK(tune_log_read(&reader, see, &b, err));
    assert_int_equal(b.n, 2);
    tune_log_close(&log);
    tune_log_close(&reader);
    free(whole);
}

static void check_refused(const char *text, const char *message)
{
    const char *dir = new_dir();
    struct t2_err why = T2_ERR_INIT;
    struct seen s = {.n = 0};
    struct tune_log log;

    OK(tune_log_open(dir, true, &log, err));
    t_write_file(file_of(dir), text, strlen(text));
    assert_int_equal(tune_log_read(&log, see, &s, &why), T2_EFORMAT);
    t_assert_contains(why.message, message);
    tune_log_close(&log);
}

/* Bytes that change after they were written, lines that vanish, lines of two writers. */
static void test_damage(void **state)
{
    const char *dir = new_dir();
    struct seen s = {.n = 0};
    struct tune_log log;
    char *whole, *second, *third, *twice;
    size_t n;

    (void) state;
    OK(tune_log_open(dir, true, &log, err));
    for (int i = 0; i < 3; i++)
        append(&log, &s, i);
    tune_log_close(&log);
    whole = t_read_file(file_of(dir), &n);
    second = strchr(whole, '\n') + 1;
    third = strchr(second, '\n') + 1;
    twice = malloc(2 * n + 1);
    assert_non_null(twice);

    /* damage in the last line cannot be told from one that was cut short */
    for (size_t at = 0; at < (size_t) (third - whole); at++) {
        if (whole[at] == '\n')
            continue;
        whole[at] ^= 1;
        check_refused(whole, "is damaged or missing");
        whole[at] ^= 1;
    }
    check_refused(second, "line 0 is damaged or missing (the next one has number 1)");
    snprintf(twice, 2 * n + 1, "%s%s", whole, third);
    check_refused(twice, "line 2 is there twice");
    free(twice);
    free(whole);
}

/* In a process of its own, which ends by SIGKILL with everything held. */
static pid_t hold_in_child(const char *dir, int64_t trial, int *told)
{
    int ends[2];
    char byte;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
        struct t2_err why = T2_ERR_INIT;
        struct tune_log log;
        int fd;

        if (tune_log_open(dir, false, &log, &why) == T2_OK && tune_log_lock(&log, &why) == T2_OK &&
            tune_log_hold(&log, trial, &fd, &why) == T2_OK &&
            tune_log_attend(&log, trial, &why) == T2_OK && write(ends[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    *told = ends[1];
    return pid;
}

static void test_locks(void **state)
{
    const char *dir = new_dir();
    struct t2_err why = T2_ERR_INIT;
    struct tune_log log, looking;
    int told, status, fd, copy;
    pid_t pid;

    (void) state;
    OK(tune_log_open(dir, true, &log, err));
    OK(tune_log_open_to_read(dir, &looking, err));
    pid = hold_in_child(dir, 5, &told);
    assert_true(tune_log_is_held(&log, 5));
    assert_false(tune_log_is_held(&log, 4));
    assert_int_equal(tune_log_hold(&log, 5, &fd, &why), T2_EIO);
    assert_int_equal(fd, -1);
    t_assert_contains(why.message, "another process took trial 5");
    OK(tune_log_hold(&log, 4, &fd, err));
    assert_true(tune_log_is_attended(&log, 5));
    assert_int_equal(tune_log_attend(&log, 5, &why), T2_EIO);
    assert_false(tune_log_is_attended(&looking, 4));
    OK(tune_log_attend(&log, 4, err));
    assert_true(tune_log_is_attended(&looking, 4));
    assert_false(tune_log_is_attended(&log, 4)); /* by another one */
    tune_log_unattend(&log, 4);
    assert_false(tune_log_is_attended(&looking, 4));
    tune_log_close(&looking);               /* gives nothing back */
    assert_true(tune_log_is_held(&log, 4)); /* our own */
    copy = dup(fd);                         /* as a trainer has it */
    tune_log_let_go(fd);
    assert_true(tune_log_is_held(&log, 4));
    close(copy);
    assert_false(tune_log_is_held(&log, 4));
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    OK(tune_log_lock(&log, err)); /* would wait for ever */
    assert_false(tune_log_is_held(&log, 5));
    assert_false(tune_log_is_attended(&log, 5));
    OK(tune_log_hold(&log, 5, &fd, err));
    tune_log_let_go(fd);
    tune_log_unlock(&log);
    tune_log_close(&log);
    close(told);
}

/* Many processes append at once: every line is there once, in order. */
static void test_writers(void **state)
{
    enum { N_WRITERS = 4, N_LINES = 12 };
    const char *dir = new_dir();
    struct seen s = {.n = 0};
    struct tune_log log;

    (void) state;
    OK(tune_log_open(dir, true, &log, err));
    for (int i = 0; i < N_WRITERS; i++) {
        if (fork() == 0) {
            struct seen own = {.n = 0};
            struct tune_log mine;

            OK(tune_log_open(dir, false, &mine, err));
            for (int k = 0; k < N_LINES; k++)
                append(&mine, &own, 100 * i + k);
            _exit(0);
        }
    }
    for (int i = 0; i < N_WRITERS; i++) {
        int status;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    OK(tune_log_read(&log, see, &s, err));
    assert_int_equal(s.n, N_WRITERS * N_LINES);
    for (int i = 0; i < N_WRITERS; i++) {
        int64_t next = 100 * i;

        for (int64_t k = 0; k < s.n; k++)
            if (s.values[k] / 100 == i)
                assert_int_equal(s.values[k], next++);
        assert_int_equal(next, 100 * i + N_LINES);
    }
    tune_log_close(&log);
}

T_MAIN(cmocka_unit_test(test_append_and_read), cmocka_unit_test(test_cut_anywhere),
       cmocka_unit_test(test_being_written), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_locks), cmocka_unit_test(test_writers))
