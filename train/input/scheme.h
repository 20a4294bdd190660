/*
 * train/input/scheme.h - T2T's and the official batching schemes: which lengths share a batch, and
 * how many.
 *
 * tensor2tensor/utils/data_reader.py; spec t2t-trainer.md §2.4, §2.5.
 */
#ifndef IN_SCHEME_H
#define IN_SCHEME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

/* T2T's batching scheme (data_reader.batching_scheme). */
struct in_scheme {
    /* (n_boundaries): bucket i holds boundaries[i - 1] <= length < boundaries[i] */
    int32_t *boundaries;
    int32_t *batch_sizes; /* (n_boundaries + 1): B, the rows of a bucket's batches, of all ranks */
    int n_boundaries;
    int32_t min_length, max_length; /* kept lengths, both ends included */
    int64_t shuffle_queue_size;     /* T2T computes it; nobody there or here uses it */
    int32_t pad_to;                 /* L of all rows, and full batches only; 0 = not */
};

/*
 * The official Transformer's batches (data_pipeline.py; spec
 * official-transformer.md §4).  Dynamic: buckets of exactly batch_size / (bound) sentences.
 * is_static: one bucket, rows of exactly max_length, batch_size / replicas / max_length * replicas
 * sentences.  Long sentences are dropped always.  Where a batch would be empty, a dynamic one holds
 * one sentence (the original fails), a static one is T2_EUSAGE.
 */
T2_MUST_CHECK enum t2_status in_scheme_official(int64_t batch_size, int64_t max_length,
                                                int64_t replicas, bool is_static,
                                                struct in_scheme *scheme, struct t2_err *err);

/* Arguments and result as batching_scheme's.  T2_EUSAGE for values that make no table. */
T2_MUST_CHECK enum t2_status in_scheme_new(int64_t batch_size, int64_t max_length,
                                           int64_t min_length_bucket, double length_bucket_step,
                                           bool drop_long_sequences, int64_t shard_multiplier,
                                           int64_t length_multiplier, int64_t min_length,
                                           struct in_scheme *scheme, struct t2_err *err);

/* What T2T's input function uses for a text problem on so many data shards (replicas), whose batch
 * is as many times that of one: the scheme of the hparams, long samples dropped in training (and in
 * evaluation with eval_drop_long_sequences), use_fixed_batch_size honoured, split_to_length kept
 * whole.  Or the official ones, for sets that have static_batch; there batch_size is that of all.
 */
T2_MUST_CHECK enum t2_status in_scheme_of(const struct mdl_hparams *hp, bool training,
                                          int32_t replicas, struct in_scheme *scheme,
                                          struct t2_err *err);
/* The same of images with texts, by the longer of a text and the height of its image: the original
 * multiplies the lengths of buckets, not the longest that is kept, by 256 (Image2TextProblem), so
 * that a batch_size of 2048 for an image is usual; use_fixed_batch_size counts images. */
T2_MUST_CHECK enum t2_status in_scheme_described(const struct mdl_hparams *hp, bool training,
                                                 int32_t replicas, struct in_scheme *scheme,
                                                 struct t2_err *err);
/* Images: one bucket of batch_size examples for each replica, nothing dropped. */
T2_MUST_CHECK enum t2_status in_scheme_images(int64_t batch_size, int32_t replicas,
                                              struct in_scheme *scheme, struct t2_err *err);
void in_scheme_release(struct in_scheme *s);

/* The bucket of a length, 0 .. n_boundaries. */
int in_scheme_bucket(const struct in_scheme *s, int32_t length);

#endif
