/*
 * datagen/shards/shard_shuffle.h - the last step: every bin is shuffled and becomes a shard.
 *
 * T2T's own order (spec t2t-datagen.md §2.4, §11): Fisher-Yates inside each shard, one Mersenne
 * Twister state running through all shards, train, then dev, then test.
 */
#ifndef DG_SHARD_SHUFFLE_H
#define DG_SHARD_SHUFFLE_H

#include "base/mt19937.h"
#include "base/pool.h"
#include "datagen/problem.h"
#include "datagen/shards/layout.h"
#include "datagen/shards/pack_records.h"
#include "datagen/shards/shard_bins.h"
#include "datagen/shards/task_share.h"

/* How: the first n shards are shuffled, the others keep their order. */
struct dg_shuffle {
    struct t2_mt mt;              /* as the first draw finds it */
    const struct t2_mt *of_shard; /* in place of mt: of each shard; NULL: one for all */
    size_t n;
    struct dg_task_share share; /* of one task of many: the others' shards only draw */
    const uint64_t *bin_records;
    uint64_t memory_bytes; /* of bins that are on disk; those that do not fit are read in windows */
    const struct dg_messages *says;
    const struct dg_packing *packing; /* the shuffled records of each shard are joined; NULL: not */
    struct dg_stats *stats;           /* packing: of what is written; replaced */
};

/* Takes bin i, writes shard paths->items[i], its records shuffled or not; infos[i] gets count,
 * bytes and hash (file names are the caller's).  The scratch files of the bins are not
 * "<path>.incomplete": that is what a shard is called while it is written. */
T2_MUST_CHECK enum t2_status dg_shuffle_shards(struct dg_bins *bins, const struct t2_strs *paths,
                                               const struct dg_shuffle *how, struct t2_pool *pool,
                                               struct tfr_manifest_shard *infos,
                                               struct t2_err *err);

#endif
