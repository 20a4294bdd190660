/*
 * augment/exif.c - EXIF orientation.
 *
 * The orientation is a number in a TIFF structure that JPEG, PNG and WebP carry along:
 *
 *   0  4  "II*\0" little-endian or "MM\0*" big-endian
 *   4  4  offset of the directory
 *   at:   2 number of entries, then entries of 12 bytes
 *         0 2 tag 0x0112   2 2 type 3 (16 bits)   4 4 count 1   8 2 the value
 *
 *   JPEG   segment 0xff 0xe1, length 2, "Exif\0\0", TIFF
 *   PNG    chunk length 4, "eXIf", TIFF, CRC 4
 *   WebP   chunk "EXIF", length 4, ["Exif\0\0"], TIFF
 *
 * Damaged structures are no reason to refuse an image: the orientation is then 1, upright.
 */
#include "augment/exif.h"

#include <string.h>

#include "augment/sniff.h"
#include "base/alloc.h"

/* ---- TIFF ---- */

enum { TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3, ENTRY_BYTES = 12 };

static uint32_t number(const uint8_t *p, size_t n_bytes, bool big)
{
    uint32_t v = 0;

    for (size_t i = 0; i < n_bytes; i++)
        v |= (uint32_t) p[i] << 8 * (big ? n_bytes - 1 - i : i);
    return v;
}

/* Offset of the two bytes that hold the orientation; 0 when there are none. */
static size_t find_in_tiff(const uint8_t *t, size_t n, bool *big)
{
    if (n < 8 || (memcmp(t, "II*\0", 4) != 0 && memcmp(t, "MM\0*", 4) != 0))
        return 0;
    *big = t[0] == 'M';
    uint32_t at = number(t + 4, 4, *big);
    if (at > n - 2)
        return 0;
    uint32_t n_entries = number(t + at, 2, *big);
    for (size_t e = (size_t) at + 2; n_entries > 0 && e + ENTRY_BYTES <= n;
         e += ENTRY_BYTES, n_entries--)
        if (number(t + e, 2, *big) == TAG_ORIENTATION && number(t + e + 2, 2, *big) == TYPE_SHORT &&
            number(t + e + 4, 4, *big) == 1)
            return e + 8;
    return 0;
}

int aug_exif_orientation_of_tiff(const uint8_t *tiff, size_t len_bytes)
{
    bool big = false;
    size_t at = find_in_tiff(tiff, len_bytes, &big);
    uint32_t v = at > 0 ? number(tiff + at, 2, big) : 1;

    return v >= 1 && v <= 8 ? (int) v : 1;
}

/* ---- where the TIFF is in a file ---- */

struct part {
    size_t at, len_bytes;
};

/* The first APP1 segment with EXIF before the first scan. */
static struct part find_in_jpeg(const uint8_t *f, size_t n)
{
    size_t at = 2;

    while (at + 4 <= n) {
        if (f[at] != 0xff) { /* junk between segments: libjpeg skips it, too */
            at++;
            continue;
        }
        uint8_t marker = f[at + 1];
        if (marker == 0xff) {
            at++;
            continue;
        }
        if (marker == 0 || marker == 1 || (marker >= 0xd0 && marker <= 0xd8)) {
            at += 2;
            continue;
        }
        size_t len = (size_t) f[at + 2] << 8 | f[at + 3];
        if (marker == 0xda || marker == 0xd9 || len < 2)
            break;
        if (marker == 0xe1 && len >= 8 && at + 10 <= n && memcmp(f + at + 4, "Exif\0", 5) == 0) {
            size_t from = at + 10, end = at + 2 + len < n ? at + 2 + len : n;
            return (struct part){from, end > from ? end - from : 0};
        }
        at += 2 + len;
    }
    return (struct part){0, 0};
}

/* Chunks of PNG (big-endian length, name, data, CRC) and of RIFF (name, little-endian length, data
 * padded to even). */
static struct part find_chunk(const uint8_t *f, size_t n, bool png)
{
    size_t at = png ? 8 : 12;

    while (at + 8 <= n) {
        size_t len = number(f + at + (png ? 0 : 4), 4, png);
        const uint8_t *name = f + at + (png ? 4 : 0);
        if (memcmp(name, png ? "eXIf" : "EXIF", 4) == 0) {
            struct part p = {at + 8, len < n - at - 8 ? len : n - at - 8};
            if (p.len_bytes >= 6 && memcmp(f + p.at, "Exif\0", 5) == 0)
                p = (struct part){p.at + 6, p.len_bytes - 6};
            return p;
        }
        if (len > n - at - 8)
            break;
        at += 8 + len + (png ? 4 : len % 2);
    }
    return (struct part){0, 0};
}

static struct part find_tiff(const uint8_t *file, size_t n)
{
    switch (aug_sniff(file, n)) {
    case AUG_JPEG:
        return find_in_jpeg(file, n);
    case AUG_PNG:
        return find_chunk(file, n, true);
    case AUG_WEBP:
        return find_chunk(file, n, false);
    default:
        return (struct part){0, 0};
    }
}

int aug_exif_orientation(const uint8_t *file, size_t len_bytes)
{
    struct part p = find_tiff(file, len_bytes);

    return p.len_bytes > 0 ? aug_exif_orientation_of_tiff(file + p.at, p.len_bytes) : 1;
}

/* ---- turning ---- */

static bool swaps_sides(int orientation)
{
    return orientation >= 5 && orientation <= 8;
}

void aug_oriented_size(int orientation, int32_t *width, int32_t *height)
{
    if (swaps_sides(orientation)) {
        int32_t w = *width;
        *width = *height;
        *height = w;
    }
}

/* The stored pixel (x, y) that is seen at (u, v) of the upright image; width and height are the
 * stored ones.  Orientations 2, 3, 4 mirror columns, both, rows; 5 to 8 transpose as well. */
static void stored_place(int orientation, int32_t width, int32_t height, int32_t u, int32_t v,
                         int32_t *x, int32_t *y)
{
    bool swapped = swaps_sides(orientation);
    bool flip_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    bool flip_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    int32_t a = swapped ? v : u, b = swapped ? u : v;

    *x = flip_x ? width - 1 - a : a;
    *y = flip_y ? height - 1 - b : b;
}

struct aug_window aug_stored_window(int orientation, int32_t width, int32_t height,
                                    struct aug_window upright)
{
    int32_t x0, y0, x1, y1;

    stored_place(orientation, width, height, upright.x, upright.y, &x0, &y0);
    stored_place(orientation, width, height, upright.x + upright.width - 1,
                 upright.y + upright.height - 1, &x1, &y1);
    return (struct aug_window){.x = x0 < x1 ? x0 : x1,
                               .y = y0 < y1 ? y0 : y1,
                               .width = (x0 < x1 ? x1 - x0 : x0 - x1) + 1,
                               .height = (y0 < y1 ? y1 - y0 : y0 - y1) + 1};
}

enum t2_status aug_orient(const struct aug_image *from, int orientation, struct aug_image *to,
                          struct t2_err *err)
{
    int32_t w = from->width, h = from->height;
    size_t n = (size_t) from->channels;

    if (orientation <= 1 || orientation > 8)
        return aug_image_copy(from, to, err);
    aug_oriented_size(orientation, &w, &h);
    T2_TRY(aug_image_resize(to, h, w, from->channels, err));
    for (int32_t v = 0; v < h; v++) {
        uint8_t *d = aug_row(to, v);
        for (int32_t u = 0; u < w; u++, d += n) {
            int32_t x, y;
            stored_place(orientation, from->width, from->height, u, v, &x, &y);
            memcpy(d, aug_row(from, y) + (size_t) x * n, n);
        }
    }
    return T2_OK;
}
