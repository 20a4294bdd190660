/*
 * datagen/passes/encode_pass.h - the second reading: samples become records, records go to their
 * bins.
 *
 * The k-th record of a split goes to its shard k mod n (spec t2t-datagen.md §2.3), unless the
 * sample names its shard.  Samples are encoded by all threads; records arrive in order.
 */
#ifndef DG_ENCODE_PASS_H
#define DG_ENCODE_PASS_H

#include "base/file.h"
#include "base/pool.h"
#include "datagen/passes/line_cache.h"
#include "datagen/passes/split_overlap.h"
#include "datagen/shards/feature_stats.h"
#include "datagen/shards/shard_bins.h"
#include "datagen/shards/task_share.h"
#include "datagen/source/sample_batch.h"
#include "datagen/vocabs/problem_vocab.h"

struct dg_encode {
    const struct dg_problem *problem;
    const struct dg_options *options;
    const struct dg_vocab *vocabs[DG_N_SIDES]; /* equal when shared */
    struct t2_pool *pool;
    struct dg_bins *bins;
    bool deal_at_random;  /* not in turn, but by a permutation of the split's samples */
    uint64_t cache_bytes; /* of all word caches together; 0: 32 MiB each */

    /* the share of one task of many (task_share.h); share.n 0: all samples */
    struct dg_task_share share;
    bool only_own;         /* samples of others' shards are not encoded: dg_encodes_own */
    uint64_t *bin_records; /* of each bin, those of others too; NULL: not wanted */

    struct dg_hashes *hashes;   /* of the samples of each split; NULL: not wanted */
    size_t n_bins[DG_N_SPLITS]; /* where one stream goes to the bins of all splits */
    struct dg_stats stats;      /* joined over the splits; with only_own: of the task's records */
    uint64_t n_records[DG_N_SPLITS];
    uint64_t n_bytes; /* of text that was encoded */
};

/* Are the records of a problem the ids of its texts and nothing else, so that texts can be encoded
 * as lines (tok_encode_lines) and kept as lines? */
bool dg_encodes_lines(const struct dg_problem *p);

/* True if a task of many can encode just the samples of its shards, false if the fate of a sample
 * decides about the shards of others. */
bool dg_encodes_own(const struct dg_problem *p, const struct dg_line_cache *kept);

/* Encodes one split into bins first_bin .. first_bin + n_bins - 1.  expected: samples that the scan
 * found; another number is T2_EIO (the file changed in between).  Records that p->record.finish
 * leaves out are added to drops.  text_out, one file per side, gets the cleaned text line by line;
 * NULL entries for none.  kept: the text of the split if the scan has kept all of it (it is used
 * up), else it is read again; NULL: it was not. */
T2_MUST_CHECK enum t2_status dg_encode_split(struct dg_encode *e, enum dg_split split,
                                             size_t first_bin, size_t n_bins, uint64_t expected,
                                             struct dg_line_cache *kept, struct dg_drops *drops,
                                             struct t2_out *const text_out[DG_N_SIDES],
                                             struct t2_err *err);

#endif
