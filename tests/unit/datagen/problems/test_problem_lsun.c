/*
 * tests/unit/datagen/problems/test_problem_lsun.c - images of a database become PNG.
 */
#include "tests/unit/datagen/images/small_lmdb.h"
#include "tests/unit/datagen/problems/image_samples.h"

static void read_image(const char *name, struct t2_buf *file)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_path_join(t_tmp_path("tmp"), name);

    assert_int_equal(t2_read_file(path, 0, file, &err), T2_OK);
    t2_free(path);
}

static void test_bedrooms(void **state)
{
    struct t2_buf files[2] = {{NULL, 0, 0}, {NULL, 0, 0}}, mdb = {NULL, 0, 0};
    struct t2_slice values[3];
    char *path;

    (void) state;
    p_put("a.jpg", 9, 4);
    p_put("b.png", 5, 6);
    read_image("a.jpg", &files[0]);
    read_image("b.png", &files[1]);
    values[0] = t2_buf_slice(&files[0]);
    values[1] = t2_buf_slice(&files[1]);
    values[2] = t2_slice_of("nothing");
    s_put("bedroom_train_lmdb/data.mdb", "x");
    s_put("bedroom_val_lmdb/data.mdb", "x"); /* both are wanted */
    path = t2_path_join(t_tmp_path("tmp"), "bedroom_train_lmdb/data.mdb");
    p_check("image_lsun_bedrooms", DG_TRAIN,
            "!'bedroom_train_lmdb/data.mdb' is no data.mdb of LMDB");
    sl_make(values, 2, &mdb);
    t_write_file(path, mdb.data, mdb.len_bytes);
    p_check(
        "image_lsun_bedrooms", DG_TRAIN,
        "image/class/label=0 image/encoded=PNG:9x4 image/format=png image/height=4 image/width=9\n"
        "image/class/label=0 image/encoded=PNG:5x6 image/format=png image/height=6 "
        "image/width=5\n");
    sl_make(values, 3, &mdb);
    t_write_file(path, mdb.data, mdb.len_bytes);
    p_check_contains("image_lsun_bedrooms", DG_TRAIN, "data.mdb: image 3': no image");
    t2_free(path);
    for (int i = 0; i < 2; i++)
        t2_buf_release(&files[i]);
    t2_buf_release(&mdb);
}

T_MAIN(cmocka_unit_test(test_bedrooms))
