/*
 * tfrecord/index_format.h - the bytes of "<file>.tfri"; only tfrecord/ includes it.
 *
 * head, offsets, blocks, columns, names, foot; every part begins at a multiple of eight.  The foot
 * is at the end because offsets are written before it is known how many there are.
 *
 *   offset        bytes
 *   0             16            "tfri-idx", version 4, compression 4
 *   16            8 * (n + 1)   offsets of the records, and the end of the last
 *                 16 * blocks   block gzip: offsets in the file and in the data, and of their ends
 *   columns_at                  per column: n counts, then n first values unless it has bytes, each
 *                               padded to eight
 *   names_at      8 + length    per column: kind 4, length 4, name, zeros up to eight
 *   end - 80      80            the foot, see the offsets below
 *
 * All little-endian; also described in docs/formats.md.
 */
#ifndef TFR_INDEX_FORMAT_H
#define TFR_INDEX_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/file.h"
#include "tfrecord/bgzip.h"
#include "tfrecord/compress.h"
#include "tfrecord/record_index.h"

#define TFR_INDEX_MAGIC "tfri-idx"
#define TFR_INDEX_END "tfri"

enum {
    TFR_INDEX_VERSION = 1,
    TFR_INDEX_HEAD_BYTES = 16,
    TFR_INDEX_FOOT_BYTES = 80,
    TFR_INDEX_MAX_NAME = 1 << 16
};

/* Offsets in the foot. */
enum {
    TFR_FOOT_RECORDS = 0,
    TFR_FOOT_BLOCKS = 8,
    TFR_FOOT_COLUMNS_AT = 16,
    TFR_FOOT_NAMES_AT = 24,
    TFR_FOOT_COLUMNS = 32,
    TFR_FOOT_DATA_BYTES = 40,
    TFR_FOOT_DATA_TIME = 48,
    TFR_FOOT_DATA_BEGIN = 56, /* CRC-32C of the first and last 4096 bytes */
    TFR_FOOT_DATA_END = 60,
    TFR_FOOT_ALL_BYTES = 64, /* of the index file */
    TFR_FOOT_CRC = 72,       /* CRC-32C of everything before; TFR_INDEX_END follows */
    TFR_FOOT_END = 76
};

/* What a data file looks like from outside. */
struct tfr_index_stamp {
    uint64_t bytes;
    int64_t time_ns; /* of its last change */
    uint32_t begin_crc, end_crc;
};
T2_MUST_CHECK enum t2_status tfr_index_stamp_of(const char *data_path, struct tfr_index_stamp *s,
                                                struct t2_err *err);

struct tfr_index_private {
    struct t2_mapped mapped; /* what the pointers lead into, or */
    void *owned;             /* that */
    void *owned_too;
    enum tfr_compression compression;
    struct tfr_index_stamp stamp;
    const struct tfr_bgzip_block *blocks; /* n_blocks + 1; NULL when there are none */
    size_t n_blocks;
};

/* An index over memory of its own; takes ownership of offsets and of blocks (may be NULL). */
struct tfr_index *tfr_index_of_offsets(uint64_t *offsets, uint64_t n_records,
                                       enum tfr_compression compression,
                                       struct tfr_bgzip_block *blocks, size_t n_blocks);
/* Of bytes that stay and are aligned to eight; *ix points into them. */
T2_MUST_CHECK enum t2_status tfr_index_parse_in_place(const uint8_t *data, size_t len_bytes,
                                                      const char *origin, struct tfr_index **ix,
                                                      struct t2_err *err);

#endif
