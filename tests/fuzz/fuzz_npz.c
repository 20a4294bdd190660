/*
 * tests/fuzz/fuzz_npz.c - base/zip.c, base/npy.c and npz_in.c: no crash on any bytes; records that
 * are made are sound.
 */
#include <string.h>

#include "base/gzip.h"
#include "tests/fuzz/all_records.h"
#include "tfrec/convert/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t le(const uint8_t *p, int n_bytes)
{
    size_t v = 0;

    for (int i = n_bytes - 1; i >= 0; i--)
        v = v << 8 | p[i];
    return v;
}

/* Stored members get right CRCs, or nothing would come past them. */
static void mend(uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 46 <= size; i++) {
        uint8_t *p = data + i;
        size_t at = le(p + 42, 4), n = le(p + 20, 4);
        uint32_t crc;
        if (memcmp(p, "PK\1\2", 4) != 0 || at > size || size - at < 30)
            continue;
        at += 30 + le(data + at + 26, 2) + le(data + at + 28, 2);
        if (at > size || n > size - at)
            continue;
        crc = t2_crc32(0, data + at, n);
        for (int k = 0; k < 4; k++)
            p[16 + k] = (uint8_t) (crc >> (8 * k));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_all_records("npz", rec_npz_open, data, size, mend);
    return 0;
}
