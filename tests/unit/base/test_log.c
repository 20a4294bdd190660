/*
 * tests/unit/base/test_log.c - lines on stderr, levels, exit codes.
 */
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/base/in_child.h"

static void log_all(void *arg)
{
    (void) arg;
    t2_log_init("tool");
    t2_log(T2_LOG_ERROR, "e%d", 1);
    t2_warn("w%d", 2);
    t2_info("i%d", 3);
    t2_debug("d%d", 4);
}

static void test_levels_from_environment(void **state)
{
    (void) state;
    unsetenv("T2_LOG");
    assert_string_equal(child_run(log_all, NULL)->err,
                        "tool: error: e1\ntool: warning: w2\ntool: i3\n");
    setenv("T2_LOG", "error", 1);
    assert_string_equal(child_run(log_all, NULL)->err, "tool: error: e1\n");
    setenv("T2_LOG", "debug", 1);
    assert_string_equal(child_run(log_all, NULL)->err,
                        "tool: error: e1\ntool: warning: w2\ntool: i3\ntool: debug: d4\n");
    setenv("T2_LOG", "loud", 1);
    t_assert_contains(
        child_run(log_all, NULL)->err,
        "tool: warning: T2_LOG='loud' is not error, warning, info or debug; using info");
    unsetenv("T2_LOG");
}

static void log_at_level(void *level)
{
    t2_log_set_level(*(enum t2_log_level *) level);
    log_all(NULL);
}

static void test_set_level(void **state)
{
    enum t2_log_level level = T2_LOG_WARNING;

    (void) state;
    assert_string_equal(child_run(log_at_level, &level)->err,
                        "tool: error: e1\ntool: warning: w2\n");
}

static void log_without_init(void *arg)
{
    (void) arg;
    t2_info("x");
}

static void test_without_init(void **state)
{
    (void) state;
    assert_string_equal(child_run(log_without_init, NULL)->err, "t2t: x\n");
    assert_string_equal(t2_log_tool(), "t2t");
}

static void log_as_rank(void *n_ranks)
{
    t2_log_init("tool");
    t2_log_set_rank(3, *(int *) n_ranks);
    t2_info("x");
}

static void test_rank(void **state)
{
    int n_ranks = 8;

    (void) state;
    assert_string_equal(child_run(log_as_rank, &n_ranks)->err, "[rank 3] tool: x\n");
    n_ranks = 1;
    assert_string_equal(child_run(log_as_rank, &n_ranks)->err, "tool: x\n");
}

static void log_long(void *arg)
{
    static char text[5000];

    (void) arg;
    memset(text, 'x', sizeof text - 1);
    t2_info("%s", text);
}

static void test_long_line_is_cut(void **state)
{
    const char *err = child_run(log_long, NULL)->err;

    (void) state;
    assert_true(strlen(err) > 1000 && strlen(err) <= 2048);
    assert_string_equal(err + strlen(err) - 3, "xx\n");
}

static void status_then_log(void *arg)
{
    (void) arg;
    t2_log_status_line("");
    t2_log_status_line("50 %");
    t2_info("x");
    t2_info("y");
}

static void test_status_line_is_cleared(void **state)
{
    (void) state;
    assert_string_equal(child_run(status_then_log, NULL)->err,
                        "\r\033[K50 %\r\033[Kt2t: x\nt2t: y\n");
}

static void test_parse_level(void **state)
{
    enum t2_log_level level = T2_LOG_ERROR;

    (void) state;
    assert_true(t2_log_parse_level("debug", &level) && level == T2_LOG_DEBUG);
    assert_true(t2_log_parse_level("warning", &level) && level == T2_LOG_WARNING);
    assert_false(t2_log_parse_level("", &level));
    assert_false(t2_log_parse_level("Debug", &level));
    assert_int_equal(level, T2_LOG_WARNING);
}

static void report(void *status)
{
    struct t2_err err = {*(enum t2_status *) status, "went wrong"};

    t2_log_init("tool");
    exit(t2_report(&err));
}

static void report_without_message(void *arg)
{
    struct t2_err err = {T2_EDEVICE, ""};

    (void) arg;
    exit(t2_report(&err));
}

static void test_report(void **state)
{
    enum t2_status st = T2_EIO;
    const struct child *c = child_run(report, &st);

    (void) state;
    assert_string_equal(c->err, "tool: error: went wrong\n");
    assert_int_equal(c->exit_code, 1);
    assert_string_equal(c->out, "");
    st = T2_EUSAGE;
    assert_int_equal(child_run(report, &st)->exit_code, 2);
    st = T2_EINTERRUPTED;
    assert_int_equal(child_run(report, &st)->exit_code, 130);
    assert_string_equal(child_run(report_without_message, NULL)->err, "t2t: error: T2_EDEVICE\n");
}

T_MAIN(cmocka_unit_test(test_levels_from_environment), cmocka_unit_test(test_set_level),
       cmocka_unit_test(test_without_init), cmocka_unit_test(test_rank),
       cmocka_unit_test(test_long_line_is_cut), cmocka_unit_test(test_status_line_is_cleared),
       cmocka_unit_test(test_parse_level), cmocka_unit_test(test_report))
