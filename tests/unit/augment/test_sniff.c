/* test_sniff.c - kinds by content. */
#include <string.h>

#include "augment/sniff.h"
#include "tests/support/t.h"

#define CASE(bytes, kind)                                                                          \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, kind                                                             \
    }
static const struct {
    const char *bytes;
    size_t n;
    enum aug_kind kind;
} cases[] = {
    CASE("", AUG_EMPTY),
    CASE("\xff\xd8\xff\xe0", AUG_JPEG),
    CASE("\xff\xd8", AUG_JPEG), /* cut, but nothing else */
    CASE("\xff\xd8\x00", AUG_UNKNOWN),
    CASE("\x89PNG\r\n\x1a\n", AUG_PNG),
    CASE("\x89PNG\r\n\x1a", AUG_UNKNOWN),
    CASE("GIF89a", AUG_GIF),
    CASE("BM..", AUG_BMP),
    CASE("RIFF\1\0\0\0WEBPVP8 ", AUG_WEBP),
    CASE("RIFX\1\0\0\0WEBPVP8 ", AUG_UNKNOWN),
    CASE("RIFF\1\0\0\0WAVE", AUG_UNKNOWN),
    CASE("II*\0....", AUG_TIFF),
    CASE("MM\0*....", AUG_TIFF),
    CASE("\0\0\0\x0cjP  \r\n", AUG_JPEG2000),
    CASE("\xff\x0a..", AUG_JPEGXL),
    CASE("\0\0\0\x20"
         "ftypavif",
         AUG_AVIF),
    CASE("\0\0\0\x20"
         "ftypheic",
         AUG_AVIF),
    CASE("%PDF-1.5", AUG_PDF),
    CASE("\x1f\x8b\x08", AUG_ARCHIVE),
    CASE("PK\3\4", AUG_ARCHIVE),
    CASE("<!DOCTYPE html><html>", AUG_HTML),
    CASE("\xef\xbb\xbf\n <HTML>", AUG_HTML),
    CASE("<?xml version=\"1.0\"?>\n<svg xmlns=", AUG_SVG),
    CASE("<note/>", AUG_TEXT),
    CASE("version https://git-lfs.github.com/spec/v1\noid", AUG_LFS),
    CASE("/9j/4AAQSkZJRg", AUG_BASE64),
    CASE("iVBORw0KGgo=", AUG_BASE64),
    CASE("data:image/png;base64,", AUG_BASE64),
    CASE("b'\\xff\\xd8\\xff", AUG_REPR),
    CASE("just text, caf\xc3\xa9\r\n\f", AUG_TEXT),
    CASE("text\0", AUG_UNKNOWN),
    CASE("\0", AUG_ZEROS),
    CASE("\0\0\0\0\0\0\0", AUG_ZEROS),
};

static void test_kinds(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t *p = t_guarded_alloc(cases[i].n + !cases[i].n); /* reads not one byte too far */
        memcpy(p, cases[i].bytes, cases[i].n);
        if (aug_sniff(p, cases[i].n) != cases[i].kind)
            fail_msg("case %zu is %s", i, aug_kind_name(aug_sniff(p, cases[i].n)));
        t_guarded_free(p, cases[i].n + !cases[i].n);
    }
}

static void test_names(void **state)
{
    (void) state;
    for (int k = 0; k < AUG_N_KINDS; k++) {
        assert_true(strlen(aug_kind_name(k)) > 0 && strlen(aug_kind_explain(k)) > 3);
        if (k != AUG_WEBP)
            assert_int_equal(aug_kind_is_image(k), k > AUG_UNKNOWN && k < AUG_WEBP);
    }
    assert_string_equal(aug_kind_name(AUG_N_KINDS), "unknown");
    t_assert_contains(aug_kind_explain(AUG_LFS), "git lfs pull");
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_names))
