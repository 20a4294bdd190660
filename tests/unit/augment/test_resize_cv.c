/* test_resize_cv.c - OpenCV: whole ratios are means, linear by a half is the mean of four. */
#include <string.h>

#include "augment/resize.h"
#include "tests/support/pictures.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_whole_ratios(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image im = t_picture(12, 18, 3, 1), out = {.data = NULL};
    const struct aug_resize area = {.convention = AUG_OPENCV, .method = AUG_AREA},
                            linear = {.convention = AUG_OPENCV, .method = AUG_BILINEAR};

    (void) state;
    assert_int_equal(aug_resize_bytes(z, &area, &im, 4, 6, &out, &err), T2_OK);
    int sum = 0;
    for (int y = 3; y < 6; ++y)
        for (int x = 6; x < 9; ++x)
            sum += aug_row(&im, y)[3 * x + 1];
    assert_true(out.data[1 * 18 + 2 * 3 + 1] * 9 - sum <= 4 && sum - out.data[1 * 18 + 7] * 9 <= 4);
    assert_int_equal(aug_resize_bytes(z, &linear, &im, 6, 9, &out, &err), T2_OK);
    sum = im.data[0] + im.data[3] + aug_row(&im, 1)[0] + aug_row(&im, 1)[3];
    assert_int_equal(out.data[0], (sum + 2) / 4);
    aug_image_release(&im);
    aug_image_release(&out);
    aug_resizer_free(z);
}

/* The middle of an odd number of steps is a tie: to even. */
static void test_nearest_exact(void **state)
{
    uint8_t row[58];
    struct aug_image im, out = {.data = NULL};
    struct aug_resizer *z = aug_resizer_new();
    const struct aug_resize how = {.convention = AUG_OPENCV, .method = AUG_NEAREST_EXACT};

    (void) state;
    for (int i = 0; i < 58; ++i)
        row[i] = (uint8_t) i;
    im = aug_image_of(row, 1, 58, 1);
    assert_int_equal(aug_resize_bytes(z, &how, &im, 1, 17, &out, &err), T2_OK);
    assert_int_equal(out.data[8], 28);
    im = aug_image_of(row, 1, 24, 1);
    assert_int_equal(aug_resize_bytes(z, &how, &im, 1, 17, &out, &err), T2_OK);
    assert_int_equal(out.data[8], 12);
    aug_image_release(&out);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_whole_ratios), cmocka_unit_test(test_nearest_exact))
