/*
 * tfrecord/looks_like.c - guesses by the first bytes.
 */
#include "tfrecord/looks_like.h"

#include <string.h>

static const struct {
    const char *magic;
    size_t len_bytes;
    const char *what;
} known[] = {
    {"version https://git-lfs", 23, "a Git LFS pointer, not the file itself: run 'git lfs pull'"},
    {"\xff\xd8\xff", 3, "a JPEG image"},
    {"\x89PNG\r\n", 6, "a PNG image"},
    {"GIF87a", 6, "a GIF image"},
    {"GIF89a", 6, "a GIF image"},
    {"PK\x03\x04", 4, "a ZIP archive"},
    {"PK\x05\x06", 4, "an empty ZIP archive"},
    {"SQLite format 3", 15, "an SQLite database"},
    {"ARROW1", 6, "an Arrow file"},
    {"Obj\x01", 4, "an Avro file"},
    {"%PDF-", 5, "a PDF file"},
    {"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8, "a Riegeli or ArrayRecord file"},
    {"BZh", 3, "a bzip2 file"},
    {"\xfd"
     "7zXZ",
     5, "an xz file"},
    {"\x28\xb5\x2f\xfd", 4, "a Zstandard file"},
    {"\x93NUMPY", 6, "a NumPy array"},
    {"\x89HDF", 4, "an HDF5 file"},
    {"PAR1", 4, "a Parquet file"},
    {"\x7f"
     "ELF",
     4, "a program"},
    {"<!DOCTYPE", 9, "an HTML page"},
    {"<!doctype", 9, "an HTML page"},
    {"<html", 5, "an HTML page"},
};

enum { TAR_MAGIC_AT = 257, SHOWN_BYTES = 64 };

static const char *looks_otherwise(const uint8_t *data, size_t len_bytes)
{
    size_t n_zeros = 0;

    if (len_bytes > TAR_MAGIC_AT + 5 && memcmp(data + TAR_MAGIC_AT, "ustar", 5) == 0)
        return "a tar archive";
    if (len_bytes >= 2 && len_bytes < 4 && memcmp(data, "\xff\xd8", 2) == 0)
        return "the start of a JPEG image";
    if (len_bytes >= 4 && data[3] == 0 &&
        (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff\0", 3) == 0))
        return "UTF-16 text";
    while (n_zeros < len_bytes && n_zeros < SHOWN_BYTES && data[n_zeros] == 0)
        n_zeros++;
    return n_zeros >= 12 && (n_zeros == len_bytes || n_zeros == SHOWN_BYTES) ? "zeros" : NULL;
}

/* Every byte can stand in UTF-8 text. */
static int is_text(const uint8_t *data, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++) {
        if ((data[i] < ' ' && data[i] != '\n' && data[i] != '\r' && data[i] != '\t') ||
            data[i] == 0x7f)
            return 0;
    }
    return len_bytes > 0;
}

const char *tfr_looks_like(const uint8_t *data, size_t len_bytes)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (len_bytes >= known[i].len_bytes &&
            memcmp(data, known[i].magic, known[i].len_bytes) == 0)
            return known[i].what;
    }
    const char *what = looks_otherwise(data, len_bytes);
    if (what)
        return what;
    return is_text(data, len_bytes < SHOWN_BYTES ? len_bytes : SHOWN_BYTES) ? "text" : NULL;
}

int tfr_maybe_gzip(const uint8_t *data, size_t len_bytes)
{
    return len_bytes >= 4 && data[0] == 0x1f && data[1] == 0x8b && data[2] == 8 &&
           (data[3] & 0xe0) == 0;
}

int tfr_maybe_zlib(const uint8_t *data, size_t len_bytes)
{
    return len_bytes >= 2 && (data[0] & 0x0f) == 8 && data[0] >> 4 <= 7 &&
           (data[0] * 256 + data[1]) % 31 == 0 && (data[1] & 0x20) == 0;
}
