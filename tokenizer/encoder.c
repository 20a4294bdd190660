/*
 * tokenizer/encoder.c - the interface: what is the same for every kind of vocabulary.
 *
 * Entries are copied into one buffer (e->text) with a slice each, by id. Ids of kinds without
 * <pad> and <EOS> at 0 and 1 are shifted by e->offset = 2 (tok_shift), so that every vocabulary
 * fits data sets of T2T; a kind never sees shifted ids.
 */
#include "tokenizer/encoder.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "tokenizer/encoder_kinds.h"

/* ---- lists of ids ---- */

void tok_ids_reserve(struct tok_ids *ids, size_t extra)
{
    if (ids->capacity - ids->n >= extra)
        return;
    ids->capacity += ids->capacity / 2 + extra + 16;
    ids->items = t2_realloc(ids->items, ids->capacity, sizeof *ids->items);
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
    memcpy(ids->items + ids->n, items, n * sizeof *items);
    ids->n += n;
}

void tok_ids_release(struct tok_ids *ids)
{
    t2_free(ids->items);
    *ids = (struct tok_ids){NULL, 0, 0};
}

void tok_ends_push(struct tok_ends *ends, size_t end)
{
    if (ends->n == ends->capacity) {
        ends->capacity += ends->capacity / 2 + 16;
        ends->items = t2_realloc(ends->items, ends->capacity, sizeof *ends->items);
    }
    ends->items[ends->n++] = end;
}

void tok_ends_release(struct tok_ends *ends)
{
    t2_free(ends->items);
    *ends = (struct tok_ends){NULL, 0, 0};
}

/* ---- any kind ---- */

struct tok_encoder *tok_encoder_new(const struct tok_kind *kind, const struct t2_slice *entries,
                                    size_t n)
{
    struct tok_encoder *e = t2_alloc(1, sizeof *e);
    size_t at = 0;

    T2_ASSERT(n <= INT32_MAX);
    e->kind = kind;
    e->n = (int32_t) n;
    e->special = (struct tok_special){-1, -1, -1, -1};
    e->entries = t2_alloc(n, sizeof *e->entries);
    t2_buf_init(&e->text);
    for (size_t i = 0; i < n; i++)
        t2_buf_append(&e->text, entries[i].data, entries[i].len_bytes);
    for (size_t i = 0; i < n; i++) {
        if (entries[i].len_bytes > 0)
            e->entries[i] = (struct t2_slice){e->text.data + at, entries[i].len_bytes};
        at += entries[i].len_bytes;
    }
    return e;
}

void tok_free(struct tok_encoder *e)
{
    if (!e)
        return;
    if (e->kind->free_model && e->model)
        e->kind->free_model(e->model);
    t2_free(e->entries);
    t2_buf_release(&e->text);
    t2_free(e);
}

enum t2_status tok_check_line(const struct tok_encoder *e, size_t len_bytes, struct t2_err *err)
{
    if (len_bytes <= TOK_MAX_LINE_BYTES)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "a line of %zu bytes is too long for %s, which takes %d",
                   len_bytes, e->kind->name, TOK_MAX_LINE_BYTES);
}

static void shift_ids(const struct tok_encoder *e, struct tok_ids *ids, size_t from)
{
    if (e->offset != 0)
        for (size_t i = from; i < ids->n; i++)
            ids->items[i] += e->offset;
}

enum t2_status tok_encode(const struct tok_encoder *e, struct tok_cache *cache, const uint8_t *text,
                          size_t len_bytes, struct tok_ids *ids, struct t2_err *err)
{
    size_t n_before = ids->n;
    enum t2_status st = e->kind->encode(e, cache, text, len_bytes, ids, err);

    if (st != T2_OK)
        ids->n = n_before;
    shift_ids(e, ids, n_before);
    return st;
}

static enum t2_status encode_one_by_one(const struct tok_encoder *e, struct tok_cache *cache,
                                        const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                        struct tok_ends *ends, struct t2_err *err)
{
    const uint8_t *at = text, *end = text + len_bytes;

    while (at < end) {
        const uint8_t *feed = memchr(at, '\n', (size_t) (end - at)), *to = feed ? feed : end;

        T2_TRY(tok_encode(e, cache, at, (size_t) (to - at), ids, err));
        tok_ends_push(ends, ids->n);
        at = feed ? to + 1 : end;
    }
    return T2_OK;
}

/*
 * A kind may encode many lines at once, without a place in its errors; after a failure the lines
 * are encoded again one by one, and the message has the number of the line.
 */
enum t2_status tok_encode_lines(const struct tok_encoder *e, struct tok_cache *cache,
                                const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                struct tok_ends *ends, struct t2_err *err)
{
    size_t n_ids = ids->n, n_ends = ends->n;

    if (e->kind->encode_lines) {
        struct t2_err unused = T2_ERR_INIT;

        if (e->kind->encode_lines(e, cache, text, len_bytes, ids, ends, &unused) == T2_OK) {
            shift_ids(e, ids, n_ids);
            return T2_OK;
        }
        /* It works across lines; one by one finds the line at which it failed. */
        ids->n = n_ids;
        ends->n = n_ends;
    }
    return encode_one_by_one(e, cache, text, len_bytes, ids, ends, err);
}

enum t2_status tok_pieces(const struct tok_encoder *e, struct tok_cache *cache, const uint8_t *text,
                          size_t len_bytes, struct t2_buf *out, struct t2_err *err)
{
    struct tok_ids ids = {NULL, 0, 0};
    enum t2_status st;

    if (e->kind->pieces)
        return e->kind->pieces(e, text, len_bytes, out, err);
    st = tok_encode(e, cache, text, len_bytes, &ids, err);
    for (size_t i = 0; st == T2_OK && i < ids.n; i++) {
        struct t2_slice piece = tok_entry(e, ids.items[i]);

        if (i > 0)
            t2_buf_push(out, ' ');
        t2_buf_append(out, piece.data, piece.len_bytes);
    }
    tok_ids_release(&ids);
    return st;
}

/* Ids below the offset are <pad> and <EOS>, as the byte encoder has them. */
static void decode_shifted(const struct tok_encoder *e, const int32_t *ids, size_t n,
                           struct t2_buf *text)
{
    struct tok_ids native = {NULL, 0, 0};

    tok_ids_reserve(&native, n);
    for (size_t i = 0; i < n; i++) {
        if (ids[i] >= e->offset) {
            native.items[native.n++] = ids[i] - e->offset;
            continue;
        }
        e->kind->decode(e, native.items, native.n, text);
        native.n = 0;
        if (ids[i] == TOK_PAD || ids[i] == TOK_EOS)
            t2_buf_puts(text, ids[i] == TOK_PAD ? "<pad>" : "<EOS>");
    }
    e->kind->decode(e, native.items, native.n, text);
    tok_ids_release(&native);
}

void tok_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    if (e->offset != 0)
        decode_shifted(e, ids, n, text);
    else
        e->kind->decode(e, ids, n, text);
}

void tok_shift(struct tok_encoder *e)
{
    e->is_bare = true;
    if (!e->kind->keeps_ids && (e->special.pad != TOK_PAD || e->special.eos != TOK_EOS))
        e->offset = TOK_EOS + 1;
}

int32_t tok_offset(const struct tok_encoder *e)
{
    return e->offset;
}

void tok_file_suffix(const struct tok_encoder *e, char suffix[TOK_FILE_SUFFIX_BYTES])
{
    const char *name = e->kind->name;
    size_t n = 0;

    for (; name[n] != 0 && name[n] != ' ' && n + 1 < TOK_FILE_SUFFIX_BYTES; n++)
        suffix[n] = (char) (name[n] >= 'A' && name[n] <= 'Z' ? name[n] + ('a' - 'A') : name[n]);
    suffix[n] = 0;
}

bool tok_is_data_set_file(const struct tok_encoder *e, const char *path)
{
    static const char *const sides[] = {"", ".source", ".target"};
    const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    char suffix[TOK_FILE_SUFFIX_BYTES];

    tok_file_suffix(e, suffix);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        char *end = t2_asprintf(".%s%s", suffix, sides[i]);
        bool is = t2_starts_with(base, "vocab.") && t2_ends_with(base, end);

        t2_free(end);
        if (is)
            return true;
    }
    return false;
}

struct tok_special tok_special(const struct tok_encoder *e)
{
    struct tok_special s = e->special;

    if (e->offset != 0) {
        s.pad = TOK_PAD;
        s.eos = TOK_EOS;
        s.unknown += s.unknown >= 0 ? e->offset : 0;
        s.bos += s.bos >= 0 ? e->offset : 0;
    }
    return s;
}

int32_t tok_size(const struct tok_encoder *e)
{
    return e->n + e->offset;
}

struct t2_slice tok_entry(const struct tok_encoder *e, int32_t id)
{
    if (e->offset != 0 && (id == TOK_PAD || id == TOK_EOS))
        return t2_slice_of(id == TOK_PAD ? "<pad>" : "<EOS>");
    if (id < e->offset || id - e->offset >= e->n)
        return (struct t2_slice){NULL, 0};
    return e->entries[id - e->offset];
}

const char *tok_kind(const struct tok_encoder *e)
{
    return e->kind->name;
}

void tok_sha256(const struct tok_encoder *e, char hex[65])
{
    struct t2_buf file;

    if (e->sha256[0] != 0) {
        memcpy(hex, e->sha256, sizeof e->sha256);
        return;
    }
    t2_buf_init(&file);
    if (e->kind->write)
        e->kind->write(e, &file);
    t2_sha256_of(file.data, file.len_bytes, hex);
    t2_buf_release(&file);
}

void tok_write(const struct tok_encoder *e, struct t2_buf *file)
{
    if (e->kind->write)
        e->kind->write(e, file);
}

enum t2_status tok_save(const struct tok_encoder *e, const char *path, struct t2_err *err)
{
    struct t2_buf file;
    enum t2_status st;

    if (!e->kind->write)
        return t2_fail(err, T2_EUSAGE, "'%s': a vocabulary of %s has no file of its own", path,
                       e->kind->name);
    t2_buf_init(&file);
    e->kind->write(e, &file);
    st = t2_write_file(path, file.data, file.len_bytes, err);
    t2_buf_release(&file);
    return st;
}
