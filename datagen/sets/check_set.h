/*
 * datagen/sets/check_set.h - is a data set what its manifest says?  For t2t-datagen --check.
 *
 * Everything is read: shards (sizes, SHA-256, checksums, Examples), counts, features, ranges of
 * ids, vocabularies, text files.
 */
#ifndef DG_CHECK_SET_H
#define DG_CHECK_SET_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/str.h"
#include "datagen/passes/split_overlap.h"
#include "datagen/problem.h"

struct dg_checked {
    char *problem;
    uint64_t n_shards, n_records, n_bytes;
    struct t2_strs errors;                /* empty: all is as the manifest says */
    struct dg_shared shared[DG_N_SHARED]; /* between the splits; of packed records not known */
};
void dg_checked_release(struct dg_checked *c);

/* Damage is in *checked, not in the status.  *checked is zeroed first and owned by the caller. */
T2_MUST_CHECK enum t2_status dg_check_set(const char *manifest_path, struct t2_pool *pool,
                                          struct dg_checked *checked, struct t2_err *err);

/* All manifests of a folder, in the order of their names: appends a line for each set and each
 * error, or a JSON object a line.  *n_damaged: sets with errors.  T2_ENOTFOUND when there is none.
 */
T2_MUST_CHECK enum t2_status dg_check_sets(const char *data_dir, bool json, struct t2_pool *pool,
                                           struct t2_buf *out, size_t *n_damaged,
                                           struct t2_err *err);

#endif
