/*
 * tests/unit/train/bundle_index.h - bundles made entry by entry, for tests of train/ckpt/bundle*.c.
 * Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_BUNDLE_INDEX_H
#define T2_TESTS_UNIT_TRAIN_BUNDLE_INDEX_H

#include <string.h>

#include "base/crc32c.h"
#include "train/ckpt/block_table.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/bundle_entry.h"

#define BUNDLE_HEADER "\x08\x01\x1a\x02\x08\x01"

/* An entry of float32 numbers with the right checksum; `more` is appended to its message. */
static inline void bundle_add(struct ckpt_table *t, struct t2_slice key, int rank,
                              const int64_t *dims, struct t2_slice data, uint64_t offset,
                              uint64_t n_bytes, const char *more, size_t n_more)
{
    struct ckpt_bundle_entry e = {.tf_type = 1, .rank = rank, .offset = offset, .n_bytes = n_bytes};
    struct t2_buf value = {0};

    memcpy(e.dims, dims, (size_t) rank * sizeof *dims);
    if (offset <= data.len_bytes && n_bytes <= data.len_bytes - offset)
        e.masked_crc = t2_crc_mask(t2_crc32c(0, data.data + offset, (size_t) n_bytes));
    ckpt_bundle_put_entry(&value, &e);
    t2_buf_append(&value, more, n_more);
    ckpt_table_add(t, key, t2_buf_slice(&value));
    t2_buf_release(&value);
}

/* The key of rows `start` to `start + length` of a matrix. */
static inline void bundle_rows_key(struct t2_buf *key, const char *name, int64_t start,
                                   int64_t length)
{
    struct ckpt_bundle_extent x = {.start = {start, 0}, .length = {length, -1}};

    t2_buf_clear(key);
    ckpt_bundle_put_slice_key(key, name, 2, &x);
}

/* Finishes the table and opens it with these data. */
static inline enum t2_status bundle_open(struct ckpt_table *t, struct t2_slice data,
                                         struct ckpt_file **f, struct t2_err *err)
{
    struct t2_buf index = {0};
    enum t2_status st;

    ckpt_table_finish(t, &index);
    st = ckpt_open_bundle_memory(t2_buf_slice(&index), &data, 1, "test", f, err);
    t2_buf_release(&index);
    return st;
}

#endif
