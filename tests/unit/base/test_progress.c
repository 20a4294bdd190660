/*
 * tests/unit/base/test_progress.c - lines where stderr is no terminal, redrawing where it is one.
 */
#include "base/progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/flags.h"
#include "base/log.h"
#include "tests/unit/base/in_child.h"

static void long_work(void *unit)
{
    struct t2_progress p;

    t2_progress_start(&p, "reading", unit, 4000000);
    p.started_s -= 10; /* as if it had begun ten seconds ago */
    p.printed_s -= 10;
    t2_progress_update(&p, 1000000);
    t2_progress_update(&p, 1000001); /* too soon for another line */
    t2_progress_end(&p);
}

static void test_lines(void **state)
{
    char lines[] = "lines", bytes[] = "bytes";
    const char *err = child_run(long_work, lines)->err;
    const char *first = "t2t: reading: 1000000 of 4000000 lines, ";

    (void) state;
    assert_memory_equal(err, first, strlen(first));
    t_assert_contains(err, " lines/s, ETA 30 s\n");
    t_assert_contains(err, "t2t: reading: 1000001 of 4000000 lines, ");
    err = child_run(long_work, bytes)->err;
    t_assert_contains(err, "t2t: reading: 1.0 MB of 4.0 MB, 100.0 kB/s, ETA 30 s\n");
}

static void short_work(void *arg)
{
    struct t2_progress p;

    (void) arg;
    t2_progress_start(&p, "reading", "lines", 0);
    t2_progress_update(&p, 10);
    t2_progress_end(&p);
    t2_progress_end(&p);
}

static void test_short_work_is_silent(void **state)
{
    (void) state;
    assert_string_equal(child_run(short_work, NULL)->err, "");
}

static void quiet_work(void *flag)
{
    char tool[] = "tool";
    char *argv[] = {tool, flag, NULL};
    const struct t2_tool t = {.name = "tool", .summary = "Test."};
    struct t2_strs rest = {0};
    struct t2_err err = T2_ERR_INIT;
    char unit[] = "lines";

    if (t2_flags_parse(&t, 2, argv, &rest, &err) != T2_OK)
        exit(t2_report(&err));
    long_work(unit);
}

static void test_quiet(void **state)
{
    char quiet[] = "--quiet", verbosity[] = "--verbosity=warning";

    (void) state;
    assert_string_equal(child_run(quiet_work, quiet)->err, "");
    assert_string_equal(child_run(quiet_work, verbosity)->err, "");
}

/* Unknown total: no ETA. */
static void unknown_total(void *arg)
{
    struct t2_progress p;

    (void) arg;
    t2_progress_start(&p, "counting", "words", 0);
    p.started_s -= 10;
    p.printed_s -= 10;
    t2_progress_update(&p, 50);
    p.active = 0;
}

static void test_unknown_total(void **state)
{
    (void) state;
    assert_string_equal(child_run(unknown_total, NULL)->err,
                        "t2t: counting: 50 words, 5 words/s\n");
}

/* What `work` writes to a terminal; owned by the caller. */
static char *on_terminal(void (*work)(void *), void *arg)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY), slave, old;
    char *text = calloc(1, 512);
    size_t n = 0;
    ssize_t k;

    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
        t_skip("no pseudo terminal");
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    if (slave < 0)
        t_skip("no pseudo terminal");
    old = dup(STDERR_FILENO);
    dup2(slave, STDERR_FILENO);
    work(arg);
    dup2(old, STDERR_FILENO);
    fcntl(master, F_SETFL, O_NONBLOCK);
    while ((k = read(master, text + n, 511 - n)) > 0)
        n += (size_t) k;
    close(old);
    close(slave);
    close(master);
    return text;
}

static void test_terminal_is_redrawn(void **state)
{
    char lines[] = "lines", *text = on_terminal(long_work, lines);
    size_t n = strlen(text);

    (void) state;
    assert_true(n > 4);
    assert_memory_equal(text, "\r\033[Kreading: 1000000 of 4000000 lines, ", 38);
    assert_string_equal(text + n - 4, "\r\033[K");
    assert_null(strchr(text, '\n'));
    free(text);
}

/* Lines of the caller's own: the first at once, others in time. */
static void live_work(void *n_drawn)
{
    struct t2_progress p;

    t2_progress_start_live(&p);
    for (int i = 0; i < 2; i++)
        if (t2_progress_live_due(&p)) {
            t2_progress_live_draw(&p, "step 1");
            ++*(int *) n_drawn;
        }
    t2_progress_live_draw(&p, "step 2");
    t2_progress_update(&p, 5);
    t2_progress_end(&p);
}

static void test_live_line(void **state)
{
    int n_drawn = 0;
    char *text = on_terminal(live_work, &n_drawn);

    (void) state;
    assert_int_equal(n_drawn, 1);
    assert_string_equal(text, "\r\033[Kstep 1\r\033[Kstep 2\r\033[K");
    free(text);
    assert_string_equal(child_run(live_work, &n_drawn)->err, "");
}

static void test_clock_runs(void **state)
{
    double a = t2_now_s();

    (void) state;
    usleep(2000);
    assert_true(t2_now_s() - a >= 0.001);
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_short_work_is_silent),
       cmocka_unit_test(test_quiet), cmocka_unit_test(test_unknown_total),
       cmocka_unit_test(test_terminal_is_redrawn), cmocka_unit_test(test_live_line),
       cmocka_unit_test(test_clock_runs))
