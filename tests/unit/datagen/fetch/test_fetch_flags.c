/*
 * tests/unit/datagen/fetch/test_fetch_flags.c - flags that are refused, flags that become options.
 */
#include "datagen/fetch/fetch_flags.h"

#include "tests/support/t.h"

static struct t2_err err;

static void refused(struct dg_fetch_flags f, const char *message)
{
    struct dg_fetch_options o;

    assert_int_equal(dg_fetch_flags_read(&f, &o, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
}

static void test_refused(void **state)
{
    const struct dg_fetch_flags init = DG_FETCH_FLAGS_INIT;
    struct dg_fetch_flags f;

    (void) state;
    f = init, f.parallel = 0;
    refused(f, "--max_parallel_downloads=0: must be 1 to 64");
    f = init, f.timeout = 0;
    refused(f, "--download_timeout=0");
    f = init, f.retries = -1;
    refused(f, "--download_retries=-1");
    f = init, f.first_wait = -1;
    refused(f, "--download_wait=-1");
    f = init, f.mirror = "ftp://h/x";
    refused(f, "--mirror='ftp://h/x'");
    f = init, f.size = 3;
    refused(f, "--size belongs to --fetch");
    f = init, f.sha256 = "x";
    refused(f, "--sha256 belongs to --fetch");
}

static void test_options(void **state)
{
    struct dg_fetch_flags f = DG_FETCH_FLAGS_INIT;
    struct dg_fetch_options o;

    (void) state;
    assert_int_equal(dg_fetch_flags_read(&f, &o, &err), T2_OK);
    assert_int_equal(o.parallel, 4);
    assert_int_equal(o.retries, 5);
    assert_int_equal(o.stall_timeout_s, 60);
    assert_int_equal(o.connect_timeout_s, 0);
    assert_int_equal(o.min_rate, 500);
    assert_false(o.keep_unverified || o.offline);
    f.retries = 0;
    f.timeout = 2;
    f.verify = false;
    f.mirror = "/folder";
    f.max_rate = 9;
    f.min_rate = 0;
    assert_int_equal(dg_fetch_flags_read(&f, &o, &err), T2_OK);
    assert_int_equal(o.retries, -1);
    assert_int_equal(o.stall_timeout_s, 2);
    assert_int_equal(o.connect_timeout_s, 2);
    assert_true(o.keep_unverified);
    assert_string_equal(o.mirror, "/folder");
    assert_int_equal(o.max_rate, 9);
    assert_int_equal(o.min_rate, -1);
}

T_MAIN(cmocka_unit_test(test_refused), cmocka_unit_test(test_options))
