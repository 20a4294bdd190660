/*
 * tokenizer/labels.c - T2T's ClassLabelEncoder and OneHotClassLabelEncoder.
 */
#include <string.h>

#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/stripped_lines.h"

static void free_model(void *model)
{
    t2_map_free(model);
}

static enum t2_status find(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                           int32_t *id, struct t2_err *err)
{
    const uint64_t *found = t2_map_find(e->model, text, len_bytes);

    if (!found)
        return t2_fail(err, T2_EFORMAT, "'%.*s' is not one of the %d class labels",
                       (int) (len_bytes < 100 ? len_bytes : 100), (const char *) text, (int) e->n);
    *id = (int32_t) *found;
    return T2_OK;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    int32_t id = 0;

    (void) cache;
    T2_TRY(find(e, text, len_bytes, &id, err));
    tok_ids_push(ids, id);
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    for (size_t i = 0; i < n; i++) {
        struct t2_slice label = {NULL, 0};

        if (ids[i] >= 0 && ids[i] < e->n)
            label = e->entries[ids[i]];
        if (i > 0)
            t2_buf_push(text, ' ');
        t2_buf_append(text, label.data, label.len_bytes);
    }
}

static enum t2_status encode_one_hot(const struct tok_encoder *e, struct tok_cache *cache,
                                     const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                     struct t2_err *err)
{
    int32_t id = 0;

    (void) cache;
    T2_TRY(find(e, text, len_bytes, &id, err));
    for (int32_t i = 0; i < e->n; i++)
        tok_ids_push(ids, i == id);
    return T2_OK;
}

/* The label of the first 1; a list of another length is none. */
static void decode_one_hot(const struct tok_encoder *e, const int32_t *ids, size_t n,
                           struct t2_buf *text)
{
    for (int32_t i = 0; n == (size_t) e->n && i < e->n; i++) {
        if (ids[i] != 1)
            continue;
        t2_buf_append(text, e->entries[i].data, e->entries[i].len_bytes);
        return;
    }
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    for (int32_t i = 0; i < e->n; i++) {
        t2_buf_append(file, e->entries[i].data, e->entries[i].len_bytes);
        t2_buf_push(file, '\n');
    }
}

static enum t2_status one_hot_pieces(const struct tok_encoder *e, const uint8_t *text,
                                     size_t len_bytes, struct t2_buf *out, struct t2_err *err)
{
    int32_t id = 0;

    T2_TRY(find(e, text, len_bytes, &id, err));
    t2_buf_append(out, text, len_bytes);
    return T2_OK;
}

static const struct tok_kind label_kind = {
    .name = "class labels",
    .keeps_ids = true,
    .encode = encode,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};
static const struct tok_kind one_hot_kind = {
    .name = "one-hot class labels",
    .keeps_ids = true,
    .encode = encode_one_hot,
    .decode = decode_one_hot,
    .pieces = one_hot_pieces,
    .write = write_file,
    .free_model = free_model,
};

enum t2_status tok_labels_new(const struct t2_slice *labels, size_t n, bool one_hot,
                              struct tok_encoder **e, struct t2_err *err)
{
    struct t2_map *ids;

    *e = NULL;
    if (n == 0 || n > INT32_MAX)
        return t2_fail(err, T2_EFORMAT, "%zu class labels: there must be some", n);
    *e = tok_encoder_new(one_hot ? &one_hot_kind : &label_kind, labels, n);
    (*e)->model = ids = t2_map_new();
    for (size_t i = 0; i < n; i++) {
        bool inserted = false;
        uint64_t *id = t2_map_at(ids, labels[i].data, labels[i].len_bytes, &inserted);
        if (inserted) /* of equal labels the first, as list.index finds it */
            *id = i;
    }
    return T2_OK;
}

enum t2_status tok_labels_load(const char *path, bool one_hot, struct tok_encoder **e,
                               struct t2_err *err)
{
    struct tok_lines l;
    enum t2_status st = tok_stripped_lines(path, &l, err);

    *e = NULL;
    if (st == T2_OK)
        st = tok_labels_new(l.items, l.n, one_hot, e, err);
    if (st == T2_OK)
        memcpy((*e)->sha256, l.sha256, sizeof l.sha256);
    tok_lines_release(&l);
    return st;
}
