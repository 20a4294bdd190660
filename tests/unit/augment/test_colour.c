/* test_colour.c - colour on small images; against TensorFlow:
 * tests/oracle/test_colour_goldens.c. */
#include <string.h>

#include "augment/colour.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_hue_and_saturation(void **state)
{
    float red[3] = {0.8f, 0.2f, 0.2f}, grey[3] = {0.4f, 0.4f, 0.4f};
    struct aug_floats f = aug_floats_of(red, AUG_NHWC, 1, 1, 3);
    (void) state;

    aug_hue(&f, 1 / 3.0f);
    t_assert_close(red, ((const float[]){0.2f, 0.8f, 0.2f}), 3, 1e-6, 0);
    aug_hue(&f, -1 / 3.0f);
    t_assert_close(red, ((const float[]){0.8f, 0.2f, 0.2f}), 3, 1e-6, 0);
    aug_saturation(&f, 0);
    t_assert_close(red, ((const float[]){0.8f, 0.8f, 0.8f}), 3, 1e-6, 0);
    f = aug_floats_of(grey, AUG_NHWC, 1, 1, 3);
    aug_saturation(&f, 5);
    aug_hue(&f, 0.5f);
    t_assert_close(grey, ((const float[]){0.4f, 0.4f, 0.4f}), 3, 1e-6, 0);
}

static void test_contrast(void **state)
{
    /* specification, part 6: mean 5.5 */
    float x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct aug_floats f = aug_floats_of(x, AUG_NHWC, 2, 5, 1), scratch = {.data = NULL};
    (void) state;

    assert_int_equal(aug_contrast(&f, 0.45321813f, &scratch, &err), T2_OK);
    assert_true(x[0] > 3.46051f && x[0] < 3.46052f);
    aug_floats_release(&scratch);
}

static void test_standardize(void **state)
{
    float x[6] = {1, 2, 3, 4, 5, 6}, flat[4] = {7, 7, 7, 7}, sum = 0;
    struct aug_floats f = aug_floats_of(x, AUG_NHWC, 1, 2, 3);
    (void) state;

    aug_standardize(&f);
    for (int i = 0; i < 6; i++)
        sum += x[i];
    t_assert_close(&sum, ((const float[]){0}), 1, 1e-6, 0);
    t_assert_close(x, ((const float[]){-1.4638501f}), 1, 1e-6, 0);
    f = aug_floats_of(flat, AUG_NHWC, 2, 2, 1); /* std 0: the floor is 1 / sqrt(N) */
    aug_standardize(&f);
    t_assert_close(flat, ((const float[]){0, 0, 0, 0}), 4, 0, 0);
}

static void test_flip_and_clip(void **state)
{
    uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    float x[4] = {-1, 0, 1, 2};
    struct aug_image im = aug_image_of(bytes, 2, 2, 3), out = {.data = NULL};
    struct aug_floats f = aug_floats_of(x, AUG_NHWC, 1, 4, 1);
    (void) state;

    aug_flip_bytes(&im);
    assert_memory_equal(bytes, ((const uint8_t[]){4, 5, 6, 1, 2, 3, 10, 11, 12, 7, 8, 9}), 12);
    aug_clip(&f, 0, 1);
    aug_flip_floats(&f);
    t_assert_close(x, ((const float[]){1, 1, 0, 0}), 4, 0, 0);
    assert_int_equal(aug_to_bytes(&f, 255.5f, &out, &err), T2_OK);
    assert_memory_equal(out.data, ((const uint8_t[]){255, 255, 0, 0}), 4);
    aug_image_release(&out);
    assert_int_equal(aug_grey_byte((const uint8_t[]){255, 255, 255}), 255);
    assert_int_equal(aug_grey_byte((const uint8_t[]){0, 0, 0}), 0);
    aug_brightness(&f, 2);
    t_assert_close(x, ((const float[]){3, 3, 2, 2}), 4, 0, 0);
    aug_normalize(&f, (const float[]){1}, (const float[]){2}, true);
    t_assert_close(x, ((const float[]){1, 1, 0.5f, 0.5f}), 4, 0, 0);
}

T_MAIN(cmocka_unit_test(test_hue_and_saturation), cmocka_unit_test(test_contrast),
       cmocka_unit_test(test_standardize), cmocka_unit_test(test_flip_and_clip))
