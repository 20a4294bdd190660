/*
 * tfrecord/manifest.c - reading the part of a manifest that every data set has.
 */
#include "tfrecord/manifest.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"

enum { MAX_MANIFEST_BYTES = 256 << 20, MAX_SHARDS = 100000 };

/* Where we are in the file, for messages; the first failure is kept in err. */
struct place {
    const char *path;
    struct t2_err *err;
    enum t2_status status;
};

static void complain(struct place *at, const char *key, const char *wanted)
{
    if (at->status == T2_OK)
        at->status = t2_fail(at->err, T2_EFORMAT, "'%s': \"%s\" is not %s", at->path, key, wanted);
}

static char *get_string(struct place *at, const struct t2_json_value *object, const char *key)
{
    const char *s = t2_json_as_string(t2_json_get(object, key), NULL);

    if (!s)
        complain(at, key, "a string");
    return t2_strdup(s ? s : "");
}

/* The name of a file in the folder of the manifest, never a way out of it. */
static char *get_file(struct place *at, const struct t2_json_value *object, const char *key)
{
    char *s = get_string(at, object, key);

    if (at->status == T2_OK && (*s == '\0' || strchr(s, '/') || strcmp(s, "..") == 0))
        complain(at, key, "a plain file name");
    return s;
}

static int64_t get_i64(struct place *at, const struct t2_json_value *object, const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    if (t2_json_type(v) != T2_JSON_INT)
        complain(at, key, "an integer");
    return t2_json_as_i64(v, 0);
}

static uint64_t get_u64(struct place *at, const struct t2_json_value *object, const char *key)
{
    int64_t v = get_i64(at, object, key);

    if (v < 0)
        complain(at, key, "a count");
    return v < 0 ? 0 : (uint64_t) v;
}

static void get_sha256(struct place *at, const struct t2_json_value *object, const char *key,
                       char out[65])
{
    const char *s = t2_json_as_string(t2_json_get(object, key), "");

    memset(out, 0, 65);
    if (strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64)
        memcpy(out, s, 64);
    else
        complain(at, key, "a SHA-256 in hex");
}

static void load_split(struct place *at, const struct t2_json_value *object,
                       struct tfr_manifest_split *s)
{
    const struct t2_json_value *shards = t2_json_get(object, "shards");
    uint64_t total = 0;

    s->n_records = get_u64(at, object, "records");
    if (t2_json_type(shards) != T2_JSON_ARRAY || t2_json_size(shards) > MAX_SHARDS) {
        complain(at, "shards", "a list of shards");
        return;
    }
    s->n_shards = t2_json_size(shards);
    s->shards = t2_alloc(s->n_shards, sizeof *s->shards);
    for (size_t i = 0; i < s->n_shards; i++) {
        const struct t2_json_value *shard = t2_json_item(shards, i);
        s->shards[i].file = get_file(at, shard, "file");
        s->shards[i].n_records = get_u64(at, shard, "records");
        s->shards[i].bytes = get_u64(at, shard, "bytes");
        get_sha256(at, shard, "sha256", s->shards[i].sha256);
        total += s->shards[i].n_records;
    }
    if (total != s->n_records)
        complain(at, "records", "the sum of the shards' records");
}

static void load_splits(struct place *at, const struct t2_json_value *splits,
                        struct tfr_manifest *m)
{
    if (t2_json_type(splits) != T2_JSON_OBJECT) {
        complain(at, "splits", "an object");
        return;
    }
    m->n_splits = t2_json_size(splits);
    m->splits = t2_alloc(m->n_splits, sizeof *m->splits);
    for (size_t i = 0; i < m->n_splits; i++) {
        const struct t2_json_value *split = NULL;
        m->splits[i].name = t2_strdup(t2_json_member(splits, i, &split));
        load_split(at, split, &m->splits[i]);
    }
}

static void load_features(struct place *at, const struct t2_json_value *list,
                          struct tfr_manifest *m)
{
    if (t2_json_type(list) != T2_JSON_ARRAY) {
        complain(at, "features", "a list");
        return;
    }
    m->n_features = t2_json_size(list);
    m->features = t2_alloc(m->n_features, sizeof *m->features);
    for (size_t i = 0; i < m->n_features; i++) {
        const struct t2_json_value *object = t2_json_item(list, i);
        struct tfr_manifest_feature *f = &m->features[i];
        f->name = get_string(at, object, "name");
        f->kind = get_string(at, object, "kind");
        f->min_length = get_u64(at, object, "min_length");
        f->max_length = get_u64(at, object, "max_length");
        f->n_values = get_u64(at, object, "n_values");
        f->min_value = get_i64(at, object, "min_value");
        f->max_value = get_i64(at, object, "max_value");
    }
}

enum t2_status tfr_manifest_parse(const char *text, size_t len_bytes, const char *origin,
                                  struct tfr_manifest **m, struct t2_err *err)
{
    struct place at = {origin, err, T2_OK};
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *root;

    *m = NULL;
    T2_TRY(t2_json_parse(text, len_bytes, origin, &doc, err));
    root = t2_json_root(doc);
    *m = t2_alloc(1, sizeof **m);
    (*m)->doc = doc;
    (*m)->path = t2_strdup(origin);
    if (strcmp(t2_json_as_string(t2_json_get(root, "format"), ""), "t2t.c data set") != 0)
        complain(&at, "format", "\"t2t.c data set\"");
    else if (t2_json_as_i64(t2_json_get(root, "format_version"), 0) != 1)
        complain(&at, "format_version", "1, the only one this program knows");
    (*m)->problem = get_string(&at, root, "problem");
    load_splits(&at, t2_json_get(root, "splits"), *m);
    load_features(&at, t2_json_get(root, "features"), *m);
    t2_sha256_of(text, len_bytes, (*m)->sha256);
    if (at.status != T2_OK) {
        tfr_manifest_free(*m);
        *m = NULL;
    }
    return at.status;
}

enum t2_status tfr_manifest_load(const char *path, struct tfr_manifest **m, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    *m = NULL;
    T2_TRY(t2_read_file(path, MAX_MANIFEST_BYTES, &text, err));
    st = tfr_manifest_parse(t2_buf_cstr(&text), text.len_bytes, path, m, err);
    t2_buf_release(&text);
    return st;
}

void tfr_manifest_free(struct tfr_manifest *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_splits; i++) {
        for (size_t k = 0; k < m->splits[i].n_shards; k++)
            t2_free(m->splits[i].shards[k].file);
        t2_free(m->splits[i].shards);
        t2_free(m->splits[i].name);
    }
    t2_free(m->splits);
    for (size_t i = 0; i < m->n_features; i++) {
        t2_free(m->features[i].name);
        t2_free(m->features[i].kind);
    }
    t2_free(m->features);
    t2_free(m->path);
    t2_free(m->problem);
    t2_json_free(m->doc);
    t2_free(m);
}
