/*
 * tfrec/image_type.c - types and sizes of images by their headers.
 *
 * Magic numbers of at least three bytes, as bytes features may hold anything; BMP's two letters
 * are confirmed by its reserved bytes. Where the sizes are:
 *
 *   PNG    IHDR: width at 16, height at 20, big-endian
 *   GIF    width at 6, height at 8, 16 bits little-endian
 *   BMP    at 18 and 22; 16 bits each with the header of 12 bytes, else 32
 *   WebP   VP8X: 24 bits less 1 at 24 and 27; VP8L: 14 bits less 1 each from 21; VP8: 14 bits
 *          at 26 and 28
 *   JPEG   height, width in the first frame header SOFn, after the segments before it
 */
#include "tfrec/image_type.h"

#include <string.h>

static bool begins(struct t2_slice v, const char *magic, size_t n)
{
    return v.len_bytes >= n && memcmp(v.data, magic, n) == 0;
}

enum rec_image rec_image_type(struct t2_slice v)
{
    if (v.len_bytes < 8)
        return REC_NO_IMAGE;
    switch (v.data[0]) {
    case 0xff:
        return begins(v, "\xff\xd8\xff", 3) ? REC_JPEG : REC_NO_IMAGE;
    case 0x89:
        return begins(v, "\x89PNG\r\n\x1a\n", 8) ? REC_PNG : REC_NO_IMAGE;
    case 'G':
        return begins(v, "GIF87a", 6) || begins(v, "GIF89a", 6) ? REC_GIF : REC_NO_IMAGE;
    case 'B': /* two letters are not enough: reserved bytes are 0 */
        return v.len_bytes >= 26 && begins(v, "BM", 2) && memcmp(v.data + 6, "\0\0\0\0", 4) == 0
                   ? REC_BMP
                   : REC_NO_IMAGE;
    case 'R':
        return v.len_bytes >= 12 && begins(v, "RIFF", 4) && memcmp(v.data + 8, "WEBP", 4) == 0
                   ? REC_WEBP
                   : REC_NO_IMAGE;
    case 'I':
        return begins(v, "II*\0", 4) ? REC_TIFF : REC_NO_IMAGE;
    case 'M':
        return begins(v, "MM\0*", 4) ? REC_TIFF : REC_NO_IMAGE;
    default:
        return REC_NO_IMAGE;
    }
}

const char *rec_image_name(enum rec_image type)
{
    static const char *const names[REC_N_IMAGES] = {"",    "JPEG", "PNG", "GIF",
                                                    "BMP", "WebP", "TIFF"};

    return names[type];
}

const char *rec_image_mime(enum rec_image type)
{
    static const char *const names[REC_N_IMAGES] = {"",          "image/jpeg", "image/png",
                                                    "image/gif", "image/bmp",  "image/webp",
                                                    "image/tiff"};

    return names[type];
}

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t) p[0] << 8 | p[1];
}

static uint32_t le16(const uint8_t *p)
{
    return (uint32_t) p[1] << 8 | p[0];
}

static uint32_t be32(const uint8_t *p)
{
    return be16(p) << 16 | be16(p + 2);
}

static uint32_t le32(const uint8_t *p)
{
    return le16(p + 2) << 16 | le16(p);
}

/* Walks the segments up to the frame header. */
static bool jpeg_size(struct t2_slice v, uint32_t *width, uint32_t *height)
{
    size_t at = 2;

    while (at + 9 <= v.len_bytes) {
        const uint8_t *p = v.data + at;
        if (p[0] != 0xff)
            return false;
        if (p[1] == 0xff) { /* fill byte */
            at++;
            continue;
        }
        if (p[1] >= 0xc0 && p[1] <= 0xcf && p[1] != 0xc4 && p[1] != 0xc8 && p[1] != 0xcc) {
            *height = be16(p + 5);
            *width = be16(p + 7);
            return true;
        }
        at += p[1] == 0x01 || (p[1] >= 0xd0 && p[1] <= 0xd7) ? 2 : 2 + be16(p + 2);
    }
    return false;
}

static bool bmp_size(struct t2_slice v, uint32_t *width, uint32_t *height)
{
    const uint8_t *p = v.data;

    if (v.len_bytes < 26)
        return false;
    if (le32(p + 14) == 12) { /* the oldest header */
        *width = le16(p + 18);
        *height = le16(p + 20);
        return true;
    }
    *width = le32(p + 18);
    *height = le32(p + 22);
    if (*height > INT32_MAX) /* negative: the top row comes first */
        *height = 0 - *height;
    return true;
}

static bool webp_size(struct t2_slice v, uint32_t *width, uint32_t *height)
{
    const uint8_t *p = v.data;

    if (v.len_bytes < 30)
        return false;
    if (memcmp(p + 12, "VP8X", 4) == 0) {
        *width = (le32(p + 24) & 0xffffff) + 1;
        *height = (le32(p + 26) >> 8) + 1;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        uint32_t bits = le32(p + 21);
        *width = (bits & 0x3fff) + 1;
        *height = (bits >> 14 & 0x3fff) + 1;
    } else if (memcmp(p + 12, "VP8 ", 4) == 0) {
        *width = le16(p + 26) & 0x3fff;
        *height = le16(p + 28) & 0x3fff;
    } else {
        return false;
    }
    return true;
}

bool rec_image_size(struct t2_slice v, uint32_t *width, uint32_t *height)
{
    switch (rec_image_type(v)) {
    case REC_JPEG:
        return jpeg_size(v, width, height);
    case REC_PNG:
        if (v.len_bytes < 24)
            return false;
        *width = be32(v.data + 16);
        *height = be32(v.data + 20);
        return true;
    case REC_GIF:
        if (v.len_bytes < 10)
            return false;
        *width = le16(v.data + 6);
        *height = le16(v.data + 8);
        return true;
    case REC_BMP:
        return bmp_size(v, width, height);
    case REC_WEBP:
        return webp_size(v, width, height);
    default:
        return false;
    }
}
