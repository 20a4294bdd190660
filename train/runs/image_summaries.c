/*
 * train/runs/image_summaries.c - see the header.
 */
#include "train/runs/image_summaries.h"

#include <math.h>
#include <string.h>

#include "augment/png.h"
#include "base/alloc.h"
#include "base/str.h"
#include "tfrecord/event_write.h"

void tr_image_to_bytes(const float *x, size_t n, uint8_t *bytes)
{
    float least = 0.0F, most = 0.0F, zero, scale;

    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i])) {
            least = fminf(least, x[i]);
            most = fmaxf(most, x[i]);
        }
    zero = least < 0.0F ? 127.0F : 0.0F;
    scale = fmaxf(-least, most) > 0.0F ? (least < 0.0F ? 127.0F : 255.0F) / fmaxf(-least, most) : 0;
    for (size_t i = 0; i < n; i++)
        bytes[i] = isfinite(x[i]) ? (uint8_t) (x[i] * scale + zero) : 0;
}

static void take_bytes(const struct mdl_batch *b, int32_t i, uint8_t *bytes)
{
    const size_t C = (size_t) b->channels, W = (size_t) b->width, n = (size_t) b->height * W;
    const uint8_t *from = b->image_bytes + (size_t) i * n * C;
    const bool mirrored = b->mirrored && b->mirrored[i];

    for (size_t p = 0; p < n; p++)
        memcpy(bytes + p * C, from + (mirrored ? p / W * W + W - 1 - p % W : p) * C, C);
}

/* Row i of what the batch shows, as bytes. */
static void take_image(const struct mdl_problem *p, const struct mdl_batch *b, int32_t i, size_t n,
                       uint8_t *bytes)
{
    const size_t at = (size_t) i * n;

    if (p->pixels.height > 0)
        for (size_t k = 0; k < n; k++)
            bytes[k] = (uint8_t) (b->targets[at + k] & UINT8_MAX);
    else if (b->image_bytes)
        take_bytes(b, i, bytes);
    else
        tr_image_to_bytes(b->images + at, n, bytes);
}

enum t2_status tr_put_images(struct t2_buf *summary, const struct mdl_problem *p,
                             const struct mdl_batch *b, struct t2_err *err)
{
    const bool made = p->pixels.height > 0;
    const struct mdl_image size =
        made ? p->pixels : (struct mdl_image){b->height, b->width, b->channels};
    const size_t n = (size_t) size.height * (size_t) size.width * (size_t) size.channels;
    enum t2_status st = T2_OK;
    uint8_t *bytes;

    if (p->speech || (p->image.height == 0 && !made) || size.channels > 4)
        return T2_OK;
    bytes = t2_alloc(n, 1);
    for (int32_t i = 0; i < b->batch && i < TR_SUMMARY_IMAGES && st == T2_OK; i++) {
        char *tag = t2_asprintf("t2t/%s/image/%d", made ? "targets" : "inputs", (int) i);
        struct aug_image image;
        struct t2_buf png = {0};

        take_image(p, b, i, n, bytes);
        image = aug_image_of(bytes, size.height, size.width, size.channels);
        st = aug_png_encode(&image, -1, &png, err);
        if (st == T2_OK)
            tfr_put_image(summary, tag, size.height, size.width, size.channels, t2_buf_slice(&png));
        t2_buf_release(&png);
        t2_free(tag);
    }
    t2_free(bytes);
    return st;
}
