/*
 * tests/unit/base/test_tar_write.c - names of every length come back; nothing depends on the
 * machine.
 */
#include <string.h>

#include "base/file.h"
#include "base/tar.h"
#include "tests/support/t.h"

static const char path[] = "test_tar_write.tmp";

static void test_names_of_every_length(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf a = {0}, content = {0};
    struct t2_tar *t;
    char name[1101];
    const char *got;

    (void) state;
    for (size_t n = 1; n <= 1100; n += n < 120 || (n > 960 && n < 1010) ? 1 : 30) {
        memset(name, 'n', n);
        name[n] = '\0';
        t2_tar_put(&a, name, name, n);
    }
    t2_tar_end(&a);
    assert_int_equal(a.len_bytes % 512, 0);
    assert_int_equal(t2_write_file(path, a.data, a.len_bytes, &err), T2_OK);
    assert_int_equal(t2_tar_new(path, &t, &err), T2_OK);
    for (size_t n = 1; n <= 1100; n += n < 120 || (n > 960 && n < 1010) ? 1 : 30) {
        assert_int_equal(t2_tar_next(t, &got, &content, &err), T2_OK);
        assert_int_equal(strlen(got), n);
        assert_int_equal(content.len_bytes, n);
    }
    assert_int_equal(t2_tar_next(t, &got, &content, &err), T2_EOF);
    t2_tar_free(t);
    assert_int_equal(t2_remove(path, &err), T2_OK);
    t2_buf_release(&a);
    t2_buf_release(&content);
}

static void test_header(void **state)
{
    struct t2_buf a = {0};

    (void) state;
    t2_tar_put(&a, "x", "yz", 2);
    assert_int_equal(a.len_bytes, 1024);
    assert_string_equal((const char *) a.data + 100, "0000644");
    assert_string_equal((const char *) a.data + 124, "00000000002");
    assert_string_equal((const char *) a.data + 136, "00000000000");
    assert_memory_equal(a.data + 257, "ustar\00000", 8);
    assert_string_equal((const char *) a.data + 512, "yz");
    t2_buf_release(&a);
}

T_MAIN(cmocka_unit_test(test_names_of_every_length), cmocka_unit_test(test_header))
