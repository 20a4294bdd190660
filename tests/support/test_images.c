/*
 * tests/support/test_images.c - images made by rule.
 */
#include "tests/support/test_images.h"

#include <string.h>

#include "augment/jpeg.h"
#include "augment/png.h"
#include "tests/support/t.h"

struct aug_image t_image(int32_t height, int32_t width, int32_t channels, uint64_t seed)
{
    struct aug_image im = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(aug_image_resize(&im, height, width, channels, &err), T2_OK);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width * channels; x++) {
            uint64_t noise = t_hash64(seed + (uint64_t) y * 131071 + (uint64_t) x) % 24;
            aug_row(&im, y)[x] = (uint8_t) (noise + (uint64_t) (3 * y + 2 * (x / channels)) % 200 +
                                            (uint64_t) (x % channels) * 10);
        }
    return im;
}

void t_jpeg(int32_t height, int32_t width, int32_t channels, uint64_t seed, struct t2_buf *out)
{
    const struct aug_jpeg_settings how = {.quality = 90};
    struct aug_image im = t_image(height, width, channels, seed);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(aug_jpeg_encode(&im, &how, out, &err), T2_OK);
    aug_image_release(&im);
}

void t_png(int32_t height, int32_t width, int32_t channels, uint64_t seed, struct t2_buf *out)
{
    struct aug_image im = t_image(height, width, channels, seed);
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(aug_png_encode(&im, -1, out, &err), T2_OK);
    aug_image_release(&im);
}

void t_cmyk_jpeg(struct t2_buf *out)
{
    /* tables of one code each: "no difference" and "end of block"; four blocks are eight zero
     * bits */
    static const uint8_t head[] = {0xff, 0xd8, 0xff, 0xdb, 0, 67, 0},
                         frame[] = {0xff, 0xc0, 0, 20,   8, 0, 8,    0, 8, 4,    1,
                                    0x11, 0,    2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0},
                         codes[] = {0xff, 0xc4, 0, 38, 0, 1, 0, 0, 0,    0, 0, 0, 0, 0,
                                    0,    0,    0, 0,  0, 0, 0, 0, 0x10, 1, 0, 0, 0, 0,
                                    0,    0,    0, 0,  0, 0, 0, 0, 0,    0, 0, 0},
                         scan[] = {0xff, 0xda, 0, 14, 4,  1, 0, 2,    0,   3,
                                   0,    4,    0, 0,  63, 0, 0, 0xff, 0xd9};

    t2_buf_append(out, head, sizeof head);
    for (int i = 0; i < 64; i++)
        t2_buf_push(out, 1);
    t2_buf_append(out, frame, sizeof frame);
    t2_buf_append(out, codes, sizeof codes);
    t2_buf_append(out, scan, sizeof scan);
}

void t_add_orientation(struct t2_buf *jpeg, int orientation)
{
    uint8_t segment[36] = {0xff, 0xe1, 0, 34, 'E', 'x', 'i', 'f', 0, 0,    'M', 'M',
                           0,    '*',  0, 0,  0,   8,   0,   1,   1, 0x12, 0,   3,
                           0,    0,    0, 1,  0,   0,   0,   0,   0, 0,    0,   0};
    struct t2_buf old = *jpeg;

    segment[29] = (uint8_t) orientation;
    t2_buf_init(jpeg);
    t2_buf_append(jpeg, old.data, 2);
    t2_buf_append(jpeg, segment, sizeof segment);
    t2_buf_append(jpeg, old.data + 2, old.len_bytes - 2);
    t2_buf_release(&old);
}

void t_assert_same_pixels(const struct aug_image *a, const struct aug_image *b)
{
    assert_int_equal(a->width, b->width);
    assert_int_equal(a->height, b->height);
    assert_int_equal(a->channels, b->channels);
    for (int32_t y = 0; y < a->height; y++)
        assert_memory_equal(aug_row(a, y), aug_row(b, y), (size_t) a->width * (size_t) a->channels);
}
