/*
 * tests/unit/tfrec/test_images_in.c - folders of images: classes by name, numbers, what is no
 * image.
 */
#include "tests/unit/tfrec/converting.h"

static void put_in(const char *folder, const char *name, const char *text)
{
    char path[600];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    t_write_file(path, text, strlen(text));
}

static const char *make_folder(const char *name)
{
    const char *folder = t_tmp_path(name);
    char sub[600];

    assert_int_equal(mkdir(folder, 0755), 0);
    snprintf(sub, sizeof sub, "%s/dog", folder);
    assert_int_equal(mkdir(sub, 0755), 0);
    snprintf(sub, sizeof sub, "%s/cat", folder);
    assert_int_equal(mkdir(sub, 0755), 0);
    put_in(folder, "dog/b.jpg", "\377\330\377\340 one, long enough");
    put_in(folder, "cat/c.JPEG", "\377\330\377\340 two, long enough");
    return folder;
}

static void test_classes(void **state)
{
    const char *folder = make_folder("in"), *csv = t_tmp_path("a.csv"),
               *labels = t_tmp_path("names.txt");
    struct rec_convert c = cv_defaults();

    (void) state;
    c.labels = labels;
    c.first_label = 1;
    c.columns = "image/class/label,image/class/text,image/filename,image/format";
    cv_must(c, folder, csv);
    assert_string_equal(cv_text(csv),
                        "image/class/label,image/class/text,image/filename,image/format\n"
                        "1,cat,c.JPEG,jpeg\n2,dog,b.jpg,jpeg\n");
    assert_string_equal(cv_text(labels), "cat\ndog\n");
}

static void test_refused(void **state)
{
    const char *folder = make_folder("bad"), *out = t_tmp_path("no.tfrecord");

    (void) state;
    put_in(folder, "cat/page.jpg", "<html>");
    assert_int_equal(cv_run(cv_defaults(), folder, out, 2), T2_EFORMAT);
    t_assert_contains(cv_err.message, "cat/page.jpg");
    assert_false(t2_exists(out));
}

T_MAIN(cmocka_unit_test(test_classes), cmocka_unit_test(test_refused))
