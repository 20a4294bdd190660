/*
 * tests/support/hostile_images.c - small image files that ask for much work or memory.
 */
#include "tests/support/hostile_images.h"

#include <string.h>

#include "augment/jpeg.h"
#include "augment/png.h"
#include "tests/support/t.h"

static void put_u16(struct t2_buf *b, int v)
{
    t2_buf_push(b, (uint8_t) (v & 255));
    t2_buf_push(b, (uint8_t) (v >> 8));
}

static struct aug_image flat(int width, int height)
{
    struct aug_image im = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(aug_image_resize(&im, height, width, 1, &err), T2_OK);
    memset(im.data, 128, im.stride_bytes * (size_t) height);
    return im;
}

void t_jpeg_of_scans(int width, int height, int n_scans, struct t2_buf *out)
{
    /* one component, its tables 0, coefficients 1 to 63, the last bit of them */
    static const uint8_t scan[] = {0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0x10};
    const struct aug_jpeg_settings how = {.quality = 50, .progressive = true};
    struct aug_image im = flat(8, 8);
    struct t2_err err = T2_ERR_INIT;
    size_t at = 2;

    t2_buf_clear(out);
    assert_int_equal(aug_jpeg_encode(&im, &how, out, &err), T2_OK);
    while (out->data[at + 1] != 0xc2) /* the frame's header */
        at += 2 + ((size_t) out->data[at + 2] << 8 | out->data[at + 3]);
    out->data[at + 5] = (uint8_t) (height >> 8);
    out->data[at + 6] = (uint8_t) (height & 255);
    out->data[at + 7] = (uint8_t) (width >> 8);
    out->data[at + 8] = (uint8_t) (width & 255);
    out->len_bytes -= 2; /* the end */
    for (int i = 0; i < n_scans; i++)
        t2_buf_append(out, scan, sizeof scan);
    t2_buf_append(out, "\xff\xd9", 2);
    aug_image_release(&im);
}

struct codes {
    struct t2_buf *out;
    uint32_t value, n_bits;
};

static void put_code(struct codes *c, uint32_t code, uint32_t width)
{
    c->value |= code << c->n_bits;
    for (c->n_bits += width; c->n_bits >= 8; c->n_bits -= 8, c->value >>= 8)
        t2_buf_push(c->out, (uint8_t) c->value);
}

/* A clear code, a pixel, and then each new code as soon as it is there: one pixel longer each
 * time. */
static void put_runs(size_t n_bytes, struct t2_buf *data)
{
    struct codes c = {.out = data};

    while (data->len_bytes < n_bytes) {
        uint32_t next = 6, width = 3;
        put_code(&c, 4, width);
        put_code(&c, 0, width);
        for (; next < 4096 && data->len_bytes < n_bytes; next++) {
            put_code(&c, next, width);
            if (next + 1 == 1u << width && width < 12)
                width++;
        }
        for (int i = 0; i < 4096 && data->len_bytes < n_bytes; i++)
            put_code(&c, 4095, 12);
        if (data->len_bytes < n_bytes)
            put_code(&c, 4, 12);
    }
}

void t_gif_of_frame(int width, int height, int frame_width, int frame_height, int n_bytes,
                    struct t2_buf *out)
{
    struct t2_buf data = {NULL, 0, 0};

    t2_buf_clear(out);
    t2_buf_append(out, "GIF89a", 6);
    put_u16(out, width);
    put_u16(out, height);
    t2_buf_append(out, "\x81\0\0\1\2\3\4\5\6\7\x8\x9\xa\xb\xc,\0\0\0\0", 20);
    put_u16(out, frame_width);
    put_u16(out, frame_height);
    t2_buf_append(out, "\0\2", 2);
    put_runs((size_t) n_bytes, &data);
    for (size_t at = 0; at < data.len_bytes; at += 255) {
        size_t n = data.len_bytes - at < 255 ? data.len_bytes - at : 255;
        t2_buf_push(out, (uint8_t) n);
        t2_buf_append(out, data.data + at, n);
    }
    t2_buf_append(out, "\0;", 2);
    t2_buf_release(&data);
}

void t_flat_png(int width, int height, struct t2_buf *out)
{
    struct aug_image im = flat(width, height);
    struct t2_err err = T2_ERR_INIT;

    t2_buf_clear(out);
    assert_int_equal(aug_png_encode(&im, 9, out, &err), T2_OK);
    aug_image_release(&im);
}
