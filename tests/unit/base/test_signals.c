/*
 * tests/unit/base/test_signals.c - the first signal asks, the second kills, ignored stays ignored.
 */
#include "base/signals.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "tests/unit/base/in_child.h"

static void one_signal(void *number)
{
    struct t2_err err = T2_ERR_INIT;

    t2_signals_install();
    if (t2_interrupted() || t2_check_interrupt(&err) != T2_OK || err.status != T2_OK)
        exit(1);
    raise(*(int *) number);
    if (!t2_interrupted() || t2_check_interrupt(&err) != T2_EINTERRUPTED)
        exit(2);
    fputs(err.message, stdout);
    exit(3);
}

static void two_signals(void *number)
{
    const struct timespec pause = {0, 300000000};

    t2_signals_install();
    raise(SIGINT);
    (void) nanosleep(&pause, NULL);
    raise(*(int *) number);
    exit(0);
}

/* What a batch system sends to all processes, and the parent passes on. */
static void one_request_twice(void *number)
{
    t2_signals_install();
    raise(SIGTERM);
    raise(*(int *) number);
    exit(t2_interrupted() ? 5 : 0);
}

static void ignored(void *number)
{
    signal(SIGINT, SIG_IGN);
    t2_signals_install();
    raise(*(int *) number);
    exit(t2_interrupted() ? 1 : 0);
}

static void test_first_asks(void **state)
{
    int numbers[] = {SIGINT, SIGTERM};

    (void) state;
    for (int i = 0; i < 2; i++) {
        const struct child *c = child_run(one_signal, &numbers[i]);

        assert_int_equal(c->exit_code, 3);
        assert_string_equal(c->out, "interrupted; run the same command again to continue");
    }
}

static void test_second_kills(void **state)
{
    int numbers[] = {SIGINT, SIGTERM};

    (void) state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(child_run(two_signals, &numbers[i])->signal, numbers[i]);
}

static void test_twice_at_once_asks(void **state)
{
    int numbers[] = {SIGINT, SIGTERM};

    (void) state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(child_run(one_request_twice, &numbers[i])->exit_code, 5);
}

static void test_ignored_stays_ignored(void **state)
{
    int number = SIGINT;

    (void) state;
    assert_int_equal(child_run(ignored, &number)->exit_code, 0);
    number = SIGTERM;
    assert_int_equal(child_run(ignored, &number)->exit_code, 1);
}

T_MAIN(cmocka_unit_test(test_first_asks), cmocka_unit_test(test_second_kills),
       cmocka_unit_test(test_twice_at_once_asks), cmocka_unit_test(test_ignored_stays_ignored))
