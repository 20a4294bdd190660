/* Tests of train/trained/decode_media.c: images are classified where none are asked for; drawing is
 * tested by test_draw_images.c, whole programs by tests/e2e/generate_images.sh. */
#include "train/trained/decode_media.h"

#include <stdlib.h>

#include "tests/unit/train/trained_images.h"

static void test_classes(void **state)
{
    struct tr_trained t;
    char *lines = t2_strdup(t_tmp_path("lines"));
    struct tr_media_options o = {.to = lines, .contact_sheet = "", .batch_size = 2};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf png = {0};
    size_t n;
    char *text;

    (void) state;
    t_png(9, 9, 3, 1, &png);
    t_write_file(t_tmp_path("one.png"), png.data, png.len_bytes);
    trained_images(&t, 1);
    o.from = t_tmp_path("one.png");
    assert_int_equal(tr_decode_media(&t, NULL, &o, &err), T2_OK);
    text = t_read_file(lines, &n);
    t_assert_contains(text, "one.png\t");
    free(text);
    o.from = "no/such/folder";
    assert_int_equal(tr_decode_media(&t, NULL, &o, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "no/such/folder");
    t2_free(lines);
    t2_buf_release(&png);
    tr_trained_close(&t);
}

T_MAIN(cmocka_unit_test(test_classes))
