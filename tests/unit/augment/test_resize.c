/* test_resize.c - dispatch, what is not supported, sizes that change from call to call. */
#include <string.h>

#include "augment/colour.h"
#include "augment/resize.h"
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static void put_row(void *arg, int32_t y, float *row)
{
    struct aug_floats *f = arg;

    memcpy(aug_float_row(f, 0, y), row, f->stride_floats * sizeof *row);
}

/* Row by row, and of a source that is looked at from the other side. */
static void check_rows(struct aug_resizer *z, struct aug_resize how, const struct aug_image *im,
                       const struct aug_floats *want)
{
    struct aug_floats got = {.data = NULL};
    struct aug_image round = {.data = NULL};
    const struct aug_row_sink sink = {.take = put_row, .arg = &got};
    size_t bytes = want->stride_floats * (size_t) want->height * sizeof *got.data;

    assert_int_equal(aug_floats_resize(&got, AUG_NHWC, want->height, want->width, want->channels,
                                       &err),
                     T2_OK);
    memset(got.data, 0xff, bytes);
    assert_int_equal(aug_resize_to_rows(z, &how, im, want->height, want->width, &sink, &err),
                     T2_OK);
    assert_memory_equal(got.data, want->data, bytes);
    assert_int_equal(aug_image_copy(im, &round, &err), T2_OK);
    aug_flip_bytes(&round);
    how.mirrored = true;
    if (how.convention == AUG_TF1 || how.convention == AUG_TF2) {
        assert_int_equal(aug_resize_to_floats(z, &how, &round, want->height, want->width, &got,
                                              &err),
                         T2_OK);
        assert_memory_equal(got.data, want->data, bytes);
    }
    aug_floats_release(&got);
    aug_image_release(&round);
}

/* Every pair on odd sizes: either it works, or says that it does not exist; a constant image stays
 * constant, a window equals its copy, and one resizer serves all. */
static void test_every_method(void **state)
{
    static const int32_t sizes[][4] = {{1, 1, 5, 7},   {5, 7, 1, 1},     {13, 9, 13, 9},
                                       {31, 5, 4, 40}, {64, 48, 32, 24}, {40, 33, 10, 11}};
    struct aug_resizer *z = aug_resizer_new();
    int n_supported = 0;

    (void) state;
    for (int c = AUG_TF1; c <= AUG_OPENCV; c++)
        for (int m = AUG_NEAREST; m <= AUG_LINEAR_EXACT; m++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                const struct aug_resize how = {.convention = (enum aug_convention) c,
                                               .method = (enum aug_method) m,
                                               .antialias = s % 2 == 0};
                struct aug_image im =
                    t_image(sizes[s][0] + 2, sizes[s][1] + 3, 1 + (int32_t) s % 4, 7);
                struct aug_image w =
                    aug_image_window(&im, (struct aug_window){2, 1, sizes[s][1], sizes[s][0]});
                struct aug_image copy = {.data = NULL};
                struct aug_floats a = {.data = NULL}, b = {.data = NULL}, f = {.data = NULL};
                enum t2_status st =
                    aug_resize_to_floats(z, &how, &w, sizes[s][2], sizes[s][3], &a, &err);
                assert_int_equal(aug_image_copy(&w, &copy, &err), T2_OK);
                if (st == T2_OK) {
                    n_supported++;
                    assert_int_equal(aug_resize_to_floats(z, &how, &copy, sizes[s][2], sizes[s][3],
                                                          &b, &err),
                                     T2_OK);
                    assert_memory_equal(a.data, b.data,
                                        a.stride_floats * (size_t) a.height * sizeof *a.data);
                    check_rows(z, how, &w, &a);
                    memset(copy.data, 77, copy.stride_bytes * (size_t) copy.height);
                    assert_int_equal(aug_resize_to_floats(z, &how, &copy, sizes[s][2], sizes[s][3],
                                                          &b, &err),
                                     T2_OK);
                    for (size_t i = 0; i < b.stride_floats * (size_t) b.height; i++)
                        assert_true(b.data[i] > 76.999f && b.data[i] < 77.001f);
                } else {
                    assert_int_equal(st, T2_EUNSUPPORTED);
                }
                assert_int_equal(aug_to_floats(&w, 1, &f, &err), T2_OK);
                st = aug_resize_floats(z, &how, &f, sizes[s][2], sizes[s][3], &b, &err);
                assert_true(st == T2_OK || st == T2_EUNSUPPORTED);
                aug_floats_release(&a);
                aug_floats_release(&b);
                aug_floats_release(&f);
                aug_image_release(&copy);
                aug_image_release(&im);
            }
    assert_int_equal(n_supported, 6 * (4 + 8 + 6 + 7));
    aug_resizer_free(z);
    aug_resizer_free(NULL);
}

static void test_errors(void **state)
{
    struct aug_resizer *z = aug_resizer_new();
    struct aug_image im = t_image(5, 5, 3, 1), out = {.data = NULL};
    const struct aug_resize tf = {.convention = AUG_TF1, .method = AUG_BILINEAR},
                            pil = {.convention = AUG_PIL, .method = AUG_BICUBIC};

    (void) state;
    assert_int_equal(aug_resize_bytes(z, &tf, &im, 3, 3, &out, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "floats");
    assert_int_equal(aug_resize_bytes(z, &pil, &im, 0, 3, &out, &err), T2_EFORMAT);
    for (uint64_t n = 1; n < 30; n++) { /* each allocation failing in turn */
        t2_alloc_fail_after(n);
        enum t2_status st = aug_resize_bytes(z, &pil, &im, 3 + (int32_t) n, 40, &out, &err);
        assert_true(st == T2_OK || st == T2_ENOMEM);
    }
    t2_alloc_fail_after(0);
    assert_int_equal(aug_resize_bytes(z, &pil, &im, 50, 50, &out, &err), T2_OK);
    aug_image_release(&im);
    aug_image_release(&out);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_every_method), cmocka_unit_test(test_errors))
