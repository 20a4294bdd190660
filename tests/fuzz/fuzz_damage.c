/*
 * tests/fuzz/fuzz_damage.c - any bytes through the reader that goes on after damage: plain, gzip,
 * zlib.
 *
 * The first byte chooses: bit 0 puts right CRCs where the lengths lead; other bits repeat the rest
 * after itself, so that something sound follows damage.  What is given must be sound, in order,
 * without overlap, and with what is lost make up a plain file; saved again it reads without damage.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/crc32c.h"
#include "tests/fuzz/right_crcs.h"
#include "tfrecord/damage.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
    uint64_t n_records, n_damages, covered, lost;
    bool compressed;
};

static struct sum go_through(struct t2_slice bytes, struct t2_buf *saved)
{
    struct tfr_damage_reader *r = tfr_damage_open_memory(bytes);
    struct sum s = {0, 0, 0, 0, false};
    struct tfr_found f;
    struct t2_err err = T2_ERR_INIT;
    uint64_t end = 0;
    enum t2_status st;

    while ((st = tfr_damage_next(r, &f, &err)) == T2_OK) {
        T2_ASSERT(f.is_record || f.is_damaged);
        T2_ASSERT(f.offset >= end);
        if (f.is_record) {
            T2_ASSERT(tfr_record_ok(f.data));
            end = f.offset + 16 + f.data.len_bytes;
            s.covered += 16 + f.data.len_bytes;
            s.n_records++;
            if (saved)
                tfr_frame(saved, f.data.data, f.data.len_bytes);
        }
        if (f.is_damaged) {
            T2_ASSERT(f.damage.words[0] != '\0' && tfr_field_name(f.damage.field));
            s.compressed = s.compressed || f.damage.field == TFR_FIELD_COMPRESSION;
            s.lost += f.damage.lost_bytes;
            s.n_damages++;
            if (!f.is_record)
                end = f.offset + f.damage.lost_bytes;
        }
        T2_ASSERT(s.n_records + s.n_damages <= 64 * bytes.len_bytes + 1000000);
    }
    T2_ASSERT(st == T2_EOF);
    tfr_damage_close(r);
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf saved = {NULL, 0, 0};

    if (size == 0)
        return 0;
    size_t n = size - 1, copies = (data[0] & 6) == 6 ? 2 : 1;
    uint8_t *bytes = malloc(copies * n + 1);
    for (size_t i = 0; n > 0 && i < copies; i++)
        memcpy(bytes + i * n, data + 1, n);
    if (data[0] & 1)
        put_crcs_right(bytes, n);
    struct sum s = go_through((struct t2_slice){bytes, copies * n}, &saved);
    bool plain = !s.compressed && s.covered + s.lost == copies * n;
    /* Of a compressed file without damage the sums say nothing. */
    if (n >= 2 && bytes[0] != 0x1f && (bytes[0] & 0x0f) != 8 && !s.compressed)
        T2_ASSERT(plain);
    struct sum again = go_through(t2_buf_slice(&saved), NULL);
    T2_ASSERT(again.n_records == s.n_records && again.n_damages == 0);
    t2_buf_release(&saved);
    free(bytes);
    return 0;
}
