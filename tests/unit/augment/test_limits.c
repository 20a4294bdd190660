/*
 * test_limits.c - what a file may ask of any decoder: the same limits and sentences for all kinds,
 * work bounded by bytes and pixels, and Ctrl-C never a verdict.
 */
#include <signal.h>
#include <string.h>

#include "augment/admit.h"
#include "augment/jpeg.h"
#include "augment/limits.h"
#include "base/signals.h"
#include "tests/support/hostile_images.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

#ifdef T2_HAVE_WEBP
#include <webp/encode.h>
#endif

static struct t2_err err = T2_ERR_INIT;

/* ---- a file of each kind, 40 x 30 ---- */

enum { BASELINE, PROGRESSIVE, PNG, GIF, BMP, WEBP, N_FILES };

static void make_bmp(struct t2_buf *b)
{
    uint8_t header[54 + 1024] = {'B', 'M'};

    header[10] = (uint8_t) (sizeof header & 255);
    header[11] = sizeof header >> 8;
    header[14] = 40;
    header[18] = 40;
    header[22] = 30;
    header[26] = 1;
    header[28] = 8;
    t2_buf_append(b, header, sizeof header);
    for (int i = 0; i < 40 * 30; i++)
        t2_buf_push(b, (uint8_t) i);
}

static void make_file(int which, struct t2_buf *b)
{
    const struct aug_jpeg_settings progressive = {.quality = 90, .progressive = true};
    struct aug_image im = t_image(30, 40, 3, 1);

    switch (which) {
    case BASELINE:
        t_jpeg(30, 40, 3, 1, b);
        break;
    case PROGRESSIVE:
        assert_int_equal(aug_jpeg_encode(&im, &progressive, b, &err), T2_OK);
        break;
    case PNG:
        t_png(30, 40, 3, 1, b);
        break;
    case GIF:
        t_gif_of_frame(40, 30, 40, 30, 200, b);
        break;
    case BMP:
        make_bmp(b);
        break;
    default:
#ifdef T2_HAVE_WEBP
    {
        uint8_t *file;
        size_t n = WebPEncodeLosslessRGB(im.data, 40, 30, 120, &file);
        t2_buf_append(b, file, n);
        WebPFree(file);
    }
#endif
    break;
    }
    aug_image_release(&im);
}

static enum t2_status decode(const struct t2_buf *file, struct aug_decode how)
{
    struct aug_image im = {.data = NULL};
    enum t2_status st = aug_decode(file->data, file->len_bytes, &how, &im, NULL, &err);

    if (st != T2_OK)
        assert_null(im.data); /* nothing was allocated before it was refused */
    aug_image_release(&im);
    return st;
}

static void test_same_sentences(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    for (int i = 0; i < N_FILES; i++) {
        t2_buf_clear(&file);
        make_file(i, &file);
        if (file.len_bytes == 0)
            continue;
        assert_int_equal(decode(&file, (struct aug_decode){.channels = 3}), T2_OK);
        assert_int_equal(decode(&file, (struct aug_decode){.max_components = 1000}), T2_EFORMAT);
        t_assert_contains(err.message, "40 x 30 pixels of ");
        t_assert_contains(err.message, "too large to be decoded (the limit is 1000 values)");
        assert_int_equal(decode(&file, (struct aug_decode){.max_memory = 1000}), T2_ENOMEM);
        t_assert_contains(err.message, "of memory, and an image may take 1.0 kB of it");
        assert_int_equal(decode(&file, (struct aug_decode){.max_memory = 40 * 30 * 12}), T2_OK);
    }
    t2_buf_release(&file);
}

/* ---- work ---- */

static void test_many_scans(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    /* 30 KB: minutes, when each of the scans is gone through, and a GiB for the coefficients */
    t_jpeg_of_scans(23000, 23000, 3000, &file);
    assert_true(file.len_bytes < 40000);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_EFORMAT);
    t_assert_contains(err.message, "23000 x 23000 pixels cannot be in 3");
    t_jpeg_of_scans(6000, 6000, 3000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_EFORMAT);
    t_assert_contains(err.message, "blocks of work");
    /* the same by pixels: a small image has its 64 passes, but not thousands */
    t_jpeg_of_scans(1000, 1000, 3000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_EFORMAT);
    t_assert_contains(err.message, "blocks of work");
    t_jpeg_of_scans(1000, 1000, 50, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_OK);
    /* the blocks of a scan cost less than its header */
    t_jpeg_of_scans(8, 8, 3000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_OK);
    t2_buf_release(&file);
}

/* Reduced or cut out, the coefficients of all scans are still those of the whole image. */
static void test_scans_reduced(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    t_jpeg_of_scans(65000, 65000, 1, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1, .ratio = 8}), T2_EFORMAT);
    t_assert_contains(err.message, "65000 x 65000 pixels of 1 channels: too large to be decoded");
    t2_buf_release(&file);
}

/* What an encoder writes of an image of one colour, ten scans, is the most that bytes can stand
 * for. */
static void test_flat_progressive(void **state)
{
    const struct aug_jpeg_settings how = {.quality = 90,
                                          .progressive = true,
                                          .optimise_size = true};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};

    (void) state;
    assert_int_equal(aug_image_resize(&im, 4096, 8192, 1, &err), T2_OK);
    memset(im.data, 200, im.stride_bytes * (size_t) im.height);
    assert_int_equal(aug_jpeg_encode(&im, &how, &file, &err), T2_OK);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 1}), T2_OK);
    aug_image_release(&im);
    t2_buf_release(&file);
}

static void test_huge_frame(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    /* 1.6 MB: 4 thousand million pixels beside the screen */
    t_gif_of_frame(1, 1, 65535, 65535, 1600000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 0}), T2_EFORMAT);
    t_assert_contains(err.message, "pixels of work");
    /* a frame that sticks out of the screen is clipped */
    t_gif_of_frame(1, 1, 2000, 2000, 5000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 0}), T2_OK);
    t_gif_of_frame(3000, 2000, 3000, 2000, 6000, &file);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 0}), T2_OK);
    t2_buf_release(&file);
}

/* A large image that is whole is decoded: its bytes say all of it, however few they are. */
static void test_flat_png(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    t_flat_png(5000, 4000, &file);
    assert_true(file.len_bytes < 40000);
    assert_int_equal(decode(&file, (struct aug_decode){.channels = 0}), T2_OK);
    assert_int_equal(decode(&file, (struct aug_decode){.max_memory = 4000 * 4000}), T2_ENOMEM);
    t_assert_contains(err.message, "5000 x 4000 pixels");
    t2_buf_release(&file);
}

/* ---- what is no verdict ---- */

static void test_memory_is_no_refusal(void **state)
{
    const struct aug_admit_policy policy = {.max_memory = 1000};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};
    struct aug_admission a;

    (void) state;
    make_file(PNG, &file);
    assert_int_equal(aug_admit("a.png", file.data, file.len_bytes, &policy, &im, &a, &err),
                     T2_ENOMEM);
    t2_buf_release(&file);
}

/* The last test: the signal stays. */
static void test_interrupt(void **state)
{
    static const struct aug_window w = {2, 2, 20, 20};
    const struct aug_admit_policy policy = {.reencode = AUG_REENCODE_NEVER};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};
    struct aug_admission a;

    (void) state;
    t2_signals_install();
    raise(SIGINT);
    for (int i = 0; i < N_FILES; i++) {
        t2_buf_clear(&file);
        make_file(i, &file);
        if (file.len_bytes == 0)
            continue;
        for (int plain = 0; plain < 2; plain++)
            for (int cut = 0; cut < 2; cut++) {
                const struct aug_decode how = {.plain_huffman = plain, .window = cut ? &w : NULL};
                assert_int_equal(aug_decode(file.data, file.len_bytes, &how, &im, NULL, &err),
                                 T2_EINTERRUPTED);
            }
        assert_int_equal(aug_admit("a", file.data, file.len_bytes, &policy, &im, &a, &err),
                         T2_EINTERRUPTED);
    }
    aug_image_release(&im);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_same_sentences), cmocka_unit_test(test_many_scans),
       cmocka_unit_test(test_scans_reduced), cmocka_unit_test(test_flat_progressive),
       cmocka_unit_test(test_huge_frame), cmocka_unit_test(test_flat_png),
       cmocka_unit_test(test_memory_is_no_refusal), cmocka_unit_test(test_interrupt))
