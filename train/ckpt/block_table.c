/*
 * train/ckpt/block_table.c - reading tables.
 *
 *   data blocks | metaindex block | index block | footer of 48 bytes
 *
 * A block is entries (varints: bytes shared with the key before, bytes of its own, bytes of the
 * value; then key's bytes, value), the offsets of those that share nothing (restarts) as 32-bit
 * numbers, and how many these are.  Behind it are a byte that says how it is packed (0 not, 1
 * snappy) and the masked CRC-32C of both.  The footer has the places (offset, bytes; varints) of
 * metaindex and index, zeros up to 40 bytes, and a magic number.  The index's values are the places
 * of the data blocks.
 */
#include "train/ckpt/block_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/budget.h"
#include "base/crc32c.h"
#include "base/protobuf.h"
#include "train/ckpt/snappy.h"

enum { FOOTER_BYTES = 48, HANDLES_BYTES = 40, TRAILER_BYTES = 5, MAX_KEY_BYTES = 1 << 16 };
static const uint8_t magic[8] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};

struct reader {
    struct t2_slice table;
    const char *path;
    struct t2_budget work; /* bytes of blocks and keys: prefixes are cheap to name */
    struct t2_buf last;    /* the key before */
    bool any;              /* there is one */
    ckpt_entry_fn entry;
    void *context;
};

struct place {
    uint64_t offset, bytes;
};

static enum t2_status bad(const struct reader *r, uint64_t offset, const char *what,
                          struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': block at offset %" PRIu64 ": %s", r->path, offset, what);
}

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

static bool read_place(struct t2_wire *w, struct place *p)
{
    return t2_wire_varint(w, T2_VARINT_MAX_BYTES, &p->offset) &&
           t2_wire_varint(w, T2_VARINT_MAX_BYTES, &p->bytes);
}

/* The bytes of a block without its trailer; `unpacked` has them where it was packed. */
static enum t2_status open_block(struct reader *r, struct place at, struct t2_buf *unpacked,
                                 struct t2_slice *block, struct t2_err *err)
{
    uint64_t end = r->table.len_bytes - FOOTER_BYTES;
    const uint8_t *p;

    if (at.bytes > end || end - at.bytes < TRAILER_BYTES ||
        at.offset > end - at.bytes - TRAILER_BYTES)
        return bad(r, at.offset, "it does not lie in the file", err);
    p = r->table.data + at.offset;
    T2_TRY(t2_budget_spend(&r->work, at.bytes, err));
    if (t2_crc_mask(t2_crc32c(0, p, (size_t) at.bytes + 1)) != load32(p + at.bytes + 1))
        return bad(r, at.offset, "its checksum is wrong", err);
    *block = (struct t2_slice){p, (size_t) at.bytes};
    if (p[at.bytes] == 0)
        return T2_OK;
    if (p[at.bytes] != 1)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': block at offset %" PRIu64 ": packed by way %d",
                       r->path, at.offset, p[at.bytes]);
    if (ckpt_snappy_unpack(*block, unpacked, err) != T2_OK)
        return t2_wrap(err, "'%s': block at offset %" PRIu64, r->path, at.offset);
    *block = t2_buf_slice(unpacked);
    return t2_budget_spend(&r->work, block->len_bytes, err);
}

/* The key of one entry, made of the key before (in `key`) and its own end. */
static bool read_entry(struct t2_wire *w, struct t2_buf *key, struct t2_slice *value)
{
    uint64_t n_shared, n_own, n_value;

    if (!t2_wire_varint(w, 5, &n_shared) || !t2_wire_varint(w, 5, &n_own) ||
        !t2_wire_varint(w, 5, &n_value) || n_shared > key->len_bytes ||
        n_own > (uint64_t) (w->end - w->p) || n_value > (uint64_t) (w->end - w->p) - n_own ||
        n_shared + n_own > MAX_KEY_BYTES)
        return false;
    key->len_bytes = (size_t) n_shared;
    t2_buf_append(key, w->p, (size_t) n_own);
    *value = (struct t2_slice){w->p + n_own, (size_t) n_value};
    w->p += n_own + n_value;
    return true;
}

static enum t2_status read_block(struct reader *r, struct place at, ckpt_entry_fn entry,
                                 void *context, struct t2_err *err)
{
    struct t2_buf unpacked = {0}, key = {0};
    struct t2_slice block, value;
    struct t2_wire w;
    uint64_t n_restarts;
    enum t2_status st;

    T2_GOTO(st, out, open_block(r, at, &unpacked, &block, err));
    n_restarts = block.len_bytes >= 4 ? load32(block.data + block.len_bytes - 4) : 0;
    if (n_restarts == 0 || n_restarts > block.len_bytes / 4 - 1) {
        st = bad(r, at.offset, "its restarts do not lie in it", err);
        goto out;
    }
    w.p = block.data;
    w.end = block.data + block.len_bytes - 4 * (n_restarts + 1);
    while (t2_wire_more(&w)) {
        if (!read_entry(&w, &key, &value)) {
            st = bad(r, at.offset, "an entry does not lie in it", err);
            goto out;
        }
        T2_GOTO(st, out, t2_budget_spend(&r->work, key.len_bytes, err));
        T2_GOTO(st, out, entry(context, t2_buf_slice(&key), value, err));
    }
out:
    t2_buf_release(&key);
    t2_buf_release(&unpacked);
    return st;
}

static enum t2_status data_entry(void *context, struct t2_slice key, struct t2_slice value,
                                 struct t2_err *err)
{
    struct reader *r = context;

    if (r->any && t2_slice_cmp(t2_buf_slice(&r->last), key) >= 0)
        return t2_fail(err, T2_EFORMAT, "'%s': keys are not in order", r->path);
    r->any = true;
    t2_buf_clear(&r->last);
    t2_buf_append(&r->last, key.data, key.len_bytes);
    return r->entry(r->context, key, value, err);
}

/* An entry of the index: a data block. */
static enum t2_status index_entry(void *context, struct t2_slice key, struct t2_slice value,
                                  struct t2_err *err)
{
    struct reader *r = context;
    struct t2_wire w = t2_wire_of(value);
    struct place at;

    (void) key;
    if (!read_place(&w, &at))
        return t2_fail(err, T2_EFORMAT, "'%s': the place of a block is damaged", r->path);
    return read_block(r, at, data_entry, r, err);
}

enum t2_status ckpt_table_read(struct t2_slice table, const char *path, ckpt_entry_fn entry,
                               void *context, struct t2_err *err)
{
    struct reader r = {.table = table, .path = path, .entry = entry, .context = context};
    struct place metaindex, index;
    struct t2_wire footer;
    enum t2_status st;

    if (table.len_bytes < FOOTER_BYTES ||
        memcmp(table.data + table.len_bytes - sizeof magic, magic, sizeof magic) != 0)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' is no index of a TensorFlow checkpoint (cut short?): its last bytes "
                       "are not a table's",
                       path);
    footer.p = table.data + table.len_bytes - FOOTER_BYTES;
    footer.end = footer.p + HANDLES_BYTES;
    if (!read_place(&footer, &metaindex) || !read_place(&footer, &index))
        return t2_fail(err, T2_EFORMAT, "'%s': its footer is damaged", path);
    t2_budget_init(&r.work, path, "bytes", 1 << 16, 64, table.len_bytes);
    st = read_block(&r, index, index_entry, &r, err);
    t2_buf_release(&r.last);
    return st;
}
