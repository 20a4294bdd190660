/* test_batch.c - the same batch with 1 and 3 threads; layouts; the first failure is reported. */
#include <stdlib.h>
#include <string.h>

#include "augment/batch.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

enum { N = 7, SIZE = 24, FLOATS = SIZE * SIZE * 3 };

static struct t2_err err = T2_ERR_INIT;
static struct t2_buf files[N];
static struct aug_file inputs[N];

static int make_files(void **state)
{
    (void) state;
    for (int i = 0; i < N; i++) {
        t_jpeg(30 + 7 * i, 60 - 5 * i, 3, (uint64_t) i, &files[i]);
        inputs[i] = (struct aug_file){files[i].data, files[i].len_bytes, (uint64_t) i};
    }
    return 0;
}

static int free_files(void **state)
{
    (void) state;
    for (int i = 0; i < N; i++)
        t2_buf_release(&files[i]);
    return 0;
}

static void make(int threads, enum aug_layout layout, uint64_t epoch, float *floats, uint8_t *bytes)
{
    struct t2_pool *pool = t2_pool_new(threads);
    const struct aug_batch_settings s = {.pipeline = aug_pipeline_find("resnet_train_randaugment"),
                                         .size = SIZE,
                                         .seed = 11,
                                         .layout = layout};
    struct aug_batcher *b = aug_batcher_new(pool, &s);

    assert_int_equal(aug_batcher_floats(b), FLOATS);
    for (int i = 0; i < 2; i++) /* the second into used buffers */
        assert_int_equal(aug_batch_make(b, inputs, N, epoch, floats, bytes, NULL, &err), T2_OK);
    aug_batcher_free(b);
    t2_pool_free(pool);
}

static void test_threads(void **state)
{
    static float one[N * FLOATS], three[N * FLOATS], planes[N * FLOATS];
    static uint8_t bytes[N * FLOATS], byte_planes[N * FLOATS];
    (void) state;

    make(1, AUG_NHWC, 0, one, NULL);
    make(3, AUG_NHWC, 0, three, NULL);
    assert_memory_equal(one, three, sizeof one);
    make(2, AUG_NCHW, 0, planes, NULL);
    make(2, AUG_NHWC, 0, NULL, bytes);
    make(1, AUG_NCHW, 0, NULL, byte_planes);
    for (int i = 0; i < N * FLOATS; i++) {
        int image = i / FLOATS, c = i % 3, pixel = i % FLOATS / 3;
        int at = image * FLOATS + c * SIZE * SIZE + pixel;
        assert_true(one[i] == planes[at]);
        assert_int_equal(bytes[i], byte_planes[at]);
        assert_true((float) bytes[i] == one[i]); /* RandAugment's are bytes */
    }
    make(2, AUG_NHWC, 1, three, NULL);
    assert_true(memcmp(one, three, sizeof one) != 0); /* another epoch */
}

static void test_failure(void **state)
{
    struct t2_pool *pool = t2_pool_new(3);
    const struct aug_batch_settings s = {.pipeline = aug_pipeline_find("mnist_raw"), .size = 0};
    struct aug_batcher *b = aug_batcher_new(pool, &s);
    struct aug_file bad[3] = {inputs[0], inputs[1], inputs[2]};
    float *out = calloc(3 * 28 * 28 * 3, sizeof(float));
    (void) state;

    bad[1].len_bytes = 0;
    bad[2].len_bytes = 0;
    bad[0].index = 55;
    assert_int_equal(aug_batch_make(b, bad, 3, 0, out, NULL, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message,
                      "image 55: 60 x 30 pixels where pipeline 'mnist_raw' needs 28 x 28");
    assert_int_equal(aug_batch_make(b, bad + 1, 2, 0, out, NULL, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "image 1: ");
    assert_int_equal(aug_batch_make(b, bad, 0, 0, out, NULL, NULL, &err), T2_OK);
    free(out);
    aug_batcher_free(b);
    aug_batcher_free(NULL);
    t2_pool_free(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),
                                       cmocka_unit_test(test_failure)};
    return cmocka_run_group_tests(tests, make_files, free_files);
}
