/*
 * tests/unit/base/test_budget.c - work ends at the stated multiple, once and for all.
 */
#include "base/budget.h"

#include <signal.h>
#include <string.h>

#include "base/signals.h"
#include "tests/support/t.h"

static void test_limit(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_budget b;

    (void) state;
    t2_budget_init(&b, "'x.tar'", "steps", 10, 3, 30);
    assert_int_equal(b.limit, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(t2_budget_spend(&b, 1, &err), T2_OK);
    assert_int_equal(t2_budget_spend(&b, 0, &err), T2_OK);
    assert_int_equal(t2_budget_spend(&b, 1, &err), T2_EFORMAT);
    assert_non_null(strstr(err.message, "'x.tar': more than 100 steps"));
}

static void test_refusal_is_final(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_budget b;

    (void) state;
    t2_budget_init(&b, "x", "bytes", 50, 0, 0);
    assert_int_equal(t2_budget_spend(&b, UINT64_MAX, &err), T2_EFORMAT);
    assert_int_equal(t2_budget_spend(&b, 1, &err), T2_EFORMAT);
    t2_budget_init(&b, "x", "bytes", 1, UINT64_MAX, 2); /* saturates */
    assert_int_equal(t2_budget_spend(&b, UINT64_MAX, &err), T2_OK);
}

static void test_interrupt(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_budget b;

    (void) state;
    t2_budget_init(&b, "x", "bytes", 50, 0, 0);
    t2_signals_install();
    (void) raise(SIGTERM);
    assert_int_equal(t2_budget_spend(&b, 1, &err), T2_EINTERRUPTED);
}

T_MAIN(cmocka_unit_test(test_limit), cmocka_unit_test(test_refusal_is_final),
       cmocka_unit_test(test_interrupt))
