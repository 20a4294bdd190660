/*
 * tests/unit/base/test_version.c - what --version prints.
 */
#include "base/version.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

static void test_version_text(void **state)
{
    const char *version = t2_version();

    (void) state;
    assert_true(version[0] >= '0' && version[0] <= '9');
    assert_non_null(strchr(version, '.'));
}

static void test_print(void **state)
{
    const char *path = t_tmp_path("version");
    FILE *f = fopen(path, "w");
    char *text;
    size_t n;

    (void) state;
    assert_non_null(f);
    t2_version_print(f, "tool");
    fclose(f);
    text = t_read_file(path, &n);
    assert_memory_equal(text, "tool ", 5);
    assert_memory_equal(text + 5, t2_version(), strlen(t2_version()));
    t_assert_contains(text, "\nbuild: ");
    t_assert_contains(text, "\nfeatures: ");
    t_assert_contains(text, "\ncpu: ");
    assert_int_equal(text[n - 1], '\n');
    free(text);
}

T_MAIN(cmocka_unit_test(test_version_text), cmocka_unit_test(test_print))
