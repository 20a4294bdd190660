/*
 * tests/unit/tfrec/test_image_type.c - types by first bytes, sizes by headers, every header cut.
 */
#include "tfrec/image_type.h"

#include <string.h>

#include "tests/support/t.h"

static const struct {
    const char *bytes;
    size_t n;
    enum rec_image type;
    uint32_t width, height; /* 0: the header does not say */
} cases[] = {
    {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x02\0\0\0\x05", 24, REC_PNG, 258, 5},
    {"GIF89a\x03\x01\x02\0", 10, REC_GIF, 259, 2},
    {"\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x0b\x08\0\x07\x01\0\3", 19, REC_JPEG, 256, 7},
    {"\xff\xd8\xff\xd0\xff\x01\xff\xc0\0\x0b\x08\0\x07\x01\0\3", 16, REC_JPEG, 256, 7},
    {"\xff\xd8\xff\xc4\0\x04xx\0\0\0\0\0\0", 14, REC_JPEG, 0, 0},
    {"BMxxxx\0\0\0\0xxxx\x28\0\0\0\x10\0\0\0\xfe\xff\xff\xff", 26, REC_BMP, 16, 2},
    {"BMxxxx\0\0\0\0xxxx\x0c\0\0\0\x10\0\x20\0xxxx", 26, REC_BMP, 16, 32},
    {"RIFFxxxxWEBPVP8X\x0a\0\0\0xxxx\x0f\0\0\x1f\0\0", 30, REC_WEBP, 16, 32},
    {"RIFFxxxxWEBPVP8 xxxxxxx\x9d\x01\x2a\x10\x40\x20\0", 30, REC_WEBP, 16, 32},
    {"II*\0xxxx", 8, REC_TIFF, 0, 0},
    {"MM\0*xxxx", 8, REC_TIFF, 0, 0},
    {"BMW is a car and no image", 26, REC_NO_IMAGE, 0, 0},
    {"GIF88a\0\0\0\0", 10, REC_NO_IMAGE, 0, 0},
    {"RIFFxxxxWAVE", 12, REC_NO_IMAGE, 0, 0},
    {"\xff\xd8", 2, REC_NO_IMAGE, 0, 0},
    {"", 0, REC_NO_IMAGE, 0, 0},
};

static void test_headers(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *guarded = t_guarded_alloc(cases[i].n + 1);
        uint32_t width = 0, height = 0;
        struct t2_slice v = {guarded + 1, cases[i].n};
        memcpy(guarded + 1, cases[i].bytes, cases[i].n);
        assert_int_equal(rec_image_type(v), cases[i].type);
        assert_int_equal(rec_image_size(v, &width, &height), cases[i].width > 0);
        assert_int_equal(width, cases[i].width);
        assert_int_equal(height, cases[i].height);
        t_guarded_free(guarded, cases[i].n + 1);
    }
}

/* A header cut anywhere is read up to its end and no further. */
static void test_cut(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t n = 0; n < cases[i].n; n++) {
            uint8_t *guarded = t_guarded_alloc(n + 1);
            uint32_t width, height;
            memcpy(guarded + 1, cases[i].bytes, n);
            (void) rec_image_size((struct t2_slice){guarded + 1, n}, &width, &height);
            t_guarded_free(guarded, n + 1);
        }
    }
}

static void test_names(void **state)
{
    (void) state;
    assert_string_equal(rec_image_name(REC_JPEG), "JPEG");
    assert_string_equal(rec_image_mime(REC_WEBP), "image/webp");
    assert_string_equal(rec_image_mime(REC_NO_IMAGE), "");
}

T_MAIN(cmocka_unit_test(test_headers), cmocka_unit_test(test_cut), cmocka_unit_test(test_names))
