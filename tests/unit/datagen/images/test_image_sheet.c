/* test_image_sheet.c - pages of lists and of records: which images, equal bytes, what is
 * refused. */
#include <stdlib.h>
#include <string.h>

#include "augment/png.h"
#include "datagen/images/image_sheet.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"
#include "tests/unit/datagen/images/images_here.h"
#include "tfrecord/example.h"
#include "tfrecord/writer.h"

static struct t2_err err = T2_ERR_INIT;
static const struct dg_image_policy keep = {.decode_all = true};

static struct dg_sheet_spec spec_for(const char *path, const char *pipeline, int64_t n)
{
    return (struct dg_sheet_spec){path, pipeline, n, 7};
}

/* Rows of tiles in a page: 3 images each, of 224 + 3 + 33 + 8 pixels. */
static int32_t rows_of(const char *path)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aug_info info;

    assert_int_equal(t2_read_file(path, 1 << 24, &file, &err), T2_OK);
    assert_int_equal(aug_png_probe(file.data, file.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.width, 6 * (224 + 8) + 8);
    t2_buf_release(&file);
    return (info.height - 8 - 30) / (224 + 3 + 33 + 8);
}

static void list_of(const char *dir, int n, struct dg_images *l)
{
    t2_strs_push(&l->labels, "cat");
    t2_strs_push(&l->labels, "dog");
    for (int i = 0; i < n; i++) {
        char *name = t2_asprintf("%d.%s", i, i % 2 ? "png" : "jpg");
        char *path = here_image(dir, name, 30 + i, 20);
        (void) dg_images_add(l, path, DG_IMAGES_TRAIN, (uint32_t) i % 2);
        t2_free(name);
    }
}

static void test_check(void **state)
{
    struct dg_sheet_spec w = spec_for("x", "resnet", 1);

    (void) state;
    assert_int_equal(dg_sheet_check(&w, &err), T2_EUSAGE);
    assert_non_null(strstr(err.message, "there is no pipeline 'resnet': known are resnet_train, "));
    w = spec_for("x", "", 0);
    assert_int_equal(dg_sheet_check(&w, &err), T2_EUSAGE);
    w.n_images = 1001;
    assert_int_equal(dg_sheet_check(&w, &err), T2_EUSAGE);
    assert_string_equal(err.message, "1001 images on a page: must be 1 to 1000");
    w.n_images = 1000;
    assert_int_equal(dg_sheet_check(&w, &err), T2_OK);
}

static void test_list(void **state)
{
    char *dir = t2_strdup(t_tmp_path("list")), *one = t2_path_join(dir, "one.png"),
         *two = t2_path_join(dir, "two.png");
    struct dg_images l = {.n = 0};
    struct dg_sheet_spec w = spec_for(one, "", 24);
    struct t2_buf a = {NULL, 0, 0}, b = {NULL, 0, 0};

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_ENOTFOUND);
    assert_false(t2_exists(one));
    list_of(dir, 7, &l);
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_OK);
    assert_int_equal(rows_of(one), 3);
    w.path = two;
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_OK);
    assert_int_equal(t2_read_file(one, 1 << 24, &a, &err), T2_OK);
    assert_int_equal(t2_read_file(two, 1 << 24, &b, &err), T2_OK);
    assert_true(t2_slice_eq(t2_buf_slice(&a), t2_buf_slice(&b)));
    w.seed = 8; /* other crops */
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_OK);
    assert_int_equal(t2_read_file(two, 1 << 24, &b, &err), T2_OK);
    assert_false(t2_slice_eq(t2_buf_slice(&a), t2_buf_slice(&b)));
    w = spec_for(two, "torchvision_eval", 3);
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_OK);
    assert_int_equal(rows_of(two), 1);
    dg_images_release(&l);
    t2_buf_release(&a);
    t2_buf_release(&b);
    t2_free(one);
    t2_free(two);
    t2_free(dir);
}

/* Damage, absence and a file that is no image have a place on the page. */
static void test_refused(void **state)
{
    char *dir = t2_strdup(t_tmp_path("refused")), *page = t2_path_join(dir, "page.png");
    struct dg_image_policy odd = {.admit = {.reencode = AUG_REENCODE_ALWAYS}};
    struct dg_images l = {.n = 0};
    struct dg_sheet_spec w = spec_for(page, "cifar_train", 24);

    (void) state;
    list_of(dir, 2, &l);
    (void) dg_images_add(&l, here_text(dir, "bad.jpg", "no"), DG_IMAGES_TRAIN, 0);
    (void) dg_images_add(&l, here_text(dir, "notes", "no"), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(&l, t2_path_join(dir, "absent.jpg"), DG_IMAGES_TRAIN, 1);
    assert_int_equal(dg_sheet_of_list(&l, &odd, &w, &err), T2_OK);
    assert_int_equal(rows_of(page), 2);
    w.path = "/dev/null/page.png";
    assert_int_not_equal(dg_sheet_of_list(&l, &odd, &w, &err), T2_OK);
    dg_images_release(&l);
    t2_free(page);
    t2_free(dir);
}

/* The pixels of a page of one image. */
static void page_of(const char *dir, const char *name, const struct t2_buf *image,
                    struct aug_image *page)
{
    char *path = t2_path_join(dir, name), *to = t2_path_join(dir, "page.png");
    struct dg_images l = {.n = 0};
    struct dg_sheet_spec w = spec_for(to, "resnet_eval", 1);
    struct t2_buf file = {NULL, 0, 0};

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(path, image->data, image->len_bytes);
    t2_strs_push(&l.labels, "cat");
    (void) dg_images_add(&l, path, DG_IMAGES_TRAIN, 0);
    assert_int_equal(dg_sheet_of_list(&l, &keep, &w, &err), T2_OK);
    assert_int_equal(t2_read_file(to, 0, &file, &err), T2_OK);
    assert_int_equal(aug_png_decode(file.data, file.len_bytes, &(struct aug_decode){.channels = 3},
                                    page, NULL, &err),
                     T2_OK);
    dg_images_release(&l);
    t2_buf_release(&file);
    t2_free(to);
}

/* A large JPEG is decoded at a quarter of its size: its tile looks like that of the same image as
 * PNG, the crop's frame is at the same place. */
static void test_large(void **state)
{
    char *dir = t2_strdup(t_tmp_path("large"));
    struct t2_buf jpeg = {NULL, 0, 0}, png = {NULL, 0, 0};
    struct aug_image a = {.data = NULL}, b = {.data = NULL};
    uint64_t sum = 0, n = 0;

    (void) state;
    t_jpeg(300, 1900, 3, 5, &jpeg);
    t_png(300, 1900, 3, 5, &png);
    page_of(dir, "a.x", &jpeg, &a);
    page_of(dir, "b.x", &png, &b);
    for (int32_t y = 38; y < 38 + 224; y++)
        for (int32_t x = 3 * 8; x < 3 * 232; x++, n++)
            sum += (uint64_t) abs((int) a.data[(size_t) y * (size_t) a.width * 3 + (size_t) x] -
                                  (int) b.data[(size_t) y * (size_t) b.width * 3 + (size_t) x]);
    assert_in_range(sum, 1, 6 * n);
    aug_image_release(&a);
    aug_image_release(&b);
    t2_buf_release(&jpeg);
    t2_buf_release(&png);
    t2_free(dir);
}

/* n records; of images or of a number. */
static char *write_records(const char *dir, const char *name, int n, bool images, int64_t label)
{
    char *path = t2_path_join(dir, name), *image = here_image(dir, "r.png", 9, 8);
    struct t2_buf file = {NULL, 0, 0}, record = {NULL, 0, 0};
    struct t2_out *out = NULL;

    assert_int_equal(t2_read_file(image, 1 << 20, &file, &err), T2_OK);
    assert_int_equal(t2_out_new(path, &out, &err), T2_OK);
    for (int i = 0; i < n; i++) {
        struct t2_slice bytes = t2_buf_slice(&file), synset = t2_slice_of("n0");
        struct tfr_feature f[] = {
            {.name = "image/class/label", .kind = TFR_INT64, .n = 1, .ints = &label},
            {.name = "image/encoded", .kind = TFR_BYTES, .n = 1, .bytes = &bytes},
            {.name = "image/class/synset", .kind = TFR_BYTES, .n = 1, .bytes = &synset}};
        struct t2_buf frame = {NULL, 0, 0};
        t2_buf_clear(&record);
        tfr_example_build(&record, f, !images ? 1 : i % 2 ? 2 : 3);
        tfr_frame(&frame, record.data, record.len_bytes);
        t2_out_write(out, frame.data, frame.len_bytes);
        t2_buf_release(&frame);
    }
    assert_int_equal(t2_out_commit(out, &err), T2_OK);
    t2_buf_release(&record);
    t2_buf_release(&file);
    t2_free(image);
    return path;
}

static void test_records(void **state)
{
    static const char *const names[] = {"zero", "one"};
    char *dir = t2_strdup(t_tmp_path("records")), *page = t2_path_join(dir, "page.png");
    struct dg_sheet_spec w = spec_for(page, "mnist", 5);
    struct t2_strs files = {NULL, 0, 0};

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t2_strs_take(&files, write_records(dir, "a", 0, true, 0));
    assert_int_equal(dg_sheet_of_records(&files, NULL, 0, &w, &err), T2_ENOTFOUND);
    assert_false(t2_exists(page));
    t2_strs_take(&files, write_records(dir, "b", 9, true, 1));
    t2_strs_take(&files, write_records(dir, "c", 9, true, 5));
    assert_int_equal(dg_sheet_of_records(&files, names, 2, &w, &err), T2_OK);
    assert_int_equal(rows_of(page), 2); /* 1 of a, 2 of b, 2 of c */
    t2_strs_take(&files, write_records(dir, "d", 9, false, 1));
    assert_int_equal(dg_sheet_of_records(&files, NULL, 0, &w, &err), T2_EFORMAT);
    assert_non_null(strstr(err.message, "/d': record 0: no bytes feature 'image/encoded'"));
    t2_strs_release(&files);
    t2_free(page);
    t2_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check), cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_records)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
