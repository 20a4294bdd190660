/*
 * tests/unit/base/test_follow.c - how long a folder is followed, and what ends it.
 */
#include "base/follow.h"

#include <signal.h>

#include "base/progress.h"
#include "base/signals.h"
#include "tests/support/t.h"

struct folder {
    int n_looks, n_new; /* the first looks find something */
    int fails_at, signal_at;
};

static enum t2_status look(void *context, bool *found, struct t2_err *err)
{
    struct folder *f = context;

    f->n_looks++;
    *found = f->n_looks <= f->n_new;
    if (f->n_looks == f->signal_at)
        (void) raise(SIGTERM);
    return f->n_looks == f->fails_at ? t2_fail(err, T2_EIO, "look %d", f->n_looks) : T2_OK;
}

static void test_once(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct folder f = {0};

    (void) state;
    assert_int_equal(t2_follow(look, &f, 0, &err), T2_OK);
    assert_int_equal(f.n_looks, 1);
}

/* What comes begins the wait again. */
static void test_waits(void **state)
{
    double since = t2_now_s();
    struct t2_err err = T2_ERR_INIT;
    struct folder f = {.n_new = 2};

    (void) state;
    assert_int_equal(t2_follow(look, &f, 0.7, &err), T2_OK);
    assert_true(f.n_looks >= 3); /* at 0, 0.5 and 1 s; the second one was new */
    assert_true(t2_now_s() - since >= 1.2);
}

static void test_ends(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct folder f = {.n_new = 100, .fails_at = 2};

    (void) state;
    assert_int_equal(t2_follow(look, &f, 1000, &err), T2_EIO);
    assert_string_equal(err.message, "look 2");
    t2_signals_install();
    f = (struct folder){.signal_at = 1};
    assert_int_equal(t2_follow(look, &f, 1000, &err), T2_EINTERRUPTED);
    assert_int_equal(f.n_looks, 1);
}

T_MAIN(cmocka_unit_test(test_once), cmocka_unit_test(test_waits), cmocka_unit_test(test_ends))
