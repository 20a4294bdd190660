/*
 * augment/codec.h - bytes of a file of any kind -> pixels; one entry for all decoders.
 *
 * Decoding follows tf.image.decode_jpeg / decode_image (specification of the image pipelines, 5.1):
 * the content decides, not the name.  A struct of zeros asks for what TensorFlow does by default.
 */
#ifndef AUG_CODEC_H
#define AUG_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "augment/image.h"
#include "augment/sniff.h"
#include "base/err.h"

enum aug_colour {
    AUG_GREY,
    AUG_GREY_ALPHA,
    AUG_RGB,
    AUG_RGBA,
    AUG_PALETTE,
    AUG_YCBCR,
    AUG_CMYK,
    AUG_YCCK
};

/* What the header says. */
struct aug_info {
    enum aug_kind kind;
    int32_t width, height; /* as stored */
    int32_t
        components; /* as stored: JPEG 1, 3, 4; PNG 1 ... 4, palette 3 or (with tRNS) 4; GIF 3 */
    int32_t bits;   /* per component, or per index of a palette */
    enum aug_colour colour;
    int orientation;  /* EXIF, 1 ... 8 */
    bool progressive; /* JPEG in several passes, PNG interlaced */
    bool arithmetic;
    bool adobe;       /* JPEG with an Adobe marker: CMYK is stored inverted */
    bool restarts;    /* JPEG with restart markers */
    char sampling[8]; /* of YCbCr and YCCK: "4:2:0" ...; "other"; else "" */
};

enum aug_dct { AUG_DCT_FAST, AUG_DCT_ACCURATE };

struct aug_scan;

/* Zero-initialised: as TensorFlow's defaults, whole image, channels as stored, no turning. */
struct aug_decode {
    int32_t channels;           /* 0 as stored (JPEG: at most 3), 1, 3; PNG, BMP and WebP also 4 */
    int32_t ratio;              /* 0, 1, 2, 4, 8: JPEG only, size ceil(dim / ratio) */
    enum aug_dct dct;           /* Pillow, OpenCV and torchvision use AUG_DCT_ACCURATE */
    bool plain_upsampling;      /* fancy_upscaling=False */
    bool recover;               /* try_recover_truncated */
    double acceptable_fraction; /* of rows; 0 is TensorFlow's default 1 */
    bool apply_exif;            /* turn upright */
    bool
        plain_huffman; /* by libjpeg alone: slower, the same pixels, warnings and verdicts (JPEG) */
    /*
     * Only this part, as decode_and_crop_jpeg: after ratio, and upright when apply_exif.  Pixels
     * equal those of the whole image except where decode_and_crop_jpeg differs too
     * (specification 5.1.7). NULL: everything.  Borrowed.
     */
    const struct aug_window *window;
    /* Columns left of the window may come with it, so that rows need no copying: *out is wider than
     * the window by as many.  Not with apply_exif. */
    bool left_too;
    struct aug_scan **kept; /* NULL, or where a JPEG's tables stay for the next one, which often has
                               the same: NULL at first, t2_free at the end; one thread's */
    bool stop_after_window; /* what is below the window is not read, so damage there is not seen */
    uint64_t max_components; /* width * height * components after ratio; 0 is TensorFlow's 2^29 */
    uint64_t max_memory;     /* bytes for the decoder and its pixels: T2_ENOMEM beyond; 0: any */
};

/* how->max_components, or the default. */
static inline uint64_t aug_component_limit(const struct aug_decode *how)
{
    return how->max_components > 0 ? how->max_components : UINT64_C(1) << 29;
}

/* What was odd but did not hinder. */
struct aug_notes {
    int64_t n_warnings;
    char first[160];      /* of the decoder's warnings; "" when none */
    int32_t rows_missing; /* filled by recover or acceptable_fraction */
};

/* Is this failure a verdict on the file's bytes?  False: memory, the disk, Ctrl-C. */
static inline bool aug_is_refusal(enum t2_status st)
{
    return st == T2_EFORMAT || st == T2_EUNSUPPORTED;
}

const char *aug_colour_name(enum aug_colour colour); /* "grey", "YCbCr", ... */

/* Reads the header only; constant memory.  T2_EFORMAT with what is wrong, T2_EUNSUPPORTED for valid
 * files that this build does not decode (12 bits, lossless, WebP without its library). */
T2_MUST_CHECK enum t2_status aug_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                                       struct t2_err *err);

/*
 * Decodes into *out (grown as needed).  notes may be NULL.  Memory is bounded by the header before
 * anything is allocated, work by pixels and bytes (augment/limits.h).  T2_ENOMEM, and
 * T2_EINTERRUPTED once a signal asked for a stop, say nothing about the file: aug_is_refusal.
 * Errors as aug_probe; on failure *out holds nothing useful.  Any thread, each with its own *out.
 */
T2_MUST_CHECK enum t2_status aug_decode(const uint8_t *file, size_t len_bytes,
                                        const struct aug_decode *how, struct aug_image *out,
                                        struct aug_notes *notes, struct t2_err *err);

#endif
