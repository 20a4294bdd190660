/* test_resize_cv.c - OpenCV: whole ratios are means, linear by a half is the mean of four. */
#include <string.h>

#include "augment/resize.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void test_whole_ratios(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image im = t_image(12, 18, 3, 1), out = {.data = NULL};
    const struct aug_resize area = {.convention = AUG_OPENCV, .method = AUG_AREA},
                            linear = {.convention = AUG_OPENCV, .method = AUG_BILINEAR};

    (void) state;
    assert_int_equal(aug_resize_bytes(z, &area, &im, 4, 6, &out, &err), T2_OK);
    int sum = 0;
    for (int y = 3; y < 6; y++)
        for (int x = 6; x < 9; x++)
            sum += aug_row(&im, y)[3 * x + 1];
    assert_true(out.data[1 * 18 + 2 * 3 + 1] * 9 - sum <= 4 && sum - out.data[1 * 18 + 7] * 9 <= 4);
    assert_int_equal(aug_resize_bytes(z, &linear, &im, 6, 9, &out, &err), T2_OK);
    sum = im.data[0] + im.data[3] + aug_row(&im, 1)[0] + aug_row(&im, 1)[3];
    assert_int_equal(out.data[0], (sum + 2) / 4);
    aug_image_release(&im);
    aug_image_release(&out);
    aug_resizer_free(z);
}

/* Which pixel of a row (or a column) of n_in becomes which of n_out. */
static void pick(struct aug_resizer *z, int32_t n_in, int32_t n_out, bool column,
                 struct aug_image *out)
{
    static const struct aug_resize how = {.convention = AUG_OPENCV, .method = AUG_NEAREST_EXACT};
    uint8_t row[256];

    for (int32_t i = 0; i < n_in; i++)
        row[i] = (uint8_t) i;
    struct aug_image im = aug_image_of(row, column ? n_in : 1, column ? 1 : n_in, 1);
    assert_int_equal(aug_resize_bytes(z, &how, &im, column ? n_out : 1, column ? 1 : n_out, out,
                                      &err),
                     T2_OK);
}

/* Observed from OpenCV 5.0.0 (bench/check_resize_opencv.py compares everything): sources of even
 * size have outputs whose middle is the border of two pixels. */
static void test_nearest_exact_observed(void **state)
{
    static const struct {
        int32_t n_in, n_out, at;
        uint8_t pixel;
    } observed[] = {{2, 1, 0, 1},    {2, 3, 1, 1},    {2, 5, 2, 1},    {2, 7, 3, 0}, {2, 15, 7, 0},
                    {4, 1, 0, 2},    {4, 3, 1, 2},    {6, 1, 0, 3},    {8, 3, 1, 4}, {10, 3, 1, 5},
                    {24, 17, 8, 12}, {52, 17, 8, 25}, {58, 17, 8, 28}, {3, 2, 1, 2}, {7, 5, 2, 3}};
    struct aug_image out = {.data = NULL};
    struct aug_resizer *z = aug_resizer_new();

    (void) state;
    for (size_t i = 0; i < sizeof observed / sizeof *observed; i++)
        for (int column = 0; column < 2; column++) {
            pick(z, observed[i].n_in, observed[i].n_out, column, &out);
            if (out.data[observed[i].at] != observed[i].pixel)
                fail_msg("%d to %d, pixel %d: %d instead of %d", observed[i].n_in,
                         observed[i].n_out, observed[i].at, out.data[observed[i].at],
                         observed[i].pixel);
        }
    aug_image_release(&out);
    aug_resizer_free(z);
}

/* FNV-1a of what OpenCV 5.0.0 picks for the 39,601 pairs of sizes up to 199. */
static void test_nearest_exact_all_pairs(void **state)
{
    struct aug_image out = {.data = NULL};
    struct aug_resizer *z = aug_resizer_new();
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    (void) state;
    for (int32_t n_in = 1; n_in < 200; n_in++)
        for (int32_t n_out = 1; n_out < 200; n_out++) {
            pick(z, n_in, n_out, false, &out);
            for (int32_t i = 0; i < n_out; i++)
                hash = (hash ^ out.data[i]) * UINT64_C(0x100000001b3);
        }
    assert_true(hash == UINT64_C(0x27769af3717a2a1));
    aug_image_release(&out);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_whole_ratios), cmocka_unit_test(test_nearest_exact_observed),
       cmocka_unit_test(test_nearest_exact_all_pairs))
