/*
 * augment/webp.c - WebP by libwebp: the only file that knows it.
 */
#include "augment/webp.h"

#ifdef T2_HAVE_WEBP

#include <webp/decode.h>

#include "augment/limits.h"
#include "base/alloc.h"
#include "base/signals.h"

enum { PEAK_BYTES = 3 }; /* of a value: a lossless image is there as words before it is as bytes */

enum t2_status aug_webp_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                              struct t2_err *err)
{
    WebPBitstreamFeatures f;
    VP8StatusCode code = WebPGetFeatures(file, len_bytes, &f);

    if (code == VP8_STATUS_NOT_ENOUGH_DATA)
        return t2_fail(err, T2_EFORMAT, "WebP: the file is cut short");
    if (code != VP8_STATUS_OK || f.width < 1 || f.height < 1)
        return t2_fail(err, T2_EFORMAT, "WebP: the header is damaged");
    if (f.has_animation)
        return t2_fail(err, T2_EUNSUPPORTED, "WebP: an animation");
    *info = (struct aug_info){.kind = AUG_WEBP,
                              .width = f.width,
                              .height = f.height,
                              .components = f.has_alpha ? 4 : 3,
                              .bits = 8,
                              .colour = f.has_alpha ? AUG_RGBA : AUG_RGB,
                              .orientation = 1};
    return T2_OK;
}

enum t2_status aug_webp_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                               struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    struct aug_info info = {.kind = AUG_WEBP};
    WebPDecoderConfig config;
    VP8StatusCode code;
    int32_t channels;
    size_t n;

    if (notes)
        *notes = (struct aug_notes){0};
    T2_TRY(aug_webp_probe(file, len_bytes, &info, err));
    channels = how->channels == 0 ? info.components : how->channels == 4 ? 4 : 3;
    T2_TRY(aug_check_size(AUG_WEBP, info.width, info.height, channels, how, err));
    T2_TRY(aug_check_memory(AUG_WEBP, info.width, info.height, channels, PEAK_BYTES, how, err));
    T2_TRY(t2_check_interrupt(
        err)); /* libwebp cannot be stopped; it has 16383 x 16383 pixels at most */
    T2_TRY(aug_image_resize(out, info.height, info.width, channels, err));
    n = out->stride_bytes * (size_t) out->height;
    if (!WebPInitDecoderConfig(&config))
        return t2_fail(err, T2_EUNSUPPORTED, "WebP: libwebp is not the one this was built with");
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA = (WebPRGBABuffer){out->data, (int) out->stride_bytes, n};
    code = WebPDecode(file, len_bytes, &config);
    if (code == VP8_STATUS_OUT_OF_MEMORY)
        t2_out_of_memory("WebP: %d x %d pixels", info.width, info.height);
    if (code != VP8_STATUS_OK)
        return t2_fail(err, T2_EFORMAT, "WebP: the data is damaged or cut short");
    return T2_OK;
}

#else

static enum t2_status absent(struct t2_err *err)
{
    return t2_fail(err, T2_EUNSUPPORTED, "WebP: this build has no libwebp");
}

enum t2_status aug_webp_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                              struct t2_err *err)
{
    (void) file;
    (void) len_bytes;
    (void) info;
    return absent(err);
}

enum t2_status aug_webp_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                               struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    (void) file;
    (void) len_bytes;
    (void) how;
    (void) out;
    (void) notes;
    return absent(err);
}

#endif
