/*
 * tfrec/image_check.c - markers of JPEG (T.81 annex B), chunks of PNG.
 */
#include "tfrec/image_check.h"

#include <stdbool.h>
#include <string.h>

#include "tfrec/image_type.h"

enum { SOI = 0xd8, EOI = 0xd9, SOS = 0xda, TAIL_BYTES = 64 };

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t) p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
    return be16(p) << 16 | be16(p + 2);
}

/* SOF0 ... SOF15 without DHT, JPG, DAC. */
static bool is_frame(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

/* p: the segment behind its marker, n bytes with the length. */
static const char *check_frame(const uint8_t *p, uint32_t n)
{
    if (n < 8)
        return "JPEG: the frame header is too short";
    if (be16(p + 3) == 0 || be16(p + 5) == 0)
        return "JPEG: its height or width is 0";
    if (p[7] == 0 || p[7] > 4 || n != 8 + 3u * p[7])
        return "JPEG: the frame header's components do not fit its length";
    return p[2] == 8 || p[2] == 12 ? NULL : "JPEG: samples of neither 8 nor 12 bits";
}

/* EOI at the end; writers put a few zeros or a line feed behind it. */
static bool ends_well(struct t2_slice v)
{
    size_t n = v.len_bytes;
    size_t stop = n > TAIL_BYTES ? n - TAIL_BYTES : 0;

    for (; n >= 2 && n > stop; n--) {
        if (v.data[n - 2] == 0xff && v.data[n - 1] == EOI)
            return true;
    }
    return false;
}

static const char *check_jpeg(struct t2_slice v)
{
    size_t at = 2;
    bool has_frame = false;
    const char *problem;

    for (;;) {
        while (at < v.len_bytes && v.data[at] == 0xff)
            at++;
        if (at >= v.len_bytes || v.data[at - 1] != 0xff)
            return at >= v.len_bytes ? "JPEG: cut short before the image's data"
                                     : "JPEG: something that is no marker where one should be";
        uint8_t marker = v.data[at++];
        if (marker == EOI)
            return "JPEG: it ends without an image";
        if (marker == 0x01 || (marker >= 0xd0 && marker <= SOI))
            continue;
        if (v.len_bytes - at < 2)
            return "JPEG: cut short before the image's data";
        uint32_t n = be16(v.data + at);
        if (n < 2 || n > v.len_bytes - at)
            return "JPEG: a segment is longer than what is left";
        if (is_frame(marker)) {
            problem = check_frame(v.data + at, n);
            if (problem)
                return problem;
            has_frame = true;
        }
        at += n;
        if (marker == SOS)
            break;
    }
    if (!has_frame)
        return "JPEG: no frame header before the image's data";
    return ends_well(v) ? NULL : "JPEG: no end marker: most likely cut short";
}

static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < n; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static const char *check_png(struct t2_slice v)
{
    enum { HEADER = 8, IHDR = 13, CHUNK = 12 };
    static const uint8_t last[] = {0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82};
    const uint8_t *p = v.data + HEADER;

    if (v.len_bytes < HEADER + CHUNK + IHDR)
        return "PNG: cut short in its header";
    if (be32(p) != IHDR || memcmp(p + 4, "IHDR", 4) != 0)
        return "PNG: the first chunk is not IHDR";
    if (crc32_of(p + 4, 4 + IHDR) != be32(p + 8 + IHDR))
        return "PNG: the CRC of its header does not match";
    if (be32(p + 8) == 0 || be32(p + 12) == 0)
        return "PNG: its height or width is 0";
    if (memcmp(v.data + v.len_bytes - sizeof last, last, sizeof last) != 0)
        return "PNG: no last chunk: most likely cut short";
    return NULL;
}

const char *rec_image_check(struct t2_slice value)
{
    switch (rec_image_type(value)) {
    case REC_JPEG:
        return check_jpeg(value);
    case REC_PNG:
        return check_png(value);
    default:
        return NULL;
    }
}
