/*
 * Tests of train/runs/image_summaries.c: bytes as tf.summary.image makes them, and images that
 * decode to what the batch has.
 */
#include "train/runs/image_summaries.h"

#include <math.h>

#include "augment/codec.h"
#include "tests/support/t.h"
#include "tfrecord/event.h"

static struct t2_err err;

static void test_bytes(void **state)
{
    const float positive[] = {0.0F, 1.0F, 0.5F, NAN}, both[] = {-2.0F, 0.0F, 1.0F, 2.0F};
    const float none[] = {0.0F, 0.0F};
    uint8_t b[4];

    (void) state;
    tr_image_to_bytes(positive, 4, b);
    assert_memory_equal(b, ((uint8_t[]){0, 255, 127, 0}), 4);
    tr_image_to_bytes(both, 4, b);
    assert_memory_equal(b, ((uint8_t[]){0, 127, 190, 254}), 4);
    tr_image_to_bytes(none, 2, b);
    assert_memory_equal(b, ((uint8_t[]){0, 0}), 2);
}

/* The images of a summary, one after the other, against `wanted`. */
static void check(const struct mdl_problem *p, const struct mdl_batch *b, const char *tag,
                  const uint8_t *wanted, size_t n)
{
    const struct aug_decode how = {0};
    struct t2_buf summary = {0};
    struct aug_image image = {0};
    struct tfr_summary_value v;
    struct t2_slice png;
    int found = 0;

    assert_int_equal(tr_put_images(&summary, p, b, &err), T2_OK);
    for (struct t2_slice rest = t2_buf_slice(&summary); tfr_summary_next(&rest, &v, &err) == T2_OK;
         found++) {
        assert_int_equal(v.form, TFR_VALUE_IMAGE);
        assert_memory_equal(v.tag.data, tag, v.tag.len_bytes - 1);
        assert_true(tfr_field_bytes(v.body, 4, &png));
        assert_int_equal(aug_decode(png.data, png.len_bytes, &how, &image, NULL, &err), T2_OK);
        assert_int_equal(image.width * image.height * image.channels, n);
        assert_memory_equal(image.data, wanted + (size_t) found * n, n);
    }
    assert_int_equal(found, TR_SUMMARY_IMAGES);
    aug_image_release(&image);
    t2_buf_release(&summary);
}

static void test_images(void **state)
{
    enum { N = 2 * 2 * 3 };
    uint8_t bytes[3 * N];
    int32_t ids[3 * N];
    const struct mdl_problem classes = {.image = {2, 2, 3}}, made = {.pixels = {2, 2, 3}};
    const struct mdl_problem text = {.targets_vocab = 9};
    struct mdl_batch b = {.batch = 3, .height = 2, .width = 2, .channels = 3, .image_bytes = bytes};
    struct t2_buf summary = {0};

    (void) state;
    for (int i = 0; i < 3 * N; i++)
        ids[i] = bytes[i] = (uint8_t) (i * 7);
    check(&classes, &b, "t2t/inputs/image/0", bytes, N);
    b = (struct mdl_batch){.batch = 3, .targets_length = N, .targets = ids};
    check(&made, &b, "t2t/targets/image/0", bytes, N);
    assert_int_equal(tr_put_images(&summary, &text, &b, &err), T2_OK);
    assert_int_equal(summary.len_bytes, 0);
}

T_MAIN(cmocka_unit_test(test_bytes), cmocka_unit_test(test_images))
