/* test_image.c - images in memory: growing, windows, copies, layouts. */
#include <string.h>

#include "augment/image.h"
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void test_owners_grow_and_are_used_again(void **state)
{
    struct aug_image im = {.data = NULL};
    uint8_t *first;

    (void) state;
    assert_int_equal(aug_image_resize(&im, 10, 20, 3, &err), T2_OK);
    first = im.data;
    assert_int_equal(im.stride_bytes, 60);
    assert_int_equal(aug_image_resize(&im, 5, 7, 1, &err), T2_OK);
    assert_ptr_equal(im.data, first);
    assert_int_equal(im.stride_bytes, 7);
    assert_int_equal(aug_image_resize(&im, 100, 100, 4, &err), T2_OK);
    aug_image_release(&im);
    assert_null(im.data);
    aug_image_release(&im);
}

static void test_bad_sizes(void **state)
{
    struct aug_image im = {.data = NULL};
    struct aug_floats f = {.data = NULL};

    (void) state;
    assert_int_equal(aug_image_resize(&im, 0, 5, 3, &err), T2_EFORMAT);
    assert_int_equal(aug_image_resize(&im, 5, -1, 3, &err), T2_EFORMAT);
    t_assert_contains(err.message, "-1 x 5 pixels");
    assert_int_equal(aug_image_resize(&im, 1 << 30, 1 << 30, 1 << 30, &err), T2_ENOMEM);
    t2_alloc_fail_after(1);
    assert_int_equal(aug_image_resize(&im, 8, 8, 3, &err), T2_ENOMEM);
    t2_alloc_fail_after(1);
    assert_int_equal(aug_floats_resize(&f, AUG_NHWC, 8, 8, 3, &err), T2_ENOMEM);
    t2_alloc_fail_after(0);
    assert_int_equal(aug_image_resize(&im, 8, 8, 3, &err), T2_OK);
    aug_image_release(&im);
}

static void test_windows(void **state)
{
    struct aug_image im = t_image(9, 11, 3, 1), copy = {.data = NULL};
    struct aug_image view = aug_image_window(&im, (struct aug_window){2, 3, 4, 5});
    struct aug_image all = aug_image_window(&im, (struct aug_window){0, 0, 11, 9});

    (void) state;
    assert_int_equal(view.capacity_bytes, 0);
    assert_ptr_equal(view.data, aug_row(&im, 3) + 6);
    t_assert_same_pixels(&all, &im);
    assert_int_equal(aug_image_copy(&view, &copy, &err), T2_OK);
    t_assert_same_pixels(&view, &copy);
    assert_int_equal(copy.stride_bytes, 12);
    aug_image_release(&view); /* nothing: borrowed */
    aug_image_release(&copy);
    aug_image_release(&im);
}

static void test_floats(void **state)
{
    struct aug_image im = t_image(4, 5, 3, 2);
    struct aug_floats f = {.data = NULL}, planes = {.data = NULL}, back = {.data = NULL};
    float batch[60];

    (void) state;
    assert_int_equal(aug_to_floats(&im, 1.0f / 255.0f, &f, &err), T2_OK);
    assert_true(f.data[7] == (float) im.data[7] * (1.0f / 255.0f));
    assert_int_equal(aug_floats_copy(&f, AUG_NCHW, &planes, &err), T2_OK);
    for (int c = 0; c < 3; c++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++)
                assert_true(aug_float_row(&planes, c, y)[x] == aug_float_row(&f, 0, y)[3 * x + c]);
    assert_int_equal(aug_floats_copy(&planes, AUG_NHWC, &back, &err), T2_OK);
    assert_memory_equal(back.data, f.data, sizeof batch);
    aug_floats_store(&planes, AUG_NCHW, batch);
    assert_memory_equal(batch, planes.data, sizeof batch);
    struct aug_floats w = aug_floats_window(&f, (struct aug_window){1, 1, 2, 2});
    aug_floats_store(&w, AUG_NHWC, batch);
    assert_memory_equal(batch + 6, aug_float_row(&f, 0, 2) + 3, 6 * sizeof *batch);
    struct aug_floats of = aug_floats_of(batch, AUG_NCHW, 2, 2, 3);
    assert_ptr_equal(aug_float_row(&of, 1, 1), batch + 6);
    aug_floats_release(&f);
    aug_floats_release(&planes);
    aug_floats_release(&back);
    aug_image_release(&im);
}

T_MAIN(cmocka_unit_test(test_owners_grow_and_are_used_again), cmocka_unit_test(test_bad_sizes),
       cmocka_unit_test(test_windows), cmocka_unit_test(test_floats))
