/*
 * datagen/passes/encode_run.h - one time through a split, as the parts of the encoder share it;
 * inside.
 */
#ifndef DG_ENCODE_RUN_H
#define DG_ENCODE_RUN_H

#include "base/progress.h"
#include "base/rng.h"
#include "datagen/passes/encode_pass.h"

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
    struct t2_buf own[DG_N_TEXTS];
    struct dg_stats stats;
    uint64_t n_bytes;
};

/* The samples of a slot that become records: all of them; of a task of many those of its own
 * shards. */
struct dg_encode_samples {
    size_t n;
    const struct dg_batch_item **items; /* of s->batch; NULL: s->kept, lines and nothing else */
    bool are_lines;                     /* no text has a line feed in it: what follows is there */
    struct t2_slice lines[DG_N_TEXTS]; /* the texts that are wanted, each with a line feed behind */
};

/* The ids of one text of all samples, one after the other: those of sample i end in front of
 * ends[i].  A sample that has numbers in place of the text has none. */
struct dg_column {
    struct tok_ids ids;
    struct tok_ends ends;
};

struct dg_encode_worker {
    struct tok_cache *caches[DG_N_SIDES];
    const struct dg_batch_item **items; /* of the samples */
    size_t items_capacity;
    struct dg_column columns[DG_N_TEXTS];
    struct tok_ids joined;
    struct dg_record record;
    struct t2_buf text, payload;
    int64_t *numbers; /* of one sample, aligned */
    size_t numbers_capacity;
};

/* What becomes of a text of the samples, the same for all of them. */
struct dg_text_plan {
    bool is_wanted;
    int side; /* whose vocabulary it is encoded with */
    const char *prefix;
    bool ends_with_eos;
};

/* Which form records have. */
enum dg_record_form {
    DG_RECORD_IDS,      /* the ids of their texts and nothing else: written without a dg_record */
    DG_RECORD_FEATURES, /* what the sample brings and what the problem makes of it */
    DG_RECORD_ROWS      /* ids that are chopped later */
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
    struct dg_text_plan texts[DG_N_TEXTS];
    enum dg_record_form form;
    struct tok_ids separator; /* between the parts of joined inputs */
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

/* A line of the log for each 100,000 records. */
void dg_encode_log_case(const struct dg_encode_run *c);
/* Deals out the next record of the split; shard as in dg_sample. */
T2_MUST_CHECK enum t2_status dg_encode_add_frame(struct dg_encode_run *c, struct t2_slice frame,
                                                 int32_t shard, struct t2_err *err);

/* ---- the steps of a slot, in this order; by a worker ------------------------------------------
 */

/* Which samples of a cleaned slot become records; borrowed from slot and worker. */
void dg_encode_choose(const struct dg_encode_run *c, struct dg_encode_worker *w,
                      struct dg_encode_slot *s, struct dg_encode_samples *samples);
/* Fills w->columns.  After a failure *n_done samples, in front of the one that it names, are
 * complete; else all are. */
T2_MUST_CHECK enum t2_status dg_encode_texts(const struct dg_encode_run *c,
                                             struct dg_encode_worker *w, struct dg_encode_slot *s,
                                             const struct dg_encode_samples *samples,
                                             size_t *n_done, struct t2_err *err);
/* Makes the records of the first n samples of w->columns. */
T2_MUST_CHECK enum t2_status dg_encode_records(const struct dg_encode_run *c,
                                               struct dg_encode_worker *w, struct dg_encode_slot *s,
                                               const struct dg_encode_samples *samples, size_t n,
                                               struct t2_err *err);
/* Puts file and line of sample i in front of its failure. */
enum t2_status dg_encode_wrap(const struct dg_encode_samples *samples, size_t i, enum t2_status st,
                              struct t2_err *err);

/* ---- chopping; by the consumer ------------------------------------------------------------------
 */

/* Cuts records out of the rows of a slot; what is left waits for the next one. */
T2_MUST_CHECK enum t2_status dg_encode_chop(struct dg_encode_run *c, const struct dg_encode_slot *s,
                                            struct t2_err *err);
/* The end of all shards: what waits is filled up or left out. */
T2_MUST_CHECK enum t2_status dg_encode_chop_end(struct dg_encode_run *c, struct t2_err *err);

#endif
