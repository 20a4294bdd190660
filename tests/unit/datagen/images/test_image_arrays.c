/* test_image_arrays.c - planes of bytes become a PNG whose pixels are theirs. */
#include "datagen/images/image_arrays.h"

#include "augment/png.h"
#include "tests/support/t.h"

static void test_finish(void **state)
{
    const struct dg_texts texts = {.text = {{(const uint8_t *) "RrGgBb", 6}}};
    const struct aug_decode how = {.channels = 3};
    struct t2_err err = T2_ERR_INIT;
    struct dg_record r = {.n = 0};
    struct aug_image im = {.data = NULL};

    (void) state;
    dg_feature_push(dg_record_add(&r, "targets", TFR_INT64), 5);
    assert_int_equal(dg_finish_png(1, 2, 3, &texts, &r, &err), T2_OK);
    assert_null(dg_record_find(&r, "targets"));
    assert_int_equal(dg_record_find(&r, "image/class/label")->ints[0], 5);
    assert_int_equal(dg_record_find(&r, "image/width")->ints[0], 2);
    assert_int_equal(aug_png_decode(r.made.data, r.made.len_bytes, &how, &im, NULL, &err), T2_OK);
    assert_memory_equal(im.data, "RGBrgb", 6);
    assert_int_equal(dg_finish_png(2, 2, 3, &texts, &r, &err), T2_EFORMAT);
    aug_image_release(&im);
    dg_record_release(&r);
}

T_MAIN(cmocka_unit_test(test_finish))
