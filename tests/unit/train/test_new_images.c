/*
 * tests/unit/train/test_new_images.c - a folder, an image, a list, a shard; and what is none of
 * them.
 */
#include "train/trained/new_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/train/image_shards.h"

static struct t2_err err;
static struct tr_data_set data;

static int set_up(void **state)
{
    struct mdl_hparams *hp = NULL;

    (void) state;
    assert_int_equal(mdl_hparams_new("basic_fc_small", &hp, &err), T2_OK);
    assert_int_equal(tr_data_set_open("image_cifar10", t_tmp_path(""), &data, &err), T2_OK);
    assert_int_equal(tr_data_set_images(&data, hp, &err), T2_OK);
    mdl_hparams_free(hp);
    return 0;
}

static int tear_down(void **state)
{
    (void) state;
    tr_data_set_release(&data);
    return 0;
}

/* A file below the test's folder, its folder made. */
static const char *put(const char *name, const void *bytes, size_t n)
{
    const char *path = t_tmp_path(name);
    char *dir = t2_path_dir(path);

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(path, bytes, n);
    t2_free(dir);
    return path;
}

static const char *put_image(const char *name, uint64_t seed)
{
    struct t2_buf file = {0};
    const char *path;

    t_png(9, 7, 3, seed, &file);
    path = put(name, file.data, file.len_bytes);
    t2_buf_release(&file);
    return path;
}

static const char *put_text(const char *name, const char *text)
{
    return put(name, text, strlen(text));
}

/* Expects images of these names (their ends) and classes, then the end or an error that says
 * `then`. */
struct want {
    const char *name;
    int32_t truth;
};

static void check(const char *from, const struct want *want, size_t n, const char *then)
{
    struct tr_new_image p = {0};
    struct tr_new_images *all;
    enum t2_status st;

    if (tr_new_images_open(from, &data, &all, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < n; i++) {
        if ((st = tr_new_images_next(all, &p, &err)) != T2_OK)
            fail_msg("%zu: %s", i, st == T2_EOF ? "the end" : err.message);
        if (strlen(p.name) < strlen(want[i].name) ||
            strcmp(p.name + strlen(p.name) - strlen(want[i].name), want[i].name) != 0)
            fail_msg("%s, not %s", p.name, want[i].name);
        assert_int_equal(p.truth, want[i].truth);
        assert_true(p.file.len_bytes > 50 && memcmp(p.file.data, "\x89PNG", 4) == 0);
    }
    st = tr_new_images_next(all, &p, &err);
    if (!then) {
        assert_int_equal(st, T2_EOF);
        assert_int_equal(tr_new_images_next(all, &p, &err), T2_EOF); /* and stays there */
    } else {
        assert_true(st != T2_OK && st != T2_EOF);
        t_assert_contains(err.message, then);
    }
    t2_buf_release(&p.file);
    tr_new_images_close(all);
}

static void refused(const char *from, enum t2_status status, const char *text)
{
    struct tr_new_images *all;

    assert_int_equal(tr_new_images_open(from, &data, &all, &err), status);
    assert_null(all);
    t_assert_contains(err.message, text);
}

static void test_folder(void **state)
{
    static const struct want want[] = {{"folder/Z.jpg", -1},
                                       {"folder/a.png", -1},
                                       {"folder/cat/1.png", 3},
                                       {"folder/truck/0.png", 9}};

    (void) state;
    put_image("folder/truck/0.png", 1);
    put_image("folder/cat/1.png", 2);
    put_image("folder/a.png", 3);
    put_image("folder/Z.jpg", 4); /* what it is its bytes say */
    put_text("folder/cat/notes.txt", "no image");
    put("folder/nothing.png", "", 0);
    put_image("folder/.hidden.png", 5);
    check(t_tmp_path("folder"), want, 4, NULL);
    check(t_tmp_path("folder/cat/1.png"), want + 2, 1, NULL);
}

static void test_empty(void **state)
{
    (void) state;
    assert_int_equal(t2_make_dirs(t_tmp_path("empty/below"), &err), T2_OK);
    refused(t_tmp_path("empty"), T2_EFORMAT, "/empty': no images there");
    refused(put("empty.txt", "", 0), T2_EFORMAT, "empty.txt': no images there");
    refused(put_text("blank.txt", "\n\n\r\n"), T2_EFORMAT, "blank.txt': no images there");
    refused(t_tmp_path("nowhere"), T2_ENOTFOUND, "nowhere'");
    put_text("words/a.txt", "one"); /* a folder, but not of images */
    check(t_tmp_path("words"), NULL, 0, NULL);
}

static void test_list(void **state)
{
    static const struct want want[] = {{"listed/b.png", -1},
                                       {"listed/dog/a.png", 5},
                                       {"listed/b.png", -1}};
    char text[4096];

    (void) state;
    put_image("listed/b.png", 1);
    put_image("listed/dog/a.png", 2);
    /* in its order, one twice; ends of lines as Windows writes them, none behind the last */
    snprintf(text, sizeof text, "%s\r\n\n%s\n%s", t_tmp_path("listed/b.png"),
             t_tmp_path("listed/dog/a.png"), t_tmp_path("listed/b.png"));
    check(put_text("list.txt", text), want, 3, NULL);
    snprintf(text, sizeof text, "%s\n%s/gone.png\n", t_tmp_path("listed/b.png"),
             t_tmp_path("listed"));
    check(put_text("list.txt", text), want, 1, "gone.png'");
    snprintf(text, sizeof text, "%s\n", t_tmp_path("listed"));
    check(put_text("list.txt", text), NULL, 0, "listed'");
}

static void test_unreadable(void **state)
{
    static const struct want want[] = {{"broken/a.png", -1}};

    (void) state;
    put_image("broken/a.png", 1);
    assert_int_equal(symlink("nowhere", t_tmp_path("broken/b.png")), 0);
    check(t_tmp_path("broken"), want, 1, "broken/b.png'");
}

static void test_other_files(void **state)
{
    (void) state;
    refused(put("a.tif", "II*\0\x08\0\0\0\0\0", 10), T2_EFORMAT, "a.tif' is a TIFF; convert it");
    refused(put("a.zip", "PK\x03\x04zzzz\n", 9), T2_EFORMAT,
            "unpack it first: give an image, a folder");
    refused(put("a.bin", "\x01\x02\x03\nabc", 7), T2_EFORMAT, "a.bin' is no kind of image");
    refused(put("a.zero", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16), T2_EFORMAT, "zero bytes");
    refused(put_text("a.html", "<!DOCTYPE html><html>"), T2_EFORMAT, "a web page");
}

static void test_shard(void **state)
{
    static const struct want want[] = {{"shard:0", 0}, {"shard:1", 1}};
    struct t2_buf records[3] = {{0}};
    struct t2_buf file = {0};
    char *bytes;
    size_t n;

    (void) state;
    for (uint64_t i = 0; i < 2; i++)
        images_record_of(i, 8, 8, 3, 0, &records[i]);
    images_write_records(t_tmp_path("shard"), records, 2);
    check(t_tmp_path("shard"), want, 2, NULL);

    t_png(8, 8, 3, 9, &file);
    images_record(&file, 10, &records[2]); /* there are ten classes */
    images_write_records(t_tmp_path("shard"), records, 3);
    check(t_tmp_path("shard"), want, 2, "shard:2': image/class/label is 10, but the 10 classes");
    bytes = t_read_file(t_tmp_path("shard"), &n);
    t_write_file(t_tmp_path("shard"), bytes, n - 20);
    check(t_tmp_path("shard"), want, 2, "shard'");
    bytes[16] ^= 1; /* the first record does not tell a shard then */
    t_write_file(t_tmp_path("shard"), bytes, n);
    refused(t_tmp_path("shard"), T2_EFORMAT, "shard' is no kind of image");
    free(bytes);
    t2_buf_release(&file);
    for (int i = 0; i < 3; i++)
        t2_buf_release(&records[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_folder),
                                       cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_list),
                                       cmocka_unit_test(test_unreadable),
                                       cmocka_unit_test(test_other_files),
                                       cmocka_unit_test(test_shard)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
