/* test_image_list.c - labels files; the list itself. */
#include "tests/unit/datagen/images/images_here.h"

static void test_labels(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs labels = {NULL, 0, 0};
    char *dir = t2_strdup(t_tmp_path("labels"));
    char *good = here_text(dir, "good", "rose  \r\ndaisy\ntulip"),
         *one = here_text(dir, "one", "rose\n");
    char *twice = here_text(dir, "twice", "rose\ndaisy\nrose\n");

    (void) state;
    assert_int_equal(dg_images_read_labels(good, &labels, &err), T2_OK);
    assert_int_equal(labels.n, 3);
    assert_string_equal(labels.items[0], "rose");
    t2_strs_release(&labels);
    assert_int_equal(dg_images_read_labels(one, &labels, &err), T2_EUSAGE);
    t_assert_contains(err.message, "Require at least two labels");
    t2_strs_release(&labels);
    assert_int_equal(dg_images_read_labels(twice, &labels, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 3");
    t2_strs_release(&labels);
    t2_free(good);
    t2_free(one);
    t2_free(twice);
    t2_free(dir);
}

static void test_list(void **state)
{
    struct dg_images l = {.n = 0};

    (void) state;
    dg_images_add(&l, t2_strdup("a"), DG_IMAGES_TRAIN, 0);
    dg_images_add(&l, t2_strdup("b"), DG_IMAGES_TEST, 1);
    dg_images_add_box(&l, (struct dg_image_box){0, 0, 1, 1});
    dg_images_drop(&l, "c", "why");
    assert_int_equal(dg_images_count(&l, DG_IMAGES_TRAIN), 1);
    assert_int_equal(dg_images_count(&l, DG_IMAGES_VALIDATION), 0);
    assert_int_equal(l.items[1].n_boxes, 1);
    assert_int_equal(l.n_drops, 1);
    dg_images_release(&l);
    assert_int_equal(l.n, 0);
}

T_MAIN(cmocka_unit_test(test_labels), cmocka_unit_test(test_list))
