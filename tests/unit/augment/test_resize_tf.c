/* test_resize_tf.c - the row of numbers of the specification, part 8. */
#include "augment/resize.h"
#include "tests/support/t.h"

static const struct {
    struct aug_resize how;
    int32_t n;
    float want[6];
} cases[] = {
    {{.convention = AUG_TF1, .method = AUG_BILINEAR},
     6,
     {0, 6.666667f, 13.333334f, 20, 33.333336f, 40}},
    {{.convention = AUG_TF1, .method = AUG_BILINEAR, .align_corners = true},
     6,
     {0, 6, 12, 18, 28.000002f, 40}},
    {{.convention = AUG_TF2, .method = AUG_BILINEAR}, 6, {0, 5, 11.666668f, 18.333336f, 30, 40}},
    {{.convention = AUG_TF1, .method = AUG_BILINEAR}, 3, {0, 13.333334f, 33.333336f}},
    {{.convention = AUG_TF2, .method = AUG_BILINEAR}, 3, {1.666667f, 15, 36.666672f}},
    {{.convention = AUG_TF1, .method = AUG_BICUBIC},
     6,
     {0, 5.744268f, 13.14625f, 20, 34.265499f, 42.222221f}},
    {{.convention = AUG_TF2, .method = AUG_BICUBIC},
     6,
     {-0.658888f, 4.117647f, 11.553774f, 17.750696f, 31.176472f, 41.317776f}},
    {{.convention = AUG_TF2, .method = AUG_BILINEAR, .antialias = true},
     2,
     {7.142858f, 27.142859f}},
    {{.convention = AUG_TF2, .method = AUG_BICUBIC, .antialias = true}, 2, {5.495868f, 28.719007f}},
    {{.convention = AUG_TF1, .method = AUG_AREA}, 3, {2.5f, 15.000001f, 35}},
    {{.convention = AUG_TF2, .method = AUG_AREA}, 2, {5, 30}},
};

static void test_row(void **state)
{
    static uint8_t row[4] = {0, 10, 20, 40};
    struct aug_image im = aug_image_of(row, 1, 4, 1), column = aug_image_of(row, 4, 1, 1);
    struct aug_resizer *z = aug_resizer_new();
    struct aug_floats out = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t n = (size_t) cases[i].n;
        assert_int_equal(aug_resize_to_floats(z, &cases[i].how, &im, 1, cases[i].n, &out, &err),
                         T2_OK);
        t_assert_close(out.data, cases[i].want, n, 1e-6, 1e-7);
        assert_int_equal(aug_resize_to_floats(z, &cases[i].how, &column, cases[i].n, 1, &out, &err),
                         T2_OK);
        t_assert_close(out.data, cases[i].want, n, 4e-6, 1e-7);
    }
    aug_floats_release(&out);
    aug_resizer_free(z);
}

T_MAIN(cmocka_unit_test(test_row))
