/*
 * datagen/encode_run.h - one time through a split, as the parts of the encoder share it; inside.
 */
#ifndef DG_ENCODE_RUN_H
#define DG_ENCODE_RUN_H

#include "base/progress.h"
#include "base/rng.h"
#include "datagen/encode_pass.h"

extern const char *const dg_side_name[DG_N_SIDES]; /* "inputs", "targets" */

/* What travels: samples in, framed records out; where records are cut out of a row of targets
 * (chop_length), the ids of each sample. */
struct dg_encode_slot {
    struct dg_batch batch;
    struct dg_line_block *kept; /* in place of batch; NULL: batch it is */
    struct t2_buf frames;
    struct dg_made { /* one per record, or per sample that is to be chopped */
        size_t end;  /* of its frame, or of its ids */
        int32_t shard;
        uint64_t hash; /* of the record, or of the ids, where e->hashes is there */
    } * made;
    size_t n_made, capacity;
    struct tok_ids row;
    struct dg_late_drop {
        const char *reason, *path;
        uint64_t line;
        char *text; /* an excerpt */
    } * drops;      /* records that p->record.finish left out */
    size_t n_drops, drops_capacity;
    uint64_t first, n; /* only_own: numbers of all samples, those of other tasks too */
    struct t2_buf own[DG_N_SIDES];
    struct dg_stats stats;
    uint64_t n_bytes;
};

struct dg_encode_worker {
    struct tok_cache *caches[DG_N_SIDES];
    struct tok_ids ids[DG_N_SIDES];
    struct tok_ends ends[DG_N_SIDES]; /* of lines */
    struct tok_ids joined;
    struct dg_record record;
    struct t2_buf text, payload;
    int64_t *numbers; /* of one sample, aligned */
    size_t numbers_capacity;
};

struct dg_encode_run {
    struct dg_encode *e;
    struct dg_batcher batcher;
    const struct dg_line_cache *counts;
    struct dg_line_cache *kept; /* in place of batcher; NULL: it is read */
    size_t next_kept, next_batch;
    uint64_t n_given; /* only_own: samples of the batches so far */
    struct dg_encode_worker *workers;
    struct dg_drops *drops;
    struct tok_ids separator; /* between the parts of joined inputs */
    bool is_lines;            /* dg_encodes_lines */
    enum dg_split split;
    size_t first_bin, n_bins;
    uint64_t n_samples, n_records;
    struct t2_perm perm;   /* deal_at_random */
    struct tok_ids *rests; /* chopping: of each shard, ids that are not a whole record yet */
    struct dg_record block_record;
    struct t2_buf block;
    struct t2_out *const *text_out;
    struct t2_progress progress;
};

void dg_encode_push_made(struct dg_encode_slot *s, size_t end, int32_t shard);
void dg_encode_push_frame(struct dg_encode_slot *s, const struct t2_buf *payload, int32_t shard);
/* The bin of record k of the split. */
size_t dg_encode_bin_of(const struct dg_encode_run *c, uint64_t k);

/* All samples of a batch at once, of a task of many those of its own shards; lines and n as
 * dg_batch_lines gives them. */
T2_MUST_CHECK enum t2_status dg_encode_own_lines(const struct dg_encode_run *c,
                                                 struct dg_encode_worker *w,
                                                 struct dg_encode_slot *s,
                                                 const struct t2_slice lines[DG_N_SIDES], size_t n,
                                                 struct t2_err *err);
/* The samples of s->batch one by one; a failure names file and line. */
T2_MUST_CHECK enum t2_status dg_encode_items(const struct dg_encode_run *c,
                                             struct dg_encode_worker *w, struct dg_encode_slot *s,
                                             struct t2_err *err);

#endif
