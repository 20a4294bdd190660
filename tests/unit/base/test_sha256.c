/*
 * tests/unit/base/test_sha256.c - SHA-256 of memory and files.
 */
#include <string.h>

#include "base/hash.h"
#include "tests/support/t.h"

static const char EMPTY[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
static const char ABC[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void test_known_values(void **state)
{
    char hex[T2_SHA256_HEX];

    (void) state;
    t2_sha256_of("", 0, hex);
    assert_string_equal(hex, EMPTY);
    t2_sha256_of("abc", 3, hex);
    assert_string_equal(hex, ABC);
}

static void test_in_pieces_with_peek(void **state)
{
    struct t2_sha256 *h = t2_sha256_new();
    char hex[T2_SHA256_HEX];

    (void) state;
    t2_sha256_peek(h, hex);
    assert_string_equal(hex, EMPTY);
    t2_sha256_update(h, "a", 1);
    t2_sha256_peek(h, hex);
    t2_sha256_update(h, NULL, 0);
    t2_sha256_update(h, "bc", 2);
    t2_sha256_peek(h, hex);
    assert_string_equal(hex, ABC);
    t2_sha256_free(h);
    t2_sha256_free(NULL);
}

static void test_file(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char hex[T2_SHA256_HEX], expected[T2_SHA256_HEX];
    static char big[600000];
    const char *path = t_tmp_path("f");
    uint64_t bytes = 0;

    (void) state;
    t_write_file(path, "abc", 3);
    assert_int_equal(t2_sha256_file(path, hex, &bytes, &err), T2_OK);
    assert_string_equal(hex, ABC);
    assert_int_equal(bytes, 3);
    memset(big, 'x', sizeof big);
    t_write_file(path, big, sizeof big);
    t2_sha256_of(big, sizeof big, expected);
    assert_int_equal(t2_sha256_file(path, hex, NULL, &err), T2_OK);
    assert_string_equal(hex, expected);
}

static void test_file_errors(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char hex[T2_SHA256_HEX];

    (void) state;
    assert_int_equal(t2_sha256_file("/nowhere/f", hex, NULL, &err), T2_ENOTFOUND);
    assert_string_equal(err.message, "'/nowhere/f': no such file");
    assert_int_equal(t2_sha256_file("/", hex, NULL, &err), T2_EIO);
    assert_string_equal(err.message, "'/' is a directory");
    assert_int_equal(t2_sha256_file("/dev/null/x", hex, NULL, &err), T2_EIO);
    assert_string_equal(err.message, "cannot open '/dev/null/x': Not a directory");
}

T_MAIN(cmocka_unit_test(test_known_values), cmocka_unit_test(test_in_pieces_with_peek),
       cmocka_unit_test(test_file), cmocka_unit_test(test_file_errors))
