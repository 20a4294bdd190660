/*
 * train/input/batch_item.c - blocks that grow and are used again.
 */
#include "train/input/batch_item.h"

#include "base/alloc.h"

static void *host_alloc(void *context, size_t bytes)
{
    (void) context;
    return t2_try_alloc(bytes, 1);
}

static void host_free(void *context, void *memory, size_t bytes)
{
    (void) context;
    (void) bytes;
    t2_free(memory);
}

const struct in_memory in_host_memory = {.alloc = host_alloc, .free = host_free};

static void release_block(const struct in_memory *m, struct in_block *b)
{
    if (b->data)
        m->free(m->context, b->data, b->bytes);
    *b = (struct in_block){0};
}

void *in_item_room(struct in_item *item, enum in_block_name name, size_t bytes, size_t spare)
{
    struct in_block *b = &item->blocks[name];
    size_t need = bytes > 0 ? bytes : 1; /* a rank without rows still has a batch */

    if (b->bytes >= need)
        return b->data;
    release_block(item->memory, b); /* before, so that both are never there at a time */
    if (!t2_add_size(need, spare, &need))
        return NULL;
    b->data = item->memory->alloc(item->memory->context, need);
    b->bytes = b->data ? need : 0;
    return b->data;
}

void in_item_release(struct in_item *item)
{
    for (int i = 0; i < IN_N_BLOCKS; i++)
        release_block(item->memory, &item->blocks[i]);
}
