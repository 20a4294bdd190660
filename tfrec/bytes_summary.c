/*
 * tfrec/bytes_summary.c - one bytes value for people: its text, or what kind of thing it is.
 */
#include <string.h>

#include "base/text.h"
#include "tfrec/rows.h"

static uint32_t be16(const uint8_t *p)
{
    return (uint32_t) p[0] << 8 | p[1];
}

static uint32_t be32(const uint8_t *p)
{
    return be16(p) << 16 | be16(p + 2);
}

static uint32_t le16(const uint8_t *p)
{
    return (uint32_t) p[1] << 8 | p[0];
}

static uint32_t le24(const uint8_t *p)
{
    return (uint32_t) p[2] << 16 | le16(p);
}

static uint32_t le32(const uint8_t *p)
{
    return le16(p + 2) << 16 | le16(p);
}

/* What a header says; width 0: it does not say. */
struct picture {
    const char *kind;
    uint32_t width, height;
};

static bool is_frame_header(uint8_t marker)
{
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

static void find_jpeg_size(struct t2_slice v, struct picture *pic)
{
    size_t i = 2;

    while (i + 9 <= v.len_bytes && v.data[i] == 0xff) {
        uint8_t marker = v.data[i + 1];
        if (marker == 0xff) { /* padding */
            i++;
            continue;
        }
        if (is_frame_header(marker)) {
            pic->height = be16(v.data + i + 5);
            pic->width = be16(v.data + i + 7);
            return;
        }
        i += 2;
        if (marker != 0x01 && (marker < 0xd0 || marker > 0xd7))
            i += be16(v.data + i);
    }
}

static void find_bmp_size(struct t2_slice v, struct picture *pic)
{
    if (v.len_bytes >= 26 && le32(v.data + 14) == 12) {
        pic->width = le16(v.data + 18);
        pic->height = le16(v.data + 20);
    } else if (v.len_bytes >= 26) {
        uint32_t height = le32(v.data + 22); /* negative: the top row comes first */
        pic->width = le32(v.data + 18);
        pic->height = height > INT32_MAX ? 0 - height : height;
    }
}

static void find_webp_size(struct t2_slice v, struct picture *pic)
{
    const uint8_t *p = v.data;

    if (v.len_bytes < 30)
        return;
    if (memcmp(p + 12, "VP8X", 4) == 0) {
        pic->width = le24(p + 24) + 1;
        pic->height = le24(p + 27) + 1;
    } else if (memcmp(p + 12, "VP8L", 4) == 0) {
        uint32_t bits = le32(p + 21);
        pic->width = (bits & 0x3fff) + 1;
        pic->height = (bits >> 14 & 0x3fff) + 1;
    } else if (memcmp(p + 12, "VP8 ", 4) == 0) {
        pic->width = le16(p + 26) & 0x3fff;
        pic->height = le16(p + 28) & 0x3fff;
    }
}

static bool begins(struct t2_slice v, const char *magic, size_t n)
{
    return v.len_bytes >= n && memcmp(v.data, magic, n) == 0;
}

static struct picture look(struct t2_slice v)
{
    struct picture pic = {"binary", 0, 0};

    if (begins(v, "\xff\xd8\xff", 3)) {
        pic.kind = "JPEG";
        find_jpeg_size(v, &pic);
    } else if (begins(v, "\x89PNG\r\n\x1a\n", 8)) {
        pic.kind = "PNG";
        if (v.len_bytes >= 24) {
            pic.width = be32(v.data + 16);
            pic.height = be32(v.data + 20);
        }
    } else if (begins(v, "GIF87a", 6) || begins(v, "GIF89a", 6)) {
        pic.kind = "GIF";
        if (v.len_bytes >= 10) {
            pic.width = le16(v.data + 6);
            pic.height = le16(v.data + 8);
        }
    } else if (begins(v, "BM", 2) && v.len_bytes >= 26 && le32(v.data + 6) == 0 &&
               le32(v.data + 2) <= v.len_bytes) {
        pic.kind = "BMP";
        find_bmp_size(v, &pic);
    } else if (begins(v, "RIFF", 4) && v.len_bytes >= 12 && memcmp(v.data + 8, "WEBP", 4) == 0) {
        pic.kind = "WebP";
        find_webp_size(v, &pic);
    } else if (begins(v, "RIFF", 4) && v.len_bytes >= 12 && memcmp(v.data + 8, "WAVE", 4) == 0) {
        pic.kind = "WAV";
    }
    return pic;
}

bool rec_is_text(struct t2_slice value)
{
    for (size_t i = 0; i < value.len_bytes; i++) {
        uint8_t c = value.data[i];
        if ((c < ' ' && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
            return false;
    }
    return t2_utf8_invalid_at(value.data, value.len_bytes) == value.len_bytes;
}

void rec_bytes_summary(struct t2_slice value, struct t2_buf *out)
{
    char size[32];

    if (rec_is_text(value)) {
        t2_buf_append(out, value.data, value.len_bytes);
        return;
    }
    struct picture pic = look(value);
    t2_buf_printf(out, "<%s", pic.kind);
    if (pic.width > 0)
        t2_buf_printf(out, " %ux%u", pic.width, pic.height);
    t2_buf_printf(out, ", %s>", t2_human_bytes(value.len_bytes, size, sizeof size));
}
