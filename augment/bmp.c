/*
 * augment/bmp.c - BMP files.
 *
 * TensorFlow reads 8 (the indices themselves, as grey), 24 and 32 bits; here palettes, run lengths
 * and bit masks are read too, and an 8-bit image gets its colours.
 *
 * Layout (little-endian; rows bottom up unless the height is negative, padded to 4 bytes):
 *
 *   file header, 14 bytes       info header, 40 bytes or more       core header, 12 bytes
 *    0 2 "BM"                   14 4 bytes of this header           14 4 bytes: 12
 *    2 4 size of the file       18 4 width                          18 2 width
 *   10 4 offset of the pixels   22 4 height, < 0: top down          20 2 height
 *                               28 2 bits of a pixel                24 2 bits of a pixel
 *                               30 4 compression
 *                               46 4 colours in the palette, 0: 2^bits
 *                               54 12 | 16 masks of R G B [A]
 *
 * Then the palette, B G R 0 (core: B G R) per colour, and the pixels.  Size fields of the file and
 * of the pixels are often wrong and are not used.
 */
#include "augment/bmp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "augment/limits.h"
#include "base/signals.h"

enum { CORE_HEADER = 12, INFO_HEADER = 40, FILE_HEADER = 14 };
enum compression { PLAIN = 0, RLE8 = 1, RLE4 = 2, MASKS = 3, ALPHA_MASKS = 6 };

struct bmp {
    const uint8_t *file;
    size_t len_bytes, pixels_at, row_bytes;
    int32_t width, height;
    bool top_down;
    uint32_t bits, compression;
    uint32_t masks[4]; /* R, G, B, A */
    uint32_t n_colours;
    size_t palette_at, colour_bytes; /* 3 or 4 per colour */
};

static uint32_t u16(const uint8_t *p)
{
    return p[0] | (uint32_t) p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
    return u16(p) | u16(p + 2) << 16;
}

/* ---- the header ---- */

static enum t2_status cut_short(const struct bmp *b, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "BMP: the file is cut short: it has %zu bytes", b->len_bytes);
}

/* Masks follow a header of 40 bytes and are part of longer ones, at the same offset either way. */
static enum t2_status read_masks(struct bmp *b, size_t header, struct t2_err *err)
{
    size_t n = b->compression == ALPHA_MASKS || header > INFO_HEADER + 12 ? 4 : 3;

    if (b->len_bytes < FILE_HEADER + INFO_HEADER + 4 * n)
        return cut_short(b, err);
    for (size_t i = 0; i < n; i++)
        b->masks[i] = u32(b->file + FILE_HEADER + INFO_HEADER + 4 * i);
    if (header == INFO_HEADER)
        b->palette_at += 4 * n;
    return T2_OK;
}

static enum t2_status check_format(const struct bmp *b, struct t2_err *err)
{
    bool known = (b->compression == PLAIN && (b->bits == 1 || b->bits == 4 || b->bits == 8 ||
                                              b->bits == 16 || b->bits == 24 || b->bits == 32)) ||
                 (b->compression == RLE8 && b->bits == 8 && !b->top_down) ||
                 (b->compression == RLE4 && b->bits == 4 && !b->top_down) ||
                 ((b->compression == MASKS || b->compression == ALPHA_MASKS) &&
                  (b->bits == 16 || b->bits == 32));

    return known ? T2_OK
                 : t2_fail(err, T2_EUNSUPPORTED, "BMP: %" PRIu32 " bits with compression %" PRIu32,
                           b->bits, b->compression);
}

static enum t2_status read_sizes(struct bmp *b, bool core, struct t2_err *err)
{
    const uint8_t *h = b->file + FILE_HEADER;
    int64_t width = core ? (int64_t) u16(h + 4) : (int32_t) u32(h + 4);
    int64_t height = core ? (int64_t) u16(h + 6) : (int32_t) u32(h + 8);

    b->top_down = height < 0;
    height = height < 0 ? -height : height;
    if (width < 1 || height < 1 || width > INT32_MAX / 64 || height > INT32_MAX / 64)
        return t2_fail(err, T2_EFORMAT, "BMP: %" PRId64 " x %" PRId64 " pixels", width, height);
    b->width = (int32_t) width;
    b->height = (int32_t) height;
    return T2_OK;
}

static enum t2_status read_header(struct bmp *b, const uint8_t *file, size_t len_bytes,
                                  struct t2_err *err)
{
    *b = (struct bmp){.file = file, .len_bytes = len_bytes};
    if (len_bytes < FILE_HEADER + CORE_HEADER)
        return cut_short(b, err);
    uint32_t header = u32(file + FILE_HEADER);
    bool core = header == CORE_HEADER;
    if (!core && (header < INFO_HEADER || header > 4096))
        return t2_fail(err, T2_EUNSUPPORTED, "BMP: a header of %" PRIu32 " bytes", header);
    if (!core && len_bytes < FILE_HEADER + (size_t) header)
        return cut_short(b, err);
    T2_TRY(read_sizes(b, core, err));
    b->pixels_at = u32(file + 10);
    b->bits = u16(file + FILE_HEADER + (core ? 10 : 14));
    b->compression = core ? PLAIN : u32(file + FILE_HEADER + 16);
    T2_TRY(check_format(b, err));
    b->colour_bytes = core ? 3 : 4;
    b->palette_at = FILE_HEADER + header;
    if (b->bits <= 8) {
        uint32_t n = core ? 0 : u32(file + FILE_HEADER + 32);
        b->n_colours = n == 0 || n > 1u << b->bits ? 1u << b->bits : n;
    } else if (b->compression == MASKS || b->compression == ALPHA_MASKS) {
        T2_TRY(read_masks(b, header, err));
    } else {
        static const uint32_t five[3] = {0x7c00, 0x3e0, 0x1f}, eight[3] = {0xff0000, 0xff00, 0xff};
        memcpy(b->masks, b->bits == 16 ? five : eight, sizeof five);
    }
    b->row_bytes = ((size_t) b->width * b->bits + 31) / 32 * 4;
    if (b->palette_at > len_bytes || b->n_colours > (len_bytes - b->palette_at) / b->colour_bytes)
        return cut_short(b, err);
    return T2_OK;
}

static int32_t components(const struct bmp *b)
{
    return b->masks[3] != 0 ? 4 : 3;
}

enum t2_status aug_bmp_probe(const uint8_t *file, size_t len_bytes, struct aug_info *info,
                             struct t2_err *err)
{
    struct bmp b;

    T2_TRY(read_header(&b, file, len_bytes, err));
    *info = (struct aug_info){.kind = AUG_BMP,
                              .width = b.width,
                              .height = b.height,
                              .components = components(&b),
                              .bits = b.bits <= 8    ? (int32_t) b.bits
                                      : b.bits == 16 ? 5
                                                     : 8,
                              .colour = b.bits <= 8       ? AUG_PALETTE
                                        : b.masks[3] != 0 ? AUG_RGBA
                                                          : AUG_RGB,
                              .orientation = 1};
    return T2_OK;
}

/* ---- pixels ---- */

static uint8_t *row_of(const struct bmp *b, const struct aug_image *out, int32_t y)
{
    return aug_row(out, b->top_down ? y : b->height - 1 - y);
}

static void put_colour(const struct bmp *b, uint32_t index, uint8_t *rgb)
{
    const uint8_t *c = b->file + b->palette_at + index * b->colour_bytes;

    for (int i = 0; i < 3; i++)
        rgb[i] = index < b->n_colours ? c[2 - i] : 0;
}

/* The bits of a mask, stretched to 0 ... 255. */
static uint8_t masked(uint32_t pixel, uint32_t mask)
{
    int shift = mask != 0 ? __builtin_ctz(mask) : 0;
    uint32_t largest = mask >> shift;

    return largest == 0
               ? 255
               : (uint8_t) (((uint64_t) ((pixel & mask) >> shift) * 255 + largest / 2) / largest);
}

/*
 * row (row_bytes) as stored, to (width, channels).  Indices of less than 8 bits have the leftmost
 * pixel in the highest bits.
 */
static void read_row(const struct bmp *b, const uint8_t *row, int32_t channels, uint8_t *to)
{
    for (size_t x = 0; x < (size_t) b->width; x++, to += channels) {
        if (b->bits <= 8) {
            size_t bit = x * b->bits;
            put_colour(b, row[bit / 8] >> (8 - b->bits - bit % 8) & ((1u << b->bits) - 1), to);
        } else if (b->bits == 24) {
            for (int i = 0; i < 3; i++)
                to[i] = row[3 * x + 2 - (size_t) i];
        } else {
            uint32_t pixel = b->bits == 16 ? u16(row + 2 * x) : u32(row + 4 * x);
            for (int i = 0; i < 3; i++)
                to[i] = masked(pixel, b->masks[i]);
        }
        if (channels == 4)
            to[3] = b->masks[3] != 0 ? masked(u32(row + 4 * x), b->masks[3]) : 255;
    }
}

static enum t2_status read_rows(const struct bmp *b, struct aug_image *out, struct t2_err *err)
{
    size_t have = b->pixels_at < b->len_bytes ? b->len_bytes - b->pixels_at : 0;
    size_t last = ((size_t) b->width * b->bits + 7) / 8; /* the last row needs no padding */

    if (have < last || (have - last) / b->row_bytes < (size_t) b->height - 1)
        return cut_short(b, err);
    for (int32_t y = 0; y < b->height; y++) {
        T2_TRY(t2_check_interrupt(err));
        read_row(b, b->file + b->pixels_at + (size_t) y * b->row_bytes, out->channels,
                 row_of(b, out, y));
    }
    return T2_OK;
}

struct runs {
    const struct bmp *b;
    const struct aug_image *out;
    int32_t x, y;
};

static void put_index(struct runs *r, uint32_t index)
{
    if (r->x < r->b->width && r->y < r->b->height)
        put_colour(r->b, index,
                   row_of(r->b, r->out, r->y) + (size_t) r->x * (size_t) r->out->channels);
    if (r->x < r->b->width)
        r->x++;
}

/* n indices, of 8 bits or of 4 with the high ones first; `same` repeats the first byte. */
static void put_run(struct runs *r, const uint8_t *p, uint32_t n, bool same)
{
    for (uint32_t i = 0; i < n; i++)
        if (r->b->bits == 8)
            put_index(r, p[same ? 0 : i]);
        else
            put_index(r, p[same ? 0 : i / 2] >> (i % 2 == 0 ? 4 : 0) & 15);
}

/*
 * RLE8 and RLE4: pairs of bytes, from the bottom row up.
 *
 *   n > 0, v     n pixels of v (RLE4: its two halves in turns)
 *   0, 0         end of the row           0, 1     end of the image
 *   0, 2, x, y   move right and up        0, n     n pixels follow, padded to 2 bytes
 *
 * Pixels that no run reaches have colour 0.
 */
static enum t2_status read_runs(const struct bmp *b, struct aug_image *out, struct t2_err *err)
{
    const uint8_t *p = b->file + b->pixels_at, *end = b->file + b->len_bytes;
    struct runs r = {.b = b, .out = out};

    if (b->pixels_at > b->len_bytes)
        return cut_short(b, err);
    for (int32_t y = 0; y < b->height; y++) {
        T2_TRY(t2_check_interrupt(err));
        for (int32_t x = 0; x < b->width; x++)
            put_colour(b, 0, aug_row(out, y) + (size_t) x * (size_t) out->channels);
    }
    while (end - p >= 2 && r.y < b->height) {
        uint32_t n = p[0], what = p[1];
        p += 2;
        if (n > 0) {
            const uint8_t pixel = (uint8_t) what;
            put_run(&r, &pixel, n, true);
        } else if (what == 0) { /* end of line */
            r.x = 0;
            r.y++;
        } else if (what == 1) { /* end of image */
            return T2_OK;
        } else if (what == 2) { /* further right and up */
            if (end - p < 2)
                break;
            r.x = p[0] < b->width - r.x ? r.x + p[0] : b->width;
            r.y = p[1] < b->height - r.y ? r.y + p[1] : b->height;
            p += 2;
        } else {
            size_t bytes = ((size_t) what * b->bits + 15) / 16 * 2;
            if ((size_t) (end - p) < bytes)
                break;
            put_run(&r, p, what, false);
            p += bytes;
        }
    }
    return r.y >= b->height ? T2_OK : cut_short(b, err);
}

enum t2_status aug_bmp_decode(const uint8_t *file, size_t len_bytes, const struct aug_decode *how,
                              struct aug_image *out, struct aug_notes *notes, struct t2_err *err)
{
    struct bmp b;

    if (notes)
        *notes = (struct aug_notes){0};
    T2_TRY(read_header(&b, file, len_bytes, err));
    T2_TRY(aug_check_size(AUG_BMP, b.width, b.height, 4, how, err));
    T2_TRY(aug_check_memory(AUG_BMP, b.width, b.height, 4, 1, how, err));
    T2_TRY(aug_image_resize(out, b.height, b.width,
                            how->channels == 0   ? components(&b)
                            : how->channels == 4 ? 4
                                                 : 3,
                            err));
    if (out->channels == 4)
        memset(out->data, 255, out->stride_bytes * (size_t) out->height);
    return b.compression == RLE8 || b.compression == RLE4 ? read_runs(&b, out, err)
                                                          : read_rows(&b, out, err);
}
