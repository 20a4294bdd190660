/*
 * train/input/chunks.h - a batch of long rows in several batches, chunk after chunk: for models
 * that remember (hparam split_targets_chunk_length).
 *
 * data_reader.py, split_on_length; spec t2t-trainer.md section 2.7.  Rows are padded to a multiple
 * of the chunk's length; chunks behind the longest row are left out.  Where the original fails, for
 * rows longer than split_targets_max_chunks of them, there are more chunks here.  Its
 * split_targets_strided_training, which it has on TPUs alone, is not done.
 *
 * A position in the data is a number of samples, and in the middle of a batch also how many of its
 * chunks were given: chunks << IN_CHUNK_SHIFT, samples of the batches before it in the lower bits.
 */
#ifndef IN_CHUNKS_H
#define IN_CHUNKS_H

#include "train/input/batch_item.h"

enum { IN_CHUNK_SHIFT = 40, IN_MOST_CHUNKS = 1 << 12 };

static inline uint64_t in_position_samples(uint64_t position)
{
    return position & (((uint64_t) 1 << IN_CHUNK_SHIFT) - 1);
}

/* Zero-initialise; length 0: batches are whole. */
struct in_chunks {
    int32_t length;
    int32_t n, next;      /* of the batch that is being given */
    uint64_t begin;       /* samples before it */
    struct in_item whole; /* the batch */
};

/* Chunks of rows of so many ids. */
int32_t in_chunks_of(const struct in_chunks *c, int32_t ids);
/* The next batch will be one that begins at a position; the first chunks of it were given. */
void in_chunks_seek(struct in_chunks *c, uint64_t position);
/* c->whole is a new batch. */
T2_MUST_CHECK enum t2_status in_chunks_begin(struct in_chunks *c, struct t2_err *err);
/* The next chunk; T2_ENOMEM: of the item's memory. */
T2_MUST_CHECK enum t2_status in_chunks_next(struct in_chunks *c, struct in_item *item,
                                            struct t2_err *err);
void in_chunks_release(struct in_chunks *c);

#endif
