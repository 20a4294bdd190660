/*
 * tests/unit/base/test_library.c - libraries that are opened at run time: there, not there, too
 * old.
 */
#include "base/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

static double (*cosine)(double);
static void (*absent)(void);

static void test_opens(void **state)
{
    /* the first name that opens counts */
    const struct t2_library lib = {"libm", {"libnone.so.99", "libm.so.6", NULL}, "libc6", false};
    const struct t2_symbol symbols[] = {{"cos", &cosine}};
    char why[256] = "";

    (void) state;
    assert_true(t2_library_open(&lib, symbols, 1, why, sizeof why));
    assert_true(fabs(cosine(0.0) - 1.0) < 1e-12);
}

static void test_missing(void **state)
{
    const struct t2_library lib = {"libnone", {"libnone.so.99", NULL}, "libnone99", false};
    const struct t2_symbol symbols[] = {{"cos", &cosine}};
    char why[256] = "";

    (void) state;
    assert_false(t2_library_open(&lib, symbols, 1, why, sizeof why));
    t_assert_contains(why, "libnone cannot be opened: apt-get install libnone99 (libnone.so.99: ");
}

static void test_too_old(void **state)
{
    const struct t2_library lib = {"libm", {"libm.so.6", NULL}, "libc6", false};
    const struct t2_symbol symbols[] = {{"cos", &cosine}, {"not_yet_written", &absent}};
    char why[256] = "";

    (void) state;
    assert_false(t2_library_open(&lib, symbols, 2, why, sizeof why));
    assert_string_equal(why,
                        "libm.so.6 is too old, it has no not_yet_written: apt-get install libc6");
}

static void test_print(void **state)
{
    const char *path = t_tmp_path("libraries");
    FILE *f = fopen(path, "w");
    char *text;
    size_t n;

    (void) state;
    assert_non_null(f);
    t2_library_print(f);
    fclose(f);
    text = t_read_file(path, &n);
    assert_memory_equal(text, "opened when needed: ", 20);
    t_assert_contains(text, "libarchive");
    assert_int_equal(text[n - 1], '\n');
    free(text);
}

T_MAIN(cmocka_unit_test(test_opens), cmocka_unit_test(test_missing), cmocka_unit_test(test_too_old),
       cmocka_unit_test(test_print))
