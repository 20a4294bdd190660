/*
 * tokenizer/encoder.c - the interface, and the byte encoder.
 */
#include "tokenizer/encoder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"

enum { BYTES_FIRST = 2, BYTES_SIZE = 258 };

/* ---- lists of ids --------------------------------------------------------------------------- */

void tok_ids_reserve(struct tok_ids *ids, size_t extra)
{
    if (ids->capacity - ids->n >= extra)
        return;
    ids->capacity += ids->capacity / 2 + extra + 16;
    ids->items = t2_realloc(ids->items, ids->capacity, sizeof(*ids->items));
}

void tok_ids_push(struct tok_ids *ids, int32_t id)
{
    tok_ids_reserve(ids, 1);
    ids->items[ids->n++] = id;
}

void tok_ids_append(struct tok_ids *ids, const int32_t *items, size_t n)
{
    if (n == 0)
        return;
    tok_ids_reserve(ids, n);
    memcpy(ids->items + ids->n, items, n * sizeof(*items));
    ids->n += n;
}

void tok_ids_release(struct tok_ids *ids)
{
    t2_free(ids->items);
    *ids = (struct tok_ids){NULL, 0, 0};
}

/* ---- bytes ---------------------------------------------------------------------------------- */

struct tok_encoder *tok_bytes_new(void)
{
    uint8_t bytes[BYTES_SIZE - BYTES_FIRST];
    struct t2_slice entries[BYTES_SIZE] = {t2_slice_of("<pad>"), t2_slice_of("<EOS>")};

    for (size_t i = 0; i < sizeof(bytes); ++i) {
        bytes[i] = (uint8_t) i;
        entries[BYTES_FIRST + i] = (struct t2_slice){&bytes[i], 1};
    }
    return tok_encoder_new(TOK_BYTES, entries, BYTES_SIZE);
}

static void encode_bytes(const uint8_t *text, size_t len_bytes, struct tok_ids *ids)
{
    tok_ids_reserve(ids, len_bytes);
    for (size_t i = 0; i < len_bytes; ++i)
        ids->items[ids->n++] = text[i] + BYTES_FIRST;
}

static void decode_bytes(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    struct t2_buf bytes;

    t2_buf_init(&bytes);
    for (size_t i = 0; i < n; ++i) {
        struct t2_slice entry = tok_entry(e, ids[i]);

        t2_buf_append(&bytes, entry.data, entry.len_bytes);
    }
    tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}

/* ---- any kind ------------------------------------------------------------------------------- */

struct tok_encoder *tok_encoder_new(enum tok_kind_id kind, const struct t2_slice *entries, size_t n)
{
    struct tok_encoder *e = t2_alloc(1, sizeof(*e));
    size_t at = 0;

    T2_ASSERT(n <= INT32_MAX);
    e->kind = kind;
    e->is_quoted = kind == TOK_SUBWORDS;
    e->n = (int32_t) n;
    e->unknown = -1;
    e->entries = t2_alloc(n, sizeof(*e->entries));
    t2_buf_init(&e->text);
    for (size_t i = 0; i < n; ++i)
        t2_buf_append(&e->text, entries[i].data, entries[i].len_bytes);
    for (size_t i = 0; i < n; ++i) {
        if (entries[i].len_bytes > 0)
            e->entries[i] = (struct t2_slice){e->text.data + at, entries[i].len_bytes};
        at += entries[i].len_bytes;
    }
    return e;
}

void tok_free(struct tok_encoder *e)
{
    if (e == NULL)
        return;
    tok_alphabet_release(&e->alphabet);
    tok_trie_release(&e->trie);
    t2_map_free(e->ids);
    t2_free(e->shapes);
    t2_free(e->entries);
    t2_buf_release(&e->text);
    t2_free(e);
}

enum t2_status tok_encode(const struct tok_encoder *e, struct tok_cache *cache, const uint8_t *text,
                          size_t len_bytes, struct tok_ids *ids, struct t2_err *err)
{
    size_t n_before = ids->n;
    enum t2_status st = T2_OK;

    switch (e->kind) {
    case TOK_SUBWORDS:
        st = tok_subwords_encode(e, cache, text, len_bytes, ids, err);
        break;
    case TOK_TOKENS:
        st = tok_tokens_encode(e, text, len_bytes, ids, err);
        break;
    case TOK_BYTES:
        encode_bytes(text, len_bytes, ids);
        break;
    }
    if (st != T2_OK)
        ids->n = n_before;
    return st;
}

void tok_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    switch (e->kind) {
    case TOK_SUBWORDS:
        tok_subwords_decode(e, ids, n, text);
        break;
    case TOK_TOKENS:
        tok_tokens_decode(e, ids, n, text);
        break;
    case TOK_BYTES:
        decode_bytes(e, ids, n, text);
        break;
    }
}

int32_t tok_size(const struct tok_encoder *e)
{
    return e->n;
}

struct t2_slice tok_entry(const struct tok_encoder *e, int32_t id)
{
    if (id < 0 || id >= e->n)
        return (struct t2_slice){NULL, 0};
    return e->entries[id];
}

const char *tok_kind(const struct tok_encoder *e)
{
    switch (e->kind) {
    case TOK_SUBWORDS:
        return "subwords";
    case TOK_TOKENS:
        return "tokens";
    case TOK_BYTES:
        break;
    }
    return "bytes";
}

void tok_sha256(const struct tok_encoder *e, char hex[65])
{
    struct t2_buf file;

    if (e->sha256[0] != 0) {
        memcpy(hex, e->sha256, sizeof(e->sha256));
        return;
    }
    t2_buf_init(&file);
    if (e->kind != TOK_BYTES)
        tok_write_entries(e, &file);
    t2_sha256_of(file.data, file.len_bytes, hex);
    t2_buf_release(&file);
}

enum t2_status tok_save(const struct tok_encoder *e, const char *path, struct t2_err *err)
{
    struct t2_buf file;
    enum t2_status st;

    if (e->kind == TOK_BYTES)
        return t2_fail(err, T2_EUSAGE, "'%s': the byte encoder has no vocabulary file", path);
    t2_buf_init(&file);
    tok_write_entries(e, &file);
    st = t2_write_file(path, file.data, file.len_bytes, err);
    t2_buf_release(&file);
    return st;
}
