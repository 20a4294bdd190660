/*
 * tests/unit/train/test_classify.c - lines about images: their order, ties, odd images, counts.
 */
#include "train/trained/classify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/unit/train/trained_images.h"

static struct t2_err err;

static void put(const char *name, const struct t2_buf *file)
{
    char *dir = t2_path_dir(t_tmp_path(name));

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(t_tmp_path(name), file->data, file->len_bytes);
    t2_free(dir);
}

static void put_png(const char *name, int32_t height, int32_t width, int32_t channels,
                    uint64_t seed)
{
    struct t2_buf file = {0};

    t_png(height, width, channels, seed, &file);
    put(name, &file);
    t2_buf_release(&file);
}

/* What is written about the images of `from`; free(). */
static char *classify(const struct tr_trained *t, const char *from, int64_t batch_size, bool json,
                      struct tr_classify_report *report)
{
    struct tr_classify_options o = {.from = t_tmp_path(from),
                                    .to = t_tmp_path("lines"),
                                    .contact_sheet = "",
                                    .batch_size = batch_size,
                                    .json = json};
    size_t n;

    if (tr_classify(t, &o, report, &err) != T2_OK)
        fail_msg("%s", err.message);
    return t_read_file(t_tmp_path("lines"), &n);
}

static void test_order_of_lines(void **state)
{
    struct tr_classify_report report;
    struct tr_trained one, two;
    char *lines, *others, *at;
    char name[64];

    (void) state;
    trained_images(&one, 1);
    trained_images(&two, 2);
    for (int i = 0; i < 23; i++) {
        snprintf(name, sizeof name, "many/%02d.png", i);
        put_png(name, 8 + i, 31 - i, 3, (uint64_t) i);
    }
    lines = at = classify(&one, "many", 23, false, &report);
    assert_int_equal(report.n_images, 23);
    assert_int_equal(report.n_bad + report.n_known + report.n_right, 0);
    for (int i = 0; i < 23; i++) {
        char *end = strchr(at, '\n');

        assert_non_null(end);
        *end = '\0';
        snprintf(name, sizeof name, "many/%02d.png\t", i);
        t_assert_contains(at, name);
        *end = '\n';
        at = end + 1;
    }
    assert_int_equal(*at, '\0');
    for (int64_t batch = 1; batch < 30; batch += 7) { /* nor threads nor batches change a byte */
        others = classify(&two, "many", batch, false, &report);
        assert_string_equal(others, lines);
        free(others);
    }
    free(lines);
    tr_trained_close(&one);
    tr_trained_close(&two);
}

/* On a device with memory of its own, as bytes or floats, with a file in between that is none. */
static void test_far(void **state)
{
    static const char *const pipelines[] = {"image_pipeline=photos", "image_pipeline=torchvision"};
    const struct t2_buf broken = {.data = (uint8_t *) (uintptr_t) "\x89PNG\r\n\x1a\nand no more",
                                  .len_bytes = 19};

    (void) state;
    for (int i = 0; i < 11; i++) {
        char name[64];

        snprintf(name, sizeof name, "far/%02d.png", i);
        put_png(name, 12 + i, 31 - i, 3, (uint64_t) i);
    }
    put("far/05b.png", &broken);
    for (int k = 0; k < 2; k++) {
        struct tr_classify_report report;
        struct tr_trained near, far;
        char *lines, *others;

        trained_images_on(&near, "reference", 1, pipelines[k]);
        trained_images_on(&far, "far", 2, pipelines[k]);
        assert_int_equal(in_image_has_bytes(&near.data.images, false), k);
        lines = classify(&near, "far", 30, true, &report);
        others = classify(&far, "far", 4, true, &report);
        assert_int_equal(report.n_images, 11);
        assert_int_equal(report.n_bad, 1);
        assert_string_equal(others, lines);
        free(lines);
        free(others);
        tr_trained_close(&near);
        tr_trained_close(&far);
    }
}

/* The labels of "top", and its probabilities. */
static void top_of(const char *line, int want[5], double probabilities[5])
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *top;

    assert_int_equal(t2_json_parse(line, strlen(line), "line", &doc, &err), T2_OK);
    top = t2_json_get(t2_json_root(doc), "top");
    assert_int_equal(t2_json_size(top), 5);
    for (size_t i = 0; i < 5; i++) {
        const struct t2_json_value *item = t2_json_item(top, i);

        assert_int_equal(t2_json_as_i64(t2_json_get(item, "label"), -1), want[i]);
        probabilities[i] = t2_json_as_double(t2_json_get(item, "probability"), NAN);
    }
    assert_int_equal(t2_json_as_i64(t2_json_get(t2_json_root(doc), "label"), -1), want[0]);
    t2_json_free(doc);
}

static void test_ties(void **state)
{
    /* clang-format off */
    static const struct {
        float biases[10];
        int want[5];
    } rows[] = {
        {{0}, {0, 1, 2, 3, 4}},
        {{0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, {2, 7, 0, 1, 3}},
        {{0, 0, 0, 0, 0, 0, 0, 0, 0, 900}, {9, 0, 1, 2, 3}}, /* the rest has probability 0 */
        {{-900, -900, -900, -900, -900, -900, -900, -899, -900, -900}, {7, 0, 1, 2, 3}},
        {{1, 2, 3, 4, 5, 5, 4, 3, 2, 1}, {4, 5, 3, 6, 2}},
    };
    /* clang-format on */
    struct tr_classify_report report;
    struct tr_trained t;
    char *line;
    double p[5], sum;

    (void) state;
    trained_images(&t, 1);
    put_png("one/a.png", 12, 12, 3, 1);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        trained_biases(&t, rows[r].biases);
        line = classify(&t, "one", 8, true, &report);
        top_of(line,
               (int[5]){rows[r].want[0], rows[r].want[1], rows[r].want[2], rows[r].want[3],
                        rows[r].want[4]},
               p);
        sum = 0;
        for (int i = 0; i < 10; i++)
            sum += exp((double) rows[r].biases[i] - (double) rows[r].biases[rows[r].want[0]]);
        for (int i = 0; i < 5; i++)
            assert_true(fabs(p[i] - exp((double) rows[r].biases[rows[r].want[i]] -
                                        (double) rows[r].biases[rows[r].want[0]]) /
                                        sum) < 1e-6);
        free(line);
    }
    trained_biases(&t, (const float[10]){0, NAN});
    line = classify(&t, "one", 8, true,
                    &report); /* a model that broke: null, and five different ones */
    t_assert_contains(line, "\"probability\": null");
    free(line);
    tr_trained_close(&t);
}

static void test_odd_images(void **state)
{
    struct tr_classify_report report;
    struct t2_buf file = {0};
    static const char *const good[] = {"/1 ", "/2 ", "/3 grey", "/4 ", "/5 ", "/6 "};
    struct tr_trained t;
    char *lines, *at;

    (void) state;
    trained_images(&t, 2);
    put_png("odd/1 wide.png", 1, 300, 3, 1);
    put_png("odd/2 one pixel.png", 1, 1, 3, 1);
    put_png("odd/3 grey.png", 20, 12, 1, 1);
    put_png("odd/4 with alpha.png", 20, 12, 4, 1);
    t_cmyk_jpeg(&file);
    put("odd/5 cmyk.jpg", &file);
    t2_buf_clear(&file);
    t_jpeg(40, 33, 1, 1, &file);
    put("odd/6 grey\tjpeg\n.jpg", &file);
    file.len_bytes = 100; /* cut in its tables */
    put("odd/0 cut.jpg", &file);
    t2_buf_clear(&file);
    t2_buf_append(&file, "GIF89a", 6);
    put("odd/3 head.gif", &file);
    lines = at = classify(&t, "odd", 3, false, &report);
    assert_int_equal(report.n_images, 6);
    assert_int_equal(report.n_bad, 2);
    t_assert_contains(lines, "/odd/5 cmyk.jpg\t");
    t_assert_contains(lines, "/odd/6 grey jpeg .jpg\t"); /* a line stays a line of three fields */
    assert_null(strstr(lines, "cut"));
    for (size_t i = 0; i < sizeof good / sizeof *good;
         i++) { /* those behind a bad one keep their names */
        at = strstr(at, good[i]);
        assert_non_null(at);
    }
    free(lines);
    lines = classify(&t, "odd", 3, true, &report);
    t_assert_contains(lines, "6 grey\\tjpeg\\n.jpg\"");
    free(lines);
    t2_buf_release(&file);
    tr_trained_close(&t);
}

static void test_known_classes(void **state)
{
    struct tr_classify_options o = {.from = t_tmp_path("known"),
                                    .to = t_tmp_path("known.lines"),
                                    .contact_sheet = t_tmp_path("known.png"),
                                    .batch_size = 2};
    struct tr_classify_report report;
    struct tr_trained t;
    char *file;
    size_t n;

    (void) state;
    trained_images(&t, 1);
    trained_biases(&t, (const float[10]){[3] = 5});
    put_png("known/cat/a.png", 9, 9, 3, 1);
    put_png("known/cat/b.png", 9, 9, 3, 2);
    put_png("known/dog/c.png", 9, 9, 3, 3);
    put_png("known/cats/d.png", 9, 9, 3, 4);
    if (tr_classify(&t, &o, &report, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(report.n_images, 4);
    assert_int_equal(report.n_known, 3);
    assert_int_equal(report.n_right, 2);
    file = t_read_file(t_tmp_path("known.png"), &n);
    assert_true(n > 1000 && memcmp(file, "\x89PNG", 4) == 0);
    free(file);
    tr_trained_close(&t);
}

static void test_none(void **state)
{
    struct tr_classify_options o = {.from = t_tmp_path("none"),
                                    .to = t_tmp_path("none.lines"),
                                    .contact_sheet = "",
                                    .batch_size = 4};
    struct tr_classify_report report;
    struct t2_buf file = {0};
    struct tr_trained t;

    (void) state;
    trained_images(&t, 1);
    t2_buf_append(&file, "\x89PNG\r\n\x1a\n....", 12);
    put("none/a.png", &file);
    put("none/b.png", &file);
    assert_int_equal(tr_classify(&t, &o, &report, &err), T2_EFORMAT);
    t_assert_contains(err.message, "none': none of 2 images could be decoded");
    assert_false(t2_exists(t_tmp_path("none.lines"))); /* nothing half done */
    t2_buf_release(&file);
    tr_trained_close(&t);
}

T_MAIN(cmocka_unit_test(test_far), cmocka_unit_test(test_order_of_lines),
       cmocka_unit_test(test_ties), cmocka_unit_test(test_odd_images),
       cmocka_unit_test(test_known_classes), cmocka_unit_test(test_none))
