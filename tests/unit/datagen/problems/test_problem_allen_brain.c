/*
 * tests/unit/datagen/problems/test_problem_allen_brain.c - bright tiles of the sections, in the
 * order of their names.
 */
#include "tests/unit/datagen/problems/image_samples.h"

/* All grey but for one bright point in some tiles; the name says the size. */
static void put_section(int i, int width, int height, int x, int y)
{
    struct aug_image im = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_asprintf("%s/%d.jpg", t_tmp_path("tmp"), i);

    (void) s_options();
    assert_int_equal(aug_image_resize(&im, height, width, 1, &err), T2_OK);
    memset(im.data, 100, (size_t) (width * height));
    for (int k = 0; k < 64 && x >= 0; k++)
        memset(aug_row(&im, y * 8 + k / 8) + x * 8, 255, 8);
    assert_int_equal(aug_jpeg_encode(&im, &(struct aug_jpeg_settings){.quality = 100}, &file, &err),
                     T2_OK);
    t_write_file(path, file.data, file.len_bytes);
    t2_buf_release(&file);
    aug_image_release(&im);
    t2_free(path);
}

#define TILE "image/encoded=JPEG:63x63 image/format=jpeg image/height=64 image/width=64\n"

static void test_tiles(void **state)
{
    (void) state;
    p_check_contains("img2img_allen_brain", DG_TRAIN, ".jpg'");
    for (int i = 0; i < 100; i++)
        put_section(i, 40, 40, 0, 0); /* smaller than a tile */
    put_section(0, 200, 70, 9, 1);    /* the second of three */
    put_section(10, 64, 64, -1, 0);   /* dark */
    put_section(2, 130, 130, 3, 12);  /* the third of four */
    p_check("img2img_allen_brain", DG_TRAIN, TILE TILE);
    p_check("img2img_allen_brain_dim8to32", DG_DEV, ""); /* 95.jpg ... 99.jpg */
    put_section(97, 64, 64, 0, 0);
    p_check("img2img_allen_brain_dim8to32", DG_DEV, TILE);
    put_section(97, 64, 64, 7, 7); /* only the last row and column, which are left out, are whole */
    p_check("img2img_allen_brain_dim8to32", DG_DEV, TILE);
    s_put("99.jpg", "<html>");
    p_check_contains("img2img_allen_brain", DG_DEV, "99.jpg");
}

T_MAIN(cmocka_unit_test(test_tiles))
