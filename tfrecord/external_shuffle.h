/*
 * tfrecord/external_shuffle.h - a uniformly random order of more records than memory holds.
 *
 * Record i gets 64 random bits, a function of (seed, i); the order is that of these numbers (equal
 * ones: as added).  So it depends on the seed and the records' numbers only, not on memory, threads
 * or how large records are.  Records are dealt into buckets by the first bits, and each bucket is
 * ordered in memory.  They stay framed (framing.h) all the way: no checksum is computed twice.
 */
#ifndef TFR_EXTERNAL_SHUFFLE_H
#define TFR_EXTERNAL_SHUFFLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct t2_pool;
struct tfr_batch;

enum { TFR_SHUFFLE_MIN_MEMORY = 1 << 20 };

struct tfr_shuffle_options {
    uint64_t seed;
    uint64_t max_memory; /* at least TFR_SHUFFLE_MIN_MEMORY; more is used for a record that does not
                            fit */
    const char
        *tmp_dir; /* takes about the bytes of all records, when they do not fit into memory */
    uint64_t expected_bytes; /* of all records; 0 = unknown.  A guess: the result is the same */
};

struct tfr_shuffle;
T2_MUST_CHECK enum t2_status tfr_shuffle_new(const struct tfr_shuffle_options *o,
                                             struct tfr_shuffle **s, struct t2_err *err);

/*
 * Adding a batch has two steps.  tfr_shuffle_prepare finds out where its records go: any thread,
 * any order, several at a time; hand is zero-initialised, may be used again, and is released.
 * tfr_shuffle_add copies the records: one batch at a time, in order.  The batch must still be
 * there.
 */
struct tfr_shuffle_hand {
    struct t2_buf cards, starts, sorted;
    size_t n;
};
void tfr_shuffle_prepare(const struct tfr_shuffle *s, const struct tfr_batch *batch,
                         struct tfr_shuffle_hand *hand);
T2_MUST_CHECK enum t2_status tfr_shuffle_add(struct tfr_shuffle *s,
                                             const struct tfr_shuffle_hand *hand,
                                             struct t2_err *err);
void tfr_shuffle_hand_release(struct tfr_shuffle_hand *hand);

/*
 * Gives all records in their new order to put, one call at a time: n_records framed records one
 * after another, borrowed for the call.  Called once.
 */
typedef enum t2_status tfr_shuffle_put(void *context, struct t2_slice frames, uint64_t n_records,
                                       struct t2_err *err);
T2_MUST_CHECK enum t2_status tfr_shuffle_drain(struct tfr_shuffle *s, struct t2_pool *pool,
                                               tfr_shuffle_put *put, void *context,
                                               struct t2_err *err);
uint64_t tfr_shuffle_spilled_bytes(const struct tfr_shuffle *s); /* 0: all was done in memory */
void tfr_shuffle_free(struct tfr_shuffle *s);                    /* NULL is allowed */

#endif
