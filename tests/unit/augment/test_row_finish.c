/* test_row_finish.c - rows of an image into a batch: the same as doing it for the whole image. */
#include <string.h>

#include "augment/colour.h"
#include "augment/row_finish.h"
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

enum { H = 7, W = 61 };

static struct t2_err err = T2_ERR_INIT;

static void check(int32_t channels, enum aug_layout layout, bool mirror, int n_steps)
{
    static const float sub[4] = {120, 110.5f, 99, 1}, mul[4] = {0.25f, 1 / 3.0f, 57.12f, 2};
    static float to[H * W * 4], want[H * W * 4];
    struct aug_finish f = {.layout = layout,
                           .height = H,
                           .width = W,
                           .channels = channels,
                           .to = to,
                           .mirror = mirror};
    struct aug_image im = t_image(H, W, channels, 5);
    struct aug_floats a = {.data = NULL}, b = {.data = NULL};

    assert_int_equal(aug_to_floats(&im, 1, &a, &err), T2_OK);
    assert_int_equal(aug_to_floats(&im, 1, &b, &err), T2_OK);
    for (int i = 0; i < n_steps; i++) {
        aug_finish_add(&f, sub, mul, i % 2 == 0);
        aug_normalize(&b, sub, mul, i % 2 == 0);
    }
    if (mirror)
        aug_flip_floats(&b);
    aug_floats_store(&b, layout, want);
    aug_finish_floats(&f, &a);
    assert_memory_equal(to, want, (size_t) (H * W * channels) * sizeof *to);
    memset(to, 0xff, sizeof to);
    aug_finish_table(&f, 1);
    for (int32_t y = 0; y < H; y++)
        aug_finish_bytes(&f, y, aug_row(&im, y));
    assert_memory_equal(to, want, (size_t) (H * W * channels) * sizeof *to);
    aug_floats_release(&a);
    aug_floats_release(&b);
    aug_image_release(&im);
}

static void test_all(void **state)
{
    (void) state;
    for (int i = 0; i < 4 * 2 * 2 * (AUG_FINISH_STEPS + 1); i++)
        check(1 + i % 4, i / 4 % 2 ? AUG_NCHW : AUG_NHWC, i / 8 % 2, i / 16);
}

T_MAIN(cmocka_unit_test(test_all))
