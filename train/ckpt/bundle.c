/*
 * train/ckpt/bundle.c - reading bundles: the index's entries, then every tensor's place and
 * checksum.
 *
 * The index is a table (block_table.h).  Key "" has the header; keys that begin with a zero byte
 * are slices of partitioned variables, which bundle_slices.c puts together; the others are tensors.
 * No byte of the data may be used twice, so that the work is bounded by the size of the files.
 */
#include "train/ckpt/bundle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/protobuf.h"
#include "train/ckpt/block_table.h"
#include "train/ckpt/bundle_slices.h"
#include "train/ckpt/object_graph.h"

enum { MAX_SHARDS = 100000, MIN_CONSUMER = 1 };
static const char graph_key[] = "_CHECKPOINTABLE_OBJECT_GRAPH";

/* ---- the header ---- */

/* BundleHeaderProto {num_shards 1, endianness 2 (0 little), version 3 {producer 1, min_consumer
 * 2}}. */
static enum t2_status read_header(struct ckpt_bundle *b, struct t2_slice bytes, struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(bytes), v = {NULL, NULL};
    uint64_t n_shards = 0, endianness = 0, number, min_consumer = 0;
    struct t2_slice version;
    uint32_t tag;
    bool ok = true;

    while (ok && t2_wire_more(&w) && (ok = t2_wire_tag(&w, &tag))) {
        if (tag == T2_TAG(1, T2_WIRE_VARINT)) {
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &n_shards);
        } else if (tag == T2_TAG(2, T2_WIRE_VARINT)) {
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &endianness);
        } else if (tag == T2_TAG(3, T2_WIRE_BYTES)) {
            ok = t2_wire_bytes(&w, &version);
            v = ok ? t2_wire_of(version) : v;
        } else {
            ok = t2_wire_skip(&w, tag, 0);
        }
    }
    while (ok && t2_wire_more(&v) && (ok = t2_wire_tag(&v, &tag))) {
        bool is_min = tag == T2_TAG(2, T2_WIRE_VARINT);

        ok = is_min ? t2_wire_varint(&v, T2_VARINT_MAX_BYTES, &number) : t2_wire_skip(&v, tag, 1);
        if (ok && is_min)
            min_consumer = number;
    }
    if (!ok || n_shards == 0 || n_shards > MAX_SHARDS)
        return t2_fail(err, T2_EFORMAT, "'%s': its header is damaged", b->f->path);
    if (endianness != 0)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' was written on a big-endian machine",
                       b->f->path);
    if (min_consumer > MIN_CONSUMER)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s' is for readers of version %" PRIu64, b->f->path,
                       min_consumer);
    b->n_shards = (size_t) n_shards;
    b->shards = t2_alloc(b->n_shards, sizeof *b->shards);
    return T2_OK;
}

/* ---- entries ---- */

static enum t2_status keep_entry(void *context, struct t2_slice key, struct t2_slice value,
                                 struct t2_err *err)
{
    struct ckpt_bundle *b = context;
    struct ckpt_bundle_item *item;

    if (key.len_bytes == 0)
        return read_header(b, value, err);
    if (b->n_items == b->items_capacity) {
        b->items_capacity = 2 * b->items_capacity + 64;
        b->items = t2_realloc(b->items, b->items_capacity, sizeof *b->items);
    }
    item = &b->items[b->n_items];
    if (!ckpt_bundle_parse_entry(value, &item->entry))
        return t2_fail(err, T2_EFORMAT, "'%s': entry %zu is damaged", b->f->path, b->n_items);
    if (key.data[0] != 0 && memchr(key.data, 0, key.len_bytes))
        return t2_fail(err, T2_EFORMAT, "'%s': the name of tensor %zu has a zero byte", b->f->path,
                       b->n_items);
    item->is_slice = key.data[0] == 0;
    item->key = t2_bytes_dup(key.data, key.len_bytes);
    item->n_key = key.len_bytes;
    item->value = t2_bytes_dup(value.data, value.len_bytes);
    item->n_value = value.len_bytes;
    b->n_items++;
    return T2_OK;
}

static enum t2_status read_tensor(struct ckpt_bundle *b, const char *name,
                                  const struct ckpt_bundle_entry *e, struct ckpt_tensor *t,
                                  struct t2_err *err)
{
    struct t2_slice bytes;

    T2_TRY(ckpt_bundle_sizes(b, name, e, t, err));
    T2_TRY(ckpt_bundle_bytes(b, name, e, &bytes, err));
    if (bytes.len_bytes != t->n_bytes)
        return ckpt_bundle_bad(b, name, "its size is not that of its shape", err);
    if (t2_crc_mask(t2_crc32c(0, bytes.data, bytes.len_bytes)) != e->masked_crc)
        return ckpt_bundle_bad(b, name, "its checksum is wrong", err);
    t->data = bytes.data;
    ckpt_forget(b->f, t->data, t->n_bytes);
    return T2_OK;
}

/* ---- texts ---- */

/* The only element of a tensor of texts: its length, the checksum of the lengths as 32-bit numbers,
 * its bytes; the entry's checksum is of lengths, checksum and bytes. */
static enum t2_status read_text(struct ckpt_bundle *b, const struct ckpt_bundle_item *item,
                                struct t2_slice *text, struct t2_err *err)
{
    uint8_t length[8];
    struct t2_slice bytes;
    struct t2_wire w;
    uint64_t n;
    uint32_t crc;

    T2_TRY(ckpt_bundle_bytes(b, item->key, &item->entry, &bytes, err));
    w = t2_wire_of(bytes);
    if (!t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &n) || w.end - w.p < 4 ||
        n != (uint64_t) (w.end - w.p) - 4)
        return ckpt_bundle_bad(b, item->key, "its length is not that of a text", err);
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t) (n >> 8 * i);
    crc = t2_crc32c(0, length, n > UINT32_MAX ? 8 : 4);
    for (int i = 0; i < 4; i++)
        if (w.p[i] != (uint8_t) (t2_crc_mask(crc) >> 8 * i))
            return ckpt_bundle_bad(b, item->key, "the checksum of its length is wrong", err);
    crc = t2_crc32c(crc, w.p, (size_t) n + 4);
    if (t2_crc_mask(crc) != item->entry.masked_crc)
        return ckpt_bundle_bad(b, item->key, "its checksum is wrong", err);
    *text = (struct t2_slice){w.p + 4, (size_t) n};
    return T2_OK;
}

/* Names by the object graph, where there is one: key -> place in names. */
static enum t2_status read_names(struct ckpt_bundle *b, struct ckpt_graph_names *names,
                                 struct t2_map *by_key, struct t2_err *err)
{
    for (size_t i = 0; i < b->n_items; i++) {
        const struct ckpt_bundle_item *item = &b->items[i];
        struct t2_slice graph;

        if (strcmp(item->key, graph_key) != 0 || item->entry.tf_type != CKPT_TF_STRING ||
            item->entry.rank != 0)
            continue;
        T2_TRY(read_text(b, item, &graph, err));
        if (ckpt_object_graph_names(graph, names, err) != T2_OK)
            return t2_wrap(err, "'%s'", b->f->path);
        for (size_t k = 0; k < names->keys.n; k++)
            *t2_map_at(by_key, names->keys.items[k], strlen(names->keys.items[k]), NULL) = k;
    }
    return T2_OK;
}

/* ---- the whole ---- */

/* "model/layer/kernel/.ATTRIBUTES/VARIABLE_VALUE" without what all have; owned by the caller. */
static char *short_key(const char *key)
{
    static const char end[] = "/.ATTRIBUTES/VARIABLE_VALUE";
    size_t n = strlen(key);

    return t2_strndup(key, t2_ends_with(key, end) ? n - strlen(end) : n);
}

static void add_tensor(struct ckpt_bundle *b, const char *key, const struct ckpt_graph_names *names,
                       const struct t2_map *by_key, const struct ckpt_tensor *t)
{
    struct ckpt_file *f = b->f;
    const uint64_t *at = t2_map_find(by_key, key, strlen(key));
    char *name = at ? t2_strdup(names->names.items[*at]) : short_key(key);

    if (t2_map_find(f->index, name, strlen(name))) { /* taken: the key is unique */
        t2_free(name);
        name = t2_strdup(key);
    }
    f->tensors[f->n_tensors] = *t;
    f->tensors[f->n_tensors].name = name;
    *t2_map_at(f->index, name, strlen(name), NULL) = f->n_tensors++;
    t2_strs_take(&f->names, name);
}

static enum t2_status read_tensors(struct ckpt_bundle *b, const struct ckpt_graph_names *names,
                                   const struct t2_map *by_key, struct t2_err *err)
{
    b->f->tensors = t2_alloc(b->n_items, sizeof *b->f->tensors);
    for (size_t i = 0; i < b->n_items; i++) {
        const struct ckpt_bundle_item *item = &b->items[i];
        struct ckpt_tensor t = {0};

        if (item->is_slice)
            continue;
        if (!ckpt_bundle_type(item->entry.tf_type, &t.type)) {
            if (strcmp(item->key, graph_key) != 0)
                t2_strs_push(&b->f->others, item->key);
            continue;
        }
        if (item->entry.has_slices)
            T2_TRY(ckpt_bundle_join(b, item, &t, err));
        else
            T2_TRY(read_tensor(b, item->key, &item->entry, &t, err));
        add_tensor(b, item->key, names, by_key, &t);
    }
    return T2_OK;
}

static enum t2_status read_all(struct ckpt_bundle *b, struct t2_err *err)
{
    struct ckpt_graph_names names = {0};
    struct t2_map *by_key = t2_map_new();
    uint64_t n_data = 0;
    enum t2_status st;

    for (size_t i = 0; i < b->n_shards; i++)
        n_data += b->shards[i].len_bytes;
    t2_budget_init(&b->work, b->f->path, "bytes of tensors", 0, 1, n_data);
    b->n_data = n_data;
    st = read_names(b, &names, by_key, err);
    if (st == T2_OK)
        st = read_tensors(b, &names, by_key, err);
    t2_map_free(by_key);
    ckpt_graph_names_release(&names);
    return st;
}

static void release(struct ckpt_bundle *b)
{
    for (size_t i = 0; i < b->n_items; i++) {
        t2_free(b->items[i].key);
        t2_free(b->items[i].value);
    }
    t2_free(b->items);
    t2_free(b->shards);
}

static enum t2_status read_index(struct ckpt_bundle *b, struct t2_slice index, struct t2_err *err)
{
    T2_TRY(ckpt_table_read(index, b->f->path, keep_entry, b, err));
    if (b->n_shards == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': it has no header: a table, but not of a checkpoint",
                       b->f->path);
    return T2_OK;
}

enum t2_status ckpt_open_bundle_memory(struct t2_slice index, const struct t2_slice *data, size_t n,
                                       const char *origin, struct ckpt_file **f, struct t2_err *err)
{
    struct ckpt_bundle b = {.f = ckpt_file_new(origin)};
    enum t2_status st = read_index(&b, index, err);

    *f = NULL;
    for (size_t i = 0; st == T2_OK && i < n && i < b.n_shards; i++)
        b.shards[i] = data[i];
    if (st == T2_OK)
        st = read_all(&b, err);
    release(&b);
    if (st == T2_OK)
        *f = b.f;
    else
        ckpt_close(b.f);
    return st;
}

static enum t2_status map_shards(struct ckpt_bundle *b, const char *prefix, struct t2_err *err)
{
    for (size_t i = 0; i < b->n_shards; i++) {
        char *path = t2_asprintf("%s.data-%05zu-of-%05zu", prefix, i, b->n_shards);
        struct t2_mapped map;
        enum t2_status st = t2_map_file(path, &map, err);

        if (st == T2_OK) {
            b->shards[i] = (struct t2_slice){map.data, map.len_bytes};
            ckpt_file_keep_map(b->f, &map);
        }
        t2_free(path);
        T2_TRY(st);
    }
    return T2_OK;
}

static char *index_path(const char *prefix)
{
    return t2_asprintf("%s.index", prefix);
}

enum t2_status ckpt_open_bundle(const char *prefix, struct ckpt_file **f, struct t2_err *err)
{
    char *path = index_path(prefix);
    struct ckpt_bundle b = {.f = ckpt_file_new(path)};
    struct t2_mapped index = {0};
    enum t2_status st;

    *f = NULL;
    T2_GOTO(st, out, t2_map_file(path, &index, err));
    T2_GOTO(st, out, read_index(&b, (struct t2_slice){index.data, index.len_bytes}, err));
    T2_GOTO(st, out, map_shards(&b, prefix, err));
    st = read_all(&b, err);
out:
    release(&b);
    t2_unmap_file(&index);
    t2_free(path);
    if (st == T2_OK)
        *f = b.f;
    else
        ckpt_close(b.f);
    return st;
}

bool ckpt_is_bundle(const char *prefix)
{
    char *path = index_path(prefix);
    bool is = t2_exists(path);

    t2_free(path);
    return is;
}

size_t ckpt_count_others(const struct ckpt_file *f)
{
    return f->others.n;
}

const char *ckpt_other(const struct ckpt_file *f, size_t i)
{
    T2_ASSERT(i < f->others.n);
    return f->others.items[i];
}
