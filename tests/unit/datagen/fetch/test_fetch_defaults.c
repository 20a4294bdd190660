/*
 * tests/unit/datagen/fetch/test_fetch_defaults.c - zeros become defaults, the rest stays.
 */
#include "datagen/fetch/fetch_defaults.h"

#include "tests/support/t.h"

static void test_zero(void **state)
{
    const struct dg_fetch_options empty = {.mirror = "", .proxy = "", .archive_dir = ""};
    struct dg_fetch_options a = dg_fetch_defaults(NULL), b = dg_fetch_defaults(&empty);

    (void) state;
    assert_int_equal(a.parallel, 4);
    assert_int_equal(a.retries, 5);
    assert_int_equal(a.stall_timeout_s, 60);
    assert_int_equal(a.connect_timeout_s, 30);
    assert_int_equal(a.max_bytes, UINT64_C(512) << 30);
    assert_int_equal(a.max_rate, 0);
    assert_int_equal(a.min_rate, 500);
    assert_false(a.offline || a.keep_unverified);
    assert_null(b.mirror);
    assert_null(b.proxy);
    assert_null(b.archive_dir);
    assert_int_equal(b.retries, 5);
}

static void test_given(void **state)
{
    const struct dg_fetch_options o = {.mirror = "m",
                                       .parallel = 1,
                                       .retries = -1,
                                       .max_rate = 7,
                                       .max_bytes = 3,
                                       .offline = true};
    struct dg_fetch_options a = dg_fetch_defaults(&o);

    (void) state;
    assert_string_equal(a.mirror, "m");
    assert_int_equal(a.parallel, 1);
    assert_int_equal(a.retries, 0);
    assert_int_equal(a.max_rate, 7);
    assert_int_equal(a.min_rate, 0); /* no more than --max_rate leaves */
    assert_int_equal(a.max_bytes, 3);
    assert_true(a.offline);
}

T_MAIN(cmocka_unit_test(test_zero), cmocka_unit_test(test_given))
