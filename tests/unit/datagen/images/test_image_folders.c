/* test_image_folders.c - lists out of folders: classes, splits, ImageNet, Tiny ImageNet. */
#include "tests/unit/datagen/images/images_here.h"

static struct t2_err err = T2_ERR_INIT;

static void make(const char *dir, const char *const *names)
{
    for (; *names; names++)
        t2_free(here_text(dir, *names, "x"));
}

static void test_classes(void **state)
{
    static const char *const names[] = {
        "train/b/2.jpg",   "train/a/x/1.jpg",  "val/a/3.jpg", "test/b/4.jpg",
        "train/loose.jpg", "train/labels.txt", NULL};
    struct dg_images l = {.n = 0};
    char *dir = t2_strdup(t_tmp_path("classes"));

    (void) state;
    make(dir, names);
    assert_int_equal(dg_images_read_folders(dir, DG_FOLDERS_AUTO, 50, &l, &err), T2_OK);
    assert_int_equal(l.n, 4);
    assert_int_equal(l.labels.n, 2);
    assert_int_equal(dg_images_count(&l, DG_IMAGES_TRAIN), 2); /* val is there: none is held out */
    t_assert_contains(l.items[0].path, "train/a/x/1.jpg");
    assert_int_equal(l.items[0].label, 0);
    assert_int_equal(l.items[2].split, DG_IMAGES_VALIDATION);
    assert_int_equal(l.items[3].split, DG_IMAGES_TEST);
    assert_int_equal(l.n_drops, 1);
    t_assert_contains(l.drops[0].why, "no folder of a class");
    dg_images_release(&l);
    assert_int_equal(dg_images_read_folders("nowhere", DG_FOLDERS_AUTO, 0, &l, &err), T2_ENOTFOUND);
    t2_free(dir);
}

static void test_held_out(void **state)
{
    int n = 0;

    (void) state;
    for (int i = 0; i < 10000; i++) {
        char name[32];
        snprintf(name, sizeof name, "%d.jpg", i);
        assert_false(dg_is_held_out(name, 0));
        if (dg_is_held_out(name, 10)) {
            assert_true(dg_is_held_out(name, 20));
            n++;
        }
    }
    assert_in_range(n, 880, 1120);
}

static void test_imagenet(void **state)
{
    static const char *const names[] = {"train/n2/b.JPEG",    "train/n2/a.JPEG",
                                        "train/n1/c.JPEG",    "validation/v2.JPEG",
                                        "validation/v1.JPEG", NULL};
    struct dg_images l = {.n = 0};
    char *dir = t2_strdup(t_tmp_path("imagenet"));

    (void) state;
    make(dir, names);
    t2_free(here_text(dir, "synset_labels.txt", "n3\r\nn1\r"));
    assert_int_equal(dg_images_read_folders(dir, DG_FOLDERS_AUTO, 0, &l, &err), T2_OK);
    assert_int_equal(l.n, 5);
    assert_int_equal(l.labels.n, 3);
    t_assert_contains(l.items[0].path, "n1/c.JPEG");
    t_assert_contains(l.items[1].path, "n2/a.JPEG");
    t_assert_contains(l.items[3].path, "v1.JPEG");
    assert_int_equal(l.items[3].label, 2);
    assert_int_equal(l.items[4].label, 0);
    dg_images_release(&l);
    t2_free(here_text(dir, "synset_labels.txt", "n3\n"));
    assert_int_equal(dg_images_read_folders(dir, DG_FOLDERS_AUTO, 0, &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "1 lines for 2 images");
    dg_images_release(&l);
    t2_free(dir);
}

static void test_tiny(void **state)
{
    struct dg_images l = {.n = 0};
    char *dir = t2_strdup(t_tmp_path("tiny"));

    (void) state;
    t2_free(here_text(dir, "wnids.txt", "n2\nn1\n"));
    t2_free(here_text(dir, "train/n2/n2_boxes.txt", "n2_0.JPEG\t0\t1\t2\t3\n"));
    t2_free(here_text(dir, "val/val_annotations.txt", "v.JPEG\tn1\t0\t0\t62\t63\r\n"));
    assert_int_equal(dg_images_read_folders(dir, DG_FOLDERS_AUTO, 0, &l, &err), T2_OK);
    assert_int_equal(l.n, 2);
    t_assert_contains(l.items[0].path, "train/n2/images/n2_0.JPEG");
    assert_int_equal(l.items[0].label, 1);
    assert_int_equal(l.items[1].split, DG_IMAGES_VALIDATION);
    assert_true(l.has_boxes && l.boxes_are_pixels && l.boxes[1].xmax == 62);
    dg_images_release(&l);
    t2_free(here_text(dir, "val/val_annotations.txt", "../v.JPEG\tn1\t0\t0\t62\t63\n"));
    assert_int_equal(dg_images_read_folders(dir, DG_FOLDERS_AUTO, 0, &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 1");
    dg_images_release(&l);
    t2_free(dir);
}

T_MAIN(cmocka_unit_test(test_classes), cmocka_unit_test(test_held_out),
       cmocka_unit_test(test_imagenet), cmocka_unit_test(test_tiny))
