/*
 * train/ckpt/bundle_slices.h - a bundle while it is read, and its partitioned variables; for
 * bundle*.c.
 */
#ifndef CKPT_BUNDLE_SLICES_H
#define CKPT_BUNDLE_SLICES_H

#include "base/budget.h"
#include "train/ckpt/bundle_entry.h"
#include "train/ckpt/tensor_file.h"

/* An entry of the index, with its bytes. */
struct ckpt_bundle_item {
    bool is_slice;
    char *key, *value; /* owned; a slice's key has zero bytes */
    size_t n_key, n_value;
    struct ckpt_bundle_entry entry;
};

struct ckpt_bundle {
    struct ckpt_file *f;
    struct t2_slice *shards; /* the bytes of each data file */
    size_t n_shards;
    struct ckpt_bundle_item *items; /* by key */
    size_t n_items, items_capacity;
    struct t2_budget work; /* bytes of data, each used once */
    uint64_t n_data;       /* of all data files */
};

enum t2_status ckpt_bundle_bad(const struct ckpt_bundle *b, const char *name, const char *what,
                               struct t2_err *err);
/* Where the bytes of an entry lie; counts them. */
T2_MUST_CHECK enum t2_status ckpt_bundle_bytes(struct ckpt_bundle *b, const char *name,
                                               const struct ckpt_bundle_entry *e,
                                               struct t2_slice *bytes, struct t2_err *err);
/* Fills rank, dims and n_bytes of t, whose type is set. */
T2_MUST_CHECK enum t2_status ckpt_bundle_sizes(const struct ckpt_bundle *b, const char *name,
                                               const struct ckpt_bundle_entry *e,
                                               struct ckpt_tensor *t, struct t2_err *err);
/* Puts the variable of an entry with slices together; t->type is set.  The memory is f's. */
T2_MUST_CHECK enum t2_status ckpt_bundle_join(struct ckpt_bundle *b,
                                              const struct ckpt_bundle_item *item,
                                              struct ckpt_tensor *t, struct t2_err *err);

#endif
