/*
 * tests/unit/datagen/problems/test_problem_celeba.c - attributes and landmarks beside their images.
 */
#include "tests/unit/datagen/problems/image_samples.h"

static void put_table(const char *name, int n_values, const char *last)
{
    struct t2_buf text = {NULL, 0, 0};

    t2_buf_puts(&text, "2\r\nheadings\r\n");
    for (int row = 2; row >= 1; row--) { /* found by name, in any order */
        t2_buf_printf(&text, "00000%d.jpg ", row);
        for (int i = 1; i < n_values; i++)
            t2_buf_printf(&text, " %d", row == 1 ? i : -i);
        t2_buf_printf(&text, "  %s\r\n", last);
    }
    s_put(name, t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void test_faces(void **state)
{
    struct dg_options o = s_options();
    char *got;

    (void) state;
    p_put("img_align_celeba/000002.jpg", 4, 5);
    p_put("img_align_celeba/000001.jpg", 8, 3);
    put_table("celeba_attr", 40, "77");
    put_table("celeba_landmarks_align", 10, "5");
    got = p_records("image_celeba", DG_TRAIN, &o);
    t_assert_contains(got, "attributes=1,2,3,");
    t_assert_contains(got, ",39,77 landmarks=1,2,3,4,5,6,7,8,9,5 image/encoded=JPEG:8x3 "
                           "image/format=jpeg\nattributes=-1,-2,");
    t_assert_contains(got, " landmarks=-1,-2,-3,-4,-5,-6,-7,-8,-9,5 image/encoded=JPEG:4x5");
    t2_free(got);
    p_check("image_celeba32", DG_DEV,
            "!'img_align_celeba.zip' has 2 images; those of dev begin behind number 162770, as "
            "in the "
            "original's split");

    put_table("celeba_landmarks_align", 10, "5 6");
    p_check_contains("image_celeba", DG_TRAIN,
                     "the line of '000001.jpg' is not its name and 10 integers");
    put_table("celeba_landmarks_align", 10, "x");
    p_check_contains("image_celeba", DG_TRAIN, "is not its name and 10 integers");
    p_put("img_align_celeba/000000.jpg", 4, 5);
    p_check_contains("image_celeba", DG_TRAIN, "'celeba_attr' has no line for '000000.jpg'");
    t_assert_contains(dg_find("image_celebahq256_dmol")->refusal,
                      "image_celebahq-256-00000-of-00100");
}

T_MAIN(cmocka_unit_test(test_faces))
