/* test_png.c - PNG: there and back, channels, damage, bombs. */
#include <string.h>

#include <zlib.h>

#include "augment/png.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

static void test_there_and_back(void **state)
{
    static const enum aug_colour colours[] = {0, AUG_GREY, AUG_GREY_ALPHA, AUG_RGB, AUG_RGBA};

    (void) state;
    for (int32_t c = 1; c <= 4; c++)
        for (int level = -1; level < 10; level += 5) {
            struct aug_image im = t_image(13, 17, c, 1), back = {.data = NULL};
            struct t2_buf file = {NULL, 0, 0};
            struct aug_info info;
            assert_int_equal(aug_png_encode(&im, level, &file, &err), T2_OK);
            assert_int_equal(aug_png_probe(file.data, file.len_bytes, &info, &err), T2_OK);
            assert_int_equal(info.components, c);
            assert_int_equal(info.colour, colours[c]);
            assert_int_equal(info.bits, 8);
            assert_int_equal(aug_png_decode(file.data, file.len_bytes, &plain, &back, NULL, &err),
                             T2_OK);
            t_assert_same_pixels(&im, &back);
            aug_image_release(&im);
            aug_image_release(&back);
            t2_buf_release(&file);
        }
}

static void test_channels(void **state)
{
    struct aug_image rgba = {.data = NULL}, rgb = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    t_png(5, 6, 4, 2, &file);
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &plain, &rgba, NULL, &err), T2_OK);
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &(struct aug_decode){.channels = 3},
                                    &rgb, NULL, &err),
                     T2_OK);
    for (int i = 0; i < 30; i++) /* dropped, not blended */
        assert_memory_equal(rgb.data + 3 * i, rgba.data + 4 * i, 3);
    t2_buf_clear(&file);
    t_png(5, 6, 1, 2, &file);
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &(struct aug_decode){.channels = 4},
                                    &rgba, NULL, &err),
                     T2_OK);
    assert_int_equal(rgba.data[3], 255);
    assert_int_equal(rgba.data[0], rgba.data[2]);
    assert_int_equal(aug_png_encode(&rgba, 6, &file, &err), T2_OK);
    rgba.channels = 5;
    assert_int_equal(aug_png_encode(&rgba, 6, &file, &err), T2_EUNSUPPORTED);
    aug_image_release(&rgba);
    aug_image_release(&rgb);
    t2_buf_release(&file);
}

static void test_damage(void **state)
{
    struct aug_image im = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_notes notes;

    (void) state;
    t_png(40, 40, 3, 3, &file);
    for (size_t n = 0; n < file.len_bytes; n += 11) {
        uint8_t *p = t_guarded_alloc(n + 1);
        memcpy(p + 1, file.data, n);
        assert_int_equal(aug_png_decode(p + 1, n, &plain, &im, NULL, &err), T2_EFORMAT);
        t_guarded_free(p, n + 1);
    }
    assert_int_equal(aug_png_decode(file.data, file.len_bytes / 2,
                                    &(struct aug_decode){.recover = true}, &im, &notes, &err),
                     T2_OK);
    assert_true(notes.n_warnings > 0);
    file.data[file.len_bytes / 2] ^= 4; /* a checksum notices */
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &plain, &im, NULL, &err),
                     T2_EFORMAT);
    aug_image_release(&im);
    t2_buf_release(&file);
}

/* A good header that claims 20000 x 20000 pixels, and little behind it. */
static void test_bomb(void **state)
{
    static const uint8_t size[] = {0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};

    (void) state;
    t_png(3, 3, 1, 4, &file);
    memcpy(file.data + 16, size, sizeof size);
    uint32_t crc = (uint32_t) crc32(0, file.data + 12, 17);
    for (int i = 0; i < 4; i++)
        file.data[29 + i] = (uint8_t) (crc >> (24 - 8 * i));
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &plain, &im, NULL, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "20000 x 20000 pixels cannot be in");
    assert_null(im.data);
    t2_buf_clear(&file);
    t_png(60, 60, 3, 4, &file);
    assert_int_equal(aug_png_decode(file.data, file.len_bytes,
                                    &(struct aug_decode){.max_components = 60 * 60 * 3}, &im, NULL,
                                    &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "too large");
    assert_null(im.data);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_channels),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_bomb))
