/*
 * train/input/order.h - which samples form which batch: pure functions, no history.
 *
 * Training (struct in_order).  The samples of a bucket, taken for themselves, are an endless
 * stream: epoch after epoch, each epoch a permutation of the bucket that depends only on (seed,
 * epoch, bucket).  Batch k of the bucket is the stream's piece [k * size, (k + 1) * size), so every
 * batch is full and every sample comes exactly once per epoch, as it does in T2T where a bucket
 * keeps its rest when the data repeat.  A permutation of all samples, seen from one bucket, is a
 * permutation of the bucket: drawing it per bucket is the same shuffle, without a table.
 *
 * Epoch e of the run consists of the batches that become full in it: of bucket b with c samples
 * those numbered floor(e * c / size) .. floor((e + 1) * c / size) - 1.  They are put in an order by
 * a permutation of (seed, epoch); T2T mixes batches with a buffer of 512 for the same reason, that
 * batches of one length should not come in runs.
 *
 * So the number of samples consumed names a position, and `seek` finds the epoch by bisection:
 * N steps are the same batches as k steps, a restart, and N - k steps.  How many threads or
 * machines read does not enter.
 *
 * Evaluation (struct in_pass).  Samples in file order through T2T's buckets; a batch is emitted
 * when its bucket is full, the rests at the end, by bucket.  Every sample exactly once.
 */
#ifndef IN_ORDER_H
#define IN_ORDER_H

#include <stdint.h>

#include "base/err.h"
#include "base/rng.h"

/* ---- training ---- */

struct in_order {
    uint64_t seed;
    int n_buckets;
    int32_t *sizes;   /* (n_buckets): B, the rows of a bucket's batches, of all ranks */
    uint64_t *counts; /* (n_buckets): samples in a bucket */
};

/* sizes and counts are copied.  At least one bucket must have samples. */
void in_order_init(struct in_order *o, uint64_t seed, int n_buckets, const int32_t *sizes,
                   const uint64_t *counts);
void in_order_release(struct in_order *o);

/* Batches per epoch on average; samples in all. */
double in_order_batches_per_epoch(const struct in_order *o);
uint64_t in_order_samples(const struct in_order *o);

/* A place in the stream of batches. */
struct in_cursor {
    uint64_t epoch;
    uint64_t batch;     /* next one, within the epoch */
    uint64_t n_batches; /* of the epoch */
    uint64_t samples;   /* consumed before the next batch */
    struct t2_perm mix; /* of the epoch's batches */
};

/* The batch at `samples`.  T2_EFORMAT when that is inside a batch: it belongs to other data or
 * other batch sizes. */
T2_MUST_CHECK enum t2_status in_order_seek(const struct in_order *o, uint64_t samples,
                                           struct in_cursor *c, struct t2_err *err);

/* The next batch: its bucket and the position of its first sample in the bucket's stream. */
struct in_batch_name {
    int bucket;
    uint64_t first; /* sample j of the batch is in_order_sample(o, bucket, first + j) */
};
struct in_batch_name in_order_next(const struct in_order *o, struct in_cursor *c);

/* Which of the bucket's samples (0 .. counts[bucket] - 1) stands at a position of its stream. */
uint64_t in_order_sample(const struct in_order *o, int bucket, uint64_t position);

/* The permutation of all n samples of an epoch, for who does not go by buckets (pack.h). */
void in_order_epoch(struct t2_perm *perm, uint64_t n, uint64_t seed, uint64_t epoch);

/* ---- evaluation ---- */

struct in_pass {
    uint32_t *samples; /* (n): all, batch after batch */
    uint64_t *begins;  /* (n_batches + 1): batch i is samples[begins[i] .. begins[i + 1]) */
    uint64_t n_batches;
};

/* bucket_of (n): the bucket of sample i, 0 .. n_buckets - 1; sizes (n_buckets): as above. */
void in_pass_init(struct in_pass *p, uint32_t n, const uint16_t *bucket_of, int n_buckets,
                  const int32_t *sizes);
void in_pass_release(struct in_pass *p);

#endif
