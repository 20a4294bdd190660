/* test_bmp.c - BMP files made by hand: every depth, runs, masks, damage. */
#include <string.h>

#include "augment/bmp.h"
#include "base/buf.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

static void put(struct t2_buf *b, uint32_t v, int n_bytes)
{
    for (int i = 0; i < n_bytes; i++)
        t2_buf_push(b, (uint8_t) (i < 4 ? v >> 8 * i : 0));
}

/* The headers; extra bytes (palette, masks) follow before the pixels. */
static void header(struct t2_buf *b, int32_t w, int32_t h, uint32_t bits, uint32_t compression,
                   uint32_t n_colours, uint32_t extra)
{
    t2_buf_clear(b);
    t2_buf_puts(b, "BM");
    put(b, 0, 8);
    put(b, 54 + extra, 4);
    put(b, 40, 4);
    put(b, (uint32_t) w, 4);
    put(b, (uint32_t) h, 4);
    put(b, 1, 2);
    put(b, bits, 2);
    put(b, compression, 4);
    put(b, 0, 12);
    put(b, n_colours, 4);
    put(b, 0, 4);
}

static void expect(const struct t2_buf *file, int32_t h, int32_t w, int32_t c, const char *pixels)
{
    struct aug_image im = {.data = NULL};
    uint8_t *p = t_guarded_alloc(file->len_bytes);

    memcpy(p, file->data, file->len_bytes);
    if (aug_bmp_decode(p, file->len_bytes, &plain, &im, NULL, &err) != T2_OK)
        fail_msg("%s", err.message);
    t_guarded_free(p, file->len_bytes);
    assert_int_equal(im.height, h);
    assert_int_equal(im.width, w);
    assert_int_equal(im.channels, c);
    assert_memory_equal(im.data, pixels, (size_t) (h * w * c));
    aug_image_release(&im);
}

static void test_depths(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    struct aug_info info;

    (void) state;
    header(&b, 1, 2, 24, 0, 0, 0); /* rows from below, blue first, padded to 4 */
    t2_buf_append(&b, "\3\2\1\0\6\5\4", 7);
    expect(&b, 2, 1, 3, "\4\5\6\1\2\3");
    header(&b, 1, -2, 24, 0, 0, 0);
    t2_buf_append(&b, "\3\2\1\0\6\5\4", 7);
    expect(&b, 2, 1, 3, "\1\2\3\4\5\6");
    header(&b, 3, 1, 8, 0, 2, 8);
    t2_buf_append(&b, "\3\2\1\0\6\5\4\0\1\0\7", 11); /* a palette of two, an index outside */
    expect(&b, 1, 3, 3, "\4\5\6\1\2\3\0\0\0");
    assert_int_equal(aug_bmp_probe(b.data, b.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.colour, AUG_PALETTE);
    header(&b, 3, 1, 4, 0, 2, 8);
    t2_buf_append(&b, "\3\2\1\0\6\5\4\0\x10\x10", 10);
    expect(&b, 1, 3, 3, "\4\5\6\1\2\3\4\5\6");
    header(&b, 3, 1, 1, 0, 0, 8);
    t2_buf_append(&b, "\3\2\1\0\6\5\4\0\xa0", 9);
    expect(&b, 1, 3, 3, "\4\5\6\1\2\3\4\5\6");
    header(&b, 1, 1, 16, 0, 0, 0); /* 5 bits each */
    t2_buf_append(&b, "\x00\x7c", 2);
    expect(&b, 1, 1, 3, "\xff\0\0");
    header(&b, 1, 1, 32, 0, 0, 0);
    t2_buf_append(&b, "\3\2\1\0", 4);
    expect(&b, 1, 1, 3, "\1\2\3");
    header(&b, 1, 1, 32, 6, 0, 16);
    put(&b, 0xff, 4);
    put(&b, 0xff00, 4);
    put(&b, 0xff0000, 4);
    put(&b, 0xff000000, 4);
    t2_buf_append(&b, "\1\2\3\4", 4);
    expect(&b, 1, 1, 4, "\1\2\3\4");
    t2_buf_release(&b);
}

static void test_runs(void **state)
{
    static const char palette[] = "\3\2\1\0\6\5\4";
    struct t2_buf b = {NULL, 0, 0};

    (void) state;
    header(&b, 3, 2, 8, 1, 2, 8);
    t2_buf_append(&b, palette, sizeof palette);
    t2_buf_append(&b, "\2\1\1\0\0\0\0\3\1\0\1\0\0\1", 14); /* a run, the line's end, literals */
    expect(&b, 2, 3, 3, "\4\5\6\1\2\3\4\5\6\4\5\6\4\5\6\1\2\3");
    header(&b, 3, 2, 4, 2, 2, 8);
    t2_buf_append(&b, palette, sizeof palette);
    t2_buf_append(&b, "\3\x10\0\2\0\1\0\1", 8); /* a run of two, a move, the end */
    expect(&b, 2, 3, 3, "\1\2\3\1\2\3\1\2\3\4\5\6\1\2\3\4\5\6");
    header(&b, 3, 2, 8, 1, 2, 8);
    t2_buf_append(&b, palette, sizeof palette);
    t2_buf_append(&b, "\xff\1\0\2\xff\xff\0\1", 8); /* far outside */
    expect(&b, 2, 3, 3, "\1\2\3\1\2\3\1\2\3\4\5\6\4\5\6\4\5\6");
    t2_buf_release(&b);
}

static void refuse(const struct t2_buf *b, enum t2_status st, const char *why)
{
    struct aug_image im = {.data = NULL};

    assert_int_equal(aug_bmp_decode(b->data, b->len_bytes, &plain, &im, NULL, &err), st);
    t_assert_contains(err.message, why);
    aug_image_release(&im);
}

static void test_damage(void **state)
{
    struct t2_buf b = {NULL, 0, 0};

    (void) state;
    header(&b, 2, 2, 24, 0, 0, 0);
    t2_buf_append(&b, "123456781234567", 13);
    refuse(&b, T2_EFORMAT, "cut short");
    header(&b, 0, 2, 24, 0, 0, 0);
    refuse(&b, T2_EFORMAT, "0 x 2 pixels");
    header(&b, 2, INT32_MIN, 24, 0, 0, 0);
    refuse(&b, T2_EFORMAT, "x 2147483648 pixels");
    header(&b, 30000, 30000, 24, 0, 0, 0);
    refuse(&b, T2_EFORMAT, "too large");
    header(&b, 2, 2, 24, 4, 0, 0);
    refuse(&b, T2_EUNSUPPORTED, "compression 4");
    header(&b, 2, 2, 8, 0, 0, 0);
    refuse(&b, T2_EFORMAT, "cut short"); /* 256 colours are missing */
    b.len_bytes = 20;
    refuse(&b, T2_EFORMAT, "it has 20 bytes");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_depths), cmocka_unit_test(test_runs), cmocka_unit_test(test_damage))
