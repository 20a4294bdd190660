/*
 * Tests of augment/pipeline_store.c: what goes straight into a batch, row by row, is what the steps
 * give one after the other, and bytes stand for it.
 */
#include <string.h>

#include "augment/pipelines.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

enum { MOST = 40 * 40 * 3 };

static struct t2_err err = T2_ERR_INIT;

/* Of pipelines that resize nothing, the file's. */
static int32_t size_of(const struct aug_pipeline *p, int32_t side)
{
    return p->view[1].kind == AUG_FLOATS && p->view[2].kind == AUG_END ? side : 24;
}

static void choose(const struct aug_pipeline *p, const struct t2_buf *file, int32_t side,
                   uint64_t index, struct aug_choices *c)
{
    struct aug_info info;
    struct t2_rng r;

    assert_int_equal(aug_probe(file->data, file->len_bytes, &info, &err), T2_OK);
    aug_image_stream(&r, 3, 0, index);
    aug_choose(p, size_of(p, side), &info, &r, c);
}

static void check_floats(struct aug_worker *w, const struct aug_pipeline *p,
                         const struct t2_buf *file, int32_t side)
{
    static float to[MOST], want[MOST];
    int32_t size = size_of(p, side);

    for (uint64_t i = 0; i < 8; i++) {
        enum aug_layout layout = i % 2 ? AUG_NCHW : AUG_NHWC;
        const struct aug_floats *f;
        struct aug_choices c;

        choose(p, file, side, i / 2, &c);
        assert_int_equal(aug_pipeline_run(w, p, size, file->data, file->len_bytes, &c, &f, NULL,
                                          &err),
                         T2_OK);
        if (f->height != size || f->width != size)
            continue;
        aug_floats_store(f, layout, want);
        memset(to, 0xff, sizeof to);
        assert_int_equal(aug_pipeline_store(w, p, size, file->data, file->len_bytes, &c, layout, to,
                                            &err),
                         T2_OK);
        if (memcmp(to, want, (size_t) (size * size * f->channels) * sizeof *to) != 0)
            fail_msg("%s: other floats in a batch", p->name);
    }
}

static int n_mirrored; /* of all images that were left to be mirrored */

/* Mirrored where that is left to be done. */
static void check_bytes(struct aug_worker *w, const struct aug_pipeline *p,
                        const struct t2_buf *file, int32_t side)
{
    static float want[MOST], values[3 * 256];
    static uint8_t bytes[MOST], mirrored;
    int32_t size = size_of(p, side), channels = aug_pipeline_channels(p);

    aug_pipeline_byte_values(p, values);
    for (uint64_t i = 0; i < 8; i++) {
        struct aug_choices c;

        choose(p, file, side, i, &c);
        assert_int_equal(aug_pipeline_store(w, p, size, file->data, file->len_bytes, &c, AUG_NHWC,
                                            want, &err),
                         T2_OK);
        memset(bytes, 0xff, sizeof bytes);
        assert_int_equal(aug_pipeline_store_bytes(w, p, size, file->data, file->len_bytes, &c,
                                                  bytes, &mirrored, &err),
                         T2_OK);
        n_mirrored += mirrored;
        for (int32_t k = 0; k < size * size * channels; k++) {
            int32_t column = k / channels % size, last = size - 1 - column;
            uint8_t byte = bytes[mirrored ? k + (last - column) * channels : k];

            if (memcmp(&want[k], &values[k % channels * 256 + byte], sizeof *want) != 0)
                fail_msg("%s: value %d is %g, byte %d stands for %g", p->name, k, (double) want[k],
                         byte, (double) values[k % channels * 256 + byte]);
        }
    }
}

static void test_all(void **state)
{
    struct aug_worker *w = aug_worker_new();
    struct t2_buf jpeg = {NULL, 0, 0}, png = {NULL, 0, 0};
    int n_bytes = 0;

    (void) state;
    t_jpeg(37, 37, 3, 1, &jpeg);
    t_png(19, 19, 3, 3, &png);
    for (size_t i = 0; aug_pipeline_at(i); i++) {
        const struct aug_pipeline *p = aug_pipeline_at(i);

        check_floats(w, p, &jpeg, 37);
        check_floats(w, p, &png, 19);
        if (!aug_pipeline_has_bytes(p))
            continue;
        n_bytes++;
        check_bytes(w, p, &jpeg, 37);
        check_bytes(w, p, &png, 19);
    }
    assert_true(n_bytes >= 10);
    assert_true(n_mirrored > 0);
    t2_buf_release(&jpeg);
    t2_buf_release(&png);
    aug_worker_free(w);
}

/* Pipelines by what they do last. */
static void test_which(void **state)
{
    static const struct {
        const char *name;
        bool bytes;
    } rows[] = {
        {"torchvision_train", true},        /* resized as bytes, then divided and normalised */
        {"mnist_grey_unit", true},          /* divided by 255 */
        {"record_eval", true},              /* normalised */
        {"garden_train_randaugment", true}, /* resized as floats, which become bytes again */
        {"garden_train", false},            /* resized as floats */
        {"record_train", false},            /* normalised before zeros are put around */
        {"cifar_eval", false},              /* by the image's own mean */
        {"t2t_imagenet_small_eval", false},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (aug_pipeline_has_bytes(aug_pipeline_find(rows[i].name)) != rows[i].bytes)
            fail_msg("%s", rows[i].name);
}

static void test_another_size(void **state)
{
    const struct aug_pipeline *p = aug_pipeline_find("mnist_raw");
    struct aug_worker *w = aug_worker_new();
    struct t2_buf png = {NULL, 0, 0};
    static float floats[MOST];
    static uint8_t bytes[MOST], mirrored;
    struct aug_choices c;

    (void) state;
    t_png(19, 19, 3, 3, &png);
    choose(p, &png, 19, 0, &c);
    assert_int_equal(aug_pipeline_store(w, p, 20, png.data, png.len_bytes, &c, AUG_NHWC, floats,
                                        &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "19 x 19 pixels where pipeline 'mnist_raw' wants 20 x 20");
    assert_int_equal(aug_pipeline_store_bytes(w, p, 20, png.data, png.len_bytes, &c, bytes,
                                              &mirrored, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "19 x 19 pixels where pipeline 'mnist_raw' wants 20 x 20");
    t2_buf_release(&png);
    aug_worker_free(w);
}

T_MAIN(cmocka_unit_test(test_all), cmocka_unit_test(test_which),
       cmocka_unit_test(test_another_size))
