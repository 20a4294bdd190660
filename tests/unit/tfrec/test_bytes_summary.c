/*
 * tests/unit/tfrec/test_bytes_summary.c - one bytes value for people.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/rows.h"

static const char *summary(const void *data, size_t n)
{
    static struct t2_buf out;

    t2_buf_clear(&out);
    rec_bytes_summary((struct t2_slice){data, n}, &out);
    return t2_buf_cstr(&out);
}

static void test_text(void **state)
{
    (void) state;
    assert_string_equal(summary("caf\xc3\xa9\n", 6), "caf\xc3\xa9\n");
    assert_string_equal(summary(NULL, 0), "");
    assert_string_equal(summary("a\0", 2), "<binary, 2 B>");
    assert_string_equal(summary("a\x1b", 2), "<binary, 2 B>");
    assert_string_equal(summary("\xc3", 1), "<binary, 1 B>");
}

static void test_images(void **state)
{
    static const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4,    0, 0, 0xff, 0xc0, 0,
                                   17,   8,    0x01, 0x77, 1, 0xf4, 3, 0, 0,    0,    0};
    static const uint8_t png[26] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x05\0\0\0\x04";
    static const uint8_t gif[] = "GIF89a\x02\x00\x03\x00\x80";
    static const uint8_t bmp[30] =
        "BM\x1e\0\0\0\0\0\0\0\0\0\0\0\x28\0\0\0\x07\0\0\0\xf8\xff\xff\xff";
    static const uint8_t webp[30] = "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0";

    (void) state;
    assert_string_equal(summary(jpeg, sizeof jpeg), "<JPEG 500x375, 22 B>");
    assert_string_equal(summary(jpeg, 12), "<JPEG, 12 B>");
    assert_string_equal(summary(png, sizeof png), "<PNG 5x4, 26 B>");
    assert_string_equal(summary(gif, sizeof gif), "<GIF 2x3, 12 B>");
    assert_string_equal(summary(bmp, sizeof bmp), "<BMP 7x8, 30 B>");
    assert_string_equal(summary(webp, sizeof webp), "<WebP 16x32, 30 B>");
    for (size_t n = 0; n < sizeof jpeg; n++) {
        uint8_t *p = t_guarded_alloc(n + 1);
        memcpy(p + 1, jpeg, n);
        (void) summary(p + 1, n);
        t_guarded_free(p, n + 1);
    }
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_images))
