/*
 * fuzz_index.c - any bytes as an index: offsets that ascend or a message, never a crash.
 *
 * The first byte says what the rest is: 't' a .idx, 's' a binary index whose end is put right first
 * (its checksum would keep everything else out), anything else a binary index as it is.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/index_bytes.h"
#include "tfrecord/framing.h"
#include "tfrecord/index_format.h"
#include "tfrecord/record_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_offsets(const uint64_t *offsets, uint64_t n)
{
    if (offsets[0] != 0)
        abort();
    for (uint64_t i = 0; i < n; i++) {
        if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] < TFR_FRAME_BYTES)
            abort();
    }
}

static void try_text(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    uint64_t *offsets, n;
    enum t2_status st = tfr_idx_parse((const char *) data, size, "input", &offsets, &n, &err);

    if ((st == T2_OK) != (offsets != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    if (st == T2_OK)
        check_offsets(offsets, n);
    t2_free(offsets);
}

/* Every value is looked at, so that a sanitizer sees where it is. */
static void use(const struct tfr_index *ix)
{
    volatile double sum = 0;

    check_offsets(ix->offsets, ix->n_records);
    for (size_t k = 0; k < ix->n_columns; k++) {
        const struct tfr_index_column *c = tfr_index_column(ix, ix->columns[k].name);
        for (uint64_t i = 0; i < ix->n_records; i++) {
            sum += c->counts[i];
            if (c->ints)
                sum += (double) c->ints[i];
            if (c->floats)
                sum += (double) c->floats[i];
        }
    }
    for (size_t k = 0; k <= ix->private_->n_blocks && ix->private_->blocks; k++)
        sum += (double) ix->private_->blocks[k].data_offset;
}

static void try_binary(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_index *ix;
    enum t2_status st = t_index_parse(data, size, "input", &ix, &err);

    if ((st == T2_OK) != (ix != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    if (st == T2_OK)
        use(ix);
    tfr_index_free(ix);
}

static void try_sealed(const uint8_t *data, size_t size)
{
    size_t n = size / 8 * 8;
    uint8_t *copy, *foot;

    if (n < TFR_INDEX_HEAD_BYTES + TFR_INDEX_FOOT_BYTES)
        return;
    copy = t2_alloc(n, 1);
    memcpy(copy, data, n);
    foot = copy + n - TFR_INDEX_FOOT_BYTES;
    memcpy(copy, TFR_INDEX_MAGIC, 8);
    tfr_put_le32(copy + 8, TFR_INDEX_VERSION);
    tfr_put_le32(foot + TFR_FOOT_ALL_BYTES, (uint32_t) n);
    tfr_put_le32(foot + TFR_FOOT_ALL_BYTES + 4, 0);
    tfr_put_le32(foot + TFR_FOOT_CRC, t2_crc32c(0, copy, n - TFR_INDEX_FOOT_BYTES + TFR_FOOT_CRC));
    memcpy(foot + TFR_FOOT_END, TFR_INDEX_END, 4);
    try_binary(copy, n);
    t2_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] == 't')
        try_text(data + 1, size - 1);
    else if (data[0] == 's')
        try_sealed(data + 1, size - 1);
    else
        try_binary(data + 1, size - 1);
    return 0;
}
