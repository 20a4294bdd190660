/*
 * Fuzz target: any bytes as a checkpoint of TensorFlow's.  The first byte says how: as the index
 * itself, with the checksums of its blocks put right; as entries of an index, with theirs; as a
 * block of snappy's; as an object graph.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "tests/fuzz/right_crcs.h"
#include "train/ckpt/block_table.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/bundle_entry.h"
#include "train/ckpt/object_graph.h"
#include "train/ckpt/snappy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FOOTER_BYTES = 48, TAG_CRC = 6 << 3 | 5 };

static void open_bundle(struct t2_slice index, struct t2_slice data)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    volatile uint8_t last = 0;

    if (ckpt_open_bundle_memory(index, &data, 1, "fuzz", &f, &err) != T2_OK) {
        T2_ASSERT(err.message[0] != '\0' && !f);
        return;
    }
    for (size_t i = 0; i < ckpt_count(f); i++) {
        const struct ckpt_tensor *t = ckpt_at(f, i);

        T2_ASSERT(ckpt_find(f, t->name) == t);
        if (t->n_bytes > 0)
            last = ((const uint8_t *) t->data)[t->n_bytes - 1];
    }
    (void) last;
    ckpt_close(f);
}

/* The place of a block is read from w, its checksum put right; false when it lies elsewhere. */
static bool right_block(uint8_t *p, size_t size, struct t2_wire *w, struct t2_slice *block)
{
    uint64_t at, n;

    if (!t2_wire_varint(w, T2_VARINT_MAX_BYTES, &at) ||
        !t2_wire_varint(w, T2_VARINT_MAX_BYTES, &n) || n > size || at > size - n ||
        size - n - at < 5)
        return false;
    put_crc(p + at + n + 1, p + at, (size_t) n + 1);
    *block = (struct t2_slice){p + at, (size_t) n};
    return true;
}

/* The data blocks that entries of the index name, then the index itself. */
static void right_blocks(uint8_t *p, size_t size)
{
    struct t2_slice index, block;
    struct t2_wire footer, w;
    uint64_t shared, n_key, n_value;
    size_t n_restarts;

    if (size < FOOTER_BYTES)
        return;
    footer.p = p + size - FOOTER_BYTES;
    footer.end = p + size;
    if (!right_block(p, size - FOOTER_BYTES, &footer, &index) ||
        !right_block(p, size - FOOTER_BYTES, &footer, &index))
        return;
    w = t2_wire_of(index);
    n_restarts = index.len_bytes < 4 ? 0 : 4 * (1 + (size_t) index.data[index.len_bytes - 4]);
    if (n_restarts <=
        index.len_bytes) /* restarts: of an index one for each entry; here not more than 255 */
        w.end -= n_restarts;
    while (t2_wire_varint(&w, 5, &shared) && t2_wire_varint(&w, 5, &n_key) &&
           t2_wire_varint(&w, 5, &n_value) && n_key <= (uint64_t) (w.end - w.p)) {
        w.p += n_key;
        if (!right_block(p, size - FOOTER_BYTES, &w, &block))
            break;
    }
    put_crc(p + (index.data - p) + index.len_bytes + 1, index.data, index.len_bytes + 1);
}

/* Bytes of a key, of a value, key, value; a zero and a zero end the entries, data follow. */
static void with_entries(const uint8_t *p, size_t size)
{
    struct ckpt_table *t = ckpt_table_new();
    struct t2_buf index = {0};
    struct t2_slice before = {NULL, 0}, data;
    const uint8_t *at = p, *end = p + size;

    while (end - at >= 2 && (at[0] || at[1]) && end - at - 2 >= at[0] + at[1])
        at += 2 + at[0] + at[1];
    data = (struct t2_slice){at, (size_t) (end - at)};
    ckpt_table_add(t, t2_slice_of(""), (struct t2_slice){(const uint8_t *) "\x08\x01", 2});
    for (const uint8_t *e = p; e < at; e += 2 + e[0] + e[1]) {
        struct t2_slice key = {e + 2, e[0]}, value = {e + 2 + e[0], e[1]};
        struct ckpt_bundle_entry entry;
        uint8_t *copy, *crc;

        if (t2_slice_cmp(before, key) >= 0)
            continue;
        before = key;
        copy = (uint8_t *) t2_bytes_dup(value.data, value.len_bytes);
        crc = memchr(copy, TAG_CRC, value.len_bytes);
        if (ckpt_bundle_parse_entry(value, &entry) && entry.offset <= data.len_bytes &&
            entry.n_bytes <= data.len_bytes - entry.offset && crc &&
            (size_t) (copy + value.len_bytes - crc) >= 5)
            put_crc(crc + 1, data.data + entry.offset, (size_t) entry.n_bytes);
        ckpt_table_add(t, key, (struct t2_slice){copy, value.len_bytes});
        t2_free(copy);
    }
    ckpt_table_finish(t, &index);
    open_bundle(t2_buf_slice(&index), data);
    t2_buf_release(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_slice rest = {data + 1, size - 1}, zeros = {data, 0};
    struct ckpt_graph_names names;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    uint8_t *copy;

    if (size == 0)
        return 0;
    switch (data[0] % 4) {
    case 0:
        copy = (uint8_t *) t2_bytes_dup(rest.data, rest.len_bytes);
        right_blocks(copy, rest.len_bytes);
        open_bundle((struct t2_slice){copy, rest.len_bytes}, zeros);
        t2_free(copy);
        break;
    case 1:
        with_entries(rest.data, rest.len_bytes);
        break;
    case 2:
        if (ckpt_snappy_unpack(rest, &out, &err) != T2_OK)
            T2_ASSERT(err.message[0] != '\0');
        t2_buf_release(&out);
        break;
    default:
        if (ckpt_object_graph_names(rest, &names, &err) == T2_OK)
            T2_ASSERT(names.keys.n == names.names.n);
        ckpt_graph_names_release(&names);
    }
    return 0;
}
