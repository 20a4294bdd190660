/*
 * base/remote/object_hashes.c - hashes out of headers and listings.
 */
#include "base/remote/object_hashes.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"

static bool is_hex(const char *s, size_t n)
{
    return strspn(s, "0123456789abcdefABCDEF") >= n;
}

void t2_object_take_crc32c(struct t2_object *o, const char *text)
{
    struct t2_buf bytes = {0};

    if (strlen(text) == 8 && is_hex(text, 8)) {
        o->has_crc32c = sscanf(text, "%8x", &o->crc32c) == 1;
    } else if (*text && t2_base64_decode(t2_slice_of(text), &bytes) && bytes.len_bytes == 4) {
        o->has_crc32c = true;
        o->crc32c = (uint32_t) bytes.data[0] << 24 | (uint32_t) bytes.data[1] << 16 |
                    (uint32_t) bytes.data[2] << 8 | bytes.data[3];
    }
    t2_buf_release(&bytes);
}

void t2_object_take_md5_base64(struct t2_object *o, const char *text)
{
    struct t2_buf bytes = {0};

    if (*text && t2_base64_decode(t2_slice_of(text), &bytes) && bytes.len_bytes == 16) {
        o->has_md5 = true;
        for (int i = 0; i < 16; i++)
            snprintf(o->md5 + 2 * i, 3, "%02x", bytes.data[i]);
    }
    t2_buf_release(&bytes);
}

void t2_object_take_etag(struct t2_object *o, const char *etag)
{
    if (strlen(etag) != 34 || etag[0] != '"' || etag[33] != '"' || !is_hex(etag + 1, 32))
        return;
    o->has_md5 = true;
    for (int i = 0; i < 32; i++)
        o->md5[i] =
            etag[1 + i] >= 'A' && etag[1 + i] <= 'F' ? (char) (etag[1 + i] + 32) : etag[1 + i];
    o->md5[32] = '\0';
}
