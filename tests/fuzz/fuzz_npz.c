/*
 * tests/fuzz/fuzz_npz.c - base/zip.c, base/npy.c and npz_in.c: no crash on any bytes; records that are made are sound.
 */
#include <stdlib.h>
#include <string.h>

#include "base/gzip.h"
#include "base/log.h"
#include "tests/fuzz/memory_file.h"
#include "tfrec/convert/npz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENOUGH_RECORDS = 1000 };

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
    static const struct rec_convert c = {.from = "npz"};
    char path[T_PATH_BYTES];
    struct t2_buf mended = {NULL, 0, 0};
    int fd;
    struct tfr_example example = {NULL, 0, 0, NULL, 0};
    struct t2_buf record = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct rec_reader *r;
    uint64_t place;

    t2_buf_append(&mended, data, size);
    mend(mended.data, size);
    fd = t_memory_file(mended.data, size, path);
    t2_buf_release(&mended);
    t2_log_set_level(T2_LOG_ERROR);
    if (rec_npz_open(&c, path, &r, &err) == T2_OK) {
        for (int i = 0; i < ENOUGH_RECORDS && r->next(r, &record, &place, &err) == T2_OK; i++) {
            if (tfr_example_parse(&example, t2_buf_slice(&record), &err) != T2_OK)
                abort();
            t2_buf_clear(&record);
        }
        r->free(r);
    }
    tfr_example_release(&example);
    t2_buf_release(&record);
    t_memory_file_close(fd);
    return 0;
}
