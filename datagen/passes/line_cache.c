/*
 * datagen/passes/line_cache.c - the cleaned lines of a split in memory.
 */
#include "datagen/passes/line_cache.h"

#include <string.h>

#include "base/alloc.h"

/* the overhead of an allocation */
enum { BLOCK_BYTES = 64 };

bool dg_line_cache_has_all(const struct dg_line_cache *k)
{
    return k->n > 0 && !k->is_given_up;
}

void dg_line_block_release(struct dg_line_block *block)
{
    t2_free(block->memory);
    memset(block, 0, sizeof *block);
}

void dg_line_cache_give_up(struct dg_line_cache *k)
{
    for (size_t i = 0; i < k->n; i++)
        dg_line_block_release(&k->items[i]);
    t2_free(k->items);
    k->items = NULL;
    k->n = k->capacity = 0;
    k->bytes = 0;
    k->is_given_up = true;
}

void dg_line_cache_release(struct dg_line_cache *k)
{
    dg_line_cache_give_up(k);
    t2_free(k->batch_samples);
    memset(k, 0, sizeof *k);
}

static bool are_lines(const struct dg_batch *b)
{
    if (b->has_feeds || b->values.len_bytes)
        return false;
    for (size_t i = 0; i < b->n; i++) {
        if (b->items[i].shard || b->items[i].text[DG_CONTEXT].len_bytes)
            return false;
    }
    return true;
}

static void note_batch(struct dg_line_cache *k, const struct dg_batch *b)
{
    if (k->n_batches == k->batches_capacity) {
        k->batches_capacity = k->batches_capacity ? 2 * k->batches_capacity : 64;
        k->batch_samples =
            t2_realloc(k->batch_samples, k->batches_capacity, sizeof *k->batch_samples);
    }
    k->batch_samples[k->n_batches++] = (uint32_t) b->n_kept;
    k->is_more_than_lines |= !are_lines(b);
}

static void copy(struct dg_line_block *block, const struct dg_batch *b, size_t n_bytes)
{
    uint8_t *to = block->memory = t2_realloc(NULL, n_bytes, 1);

    block->n = b->n_kept;
    for (int side = 0; side < DG_N_SIDES; side++) {
        struct t2_slice lines = dg_batch_lines(b, (enum dg_side_index) side, b->n);
        memcpy(to, lines.data, lines.len_bytes);
        block->lines[side] = (struct t2_slice){to, lines.len_bytes};
        to += lines.len_bytes;
    }
}

void dg_line_cache_add(struct dg_line_cache *k, const struct dg_batch *b, uint64_t limit_bytes)
{
    size_t n_bytes = b->text[DG_INPUTS].len_bytes + b->text[DG_TARGETS].len_bytes;

    note_batch(k, b);
    if (k->is_given_up || b->n_kept == 0)
        return;
    if (k->is_more_than_lines || k->bytes + n_bytes + BLOCK_BYTES > limit_bytes) {
        dg_line_cache_give_up(k);
        return;
    }
    if (k->n == k->capacity) {
        k->capacity = k->capacity ? 2 * k->capacity : 64;
        k->items = t2_realloc(k->items, k->capacity, sizeof *k->items);
    }
    copy(&k->items[k->n++], b, n_bytes);
    k->bytes += n_bytes + BLOCK_BYTES;
}
