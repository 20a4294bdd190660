/*
 * tests/unit/datagen/source/test_archive_kind.c - signatures and names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/tar.h"
#include "datagen/source/archive_kind.h"
#include "tests/support/t.h"

static enum dg_bytes_kind kind_of(const char *s, size_t n)
{
    return dg_bytes_kind((const uint8_t *) s, n);
}

static void test_kinds(void **state)
{
    static const char zeros[600];
    struct t2_buf tar = {0};

    (void) state;
    assert_int_equal(kind_of("", 0), DG_BYTES_OTHER);
    assert_int_equal(kind_of("PK\003\004", 4), DG_BYTES_ZIP);
    assert_int_equal(kind_of("PK\003", 3), DG_BYTES_OTHER);
    assert_int_equal(kind_of("\x1f\x8b", 2), DG_BYTES_GZIP);
    assert_int_equal(kind_of("BZh9", 4), DG_BYTES_BZIP2);
    assert_int_equal(kind_of("BZhx", 4), DG_BYTES_OTHER);
    assert_int_equal(kind_of("\xfd\x37zXZ\0", 6), DG_BYTES_XZ);
    assert_int_equal(kind_of("7z\xbc\xaf\x27\x1c", 6), DG_BYTES_7Z);
    assert_int_equal(kind_of("\n <!DOCTYPE HTML>", 17), DG_BYTES_WEB_PAGE);
    assert_int_equal(kind_of("\xef\xbb\xbf<HTML lang=x>", 16), DG_BYTES_WEB_PAGE);
    assert_int_equal(kind_of("<?xml version", 13), DG_BYTES_OTHER);
    assert_int_equal(kind_of("version https://git-lfs.example", 31), DG_BYTES_LFS_POINTER);
    assert_int_equal(kind_of(zeros, 512), DG_BYTES_ZEROS);
    assert_int_equal(kind_of(zeros, 511), DG_BYTES_OTHER);
    t2_tar_put(&tar, "a", "x", 1);
    assert_int_equal(dg_bytes_kind(tar.data, 512), DG_BYTES_TAR);
    for (size_t i = 257; i < 265; i++) /* before POSIX: the sum alone tells */
        tar.data[i] = 0;
    assert_int_equal(dg_bytes_kind(tar.data, 512), DG_BYTES_OTHER);
    t2_buf_release(&tar);
}

static void test_names_inside(void **state)
{
    static const char *const cases[][2] = {{"/x/a.en.gz", "a.en"},  {"a.tgz", "a.tar"},
                                           {"a.tar.gz", "a.tar"},   {"a.bz2", "a"},
                                           {"a.tbz2", "a.tar"},     {"d/.gz", ".gz"},
                                           {"a.xz/plain", "plain"}, {"a.txz", "a.tar"}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = dg_name_inside(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

static void test_member_names(void **state)
{
    static const struct {
        const char *name, *kept, *why;
    } cases[] = {
        {"a/b", "a/b", NULL},
        {"././/a", "a", NULL},
        {"a/..b/c..", "a/..b/c..", NULL},
        {"..", NULL, "a name with '..'"},
        {"a/..", NULL, "a name with '..'"},
        {"./../a", NULL, "a name with '..'"},
        {"/a", NULL, "an absolute name"},
        {"./", NULL, "no name"},
        {"", NULL, "no name"},
        {"a\\b", NULL, "a backslash in its name"},
    };
    char longest[5000];
    const char *name = longest;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *n = cases[i].name, *why = dg_member_name(&n);
        if (!cases[i].why) {
            assert_null(why);
            assert_string_equal(n, cases[i].kept);
        } else {
            assert_non_null(why);
            assert_string_equal(why, cases[i].why);
        }
    }
    memset(longest, 'a', sizeof longest);
    longest[4999] = '\0';
    assert_string_equal(dg_member_name(&name), "too long a name");
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_names_inside),
       cmocka_unit_test(test_member_names))
