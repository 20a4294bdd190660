/*
 * datagen/passes/shard_maker.h - problems whose original makes each shard by itself, from other
 * files than the next one, and with the vocabulary: there are no samples that could be counted
 * before it is there, nor dealt to shards.
 *
 * Such a problem has `maker` in place of `open`, and open_vocab_text.  Shards are made at the same
 * time by all threads, one by one thread.
 */
#ifndef DG_SHARD_MAKER_H
#define DG_SHARD_MAKER_H

#include "base/mt19937.h"
#include "datagen/passes/encode_pass.h"
#include "datagen/source/drop_report.h"

struct dg_shard_sink;

/* One shard while it is made. */
struct dg_shard_job {
    const struct dg_problem *problem;
    const struct dg_options *options;
    const struct dg_vocab *vocabs[DG_N_SIDES];
    enum dg_split split;
    int shard;        /* of the split, from 0 */
    struct t2_mt mt;  /* left as the original's generator stands behind the last record: it shuffles
                         the shard next */
    uint64_t n_bytes; /* of text that became ids */
    uint64_t n_replaced; /* texts that were not UTF-8 and were mended */
    struct dg_drops drops;
    struct dg_shard_sink *sink;
};

struct dg_shard_maker {
    /* Adds the files that a split is made from: read in place of samples the first time. */
    enum t2_status (*note_inputs)(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_input_files *files,
                                  struct t2_err *err);
    /* Makes all records of a shard, in order: dg_shard_put. */
    enum t2_status (*make)(struct dg_shard_job *job, struct t2_err *err);
    /* Bytes that making one shard takes at most: no more are made at one time than
     * options->max_memory has room for. */
    uint64_t (*memory)(const struct dg_problem *p);
};

/* Takes the next record; packed before the shuffle, as T2T's generators that pack themselves. */
T2_MUST_CHECK enum t2_status dg_shard_put(struct dg_shard_job *job, const struct dg_record *r,
                                          struct t2_err *err);

/*
 * Makes the shards of a split that are e->share's, into bins first_bin .. first_bin + n_bins - 1.
 * states, one for each of these bins, get the generators for the shuffles.  What was left out is
 * added to drops.
 */
T2_MUST_CHECK enum t2_status dg_make_shards(struct dg_encode *e, enum dg_split split,
                                            size_t first_bin, size_t n_bins, struct t2_mt *states,
                                            struct dg_drops *drops, uint64_t *n_replaced,
                                            struct t2_err *err);

#endif
