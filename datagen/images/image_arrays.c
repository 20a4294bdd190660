/*
 * datagen/images/image_arrays.c - arrays of pixels become PNG files in records.
 *
 * Arrays hold planes, (n, channels, height, width) bytes (CIFAR) or (n, height, width); a PNG
 * wants pixels, (height, width, channels), see interleave().
 */
#include "datagen/images/image_arrays.h"

#include <string.h>

#include "augment/image.h"
#include "augment/png.h"
#include "base/alloc.h"

void dg_image_arrays_release(struct dg_image_arrays *a)
{
    t2_buf_release(&a->pixels);
    t2_free(a->labels);
    memset(a, 0, sizeof *a);
}

/* ---- stream ---- */

static enum t2_status next(struct dg_stream *base, struct dg_sample *sample, struct t2_err *err)
{
    struct dg_array_stream *s = (struct dg_array_stream *) base;
    size_t i, bytes;

    for (;;) {
        if (!s->is_loaded) {
            if (s->part == s->n_parts)
                return T2_EOF;
            T2_TRY(s->load(s, s->part, err));
            s->is_loaded = true;
            s->at = 0;
        }
        if (s->at < s->arrays.n && s->passed < s->first) {
            s->at++;
            s->passed++;
        } else if (s->at < s->arrays.n && (s->end == 0 || s->passed < s->end)) {
            break;
        } else {
            s->is_loaded = false;
            s->part++;
        }
    }
    i = s->order ? s->order[s->at] : s->at;
    s->at++;
    s->passed++;
    bytes = s->arrays.pixels.len_bytes / s->arrays.n;
    sample->inputs = (struct t2_slice){s->arrays.pixels.data + i * bytes, bytes};
    sample->numbers[DG_TARGETS] = &s->arrays.labels[i];
    sample->n_numbers[DG_TARGETS] = 1;
    sample->inputs_origin = (struct dg_origin){s->origin, i + 1, 0};
    sample->targets_origin = sample->inputs_origin;
    return T2_OK;
}

static void release(struct dg_stream *base)
{
    struct dg_array_stream *s = (struct dg_array_stream *) base;

    dg_image_arrays_release(&s->arrays);
    t2_free(s->order);
    t2_free(s);
}

void dg_array_stream_init(struct dg_array_stream *s)
{
    s->base.next = next;
    s->base.free = release;
    s->base.is_clean = true;
}

/* ---- records ---- */

const char *const dg_image_fields[] = {"image/class/label int64", "image/encoded bytes",
                                       "image/format bytes",      "image/height int64",
                                       "image/width int64",       NULL};

void dg_record_image(struct dg_record *r, struct t2_slice file, struct t2_slice *format,
                     int64_t height, int64_t width)
{
    if (dg_record_find(r, "targets"))
        dg_record_rename(r, "targets", "image/class/label");
    dg_record_bytes(r, "image/encoded", file);
    dg_record_bytes(r, "image/format", *format);
    dg_record_int(r, "image/height", height);
    dg_record_int(r, "image/width", width);
}

/* (channels, n) bytes to (n, channels). */
static void interleave(struct t2_slice planes, int32_t channels, uint8_t *pixels)
{
    size_t n = planes.len_bytes / (size_t) channels;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < (size_t) channels; c++)
            pixels[i * (size_t) channels + c] = planes.data[c * n + i];
}

enum t2_status dg_finish_png(int32_t height, int32_t width, int32_t channels,
                             const struct dg_texts *texts, struct dg_record *r, struct t2_err *err)
{
    struct t2_slice planes = texts->text[DG_INPUTS], png = t2_slice_of("png");
    struct aug_image im = {.data = NULL};
    enum t2_status st;

    if (planes.len_bytes != (size_t) height * (size_t) width * (size_t) channels)
        return t2_fail(err, T2_EFORMAT, "%zu bytes are no image of %d x %d x %d", planes.len_bytes,
                       height, width, channels);
    T2_TRY(aug_image_resize(&im, height, width, channels, err));
    interleave(planes, channels, im.data);
    st = aug_png_encode(&im, -1, &r->made, err);
    aug_image_release(&im);
    if (st == T2_OK)
        dg_record_image(r, t2_buf_slice(&r->made), &png, height, width);
    return st;
}
