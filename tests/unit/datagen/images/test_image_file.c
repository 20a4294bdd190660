/*
 * tests/unit/datagen/images/test_image_file.c - images in files, in archives, in archives of
 * archives.
 */
#include "datagen/images/image_file.h"
#include "tests/unit/datagen/images/images_here.h"
#include "tests/unit/datagen/source/archives.h"

static struct t2_err err = T2_ERR_INIT;

/* <outer> of the archives `names`, each of one file called inner[i] with the content
 * "<inner[i]>!". */
static const char *write_nested(const char *outer, const char *const *names,
                                const char *const *inner, size_t n)
{
    struct t2_buf tars[4] = {{NULL, 0, 0}}, all = {NULL, 0, 0};

    for (size_t i = 0; i < n; i++) {
        struct t2_buf content = {NULL, 0, 0};
        t2_buf_printf(&content, "%s!", inner[i]);
        t_tar_of(&inner[i], &content, 1, &tars[i]);
        t2_buf_release(&content);
    }
    t_tar_of(names, tars, n, &all);
    t_write_file(t_tmp_path(outer), all.data, all.len_bytes);
    for (size_t i = 0; i < n; i++)
        t2_buf_release(&tars[i]);
    t2_buf_release(&all);
    return t_tmp_path(outer);
}

static void test_nested(void **state)
{
    static const char *const names[] = {"n2.tar", "n1.tar", "n3.tar"};
    static const char *const inner[] = {"b.JPEG", "z.JPEG", "README"};
    char *path = t2_strdup(write_nested("good.tar", names, inner, 3));
    struct dg_packed_images l = {NULL, 0, 0};
    struct t2_buf file = {NULL, 0, 0};
    struct dg_image p;
    struct t2_file_info seen, archive;

    (void) state;
    assert_int_equal(dg_packed_images_find(path, true, &l, &err), T2_OK);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.items[0].name, "n1/z.JPEG");
    assert_string_equal(l.items[1].name, "n2/b.JPEG");
    p = (struct dg_image){.path = l.items[0].name, .archive = path, .place = l.items[0].place};
    assert_int_equal(dg_image_load(&p, &file, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&file), "z.JPEG!");
    assert_int_equal(dg_image_look(&p, &seen, &err), T2_OK);
    assert_true(seen.kind != T2_FILE_ABSENT);
    assert_int_equal(seen.bytes, 7);
    assert_int_equal(t2_look_at(path, &archive, &err), T2_OK);
    assert_int_equal(seen.changed_ns, archive.changed_ns);
    p.place.bytes = UINT64_C(2) << 30;
    assert_int_equal(dg_image_load(&p, &file, &err), T2_EFORMAT);
    t_assert_contains(err.message, "larger than 1 GiB");
    dg_packed_images_release(&l);
    assert_int_equal(dg_packed_images_find(path, false, &l, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'n2.tar' is an archive where images belong");
    dg_packed_images_release(&l);
    t2_buf_release(&file);
    t2_free(path);
}

static void test_plain_file(void **state)
{
    char *path = here_text(t_tmp_path("plain"), "a.jpg", "text");
    struct dg_image p = {.path = path};
    struct t2_buf file = {NULL, 0, 0};
    char *through = t2_path_join(path, "b.jpg"), long_name[5000] = "";
    struct t2_file_info seen;

    (void) state;
    assert_int_equal(dg_image_load(&p, &file, &err), T2_OK);
    assert_int_equal(dg_image_look(&p, &seen, &err), T2_OK);
    assert_true(seen.kind != T2_FILE_ABSENT && seen.kind != T2_FILE_DIR && seen.changed_ns > 0);
    assert_int_equal(seen.bytes, 4);
    p.path = (char *) (uintptr_t) "nowhere";
    assert_int_equal(dg_image_load(&p, &file, &err), T2_ENOTFOUND);
    assert_int_equal(dg_image_look(&p, &seen, &err), T2_OK);
    assert_false(seen.kind != T2_FILE_ABSENT);
    p.path = through; /* behind what is no directory: not there either */
    assert_int_equal(dg_image_look(&p, &seen, &err), T2_OK);
    assert_false(seen.kind != T2_FILE_ABSENT);
    assert_int_equal(t2_look_at(t_tmp_path("plain"), &seen, &err), T2_OK);
    assert_true(seen.kind == T2_FILE_DIR);
    /* a name that is too long for the system: nobody knows */
    memset(long_name, 'a', sizeof long_name - 1);
    assert_int_equal(t2_look_at(long_name, &seen, &err), T2_EIO);
    assert_false(seen.kind != T2_FILE_ABSENT);
    t_assert_contains(err.message, "cannot look at 'aaa");
    t2_buf_release(&file);
    t2_free(through);
    t2_free(path);
}

static void assert_refused(const char *path, bool by_class, enum t2_status st, const char *why)
{
    struct dg_packed_images l = {NULL, 0, 0};

    assert_int_equal(dg_packed_images_find(path, by_class, &l, &err), st);
    t_assert_contains(err.message, why);
    dg_packed_images_release(&l);
}

static void test_refused(void **state)
{
    static const char *const classes[] = {"n1.tar", "n1.tar"}, *const odd[] = {"n1.jpg"},
                             *const below[] = {"d/n1.tar"}, *const hidden[] = {".tar"};
    static const char *const images[] = {"a.jpg", "a.jpg"}, *const deeper[] = {"n2.tar"},
                             *const out[] = {"../a.jpg"}, *const other[] = {"README"};
    static const struct t_member bomb[] = {{"n1.tar", NULL, "/dev/zero", NULL}};

    (void) state;
    assert_refused(write_nested("twice.tar", classes, images, 2), true, T2_EFORMAT,
                   "'n1/a.jpg' is in it twice");
    assert_refused(write_nested("odd.tar", odd, images, 1), true, T2_EFORMAT,
                   "'n1.jpg' is no archive of a class");
    assert_refused(write_nested("below.tar", below, images, 1), true, T2_EFORMAT,
                   "'d/n1.tar' is no archive of a class");
    assert_refused(write_nested("hidden.tar", hidden, images, 1), true, T2_EFORMAT,
                   "'.tar' is no archive of a class");
    assert_refused(write_nested("deep.tar", classes, deeper, 1), true, T2_EFORMAT,
                   "'n1.tar/n2.tar' is an archive where images belong");
    assert_refused(write_nested("out.tar", classes, out, 1), true, T2_EFORMAT,
                   "out.tar/n1.tar': member '../a.jpg' has a name with '..'");
    assert_refused(write_nested("none.tar", classes, other, 1), true, T2_ENOTFOUND, "no images");
    t_write_archive(t_tmp_path("bomb.tar"), "ustar", "none", NULL, bomb, 1);
    assert_refused(t_tmp_path("bomb.tar"), true, T2_EFORMAT, "a link as its contents");
    {
        struct t2_buf text = {NULL, 0, 0}, all = {NULL, 0, 0};
        t2_buf_puts(&text, "\x1f\x8b\x08 compressed");
        t_tar_of(classes, &text, 1, &all);
        t_write_file(t_tmp_path("packed.tar"), all.data, all.len_bytes);
        t2_buf_release(&text);
        t2_buf_release(&all);
    }
    assert_refused(t_tmp_path("packed.tar"), true, T2_EFORMAT, "packed.tar/n1.tar' is compressed");
}

T_MAIN(cmocka_unit_test(test_nested), cmocka_unit_test(test_plain_file),
       cmocka_unit_test(test_refused))
