/*
 * augment/codec.c - bytes of a file of any kind -> pixels.
 */
#include "augment/codec.h"

#include <string.h>

#include "augment/bmp.h"
#include "augment/exif.h"
#include "augment/gif.h"
#include "augment/jpeg.h"
#include "augment/png.h"
#include "augment/webp.h"

struct decoder {
    enum t2_status (*probe)(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                            struct t2_err *err);
    enum t2_status (*decode)(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                             struct aug_image *out, struct aug_notes *notes, struct t2_err *err);
};

static const struct decoder decoders[AUG_N_IMAGE_KINDS] = {
    [AUG_JPEG] = {aug_jpeg_probe, aug_jpeg_decode}, [AUG_PNG] = {aug_png_probe, aug_png_decode},
    [AUG_GIF] = {aug_gif_probe, aug_gif_decode},    [AUG_BMP] = {aug_bmp_probe, aug_bmp_decode},
    [AUG_WEBP] = {aug_webp_probe, aug_webp_decode},
};

const char *aug_colour_name(enum aug_colour colour)
{
    static const char *const names[] = {"grey",    "grey+alpha", "RGB",  "RGBA",
                                        "palette", "YCbCr",      "CMYK", "YCCK"};

    return names[colour];
}

static enum t2_status find_decoder(const uint8_t *file, size_t len_bytes, enum aug_kind *kind,
                                   struct t2_err *err)
{
    *kind = aug_sniff(file, len_bytes);
    if (!aug_kind_is_image(*kind))
        return t2_fail(err,
                       *kind > AUG_UNKNOWN && *kind < AUG_ARCHIVE && *kind != AUG_EMPTY &&
                               *kind != AUG_ZEROS
                           ? T2_EUNSUPPORTED
                           : T2_EFORMAT,
                       "%s", aug_kind_explain(*kind));
    return T2_OK;
}

enum t2_status aug_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                         struct t2_err *err)
{
    enum aug_kind kind;

    T2_TRY(find_decoder(file, len_bytes, &kind, err));
    T2_TRY(decoders[kind].probe(file, len_bytes, info, err));
    info->orientation = aug_exif_orientation(file, len_bytes);
    return T2_OK;
}

/* ---- channels ---- */

/* The luma of Rec. 601 with 16 bits, rounded: Pillow's convert("L"). */
static void to_grey(struct aug_image *im)
{
    uint8_t *d = im->data;
    size_t n = (size_t) im->channels;

    for (int32_t y = 0; y < im->height; y++) {
        const uint8_t *s = aug_row(im, y);
        for (int32_t x = 0; x < im->width; x++, s += n)
            *d++ = (uint8_t) ((s[0] * 19595u + s[1] * 38470u + s[2] * 7471u + 0x8000u) >> 16);
    }
    im->channels = 1;
    im->stride_bytes = (size_t) im->width;
}

/* ---- windows of what was decoded whole ---- */

static enum t2_status cut_out(struct aug_image *im, const struct aug_window *w, struct t2_err *err)
{
    if (w->x < 0 || w->y < 0 || w->width < 1 || w->height < 1 || w->width > im->width - w->x ||
        w->height > im->height - w->y)
        return t2_fail(err, T2_EUSAGE,
                       "window %d x %d at (%d, %d) is not inside an image of %d x %d", w->width,
                       w->height, w->x, w->y, im->width, im->height);
    struct aug_image view = aug_image_window(im, *w);
    size_t n = (size_t) w->width * (size_t) im->channels;
    for (int32_t y = 0; y < w->height; y++)
        memmove(im->data + (size_t) y * n, aug_row(&view, y), n);
    im->width = w->width;
    im->height = w->height;
    im->stride_bytes = n;
    return T2_OK;
}

/* ---- decoding ---- */

/* The decoder alone: no turning; `how->window` counts in the stored image. */
static enum t2_status decode_stored(enum aug_kind kind, const uint8_t *file, size_t len_bytes,
                                    const struct aug_decode *how, struct aug_image *out,
                                    struct aug_notes *notes, struct t2_err *err)
{
    T2_TRY(decoders[kind].decode(file, len_bytes, how, out, notes, err));
    if (kind == AUG_JPEG)
        return T2_OK;
    if (how->channels == 1 && out->channels >= 3)
        to_grey(out);
    return how->window ? cut_out(out, how->window, err) : T2_OK;
}

static enum t2_status check_spec(enum aug_kind kind, const struct aug_decode *how,
                                 struct t2_err *err)
{
    int32_t c = how->channels;

    if (c != 0 && c != 1 && c != 3 && (c != 4 || kind == AUG_JPEG || kind == AUG_GIF) &&
        (c != 2 || kind != AUG_PNG))
        return t2_fail(err, T2_EUNSUPPORTED, "a %s cannot be decoded to %d channels",
                       aug_kind_name(kind), c);
    if (how->ratio > 1 && kind != AUG_JPEG)
        return t2_fail(err, T2_EUNSUPPORTED, "only a JPEG can be decoded at 1/%d, not a %s",
                       how->ratio, aug_kind_name(kind));
    return T2_OK;
}

/* With the window of the stored image that becomes `how->window` when it is turned. */
static enum t2_status decode_upright(enum aug_kind kind, const uint8_t *file, size_t len_bytes,
                                     int orientation, const struct aug_decode *how,
                                     struct aug_image *out, struct aug_notes *notes,
                                     struct t2_err *err)
{
    struct aug_decode stored = *how;
    struct aug_image turned = {.data = NULL};
    struct aug_window w;
    struct aug_info info;
    enum t2_status st;

    stored.left_too = false;
    if (how->window) {
        int32_t ratio = how->ratio > 1 ? how->ratio : 1;
        T2_TRY(decoders[kind].probe(file, len_bytes, &info, err));
        int32_t width = (info.width + ratio - 1) / ratio,
                height = (info.height + ratio - 1) / ratio;
        w = aug_stored_window(orientation, width, height, *how->window);
        stored.window = &w;
    }
    T2_TRY(decode_stored(kind, file, len_bytes, &stored, out, notes, err));
    st = aug_orient(out, orientation, &turned, err);
    if (st == T2_OK)
        st = aug_image_copy(&turned, out, err);
    aug_image_release(&turned);
    return st;
}

enum t2_status aug_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                          struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    enum aug_kind kind;
    int orientation = 1;

    T2_TRY(find_decoder(file, len_bytes, &kind, err));
    T2_TRY(check_spec(kind, how, err));
    if (how->apply_exif)
        orientation = aug_exif_orientation(file, len_bytes);
    return orientation > 1
               ? decode_upright(kind, file, len_bytes, orientation, how, out, notes, err)
               : decode_stored(kind, file, len_bytes, how, out, notes, err);
}
