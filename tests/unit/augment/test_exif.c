/* test_exif.c - orientation: found in files, broken ones too, and applied. */
#include <string.h>

#include "augment/exif.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

/* Header, one entry; v at [18]. */
static uint8_t little[26] = {'I', 'I', '*', 0, 8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6};

static void test_tiff(void **state)
{
    uint8_t broken[sizeof little];

    (void) state;
    assert_int_equal(aug_exif_orientation_of_tiff(little, sizeof little), 6);
    for (size_t n = 0; n < 22; n++) { /* cut anywhere */
        uint8_t *p = t_guarded_alloc(n + 1);
        memcpy(p + 1, little, n);
        assert_int_equal(aug_exif_orientation_of_tiff(p + 1, n), 1);
        t_guarded_free(p, n + 1);
    }
    for (size_t i = 0; i < sizeof little; i++) { /* any byte wrong */
        memcpy(broken, little, sizeof little);
        broken[i] ^= 0xff;
        int o = aug_exif_orientation_of_tiff(broken, sizeof broken);
        assert_true(o == 1 || o == 6);
    }
    broken[4] = 0xff; /* an offset outside */
    assert_int_equal(aug_exif_orientation_of_tiff(broken, sizeof broken), 1);
}

static void test_in_files(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    static const uint8_t chunk[] = {0, 0, 0, 26, 'e', 'X', 'I', 'f'};

    (void) state;
    t_jpeg(4, 6, 3, 1, &file);
    assert_int_equal(aug_exif_orientation(file.data, file.len_bytes), 1);
    t_add_orientation(&file, 8);
    assert_int_equal(aug_exif_orientation(file.data, file.len_bytes), 8);
    t_add_orientation(&file, 9); /* the first counts, and makes no sense */
    assert_int_equal(aug_exif_orientation(file.data, file.len_bytes), 1);
    t2_buf_clear(&file);
    t2_buf_append(&file, "\x89PNG\r\n\x1a\n", 8);
    t2_buf_append(&file, chunk, sizeof chunk);
    t2_buf_append(&file, little, sizeof little);
    assert_int_equal(aug_exif_orientation(file.data, file.len_bytes), 6);
    t2_buf_clear(&file);
    t2_buf_append(&file, "RIFF\1\0\0\0WEBPVP8 \3\0\0\0xyz\0EXIF\x1a\0\0\0", 32);
    t2_buf_append(&file, little, sizeof little);
    assert_int_equal(aug_exif_orientation(file.data, file.len_bytes), 6);
    assert_int_equal(aug_exif_orientation((const uint8_t *) "GIF89a", 6), 1);
    t2_buf_release(&file);
}

/* 2 x 3 pixels, numbered as stored, as they are seen upright. */
static const struct {
    int width, height;
    uint8_t seen[6];
} upright[9] = {{0, 0, {0}},
                {3, 2, {0, 1, 2, 3, 4, 5}},
                {3, 2, {2, 1, 0, 5, 4, 3}},
                {3, 2, {5, 4, 3, 2, 1, 0}},
                {3, 2, {3, 4, 5, 0, 1, 2}},
                {2, 3, {0, 3, 1, 4, 2, 5}},
                {2, 3, {3, 0, 4, 1, 5, 2}},
                {2, 3, {5, 2, 4, 1, 3, 0}},
                {2, 3, {2, 5, 1, 4, 0, 3}}};

static void test_turning(void **state)
{
    uint8_t stored[6] = {0, 1, 2, 3, 4, 5};
    struct aug_image im = aug_image_of(stored, 2, 3, 1), turned = {.data = NULL};

    (void) state;
    for (int o = 1; o <= 8; o++) {
        int32_t w = 3, h = 2;
        assert_int_equal(aug_orient(&im, o, &turned, &err), T2_OK);
        assert_int_equal(turned.width, upright[o].width);
        assert_int_equal(turned.height, upright[o].height);
        assert_memory_equal(turned.data, upright[o].seen, 6);
        aug_oriented_size(o, &w, &h);
        assert_int_equal(w, turned.width);
    }
    aug_image_release(&turned);
}

static void test_windows(void **state)
{
    struct aug_image im = t_image(7, 10, 3, 3), turned = {.data = NULL}, part = {.data = NULL};

    (void) state;
    for (int o = 1; o <= 8; o++) {
        const struct aug_window w = {1, 2, 3, 4};
        assert_int_equal(aug_orient(&im, o, &turned, &err), T2_OK);
        struct aug_image want = aug_image_window(&turned, w);
        struct aug_image stored = aug_image_window(&im, aug_stored_window(o, 10, 7, w));
        assert_int_equal(aug_orient(&stored, o, &part, &err), T2_OK);
        t_assert_same_pixels(&part, &want);
    }
    aug_image_release(&im);
    aug_image_release(&turned);
    aug_image_release(&part);
}

T_MAIN(cmocka_unit_test(test_tiff), cmocka_unit_test(test_in_files), cmocka_unit_test(test_turning),
       cmocka_unit_test(test_windows))
