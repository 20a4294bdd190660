/* test_codec.c - one entry for all kinds: channels, windows, turning, refusals. */
#include <string.h>

#include "augment/codec.h"
#include "augment/exif.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void decode(const struct t2_buf *file, struct aug_decode how, struct aug_image *out)
{
    if (aug_decode(file->data, file->len_bytes, &how, out, NULL, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void test_windows_of_png(void **state)
{
    struct aug_image im = t_image(20, 30, 3, 1), part = {.data = NULL};
    const struct aug_window w = {3, 4, 10, 11}, outside = {25, 0, 6, 1};
    struct aug_image want = aug_image_window(&im, w);
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    t_png(20, 30, 3, 1, &file);
    decode(&file, (struct aug_decode){.window = &w}, &part);
    t_assert_same_pixels(&part, &want);
    assert_int_equal(aug_decode(file.data, file.len_bytes, &(struct aug_decode){.window = &outside},
                                &part, NULL, &err),
                     T2_EUSAGE);
    assert_int_equal(aug_decode(file.data, file.len_bytes, &(struct aug_decode){.ratio = 2}, &part,
                                NULL, &err),
                     T2_EUNSUPPORTED);
    assert_int_equal(aug_decode(file.data, file.len_bytes, &(struct aug_decode){.channels = 5},
                                &part, NULL, &err),
                     T2_EUNSUPPORTED);
    decode(&file, (struct aug_decode){.channels = 1}, &part);
    assert_int_equal(part.channels, 1);
    aug_image_release(&im);
    aug_image_release(&part);
    t2_buf_release(&file);
}

static void test_turning(void **state)
{
    struct aug_image stored = {.data = NULL}, want = {.data = NULL}, got = {.data = NULL};
    const struct aug_window w = {2, 3, 5, 6};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_info info;

    (void) state;
    for (int o = 1; o <= 8; o++) {
        t2_buf_clear(&file);
        t_jpeg(24, 40, 1, 2, &file); /* grey: windows have no other columns */
        t_add_orientation(&file, o);
        assert_int_equal(aug_probe(file.data, file.len_bytes, &info, &err), T2_OK);
        assert_int_equal(info.orientation, o);
        decode(&file, (struct aug_decode){.channels = 1}, &stored);
        assert_int_equal(stored.width, 40);
        assert_int_equal(aug_orient(&stored, o, &want, &err), T2_OK);
        decode(&file, (struct aug_decode){.channels = 1, .apply_exif = true}, &got);
        t_assert_same_pixels(&got, &want);
        struct aug_image part = aug_image_window(&want, w);
        decode(&file, (struct aug_decode){.channels = 1, .apply_exif = true, .window = &w}, &got);
        t_assert_same_pixels(&got, &part);
    }
    aug_image_release(&stored);
    aug_image_release(&want);
    aug_image_release(&got);
    t2_buf_release(&file);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *bytes;
        enum t2_status st;
        const char *why;
    } cases[] = {{"", T2_EFORMAT, "an empty file"},
                 {"<html>", T2_EFORMAT, "a web page"},
                 {"II*", T2_EFORMAT, "text"},
                 {"%PDF-1.4", T2_EUNSUPPORTED, "PDF"},
                 {"BM", T2_EFORMAT, "BMP: the file is cut short"},
                 {"GIF89a", T2_EFORMAT, "GIF: the file is cut short"}};
    struct aug_image im = {.data = NULL};
    struct aug_info info;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *p = (const uint8_t *) cases[i].bytes;
        size_t n = strlen(cases[i].bytes);
        assert_int_equal(aug_decode(p, n, &(struct aug_decode){.channels = 3}, &im, NULL, &err),
                         cases[i].st);
        t_assert_contains(err.message, cases[i].why);
        assert_int_equal(aug_probe(p, n, &info, &err), cases[i].st);
    }
    assert_string_equal(aug_colour_name(AUG_YCCK), "YCCK");
}

T_MAIN(cmocka_unit_test(test_windows_of_png), cmocka_unit_test(test_turning),
       cmocka_unit_test(test_refusals))
