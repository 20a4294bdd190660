/*
 * train/input/input.h - shards -> records -> filter -> order -> buckets -> batches, prefetched.
 *
 * Bucket boundaries and batch sizes are T2T's (spec t2t-trainer.md §2.5).  The sample order is a pure
 * function of (seed, epoch, index) (architecture D10), so the next sample's number is all that a
 * checkpoint needs; batches are formed from that order in a deterministic way.
 */
#ifndef IN_INPUT_H
#define IN_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

/* T2T's batching scheme (data_reader.batching_scheme). */
struct in_scheme {
    int32_t *boundaries;   /* n_boundaries; bucket i holds boundaries[i-1] <= length < boundaries[i] */
    int32_t *batch_sizes;  /* n_boundaries + 1 */
    int n_boundaries;
    int32_t min_length, max_length; /* kept lengths, both ends included */
};
T2_MUST_CHECK enum t2_status in_scheme_new(int64_t batch_size, int64_t max_length,
                                           int64_t min_length_bucket, double length_bucket_step,
                                           bool drop_long_sequences, int64_t shard_multiplier,
                                           int64_t length_multiplier, int64_t min_length,
                                           struct in_scheme *scheme, struct t2_err *err);
void in_scheme_release(struct in_scheme *s);

struct in_options {
    const char *data_dir;
    const char *dataset;      /* dataset file name: stem of the shards */
    const char *split;        /* "train", "dev", "test" */
    bool has_inputs;
    bool swap;                /* _rev problems: inputs and targets change places */
    bool training;            /* shuffle, repeat, drop long samples; else one ordered pass */
    uint64_t seed;
    uint64_t first_sample;    /* resume: number of samples consumed before */
    int32_t inputs_vocab, targets_vocab; /* an id outside is an error naming shard and record */
    int prefetch_batches;     /* 0 = 8 */
    uint64_t max_records;     /* 0 = all */
};

struct in_input;

/* Opens and checks the shards (all lengths are read once: parallel scan) and starts the prefetching
 * thread. */
T2_MUST_CHECK enum t2_status in_new(const struct in_options *options, const struct mdl_hparams *hp,
                                    struct in_input **in, struct t2_err *err);
void in_free(struct in_input *in);

/* The next batch, borrowed until the following call; T2_EOF at the end of an ordered pass.
 * *samples: position to resume behind this batch. */
T2_MUST_CHECK enum t2_status in_next(struct in_input *in, struct mdl_batch *batch,
                                     uint64_t *samples, struct t2_err *err);

/* Shapes of the largest batch of every bucket that the data fills, for mdl_plan. */
T2_MUST_CHECK enum t2_status in_shapes(const struct in_input *in, struct mdl_shape **shapes,
                                       size_t *n, struct t2_err *err);

struct in_stats {
    uint64_t n_records, n_kept, n_too_long, n_too_short;
    uint64_t n_target_tokens;  /* of an epoch, kept */
    double wait_s;             /* time in_next waited for data, since the start */
};
struct in_stats in_stats_of(const struct in_input *in);

#endif
