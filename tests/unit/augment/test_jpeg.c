/* test_jpeg.c - JPEG: there and back, windows, ratios, damage, limits. */
#include <stdlib.h>
#include <string.h>

#include "augment/jpeg.h"
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;
static const struct aug_decode plain = {.channels = 0};

static void test_there_and_back(void **state)
{
    const struct aug_jpeg_settings how = {.quality = 100,
                                          .full_chroma = true,
                                          .optimise_size = true,
                                          .progressive = true};
    struct aug_image im = t_image(37, 51, 3, 1), back = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    struct aug_info info;

    (void) state;
    assert_int_equal(aug_jpeg_encode(&im, &how, &file, &err), T2_OK);
    assert_int_equal(aug_jpeg_probe(file.data, file.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.width, 51);
    assert_int_equal(info.height, 37);
    assert_int_equal(info.components, 3);
    assert_int_equal(info.colour, AUG_YCBCR);
    assert_string_equal(info.sampling, "4:4:4");
    assert_true(info.progressive);
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes,
                                     &(struct aug_decode){.dct = AUG_DCT_ACCURATE}, &back, NULL,
                                     &err),
                     T2_OK);
    for (int32_t y = 0; y < 37; y++)
        for (int32_t x = 0; x < 3 * 51; x++)
            assert_true(abs(aug_row(&im, y)[x] - aug_row(&back, y)[x]) <= 4);
    aug_image_release(&im);
    im = t_image(3, 3, 2, 1);
    assert_int_equal(aug_jpeg_encode(&im, &how, &file, &err), T2_EUNSUPPORTED);
    aug_image_release(&im);
    aug_image_release(&back);
    t2_buf_release(&file);
}

static void test_sizes_and_channels(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};

    (void) state;
    t_jpeg(37, 51, 3, 2, &file);
    for (int ratio = 1; ratio <= 8; ratio *= 2) {
        const struct aug_decode how = {.channels = 1, .ratio = ratio};
        assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &how, &im, NULL, &err), T2_OK);
        assert_int_equal(im.width, (51 + ratio - 1) / ratio);
        assert_int_equal(im.height, (37 + ratio - 1) / ratio);
        assert_int_equal(im.channels, 1);
    }
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &(struct aug_decode){.ratio = 3},
                                     &im, NULL, &err),
                     T2_EUSAGE);
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &(struct aug_decode){.channels = 4},
                                     &im, NULL, &err),
                     T2_EUNSUPPORTED);
    aug_image_release(&im);
    t2_buf_release(&file);
}

/* Rows are those of the whole image; of the columns, the first and last may be others (5.1.7). */
static void test_windows(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image whole = {.data = NULL}, part = {.data = NULL}, more = {.data = NULL};

    (void) state;
    t_jpeg(70, 90, 3, 3, &file);
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &plain, &whole, NULL, &err), T2_OK);
    for (uint64_t i = 0; i < 200; i++) {
        struct aug_window w = {.x = (int32_t) (t_hash64(4 * i) % 90),
                               .y = (int32_t) (t_hash64(4 * i + 1) % 70)};
        w.width = 1 + (int32_t) (t_hash64(4 * i + 2) % (uint64_t) (90 - w.x));
        w.height = 1 + (int32_t) (t_hash64(4 * i + 3) % (uint64_t) (70 - w.y));
        const struct aug_decode how = {.window = &w, .stop_after_window = i % 2 == 0};
        if (aug_jpeg_decode(file.data, file.len_bytes, &how, &part, NULL, &err) != T2_OK)
            fail_msg("%s", err.message);
        assert_int_equal(part.width, w.width);
        assert_int_equal(part.height, w.height);
        struct aug_image want = aug_image_window(&whole, w);
        struct aug_decode wider = how;
        wider.left_too = true;
        assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &wider, &more, NULL, &err),
                         T2_OK);
        assert_true(more.width >= w.width && more.width <= w.x + w.width);
        struct aug_image right = aug_image_window(&more, (struct aug_window){more.width - w.width,
                                                                             0, w.width, w.height});
        t_assert_same_pixels(&right, &part);
        bool last = (w.x + w.width) % 2 == 0 && w.x + w.width < 90;
        bool first = w.x > 0 && w.x % 16 == 0;
        for (int32_t y = 0; y < w.height; y++)
            for (int32_t x = first; x < w.width - last; x++)
                if (memcmp(aug_row(&part, y) + 3 * x, aug_row(&want, y) + 3 * x, 3) != 0)
                    fail_msg("window %d %d %d %d: pixel %d %d", w.x, w.y, w.width, w.height, x, y);
    }
    const struct aug_window outside = {80, 0, 11, 5};
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes,
                                     &(struct aug_decode){.window = &outside}, &part, NULL, &err),
                     T2_EUSAGE);
    aug_image_release(&more);
    aug_image_release(&whole);
    aug_image_release(&part);
    t2_buf_release(&file);
}

static void test_cut_short(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};
    struct aug_notes notes;
    const struct aug_window top = {0, 0, 64, 8}, bottom = {0, 56, 64, 8};
    const struct aug_decode recover = {.recover = true}, half = {.acceptable_fraction = 0.1},
                            early = {.window = &top, .stop_after_window = true},
                            late = {.window = &bottom, .stop_after_window = true};

    (void) state;
    t_jpeg(64, 64, 3, 4, &file);
    for (size_t n = 0; n < file.len_bytes; n += 7) { /* never accepted, whatever is missing */
        uint8_t *p = t_guarded_alloc(n + 1);
        memcpy(p + 1, file.data, n);
        assert_int_not_equal(aug_jpeg_decode(p + 1, n, &plain, &im, &notes, &err), T2_OK);
        enum t2_status st = aug_jpeg_decode(p + 1, n, &recover, &im, &notes, &err);
        assert_true(st == T2_OK || st == T2_EFORMAT);
        t_guarded_free(p, n + 1);
    }
    size_t n = file.len_bytes * 3 / 4;
    assert_int_equal(aug_jpeg_decode(file.data, n, &plain, &im, &notes, &err), T2_EFORMAT);
    t_assert_contains(err.message, "cut short");
    assert_int_equal(aug_jpeg_decode(file.data, n, &recover, &im, &notes, &err), T2_OK);
    assert_true(notes.n_warnings > 0 && strlen(notes.first) > 0);
    assert_int_equal(aug_jpeg_decode(file.data, n, &half, &im, &notes, &err), T2_OK);
    assert_true(notes.rows_missing > 0 && notes.rows_missing < 64);
    assert_int_equal(aug_row(&im, 63)[5], 0);
    /* windows above the damage and in it */
    assert_int_equal(aug_jpeg_decode(file.data, n, &early, &im, &notes, &err), T2_OK);
    assert_int_equal(aug_jpeg_decode(file.data, n, &late, &im, &notes, &err), T2_EFORMAT);
    aug_image_release(&im);
    t2_buf_release(&file);
}

static void test_limits(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct aug_image im = {.data = NULL};

    (void) state;
    t_jpeg(16, 16, 3, 5, &file);
    for (size_t i = 0; i + 9 < file.len_bytes; i++) /* the size in the header */
        if (file.data[i] == 0xff && file.data[i + 1] == 0xc0) {
            memcpy(file.data + i + 5, "\xff\xdc\xff\xdc", 4);
            break;
        }
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &plain, &im, NULL, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "65500 x 65500 pixels of 3 channels: too large");
    assert_null(im.data);
    t2_buf_clear(&file);
    t_jpeg(16, 16, 3, 5, &file);
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes,
                                     &(struct aug_decode){.max_components = 16 * 16 * 3}, &im, NULL,
                                     &err),
                     T2_EFORMAT);
    t2_alloc_fail_after(1);
    assert_int_equal(aug_jpeg_decode(file.data, file.len_bytes, &plain, &im, NULL, &err),
                     T2_ENOMEM);
    t2_alloc_fail_after(0);
    aug_image_release(&im);
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_sizes_and_channels),
       cmocka_unit_test(test_windows), cmocka_unit_test(test_cut_short),
       cmocka_unit_test(test_limits))
