/* test_augment_op.c - each operation on small images; against TensorFlow:
 * tests/oracle/test_augment_ops.c. */
#include <string.h>

#include "augment/augment_op.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void apply(enum aug_augment_op op, float value, bool fill_grey, struct aug_image *im)
{
    const struct aug_augment a = {.op = op, .value = value, .y = 1, .x = 1, .fill_grey = fill_grey};
    struct aug_image scratch = {.data = NULL};

    assert_int_equal(aug_augment_apply(&a, im, &scratch, &err), T2_OK);
    aug_image_release(&scratch);
}

/* A row of grey pixels. */
static struct aug_image row(uint8_t *data, const uint8_t *grey, int32_t n)
{
    for (int32_t i = 0; i < 3 * n; i++)
        data[i] = grey[i / 3];
    return aug_image_of(data, 1, n, 3);
}

static void check_row(enum aug_augment_op op, float value, bool fill_grey, const uint8_t in[4],
                      const uint8_t want[4])
{
    uint8_t data[12], expected[12];
    struct aug_image im = row(data, in, 4);

    (void) row(expected, want, 4);
    apply(op, value, fill_grey, &im);
    for (int i = 0; i < 12; i++)
        if (data[i] != expected[i])
            fail_msg("%s: %d is %d, not %d", aug_augment_name(op), i, data[i], expected[i]);
}

static void test_tables(void **state)
{
    const uint8_t in[4] = {10, 100, 130, 200};
    (void) state;

    check_row(AUG_INVERT, 0, false, in, (const uint8_t[]){245, 155, 125, 55});
    check_row(AUG_POSTERIZE, 2, false, in, (const uint8_t[]){0, 64, 128, 192});
    check_row(AUG_POSTERIZE, 0, false, in, (const uint8_t[]){0, 0, 128, 128});
    check_row(AUG_SOLARIZE, 110, false, in, (const uint8_t[]){10, 100, 125, 55});
    check_row(AUG_SOLARIZE_ADD, 40, false, in, (const uint8_t[]){50, 140, 130, 200});
    check_row(AUG_AUTO_CONTRAST, 0, false, in, (const uint8_t[]){0, 120, 161, 255});
    check_row(AUG_AUTO_CONTRAST, 0, false, (const uint8_t[]){9, 9, 9, 9},
              (const uint8_t[]){9, 9, 9, 9});
    check_row(AUG_EQUALIZE, 0, false, in, in); /* too few pixels for a step */
}

static void test_blends(void **state)
{
    const uint8_t in[4] = {10, 100, 130, 200};
    (void) state;

    check_row(AUG_BRIGHTNESS, 0.5f, false, in, (const uint8_t[]){5, 50, 65, 100});
    check_row(AUG_BRIGHTNESS, 2, false, in, (const uint8_t[]){20, 200, 255, 255});
    check_row(AUG_COLOR, 0, false, in, in);
    check_row(AUG_SHARPNESS, 0, false, in, in);                           /* all edge */
    check_row(AUG_CONTRAST, 0, false, in, (const uint8_t[]){0, 0, 0, 0}); /* 4 pixels / 256 */
}

static void test_moves(void **state)
{
    const uint8_t in[4] = {10, 100, 130, 200};
    (void) state;

    check_row(AUG_TRANSLATE_X, 1, false, in, (const uint8_t[]){100, 130, 200, 200});
    check_row(AUG_TRANSLATE_X, -2, false, in, (const uint8_t[]){100, 10, 10, 100});
    check_row(AUG_TRANSLATE_X, 1, true, in, (const uint8_t[]){100, 130, 200, 128});
    check_row(AUG_TRANSLATE_Y, 3, true, in, (const uint8_t[]){128, 128, 128, 128});
    check_row(AUG_ROTATE, 180, false, in, (const uint8_t[]){200, 130, 100, 10});
    check_row(AUG_SHEAR_Y, 5, true, in, (const uint8_t[]){10, 128, 128, 128});
    check_row(AUG_SHEAR_X, 5, true, in, in);
}

static void test_cutout(void **state)
{
    struct aug_image im = t_image(5, 6, 3, 1), same = {.data = NULL};
    float x[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct aug_floats f = aug_floats_of(x, AUG_NHWC, 3, 4, 1);
    (void) state;

    assert_int_equal(aug_image_copy(&im, &same, &err), T2_OK);
    apply(AUG_CUTOUT, 2, false, &im); /* around (1, 1): rows and columns 0 ... 2 */
    for (int32_t y = 0; y < 5; y++)
        for (int32_t i = 0; i < 18; i++)
            assert_int_equal(aug_row(&im, y)[i], y < 3 && i < 9 ? 128 : aug_row(&same, y)[i]);
    aug_cutout_floats(&f, 2, 3, 1, 0);
    t_assert_close(x, ((const float[]){1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0}), 12, 0, 0);
    aug_cutout(&im, 1000, 1000, 3, 0); /* nothing of it inside */
    aug_image_release(&im);
    aug_image_release(&same);
}

T_MAIN(cmocka_unit_test(test_tables), cmocka_unit_test(test_blends), cmocka_unit_test(test_moves),
       cmocka_unit_test(test_cutout))
