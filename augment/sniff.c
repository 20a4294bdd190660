/*
 * augment/sniff.c - the kind of a file by its first bytes; names and extensions are not looked at.
 */
#include "augment/sniff.h"

#include <string.h>
#include <strings.h>

struct magic {
    enum aug_kind kind;
    uint8_t offset, len_bytes;
    const char *bytes;
};

/* TensorFlow's decode_image looks at the same bytes of JPEG, PNG, GIF and BMP. */
static const struct magic magics[] = {
    {AUG_JPEG, 0, 3, "\xff\xd8\xff"},
    {AUG_PNG, 0, 8, "\x89PNG\r\n\x1a\n"},
    {AUG_GIF, 0, 4, "GIF8"},
    {AUG_BMP, 0, 2, "BM"},
    {AUG_WEBP, 8, 4, "WEBP"},
    {AUG_TIFF, 0, 4, "II*\0"},
    {AUG_TIFF, 0, 4, "MM\0*"},
    {AUG_JPEG2000, 0, 8, "\0\0\0\x0cjP  "},
    {AUG_JPEG2000, 0, 4, "\xff\x4f\xff\x51"},
    {AUG_JPEGXL, 0, 8, "\0\0\0\x0cJXL "},
    {AUG_JPEGXL, 0, 2, "\xff\x0a"},
    {AUG_AVIF, 4, 8, "ftypavif"},
    {AUG_AVIF, 4, 7, "ftyphei"},
    {AUG_AVIF, 4, 8, "ftypmif1"},
    {AUG_PDF, 0, 5, "%PDF-"},
    {AUG_ARCHIVE, 0, 2, "\x1f\x8b"},
    {AUG_ARCHIVE, 0, 4, "PK\x03\x04"},
    {AUG_ARCHIVE, 0, 6, "7z\xbc\xaf\x27\x1c"},
    {AUG_ARCHIVE, 0, 3, "BZh"},
    {AUG_ARCHIVE, 0, 6,
     "\xfd"
     "7zXZ"},
    {AUG_LFS, 0, 42, "version https://git-lfs.github.com/spec/v1"},
    {AUG_BASE64, 0, 4, "/9j/"},
    {AUG_BASE64, 0, 8, "iVBORw0K"},
    {AUG_BASE64, 0, 5, "R0lGO"},
    {AUG_BASE64, 0, 11, "data:image/"},
    {AUG_REPR, 0, 6, "b'\\xff"},
    {AUG_REPR, 0, 6, "b\"\\xff"},
    {AUG_REPR, 0, 6, "b'\\x89"},
    {AUG_REPR, 0, 6, "b\"\\x89"},
};

enum { LOOKED_AT = 1024 };

/* Markup begins with '<' after blanks and a byte order mark. */
static enum aug_kind sniff_markup(const char *s, size_t n)
{
    static const struct {
        const char *tag;
        enum aug_kind kind;
    } tags[] = {{"<!doctype html", AUG_HTML},
                {"<html", AUG_HTML},
                {"<head", AUG_HTML},
                {"<body", AUG_HTML},
                {"<svg", AUG_SVG}};

    for (size_t at = 0; at < n; at++)
        for (size_t i = 0; s[at] == '<' && i < sizeof tags / sizeof *tags; i++) {
            size_t len = strlen(tags[i].tag);
            if (len <= n - at && strncasecmp(s + at, tags[i].tag, len) == 0)
                return tags[i].kind;
        }
    return AUG_TEXT;
}

static enum aug_kind sniff_text(const uint8_t *data, size_t n)
{
    size_t at = n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    while (at < n && (data[at] == ' ' || (data[at] >= '\t' && data[at] <= '\r')))
        at++;
    for (size_t i = at; i < n; i++)
        if ((data[i] < ' ' && (data[i] < '\t' || data[i] > '\r')) || data[i] == 0x7f)
            return AUG_UNKNOWN;
    if (at < n && data[at] == '<')
        return sniff_markup((const char *) data + at, n - at);
    return AUG_TEXT;
}

static bool all_zero(const uint8_t *data, size_t n)
{
    return data[0] == 0 && memcmp(data, data + 1, n - 1) == 0;
}

enum aug_kind aug_sniff(const uint8_t *data, size_t len_bytes)
{
    if (len_bytes == 0)
        return AUG_EMPTY;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const struct magic *m = &magics[i];
        if (len_bytes >= (size_t) m->offset + m->len_bytes &&
            memcmp(data + m->offset, m->bytes, m->len_bytes) == 0 &&
            (m->kind != AUG_WEBP || memcmp(data, "RIFF", 4) == 0))
            return m->kind;
    }
    /* a JPEG cut after its first marker is a broken JPEG, not an unknown thing */
    if (len_bytes == 2 && data[0] == 0xff && data[1] == 0xd8)
        return AUG_JPEG;
    if (all_zero(data, len_bytes))
        return AUG_ZEROS;
    return sniff_text(data, len_bytes < LOOKED_AT ? len_bytes : LOOKED_AT);
}

/* clang-format off */
static const struct {
    const char *name, *explanation;
} kinds[AUG_N_KINDS] = {
    [AUG_UNKNOWN] = {"unknown", "no kind of image that is known"},
    [AUG_JPEG] = {"JPEG", "a JPEG"},
    [AUG_PNG] = {"PNG", "a PNG"},
    [AUG_GIF] = {"GIF", "a GIF"},
    [AUG_BMP] = {"BMP", "a BMP"},
    [AUG_WEBP] = {"WebP", "a WebP; this build has no libwebp"},
    [AUG_EMPTY] = {"empty", "an empty file"},
    [AUG_ZEROS] = {"zeros", "nothing but zero bytes: space that was allocated and never written"},
    [AUG_TIFF] = {"TIFF", "a TIFF; convert it to PNG or JPEG"},
    [AUG_JPEG2000] = {"JPEG 2000", "a JPEG 2000; convert it to PNG or JPEG"},
    [AUG_JPEGXL] = {"JPEG XL", "a JPEG XL; convert it to PNG or JPEG"},
    [AUG_AVIF] = {"AVIF/HEIC", "an AVIF or HEIC; convert it to PNG or JPEG"},
    [AUG_SVG] = {"SVG", "an SVG drawing; convert it to PNG"},
    [AUG_PDF] = {"PDF", "a PDF document"},
    [AUG_ARCHIVE] = {"archive", "a compressed file or archive; unpack it first"},
    [AUG_HTML] = {"HTML", "a web page saved under the name of an image; download it again"},
    [AUG_LFS] = {"LFS pointer", "a Git LFS pointer instead of the file; run git lfs pull"},
    [AUG_BASE64] = {"base64", "base64 text of an image; decode it first"},
    [AUG_REPR] = {"Python repr", "the printed form of Python bytes, not the bytes"},
    [AUG_TEXT] = {"text", "text, not an image"},
};
/* clang-format on */

const char *aug_kind_name(enum aug_kind kind)
{
    return (unsigned) kind < AUG_N_KINDS ? kinds[kind].name : "unknown";
}

const char *aug_kind_explain(enum aug_kind kind)
{
    return (unsigned) kind < AUG_N_KINDS ? kinds[kind].explanation : kinds[0].explanation;
}

bool aug_kind_is_image(enum aug_kind kind)
{
#ifndef T2_HAVE_WEBP
    if (kind == AUG_WEBP)
        return false;
#endif
    return kind > AUG_UNKNOWN && kind < AUG_N_IMAGE_KINDS;
}
