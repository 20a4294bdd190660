/*
 * datagen/passes/line_cache.h - the cleaned lines of a split, kept in memory between the two
 * readings.
 *
 * What is there need not be read, inflated, checked and cleaned again.  All of a split is kept or
 * nothing.
 */
#ifndef DG_LINE_CACHE_H
#define DG_LINE_CACHE_H

#include "datagen/source/sample_batch.h"

/* The texts of some samples, as dg_batch_lines gives them. */
struct dg_line_block {
    struct t2_slice lines[DG_N_SIDES];
    size_t n;
    uint8_t *memory;
};

/* Zero-initialise; dg_line_cache_release. */
struct dg_line_cache {
    struct dg_line_block *items;
    size_t n, capacity;
    uint64_t bytes;
    uint32_t *batch_samples; /* kept samples of each batch, also when the text is given up */
    size_t n_batches, batches_capacity;
    bool is_more_than_lines; /* a batch was, so its samples are not known by their lines */
    bool is_given_up;        /* too large, or samples that are more than lines */
};

/* Copies a cleaned batch, unless the whole would pass limit_bytes: then all is given up. */
void dg_line_cache_add(struct dg_line_cache *k, const struct dg_batch *b, uint64_t limit_bytes);
/* True if all of the split is here. */
bool dg_line_cache_has_all(const struct dg_line_cache *k);
void dg_line_block_release(struct dg_line_block *block);
void dg_line_cache_release(struct dg_line_cache *k);
/* Only the text goes. */
void dg_line_cache_give_up(struct dg_line_cache *k);

#endif
