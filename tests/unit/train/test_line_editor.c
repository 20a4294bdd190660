/*
 * tests/unit/train/test_line_editor.c - lines of a person, played through a pseudo-terminal.
 */
#include "train/decode/line_editor.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/signals.h"
#include "tests/support/t.h"

enum { PATIENCE_MS = 60000 };

/* The program at the terminal: lines in brackets to a pipe, then how it ended. */
static _Noreturn void be_program(int to)
{
    struct t2_err err = T2_ERR_INIT;
    struct dec_line_editor *e;
    struct t2_slice line;
    enum t2_status st;

    t2_signals_install();
    e = dec_line_editor_new("> ");
    if (!e)
        _exit(77);
    while ((st = dec_line_editor_next(e, &line, &err)) == T2_OK)
        dprintf(to, "[%.*s]", (int) line.len_bytes, (const char *) line.data);
    dprintf(to, "%s", t2_status_name(st));
    dec_line_editor_free(e);
    _exit(0);
}

static char got[1000]; /* of the program, from its pipe */
static size_t n_got;

static bool can_read(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 1) == 1;
}

static int n_lines(void)
{
    int n = 0;

    for (size_t i = 0; i < n_got; i++)
        n += got[i] == ']';
    return n;
}

/* Until the program has given n lines and edits the next: keys that come before the terminal is in
 * its hands are the system's, which takes Ctrl-D for itself. */
static void wait_for_line(int terminal, int from, int n)
{
    for (int waited_ms = 0; waited_ms < PATIENCE_MS; waited_ms += 2) {
        static char screen[1 << 12];
        struct termios now;

        if (can_read(terminal))
            assert_true(read(terminal, screen, sizeof screen) > 0);
        if (can_read(from)) {
            ssize_t step = read(from, got + n_got, sizeof got - 1 - n_got);
            assert_true(step > 0);
            n_got += (size_t) step;
        }
        assert_int_equal(tcgetattr(terminal, &now), 0);
        if (n_lines() == n && !(now.c_lflag & ICANON))
            return;
    }
    fail_msg("line %d is not asked for", n);
}

/* What the program got of the keys, line by line; the last ones may end it. */
static void play(const char *const *keys, int n, const char *want)
{
    int fds[2], terminal, status;
    struct termios after;
    ssize_t step;
    pid_t pid;

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(setenv("TERM", "vt100", 1), 0);
    pid = forkpty(&terminal, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0)
        be_program(fds[1]);
    (void) close(fds[1]);
    n_got = 0;
    for (int i = 0; i < n; i++) {
        wait_for_line(terminal, fds[0], i);
        assert_int_equal(write(terminal, keys[i], strlen(keys[i])), (ssize_t) strlen(keys[i]));
    }
    while ((step = read(fds[0], got + n_got, sizeof got - 1 - n_got)) > 0)
        n_got += (size_t) step;
    got[n_got] = 0;
    (void) close(fds[0]);
    assert_int_equal(tcgetattr(terminal, &after), 0);
    (void) close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(got, want);
    assert_int_equal(after.c_lflag & (ECHO | ICANON),
                     ECHO | ICANON); /* the terminal is given back */
}

#define LEFT "\x1B[D"
#define UP "\x1B[A"
#define CONTROL_A "\x01"
#define CONTROL_C "\x03"
#define CONTROL_D "\x04"

static bool is_built(void)
{
#ifdef T2_HAVE_EDIT
    return true;
#else
    return false;
#endif
}

static void test_editing(void **state)
{
    const char *const keys[] = {"ac" LEFT "b\r", UP "!\r",
                                "\xC3\xA9t\xC3\xA9" CONTROL_A "\xE2\x82\xAC\r", "\r", CONTROL_D};

    (void) state;
    if (!is_built())
        t_skip("built without libedit");
    play(keys, 5, "[abc][abc!][\xE2\x82\xAC\xC3\xA9t\xC3\xA9][]T2_EOF");
}

static void test_interrupt(void **state)
{
    const char *const keys[] = {"abc\r", "de" CONTROL_C};

    (void) state;
    if (!is_built())
        t_skip("built without libedit");
    play(keys, 2, "[abc]T2_EINTERRUPTED");
}

/* Without a terminal there is no editor. */
static void test_pipe(void **state)
{
    (void) state;
    if (isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
        t_skip("this is a terminal");
    assert_null(dec_line_editor_new("> "));
}

T_MAIN(cmocka_unit_test(test_editing), cmocka_unit_test(test_interrupt),
       cmocka_unit_test(test_pipe))
