/*
 * train/input/batch_item.h - one prepared batch with its memory, which comes from whoever opens the
 * input.
 *
 * A device that copies from page-locked memory, or a test that counts, passes an allocator of its
 * own; the makers of batches (batch_maker.h) write where they are given room and know of nothing
 * else.
 */
#ifndef IN_BATCH_ITEM_H
#define IN_BATCH_ITEM_H

#include <stddef.h>
#include <stdint.h>

#include "train/models/model.h"

/*
 * Memory of batches.  alloc: at least `bytes` (> 0), aligned for float32 at the least; what is in
 * it does not matter; NULL: there is none.  free gets the bytes that were asked for.
 *
 * alloc is called on the thread that prepares batches, free there and on the thread that calls
 * in_rewind and in_free, never two calls at a time.
 */
struct in_memory {
    void *(*alloc)(void *context, size_t bytes);
    void (*free)(void *context, void *memory, size_t bytes);
    void *context;
};

/* Memory of the process (base/alloc.h). */
extern const struct in_memory in_host_memory;

/* Shapes are of this rank's rows: B rows, L ids of the longest row of all ranks. */
enum in_block_name {
    IN_INPUTS,               /* int32 (B, L of inputs) */
    IN_TARGETS,              /* int32 (B, L of targets); of images (B, 1): labels */
    IN_INPUTS_SEGMENTATION,  /* int32, as the inputs */
    IN_INPUTS_POSITION,      /* int32, as the inputs */
    IN_TARGETS_SEGMENTATION, /* int32, as the targets */
    IN_TARGETS_POSITION,     /* int32, as the targets */
    IN_TARGETS_MASK,         /* int32, as the targets */
    IN_TYPES,                /* int32, as the inputs: of sentences */
    IN_MASKED_POSITIONS,     /* int32, as the targets: of sentences */
    IN_SENTENCE_LABELS,      /* int32 (B) */
    IN_IMAGES,               /* float32 (B, H, W, C) */
    IN_IMAGE_BYTES,          /* uint8 (B, H, W, C), in place of floats */
    IN_MIRRORED,             /* uint8 (B), beside them */
    IN_BYTE_VALUES,          /* float32 (C, 256), likewise */
    IN_OTHER_LABELS,         /* int32 (B) */
    IN_LABEL_WEIGHTS,        /* float32 (B) */
    IN_VALUES,               /* float32 (B, K): targets that are no ids */
    IN_N_BLOCKS
};

struct in_block {
    void *data;
    size_t bytes; /* of room */
};

/* Zero-initialise but for memory, use again, release. */
struct in_item {
    const struct in_memory *memory; /* borrowed */
    struct in_block blocks[IN_N_BLOCKS];
    struct mdl_batch batch; /* points into the blocks */
    uint64_t samples;       /* position behind the batch, of all ranks */
};

/* Room for `bytes` in a block; what was in it is lost when it has to grow, and then it gets `spare`
 * bytes more, for batches that vary.  NULL: there is no memory, the block is empty. */
void *in_item_room(struct in_item *item, enum in_block_name name, size_t bytes, size_t spare);
void in_item_release(struct in_item *item);

#endif
