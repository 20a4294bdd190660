/*
 * datagen/runs/generate_options.h - what a run of dg_generate is asked for, and the shards that
 * follow.
 */
#ifndef DG_GENERATE_OPTIONS_H
#define DG_GENERATE_OPTIONS_H

#include "base/pool.h"
#include "base/str.h"
#include "datagen/problem.h"
#include "datagen/shards/task_share.h"

/*
 * Order of the records.  t2t: the original's, record k of a split in shard k mod n, shuffled inside
 * its shard; global: shard by a random permutation of all records of the split, shuffled inside its
 * shard, so any order of all is as likely as another; none: as the samples came.  Functions of
 * random_seed.
 */
enum dg_shuffle_kind { DG_SHUFFLE_T2T, DG_SHUFFLE_GLOBAL, DG_SHUFFLE_NONE };

struct dg_generate {
    struct dg_options options;
    int n_shards[DG_N_SPLITS]; /* 0: the problem's own */
    bool overwrite;            /* replace a data set that differs */
    bool ignore_space;         /* begin although the forecast does not fit on the disk */
    enum dg_shuffle_kind shuffle;
    struct dg_task_share share; /* of one task of many; join_parts.h joins what they made */
    uint64_t max_memory;        /* of the whole program; 0: what the machine has */
    uint64_t shuffle_bytes;     /* records held in memory before they go to scratch files */
    const char *command;        /* for the manifest */
    struct t2_pool *pool;
};

/* Shards of a split: what was asked for, else the problem's own number; 0 for a split it lacks. */
int dg_n_shards(const struct dg_problem *p, const struct dg_generate *g, enum dg_split split);
/* Appends the paths of all shards in shuffle order: train, dev, test. */
void dg_shard_paths(const struct dg_problem *p, const struct dg_generate *g, struct t2_strs *paths);

#endif
