/*
 * datagen/passes/split_overlap.h - samples that several splits have: a dev sample that was trained
 * on says nothing about new data.
 *
 * Samples are compared by a hash of their records, so only what is equal to the byte counts. Memory
 * is bounded: of a split with more than DG_HASHES_KEPT samples those are looked at whose hash ends
 * in zeros, which are the same samples in every split.
 */
#ifndef DG_SPLIT_OVERLAP_H
#define DG_SPLIT_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "datagen/problem.h"

struct t2_json;

enum { DG_HASHES_KEPT = 1 << 21 }; /* of a split: 16 MiB */

/* Hashes of the samples of one split; zero-initialise. */
struct dg_hashes {
    uint64_t *items;
    size_t n, capacity;
    int shift; /* those are kept whose last `shift` bits are zero */
};
uint64_t dg_hash_of(const void *data, size_t len_bytes);
void dg_hashes_add(struct dg_hashes *h, uint64_t hash);
void dg_hashes_release(struct dg_hashes *h);

/* Adds the records of all shards of a split. */
T2_MUST_CHECK enum t2_status dg_hash_shards(const struct tfr_manifest_split *split,
                                            const char *data_dir, struct dg_hashes *h,
                                            struct t2_err *err);

/* How many of the samples of `in` are in `of`, too. */
struct dg_shared {
    enum dg_split in, of;
    uint64_t n_shared, n_looked_at; /* of split `in`: all, or those with such a hash */
    bool is_all;
};
enum { DG_N_SHARED = 3, DG_SHARED_WARN_PERCENT = 1 };

/* Dev in train, test in train, test in dev.  The hashes are sorted. */
void dg_count_shared(struct dg_hashes of_split[DG_N_SPLITS], struct dg_shared shared[DG_N_SHARED]);
bool dg_any_shared(const struct dg_shared shared[DG_N_SHARED]);
/* True if so many samples are shared that scores mean little (DG_SHARED_WARN_PERCENT). */
bool dg_shares_much(const struct dg_shared *s);
/* "12 of the 500 dev samples (2.4 %) are in train, too" */
void dg_shared_put(const struct dg_shared *s, struct t2_buf *text);
/* Says it of each pair that shares something; a warning where it is much. */
void dg_report_shared(const struct dg_shared shared[DG_N_SHARED]);
/* The member "shared_samples", of the pairs that share something. */
void dg_shared_json(const struct dg_shared shared[DG_N_SHARED], struct t2_json *j);

#endif
