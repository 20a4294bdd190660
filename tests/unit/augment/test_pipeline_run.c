/* test_pipeline_run.c - every pipeline on small files; against the originals: tests/oracle. */
#include <math.h>
#include <string.h>

#include "augment/pipelines.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;

static enum t2_status run(struct aug_worker *w, const struct aug_pipeline *p, int32_t size,
                          const struct t2_buf *file, uint64_t index,
                          const struct aug_floats **floats, const struct aug_image **bytes)
{
    struct aug_choices c;
    struct aug_info info;
    struct t2_rng r;

    T2_TRY(aug_probe(file->data, file->len_bytes, &info, &err));
    aug_image_stream(&r, 3, 0, index);
    aug_choose(p, size, &info, &r, &c);
    return aug_pipeline_run(w, p, size, file->data, file->len_bytes, &c, floats, bytes, &err);
}

static void check_pipeline(struct aug_worker *w, const struct aug_pipeline *p,
                           const struct t2_buf *file, int32_t side)
{
    const struct aug_floats *f;
    const struct aug_image *im;
    int32_t size = p->view[1].kind == AUG_FLOATS && p->view[2].kind == AUG_END ? side : 24;

    for (uint64_t i = 0; i < 4; i++) {
        if (run(w, p, size, file, i, &f, NULL) != T2_OK)
            fail_msg("%s: %s", p->name, err.message);
        assert_int_equal(f->channels, aug_pipeline_channels(p));
        assert_int_equal(f->width, size);
        for (int32_t y = 0; y < f->height; y++)
            for (int32_t x = 0; x < f->width * f->channels; x++)
                assert_true(isfinite(aug_float_row(f, 0, y)[x]));
        if (run(w, p, size, file, i, NULL, &im) != T2_OK)
            fail_msg("%s: %s", p->name, err.message);
        assert_int_equal(im->width,
                         p->rest[0].kind == AUG_NORMALIZE && p->rest[1].kind == AUG_RESIZE ? 24
                                                                                           : size);
    }
}

static void test_all(void **state)
{
    struct aug_worker *w = aug_worker_new();
    struct t2_buf jpeg = {NULL, 0, 0}, grey = {NULL, 0, 0}, png = {NULL, 0, 0};
    (void) state;

    t_jpeg(37, 37, 3, 1, &jpeg);
    t_jpeg(40, 40, 1, 2, &grey);
    t_png(19, 19, 3, 3, &png);
    for (size_t i = 0; aug_pipeline_at(i); i++) {
        check_pipeline(w, aug_pipeline_at(i), &jpeg, 37);
        check_pipeline(w, aug_pipeline_at(i), &grey, 40);
        check_pipeline(w, aug_pipeline_at(i), &png, 19);
    }
    t2_buf_release(&jpeg);
    t2_buf_release(&grey);
    t2_buf_release(&png);
    aug_worker_free(w);
    aug_worker_free(NULL);
}

/* What was in the buffers before does not matter. */
static void test_again(void **state)
{
    const struct aug_pipeline *p = aug_pipeline_find("resnet_train_normalized");
    struct aug_worker *w = aug_worker_new(), *fresh = aug_worker_new();
    struct t2_buf jpeg = {NULL, 0, 0}, other = {NULL, 0, 0};
    const struct aug_floats *a, *b;
    (void) state;

    t_jpeg(90, 120, 3, 1, &jpeg);
    t_jpeg(200, 50, 3, 2, &other);
    assert_int_equal(run(w, p, 32, &other, 0, &a, NULL), T2_OK);
    assert_int_equal(run(w, p, 32, &jpeg, 1, &a, NULL), T2_OK);
    assert_int_equal(run(fresh, p, 32, &jpeg, 1, &b, NULL), T2_OK);
    assert_memory_equal(a->data, b->data, sizeof(float) * 32 * 32 * 3);
    t2_buf_release(&jpeg);
    t2_buf_release(&other);
    aug_worker_free(w);
    aug_worker_free(fresh);
}

/* A partial decode gives the pixels of the whole one. */
static void test_window(void **state)
{
    const struct aug_pipeline *p = aug_pipeline_find("inception_train");
    struct aug_decode how = {.channels = 3};
    struct aug_worker *w = aug_worker_new();
    struct aug_image whole = {.data = NULL};
    struct t2_buf jpeg = {NULL, 0, 0};
    const struct aug_image *im;
    (void) state;

    t_jpeg(90, 130, 3, 1, &jpeg);
    assert_int_equal(aug_decode(jpeg.data, jpeg.len_bytes, &how, &whole, NULL, &err), T2_OK);
    for (int32_t x = 0; x < 60; x++) {
        struct aug_choices c = {.file_width = 130,
                                .file_height = 90,
                                .window = {.x = x, .y = x / 2, .width = 32, .height = 32}};
        assert_int_equal(aug_pipeline_run(w, p, 32, jpeg.data, jpeg.len_bytes, &c, NULL, &im, &err),
                         T2_OK);
        struct aug_image want = aug_image_window(&whole, c.window);
        t_assert_same_pixels(im, &want);
    }
    aug_image_release(&whole);
    t2_buf_release(&jpeg);
    aug_worker_free(w);
}

/* One channel is what three equal ones hold; in both layouts. */
static void test_grey(void **state)
{
    const struct aug_pipeline *one = aug_pipeline_find("mnist_grey_raw"),
                              *three = aug_pipeline_find("mnist_raw");
    struct aug_worker *w = aug_worker_new();
    struct t2_buf png = {NULL, 0, 0};
    const struct aug_choices c = {.file_width = 28, .file_height = 28, .window = {0, 0, 28, 28}};
    static float grey[28 * 28], planes[28 * 28], rgb[28 * 28 * 3];
    (void) state;

    assert_int_equal(aug_pipeline_channels(one), 1);
    assert_int_equal(aug_pipeline_channels(three), 3);
    t_png(28, 28, 1, 3, &png);
    assert_int_equal(aug_pipeline_store(w, one, 0, png.data, png.len_bytes, &c, AUG_NHWC, grey,
                                        &err),
                     T2_OK);
    assert_int_equal(aug_pipeline_store(w, one, 0, png.data, png.len_bytes, &c, AUG_NCHW, planes,
                                        &err),
                     T2_OK);
    assert_int_equal(aug_pipeline_store(w, three, 0, png.data, png.len_bytes, &c, AUG_NHWC, rgb,
                                        &err),
                     T2_OK);
    for (int i = 0; i < 28 * 28; i++)
        assert_true(grey[i] == rgb[3 * i] && grey[i] == planes[i]);
    t2_buf_release(&png);
    aug_worker_free(w);
}

static void test_errors(void **state)
{
    struct aug_worker *w = aug_worker_new();
    struct t2_buf jpeg = {NULL, 0, 0};
    struct aug_choices c = {.file_width = 20, .file_height = 20, .window = {0, 0, 20, 20}};
    const struct aug_floats *f;
    (void) state;

    t_jpeg(30, 30, 3, 1, &jpeg);
    assert_int_equal(aug_pipeline_run(w, aug_pipeline_find("mnist"), 0, jpeg.data, jpeg.len_bytes,
                                      &c, &f, NULL, &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "choices for an image of 20 x 20, but it is 30 x 30");
    c = (struct aug_choices){.file_width = 30,
                             .file_height = 30,
                             .window = {0, 0, 30, 30},
                             .crop_x = 20};
    assert_int_equal(aug_pipeline_run(w, aug_pipeline_find("cifar_train"), 0, jpeg.data,
                                      jpeg.len_bytes, &c, &f, NULL, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "no crop of 32 x 32 at (20, 0) in an image of 40 x 40");
    jpeg.len_bytes /= 3;
    assert_int_equal(run(w, aug_pipeline_find("mnist"), 30, &jpeg, 0, &f, NULL), T2_EFORMAT);
    t2_buf_release(&jpeg);
    aug_worker_free(w);
}

T_MAIN(cmocka_unit_test(test_all), cmocka_unit_test(test_again), cmocka_unit_test(test_window),
       cmocka_unit_test(test_grey), cmocka_unit_test(test_errors))
