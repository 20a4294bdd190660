/*
 * tfrecord/bgzip.h - block gzip: gzip members of at most 64 KiB, as samtools' bgzip writes them
 * (BGZF).
 *
 * Anything that reads several gzip members reads the file as a whole.  Each member carries its own
 * length in a "BC" extra field, so the blocks are found without decompressing and any of them is
 * decompressed alone: record N in one seek.  The file ends with a member of no bytes.
 */
#ifndef TFR_BGZIP_H
#define TFR_BGZIP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum {
    TFR_BGZIP_HEADER_BYTES = 18,
    TFR_BGZIP_INPUT_BYTES = 0xff00, /* of each block but the last; fits even when stored */
    TFR_BGZIP_MAX_BYTES = 0x10000   /* of a block, compressed or not */
};

/* Of a block that begins here: its bytes in the file; 0 when it is none. */
size_t tfr_bgzip_block_bytes(const uint8_t *head, size_t n);

/* ---- writing ---- */

struct tfr_bgzip_writer; /* scratch of one thread */
struct tfr_bgzip_writer *tfr_bgzip_writer_new(int level);
void tfr_bgzip_writer_free(struct tfr_bgzip_writer *w);
/* Appends one block of n <= TFR_BGZIP_INPUT_BYTES bytes; n = 0 is the member that ends a file. */
void tfr_bgzip_append(struct tfr_bgzip_writer *w, const uint8_t *data, size_t n,
                      struct t2_buf *out);

/* ---- reading ---- */

struct tfr_bgzip_block {
    uint64_t file_offset; /* of its first byte in the file */
    uint64_t data_offset; /* of its first byte in the uncompressed data */
};

/* Finds the blocks of the open file fd of `size` bytes, with one more at the end that is where both
 * end. Empty blocks are left out.  *blocks is released with t2_free.  T2_EFORMAT: not made of
 * blocks from start to end. */
T2_MUST_CHECK enum t2_status tfr_bgzip_blocks(int fd, const char *path, uint64_t size,
                                              struct tfr_bgzip_block **blocks, size_t *n_blocks,
                                              struct t2_err *err);

struct t2_inflater;
/* Reads and decompresses the block between b[0] and b[1], checks its CRC-32; data is replaced.  z
 * comes from t2_inflater_new(true). */
T2_MUST_CHECK enum t2_status tfr_bgzip_read(int fd, const char *path,
                                            const struct tfr_bgzip_block *b, struct t2_inflater *z,
                                            struct t2_buf *raw, struct t2_buf *data,
                                            struct t2_err *err);

#endif
