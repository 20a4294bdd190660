/*
 * train/ckpt/block_table_write.c - writing tables (layout in block_table.c), to the byte as
 * TensorFlow's: plain blocks, a restart every 16 entries, a new block once 256 KiB are reached, the
 * shortest key that separates two blocks in the index.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/protobuf.h"
#include "train/ckpt/block_table.h"

enum { BLOCK_BYTES = 262144, RESTART_EVERY = 16, HANDLES_BYTES = 40 };

struct block {
    struct t2_buf bytes, restarts, last;
    int every;     /* entries from one restart to the next */
    int n_since;   /* entries since the last one */
    int n_entries; /* in this block */
};

struct ckpt_table {
    struct t2_buf bytes; /* blocks that are done */
    struct block data, index;
    struct t2_buf place;  /* of the block that is done and not in the index: its key depends on */
    bool in_index_is_due; /* the next one */
};

static void put32(struct t2_buf *b, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        t2_buf_push(b, (uint8_t) (v >> 8 * i));
}

static void put_varint(struct t2_buf *b, uint64_t v)
{
    uint8_t bytes[T2_VARINT_MAX_BYTES];

    t2_buf_append(b, bytes, (size_t) (t2_put_varint(bytes, v) - bytes));
}

/* ---- blocks ---- */

static size_t shared_bytes(struct t2_slice a, struct t2_slice b)
{
    size_t n = 0;

    while (n < a.len_bytes && n < b.len_bytes && a.data[n] == b.data[n])
        n++;
    return n;
}

static void block_add(struct block *b, struct t2_slice key, struct t2_slice value)
{
    size_t n_shared = 0;

    if (b->n_entries == 0 || b->n_since == b->every) {
        put32(&b->restarts, (uint32_t) b->bytes.len_bytes);
        b->n_since = 0;
    } else {
        n_shared = shared_bytes(t2_buf_slice(&b->last), key);
    }
    put_varint(&b->bytes, n_shared);
    put_varint(&b->bytes, key.len_bytes - n_shared);
    put_varint(&b->bytes, value.len_bytes);
    t2_buf_append(&b->bytes, key.data + n_shared, key.len_bytes - n_shared);
    t2_buf_append(&b->bytes, value.data, value.len_bytes);
    t2_buf_clear(&b->last);
    t2_buf_append(&b->last, key.data, key.len_bytes);
    b->n_since++;
    b->n_entries++;
}

/* What the block would have on disk, without its trailer. */
static size_t block_bytes(const struct block *b)
{
    return b->bytes.len_bytes + b->restarts.len_bytes + 4 + (b->n_entries == 0 ? 4 : 0);
}

/* Appends the block to the file and empties it; its place goes to *place (replaced). */
static void block_end(struct block *b, struct t2_buf *file, struct t2_buf *place)
{
    size_t at = file->len_bytes, n;

    if (b->n_entries == 0) /* an empty block has a restart, too */
        put32(&b->restarts, 0);
    t2_buf_append(file, b->bytes.data, b->bytes.len_bytes);
    t2_buf_append(file, b->restarts.data, b->restarts.len_bytes);
    put32(file, (uint32_t) (b->restarts.len_bytes / 4));
    n = file->len_bytes - at;
    t2_buf_push(file, 0);
    put32(file, t2_crc_mask(t2_crc32c(0, file->data + at, n + 1)));
    t2_buf_clear(place);
    put_varint(place, at);
    put_varint(place, n);
    t2_buf_clear(&b->bytes);
    t2_buf_clear(&b->restarts);
    b->n_entries = b->n_since = 0;
}

static void block_release(struct block *b)
{
    t2_buf_release(&b->bytes);
    t2_buf_release(&b->restarts);
    t2_buf_release(&b->last);
}

/* ---- the index ---- */

/* Shortens the last key of a block to one below `next`, the first key of the block behind. */
static void separate(struct t2_buf *key, struct t2_slice next)
{
    size_t n = shared_bytes(t2_buf_slice(key), next);

    if (n < key->len_bytes && n < next.len_bytes && key->data[n] < 0xff &&
        key->data[n] + 1 < next.data[n]) {
        key->data[n]++;
        key->len_bytes = n + 1;
    }
}

/* Shortens it to one that is not below it. */
static void succeed(struct t2_buf *key)
{
    for (size_t i = 0; i < key->len_bytes; i++) {
        if (key->data[i] != 0xff) {
            key->data[i]++;
            key->len_bytes = i + 1;
            return;
        }
    }
}

static void add_to_index(struct ckpt_table *t, const struct t2_slice *next)
{
    if (!t->in_index_is_due)
        return;
    if (next)
        separate(&t->data.last, *next);
    else
        succeed(&t->data.last);
    block_add(&t->index, t2_buf_slice(&t->data.last), t2_buf_slice(&t->place));
    t->in_index_is_due = false;
}

static void end_data_block(struct ckpt_table *t)
{
    if (t->data.n_entries == 0)
        return;
    block_end(&t->data, &t->bytes, &t->place);
    t->in_index_is_due = true;
}

/* ---- the table ---- */

struct ckpt_table *ckpt_table_new(void)
{
    struct ckpt_table *t = t2_alloc(1, sizeof *t);

    t->data.every = RESTART_EVERY;
    t->index.every = 1;
    return t;
}

void ckpt_table_add(struct ckpt_table *t, struct t2_slice key, struct t2_slice value)
{
    int order = t->data.n_entries > 0 ? t2_slice_cmp(t2_buf_slice(&t->data.last), key) : -1;

    T2_ASSERT(order < 0);
    if (key.len_bytes + value.len_bytes >= (size_t) 2 * BLOCK_BYTES)
        end_data_block(t); /* a large entry has a block to itself */
    add_to_index(t, &key);
    block_add(&t->data, key, value);
    if (block_bytes(&t->data) >= BLOCK_BYTES)
        end_data_block(t);
}

void ckpt_table_finish(struct ckpt_table *t, struct t2_buf *out)
{
    static const uint8_t magic[8] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
    struct block metaindex = {.every = RESTART_EVERY};
    struct t2_buf handles = {0};

    end_data_block(t);
    block_end(&metaindex, &t->bytes, &handles);
    add_to_index(t, NULL);
    block_end(&t->index, &t->bytes, &t->place);
    t2_buf_append(&handles, t->place.data, t->place.len_bytes);
    while (handles.len_bytes < HANDLES_BYTES)
        t2_buf_push(&handles, 0);
    t2_buf_append(&t->bytes, handles.data, handles.len_bytes);
    t2_buf_append(&t->bytes, magic, sizeof magic);
    t2_buf_append(out, t->bytes.data, t->bytes.len_bytes);
    t2_buf_release(&handles);
    t2_buf_release(&t->bytes);
    t2_buf_release(&t->place);
    block_release(&metaindex);
    block_release(&t->data);
    block_release(&t->index);
    t2_free(t);
}
