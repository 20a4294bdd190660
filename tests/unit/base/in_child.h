/*
 * tests/unit/base/in_child.h - runs a function in a child process and keeps what it printed, for
 * what aborts, exits, or writes to stdout and stderr.
 */
#ifndef T2_TESTS_UNIT_BASE_IN_CHILD_H
#define T2_TESTS_UNIT_BASE_IN_CHILD_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"

enum { CHILD_TEXT_BYTES = 16384 };

struct child {
    int exit_code; /* -1 when a signal ended it */
    int signal;    /* 0 when it exited */
    char out[CHILD_TEXT_BYTES];
    char err[CHILD_TEXT_BYTES];
};

static inline void child_read(FILE *f, char text[CHILD_TEXT_BYTES])
{
    size_t n;

    rewind(f);
    n = fread(text, 1, CHILD_TEXT_BYTES - 1, f);
    text[n] = '\0';
    fclose(f);
}

/* Runs before the exit handlers that the child has inherited: the temporary folder is its
 * parent's.  Handlers that the child itself installs have run by then. */
static inline void child_leave(int code, void *unused)
{
    (void) unused;
    fflush(NULL);
    _exit(code);
}

/* fn(arg) in a child; returning from fn is exit code 0.  The result is valid until the next
 * call. */
static inline const struct child *child_run(void (*fn)(void *), void *arg)
{
    static struct child c;
    FILE *out = tmpfile(), *err = tmpfile();
    int status;
    pid_t pid;

    assert_non_null(out);
    assert_non_null(err);
    fflush(NULL);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        on_exit(child_leave, NULL);
        fn(arg);
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    c.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    c.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    child_read(out, c.out);
    child_read(err, c.err);
    return &c;
}

/* fn(arg) must end the program as t2_out_of_memory does. */
static inline void assert_no_memory(void (*fn)(void *), void *arg, const char *message)
{
    const struct child *c = child_run(fn, arg);

    assert_int_equal(c->exit_code, 1);
    t_assert_contains(c->err, message);
}

/* fn(arg) must end in abort() and say why. */
static inline void assert_aborts(void (*fn)(void *), void *arg, const char *message)
{
    const struct child *c = child_run(fn, arg);

    assert_int_equal(c->signal, SIGABRT);
    t_assert_contains(c->err, message);
}

#endif
