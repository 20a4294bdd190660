/* test_image_record.c - a file as a record: its own bytes, new bytes, boxes; files that were
 * cut. */
#include "datagen/images/image_record.h"

#include "tests/unit/datagen/images/images_here.h"
#include "tfrecord/example.h"

static struct t2_err err = T2_ERR_INIT;

static struct t2_slice bytes_of(const struct tfr_example *ex, const char *name)
{
    struct t2_slice s = {NULL, 0};

    tfr_view_bytes(tfr_example_find(ex, name), &s);
    return s;
}

static int64_t int_of(const struct tfr_example *ex, const char *name)
{
    int64_t n = -1;

    tfr_view_ints(tfr_example_find(ex, name), &n);
    return n;
}

static void test_record(void **state)
{
    struct dg_image_policy policy = {.admit = {.reencode = AUG_REENCODE_ODD}};
    struct dg_image_scratch scratch = {.jpeg = {NULL, 0, 0}};
    struct dg_images l = {.has_boxes = true, .boxes_are_pixels = true};
    struct t2_buf file = {NULL, 0, 0}, record = {NULL, 0, 0};
    struct tfr_example ex = {.n = 0};
    struct aug_admission a;
    int64_t height, width;
    float x = -1;

    (void) state;
    t2_strs_push(&l.labels, "rose");
    t2_strs_push(&l.labels, "daisy");
    for (int i = 0; i < 2; i++) { /* a JPEG is kept, a PNG is made anew */
        char *path = here_image(t_tmp_path("record"), i ? "p.png" : "p.jpg", 20, 10);
        struct dg_image *p = dg_images_add(&l, path, DG_IMAGES_TRAIN, 1);
        dg_images_add_box(&l, (struct dg_image_box){5, 0, 10, 10});
        assert_int_equal(t2_read_file(path, 0, &file, &err), T2_OK);
        assert_int_equal(dg_image_admit(path, t2_buf_slice(&file), &policy, &scratch.pixels, &a,
                                        &err),
                         T2_OK);
        assert_int_equal(a.verdict, i ? AUG_REENCODE : AUG_KEEP);
        t2_buf_clear(&record);
        assert_int_equal(dg_image_record(&l, p, t2_buf_slice(&file), &a, &policy, &scratch, &height,
                                         &width, &record, &err),
                         T2_OK);
        assert_int_equal(tfr_example_parse(&ex, t2_buf_slice(&record), &err), T2_OK);
        assert_int_equal(ex.n, 14);
        assert_int_equal(int_of(&ex, "image/height"), 10);
        assert_int_equal(int_of(&ex, "image/width"), 20);
        assert_int_equal(int_of(&ex, "image/class/label"), 2);
        assert_true(t2_slice_eq(bytes_of(&ex, "image/class/synset"), t2_slice_of("daisy")));
        assert_true(t2_slice_eq(bytes_of(&ex, "image/format"), t2_slice_of("JPEG")));
        assert_int_equal(t2_slice_eq(bytes_of(&ex, "image/encoded"), t2_buf_slice(&file)), !i);
        tfr_view_floats(tfr_example_find(&ex, "image/object/bbox/xmin"), &x);
        assert_true(x == 0.25f);
    }
    tfr_example_release(&ex);
    t2_buf_release(&file);
    t2_buf_release(&record);
    dg_image_scratch_release(&scratch);
    dg_images_release(&l);
}

static void test_cut(void **state)
{
    struct dg_image_policy policy = {.decode_all = false};
    struct aug_image pixels = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_admission a;

    (void) state;
    for (int i = 0; i < 2; i++) {
        char *path = here_image(t_tmp_path("cut"), i ? "p.png" : "p.jpg", 64, 64);
        assert_int_equal(t2_read_file(path, 0, &file, &err), T2_OK);
        assert_int_equal(dg_image_admit(path, t2_buf_slice(&file), &policy, &pixels, &a, &err),
                         T2_OK);
        assert_int_equal(a.verdict, AUG_KEEP);
        file.len_bytes = file.len_bytes / 2;
        assert_int_equal(dg_image_admit(path, t2_buf_slice(&file), &policy, &pixels, &a, &err),
                         T2_OK);
        assert_int_equal(a.verdict, AUG_REFUSE);
        t2_free(path);
    }
    t2_buf_release(&file);
    aug_image_release(&pixels);
}

T_MAIN(cmocka_unit_test(test_record), cmocka_unit_test(test_cut))
