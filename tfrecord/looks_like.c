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
    {"\xff\xd8\xff", 3, "a JPEG picture"},
    {"\x89PNG\r\n", 6, "a PNG picture"},
    {"PK\x03\x04", 4, "a ZIP archive"},
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
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (len_bytes >= known[i].len_bytes &&
            memcmp(data, known[i].magic, known[i].len_bytes) == 0)
            return known[i].what;
    }
    return is_text(data, len_bytes < 64 ? len_bytes : 64) ? "text" : NULL;
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
