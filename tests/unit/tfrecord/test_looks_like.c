/*
 * Guesses about files that are no TFRecord files.
 */
#include "tfrecord/looks_like.h"

#include <string.h>

#include "tests/support/t.h"

#define LOOKS(bytes) tfr_looks_like((const uint8_t *) (bytes), sizeof(bytes) - 1)

static void test_known(void **state)
{
    (void) state;
    assert_string_equal(LOOKS("\xff\xd8\xff\xe0JFIF"), "a JPEG image");
    assert_string_equal(LOOKS("\x89PNG\r\n\x1a\n"), "a PNG image");
    assert_string_equal(LOOKS("PK\x03\x04zip"), "a ZIP archive");
    assert_string_equal(LOOKS("BZh91AY"), "a bzip2 file");
    assert_string_equal(LOOKS("\xfd\x37\x7a\x58\x5a\x00"), "an xz file");
    assert_string_equal(LOOKS("\x28\xb5\x2f\xfd"), "a Zstandard file");
    assert_string_equal(LOOKS("\x93NUMPY\x01"), "a NumPy array");
    assert_string_equal(LOOKS("\x89HDF\r\n"), "an HDF5 file");
    assert_string_equal(LOOKS("PAR1\x15\x04"), "a Parquet file");
    assert_string_equal(LOOKS("\x7f\x45\x4c\x46"), "a program");
    assert_string_equal(LOOKS("<!DOCTYPE html>"), "an HTML page");
    assert_string_equal(LOOKS("<!doctype html>"), "an HTML page");
    assert_string_equal(LOOKS("<html>"), "an HTML page");
    t_assert_contains(LOOKS("version https://git-lfs.github.com/spec/v1\n"), "git lfs pull");
}

static void test_more(void **state)
{
    uint8_t tar[512] = "name.txt", zeros[64] = {0};
    (void) state;

    memcpy(tar + 257, "ustar", 5);
    assert_string_equal(tfr_looks_like(tar, sizeof tar), "a tar archive");
    assert_string_equal(tfr_looks_like(zeros, sizeof zeros), "zeros");
    assert_null(tfr_looks_like(zeros, 8));
    assert_string_equal(LOOKS("\xff\xd8"), "the start of a JPEG image");
    assert_string_equal(LOOKS("\xff\xfeH\0i\0"), "UTF-16 text");
    assert_string_equal(LOOKS("GIF89a..."), "a GIF image");
    assert_string_equal(LOOKS("SQLite format 3\0"), "an SQLite database");
}

static void test_text(void **state)
{
    char late[80];
    (void) state;

    assert_string_equal(LOOKS("Zwei H\xc3\xa4user\tund\r\n"), "text");
    assert_null(LOOKS(""));
    assert_null(LOOKS("a\0b"));
    assert_null(LOOKS("a\x7f"));
    assert_null(LOOKS("\x05\0\0\0\0\0\0\0"));
    /* only the first 64 bytes are looked at */
    memset(late, 'x', sizeof late);
    late[70] = 0;
    assert_string_equal(tfr_looks_like((const uint8_t *) late, sizeof late), "text");
}

static void test_compressed(void **state)
{
    static const uint8_t gz[] = {0x1f, 0x8b, 8, 0}, odd_flags[] = {0x1f, 0x8b, 8, 0x80};
    static const uint8_t zlib[][2] = {{0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}};
    static const uint8_t no[][2] = {{0x78, 0x9d}, {0x79, 0x9c}, {0x88, 0x1c}, {0x78, 0x20}};
    (void) state;

    assert_true(tfr_maybe_gzip(gz, 4));
    assert_false(tfr_maybe_gzip(gz, 3));
    assert_false(tfr_maybe_gzip(odd_flags, 4));
    for (int i = 0; i < 4; i++) {
        assert_true(tfr_maybe_zlib(zlib[i], 2));
        assert_false(tfr_maybe_zlib(zlib[i], 1));
        assert_false(tfr_maybe_zlib(no[i], 2));
    }
}

T_MAIN(cmocka_unit_test(test_known), cmocka_unit_test(test_more), cmocka_unit_test(test_text),
       cmocka_unit_test(test_compressed))
