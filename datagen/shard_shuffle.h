/*
 * datagen/shard_shuffle.h - the last step: every bin is shuffled and becomes a shard.
 *
 * T2T's own order (spec t2t-datagen.md §2.4, §11): Fisher-Yates inside each shard, one Mersenne
 * Twister state running through all shards, train, then dev, then test.
 */
#ifndef DG_SHARD_SHUFFLE_H
#define DG_SHARD_SHUFFLE_H

#include "base/pool.h"
#include "datagen/problem.h"
#include "datagen/shard_bins.h"

/* Takes bin i, writes shard paths->items[i], its records shuffled unless keep_order is set; infos[i] gets count, bytes and hash (file names are the
 * caller's).  The scratch files of the bins are not "<path>.incomplete": that is what a shard is
 * called while it is written. */
T2_MUST_CHECK enum t2_status dg_shuffle_shards(struct dg_bins *bins, const struct t2_strs *paths,
                                               uint64_t random_seed, bool keep_order,
                                               struct t2_pool *pool,
                                               struct tfr_manifest_shard *infos,
                                               struct t2_err *err);

#endif
