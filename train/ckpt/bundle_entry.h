/*
 * train/ckpt/bundle_entry.h - one entry of a bundle's index, and the keys of slices; for bundle*.c.
 */
#ifndef CKPT_BUNDLE_ENTRY_H
#define CKPT_BUNDLE_ENTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "train/ckpt/safetensors.h"

/* TensorFlow's DataType. */
enum { CKPT_TF_STRING = 7 };

struct ckpt_bundle_entry {
    uint32_t tf_type;
    int rank; /* -1: more dimensions than CKPT_MAX_RANK, or unknown */
    int64_t dims[CKPT_MAX_RANK];
    uint64_t shard, offset, n_bytes;
    uint32_t masked_crc;
    bool has_slices;
};

/* Of a slice: where it begins in each dimension, and how much of it it has. */
struct ckpt_bundle_extent {
    int64_t start[CKPT_MAX_RANK];
    int64_t length[CKPT_MAX_RANK]; /* -1: all */
};

/* False: no such message.  Sizes are what the bytes say. */
bool ckpt_bundle_parse_entry(struct t2_slice bytes, struct ckpt_bundle_entry *e);
/* The i-th slice of the entry, from 0 on: T2_OK, T2_EOF behind the last; T2_EFORMAT (no message)
 * when it has not the entry's rank. */
enum t2_status ckpt_bundle_slice_next(struct t2_slice *rest, int rank,
                                      struct ckpt_bundle_extent *extent);
/* Appends what an index has for a tensor. */
void ckpt_bundle_put_entry(struct t2_buf *out, const struct ckpt_bundle_entry *e);

/* Type and back; false when TensorFlow's has none here. */
bool ckpt_bundle_type(uint32_t tf_type, enum ckpt_type *type);
uint32_t ckpt_bundle_tf_type(enum ckpt_type type);

/* Appends the key under which a slice of a tensor stands. */
void ckpt_bundle_put_slice_key(struct t2_buf *out, const char *name, int rank,
                               const struct ckpt_bundle_extent *extent);

#endif
