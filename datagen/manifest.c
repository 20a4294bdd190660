/*
 * datagen/manifest.c - reading a manifest.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "datagen/problem.h"

enum { MAX_MANIFEST_BYTES = 256 << 20, MAX_SHARDS = 100000 };

/* Where we are in the file, for messages; the first failure is kept in err. */
struct place {
    const char *path;
    struct t2_err *err;
    enum t2_status status;
};

char *dg_manifest_path(const char *data_dir, const char *base_name)
{
    char *file = t2_asprintf("%s.manifest.json", base_name);
    char *path = t2_path_join(data_dir, file);

    t2_free(file);
    return path;
}

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

static bool get_bool(struct place *at, const struct t2_json_value *object, const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    if (t2_json_type(v) != T2_JSON_BOOL)
        complain(at, key, "true or false");
    return t2_json_as_bool(v, false);
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

static void load_vocab(struct place *at, const struct t2_json_value *vocabs, const char *side,
                       struct dg_vocab_info *v)
{
    static const enum dg_vocab_kind kinds[] = {DG_VOCAB_SUBWORDS, DG_VOCAB_TOKENS, DG_VOCAB_BYTES};
    const struct t2_json_value *object = t2_json_get(vocabs, side);
    const char *kind = t2_json_as_string(t2_json_get(object, "kind"), "");
    size_t i;

    for (i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
        if (strcmp(kind, dg_vocab_kind_name(kinds[i])) == 0)
            break;
    }
    if (i == sizeof kinds / sizeof *kinds) {
        complain(at, "kind", "a kind of vocabulary");
        return;
    }
    v->kind = kinds[i];
    v->size = get_i64(at, object, "size");
    if (v->kind == DG_VOCAB_BYTES)
        return;
    v->file = get_file(at, object, "file");
    get_sha256(at, object, "sha256", v->sha256);
}

static void load_split(struct place *at, const struct t2_json_value *object,
                       struct dg_split_info *s)
{
    const struct t2_json_value *shards = t2_json_get(object, "shards");
    uint64_t total = 0;
    size_t i;

    s->n_records = get_u64(at, object, "records");
    if (t2_json_type(shards) != T2_JSON_ARRAY || t2_json_size(shards) > MAX_SHARDS) {
        complain(at, "shards", "a list of shards");
        return;
    }
    s->n_shards = t2_json_size(shards);
    s->shards = t2_alloc(s->n_shards, sizeof *s->shards);
    for (i = 0; i < s->n_shards; ++i) {
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

static void load_features(struct place *at, const struct t2_json_value *list, struct dg_manifest *m)
{
    size_t i;

    if (t2_json_type(list) != T2_JSON_ARRAY) {
        complain(at, "features", "a list");
        return;
    }
    m->n_features = t2_json_size(list);
    m->features = t2_alloc(m->n_features, sizeof *m->features);
    for (i = 0; i < m->n_features; ++i) {
        const struct t2_json_value *object = t2_json_item(list, i);
        struct dg_feature_info *f = &m->features[i];
        f->name = get_string(at, object, "name");
        f->kind = get_string(at, object, "kind");
        f->min_length = get_u64(at, object, "min_length");
        f->max_length = get_u64(at, object, "max_length");
        f->n_values = get_u64(at, object, "n_values");
        f->min_value = get_i64(at, object, "min_value");
        f->max_value = get_i64(at, object, "max_value");
    }
}

static void load_all(struct place *at, const struct t2_json_value *root, struct dg_manifest *m)
{
    const struct t2_json_value *splits = t2_json_get(root, "splits");
    const struct t2_json_value *vocabs = t2_json_get(root, "vocabularies");
    size_t i;

    if (strcmp(t2_json_as_string(t2_json_get(root, "format"), ""), "t2t.c data set") != 0)
        complain(at, "format", "\"t2t.c data set\"");
    else if (t2_json_as_i64(t2_json_get(root, "format_version"), 0) != 1)
        complain(at, "format_version", "1, the only one this program knows");
    m->problem = get_string(at, root, "problem");
    m->dataset_filename = get_file(at, root, "dataset_filename");
    m->version = get_string(at, root, "version");
    m->command = get_string(at, root, "command");
    m->random_seed = get_u64(at, root, "random_seed");
    m->has_inputs = get_bool(at, root, "has_inputs");
    m->input_space_id = (int) get_i64(at, root, "input_space_id");
    m->target_space_id = (int) get_i64(at, root, "target_space_id");
    if (m->has_inputs)
        load_vocab(at, vocabs, "inputs", &m->inputs_vocab);
    load_vocab(at, vocabs, "targets", &m->targets_vocab);
    load_features(at, t2_json_get(root, "features"), m);
    for (i = 0; i < DG_N_SPLITS; ++i) {
        const struct t2_json_value *split = t2_json_get(splits, dg_split_name((enum dg_split) i));
        if (t2_json_type(split) == T2_JSON_OBJECT)
            load_split(at, split, &m->splits[i]);
    }
    m->n_dropped = get_u64(at, t2_json_get(root, "dropped"), "total");
    get_sha256(at, root, "data_sha256", m->data_sha256);
}

enum t2_status dg_manifest_parse(const char *text, size_t len_bytes, const char *origin,
                                 struct dg_manifest **m, struct t2_err *err)
{
    struct place at = {origin, err, T2_OK};
    struct t2_json_doc *doc = NULL;

    *m = NULL;
    T2_TRY(t2_json_parse(text, len_bytes, origin, &doc, err));
    *m = t2_alloc(1, sizeof **m);
    load_all(&at, t2_json_root(doc), *m);
    t2_sha256_of(text, len_bytes, (*m)->sha256);
    t2_json_free(doc);
    if (at.status != T2_OK) {
        dg_manifest_free(*m);
        *m = NULL;
    }
    return at.status;
}

enum t2_status dg_manifest_load(const char *path, struct dg_manifest **m, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st;

    *m = NULL;
    T2_TRY(t2_read_file(path, MAX_MANIFEST_BYTES, &text, err));
    st = dg_manifest_parse(t2_buf_cstr(&text), text.len_bytes, path, m, err);
    t2_buf_release(&text);
    return st;
}

void dg_manifest_free(struct dg_manifest *m)
{
    size_t i, k;

    if (!m)
        return;
    t2_free(m->problem);
    t2_free(m->dataset_filename);
    t2_free(m->command);
    t2_free(m->version);
    t2_free(m->inputs_vocab.file);
    t2_free(m->targets_vocab.file);
    for (i = 0; i < DG_N_SPLITS; ++i) {
        for (k = 0; k < m->splits[i].n_shards; ++k)
            t2_free(m->splits[i].shards[k].file);
        t2_free(m->splits[i].shards);
    }
    for (i = 0; i < m->n_features; ++i) {
        t2_free(m->features[i].name);
        t2_free(m->features[i].kind);
    }
    t2_free(m->features);
    t2_free(m);
}
