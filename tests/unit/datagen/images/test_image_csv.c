/* test_image_csv.c - lists in CSV files: quotes, CR LF, unknown labels, wrong rows; boxes. */
#include "tests/unit/datagen/images/images_here.h"

static struct t2_err err = T2_ERR_INIT;
static char *dir;

static enum t2_status read(const char *text, struct dg_images *l)
{
    char *path = here_text(dir, "list.csv", text);
    enum t2_status st = dg_images_read_csv((const char *const[]){path, "", ""}, "below", l, &err);

    t2_free(path);
    return st;
}

static void test_rows(void **state)
{
    struct dg_images l = {.n = 0};

    (void) state;
    assert_int_equal(
        read("\"a, \"\"b\"\"\n.jpg\",rose\r\n/abs.jpg,daisy\r\n\xc3\xa9 x.jpg,rose\r\n\r\n\n", &l),
        T2_OK);
    assert_int_equal(l.n, 3);
    assert_string_equal(l.items[0].path, "below/a, \"b\"\n.jpg");
    assert_int_equal(l.items[0].label, 1); /* sorted: daisy, rose */
    assert_string_equal(l.items[1].path, "/abs.jpg");
    assert_string_equal(l.items[2].path, "below/\xc3\xa9 x.jpg");
    dg_images_release(&l);

    t2_strs_push(&l.labels, "rose");
    t2_strs_push(&l.labels, "daisy");
    assert_int_equal(read("a,rose\nb,tulip\n", &l), T2_OK);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.items[0].label, 0);
    assert_int_equal(l.n_drops, 1);
    t_assert_contains(l.drops[0].why, "not in the list of labels");
    dg_images_release(&l);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *message;
        enum t2_status st;
    } cases[] = {{"a,b,c\n", "line 1: must be path,label", T2_EFORMAT},
                 {"a,b\nc\n", "line 2: must be path,label", T2_EFORMAT},
                 {"a,b\n\n\nc,d\n", "line 2: is empty, and rows follow", T2_EFORMAT},
                 {",b\n", "the path is empty", T2_EFORMAT},
                 {"a,x\n", "Require at least two labels", T2_EUSAGE},
                 {"gs://bucket/a.jpg,x\nb,y\n", "copy the images here", T2_EUNSUPPORTED}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dg_images l = {.n = 0};
        assert_int_equal(read(cases[i].text, &l), cases[i].st);
        t_assert_contains(err.message, cases[i].message);
        dg_images_release(&l);
    }
}

static void test_boxes(void **state)
{
    struct dg_images l = {.n = 0};
    char *boxes =
        here_text(dir, "boxes.csv", "b,0.5,0,1,1\na,0,0.25,0.5,1\nother,0,0,1,1\nb,0,0,1,1\n");
    char *wrong = here_text(dir, "wrong.csv", "a,0,0,1,1.5\n");

    (void) state;
    dg_images_add(&l, t2_strdup("x/a"), DG_IMAGES_TRAIN, 0);
    dg_images_add(&l, t2_strdup("x/b"), DG_IMAGES_TRAIN, 0);
    assert_int_equal(dg_images_read_boxes(boxes, &l, &err), T2_OK);
    assert_int_equal(l.items[0].n_boxes, 1);
    assert_int_equal(l.items[1].n_boxes, 2);
    assert_true(l.boxes[l.items[1].first_box].xmin == 0.5f);
    assert_true(l.boxes[l.items[1].first_box + 1].xmin == 0);
    assert_true(l.boxes[l.items[0].first_box].ymin == 0.25f);
    assert_int_equal(dg_images_read_boxes(wrong, &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 1");
    dg_images_release(&l);
    t2_free(boxes);
    t2_free(wrong);
}

static int set_up(void **state)
{
    (void) state;
    dir = t2_strdup(t_tmp_path("csv"));
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    t2_free(dir);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_boxes)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
