/*
 * tests/unit/base/remote/test_entry_name.c - names and times in listings.
 */
#include "base/remote/entry_name.h"

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_names(void **state)
{
    static const char *const cases[][3] = {
        {"x/y.gz", "x/", "y.gz"}, {"x/z/", "x/", "z"}, {"y", "", "y"},       {"x/", "x/", NULL},
        {"x//", "x/", NULL},      {"x/.", "x/", NULL}, {"x/..", "x/", NULL}, {"../", "", NULL},
    };
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name;

        assert_int_equal(t2_entry_name(cases[i][0], cases[i][1], "o", &name, &err), T2_OK);
        if (cases[i][2])
            assert_string_equal(name, cases[i][2]);
        else
            assert_null(name);
        t2_free(name);
    }
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *name;

    (void) state;
    assert_int_equal(t2_entry_name("/etc/passwd", "x/", "o", &name, &err), T2_EFORMAT);
    assert_string_equal(err.message, "'o': the server lists a name that was not asked for");
    assert_int_equal(t2_entry_name("x/y/z", "x/", "o", &name, &err), T2_EFORMAT);
    t_assert_contains(err.message, "deeper");
    assert_null(name);
}

static void test_times(void **state)
{
    (void) state;
    assert_int_equal(t2_iso_time("1970-01-02T00:00:01Z"), 86401);
    assert_int_equal(t2_iso_time("2026-11-23T15:04:05.123Z"), INT64_C(1795446245));
    assert_int_equal(t2_iso_time(""), 0);
    assert_int_equal(t2_iso_time("2026-13-23T15:04:05Z"), 0);
    assert_int_equal(t2_iso_time("1911-01-23T15:04:05Z"), 0);
    assert_int_equal(t2_iso_time("2026-11-23"), 0);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_refused), cmocka_unit_test(test_times))
