/*
 * datagen/shards/pack_records.h - several records joined into one of about `length` ids (T2T's
 * pack_examples).
 *
 * First fit into the ten oldest records that are not full (spec t2t-datagen.md §2.5).  Only
 * targets, and inputs where the problem has them, are kept; beside each stands which sequence an id
 * belongs to
 * (`_segmentation`, from 1) and its place in it (`_position`).
 */
#ifndef DG_PACK_RECORDS_H
#define DG_PACK_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "datagen/shards/feature_stats.h"

struct dg_packing {
    int length, spacing; /* ids of a record; zeros between two sequences */
    bool has_inputs;     /* false: targets longer than a record are cut, inputs is [0] */
};

/* The output of the packer; frames are appended, numbers are added to. */
struct dg_packed {
    struct t2_buf *frames;
    struct dg_stats *stats;
    uint64_t n_records;
};

struct dg_packer;
struct dg_packer *dg_packer_new(const struct dg_packing *how);
void dg_packer_free(struct dg_packer *p); /* NULL is allowed */

/* Takes the payload of one record.  T2_EFORMAT: it is no Example with the features that are
 * packed. */
T2_MUST_CHECK enum t2_status dg_packer_add(struct dg_packer *p, struct t2_slice payload,
                                           struct dg_packed *out, struct t2_err *err);
/* Gives the records that are not full, oldest first; the packer is empty then. */
void dg_packer_end(struct dg_packer *p, struct dg_packed *out);

#endif
