/* test_resize_pil.c - Pillow's box, its order of passes, its copies. */
#include <string.h>

#include "augment/resize.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void test_box(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image im = t_image(20, 30, 3, 1), a = {.data = NULL}, b = {.data = NULL};
    struct aug_resize how = {.convention = AUG_PIL, .method = AUG_AREA};

    (void) state;
    /* the same size: a copy */
    assert_int_equal(aug_resize_bytes(z, &how, &im, 20, 30, &a, &err), T2_OK);
    t_assert_same_pixels(&a, &im);
    /* whole pixels of a box, by area: those of the window */
    struct aug_image w = aug_image_window(&im, (struct aug_window){4, 2, 12, 8});
    how.has_box = true;
    memcpy(how.box, (float[]){4, 2, 16, 10}, sizeof how.box);
    assert_int_equal(aug_resize_bytes(z, &how, &im, 4, 6, &a, &err), T2_OK);
    how.has_box = false;
    assert_int_equal(aug_resize_bytes(z, &how, &w, 4, 6, &b, &err), T2_OK);
    t_assert_same_pixels(&a, &b);
    how.has_box = true;
    how.box[2] = 31;
    assert_int_equal(aug_resize_bytes(z, &how, &im, 4, 6, &a, &err), T2_EUSAGE);
    how.box[2] = how.box[0];
    assert_int_equal(aug_resize_bytes(z, &how, &im, 4, 6, &a, &err), T2_EUSAGE);
    aug_image_release(&im);
    aug_image_release(&a);
    aug_image_release(&b);
    aug_resizer_free(z);
}

/* Columns first, rows first: the same up to a rounding, whatever side of the rule a size is on. */
static void test_order_of_passes(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image im = t_image(60, 40, 3, 2), a = {.data = NULL}, b = {.data = NULL};
    const struct aug_resize how = {.convention = AUG_PIL, .method = AUG_BILINEAR};

    (void) state;
    assert_int_equal(aug_resize_bytes(z, &how, &im, 30, 35, &a, &err),
                     T2_OK); /* 30 > 2 * 5: rows first */
    assert_int_equal(aug_resize_bytes(z, &how, &im, 30, 40, &b, &err), T2_OK);
    struct aug_image two = {.data = NULL};
    assert_int_equal(aug_resize_bytes(z, &how, &b, 30, 35, &two, &err), T2_OK);
    t_assert_same_pixels(&a, &two);
    assert_int_equal(aug_resize_bytes(z, &how, &im, 50, 35, &a, &err),
                     T2_OK); /* 10 = 2 * 5: columns */
    assert_int_equal(aug_resize_bytes(z, &how, &im, 60, 35, &b, &err), T2_OK);
    assert_int_equal(aug_resize_bytes(z, &how, &b, 50, 35, &two, &err), T2_OK);
    t_assert_same_pixels(&a, &two);
    aug_image_release(&two);
    aug_image_release(&im);
    aug_image_release(&a);
    aug_image_release(&b);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_box), cmocka_unit_test(test_order_of_passes))
