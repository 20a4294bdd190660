/*
 * tfrecord/manifest.c - reading the part of a manifest that every data set has.
 *
 *   {"format": "t2t.c data set", "format_version": 1, "problem": NAME,
 *    "splits": {SPLIT: {"records": N,
 *                       "shards": [{"file": NAME, "records": N, "bytes": N, "sha256": HEX}, ...]}},
 *    "features": [{"name", "kind", "min_length", "max_length", "n_values",
 *                  "min_value", "max_value"}, ...],
 *    ...}
 *
 * Other members (vocabularies, labels, history, ...) belong to the program that made the set; they
 * stay in m->doc. File names are plain, beside the manifest. Sums are checked here, sizes and
 * hashes where files are opened.
 */
#include "tfrecord/manifest.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_want.h"

enum { MAX_MANIFEST_BYTES = 256 << 20, MAX_SHARDS = 100000 };

static void load_split(struct t2_json_want *w, const struct t2_json_value *object,
                       struct tfr_manifest_split *s)
{
    const struct t2_json_value *shards = t2_json_get(object, "shards");
    uint64_t total = 0;

    s->n_records = t2_json_want_u64(w, object, "records");
    if (t2_json_type(shards) != T2_JSON_ARRAY || t2_json_size(shards) > MAX_SHARDS) {
        t2_json_complain(w, "shards", "a list of shards");
        return;
    }
    s->n_shards = t2_json_size(shards);
    s->shards = t2_alloc(s->n_shards, sizeof *s->shards);
    for (size_t i = 0; i < s->n_shards; i++) {
        const struct t2_json_value *shard = t2_json_item(shards, i);
        s->shards[i].file = t2_json_want_file(w, shard, "file");
        s->shards[i].n_records = t2_json_want_u64(w, shard, "records");
        s->shards[i].bytes = t2_json_want_u64(w, shard, "bytes");
        t2_json_want_sha256(w, shard, "sha256", s->shards[i].sha256);
        /* INT64_MAX at most, so the sum cannot wrap around between two looks. */
        total += s->shards[i].n_records;
        if (total > INT64_MAX) {
            t2_json_complain(w, "records", "a count that can be summed up");
            return;
        }
    }
    if (total != s->n_records)
        t2_json_complain(w, "records", "the sum of the shards' records");
}

static void load_splits(struct t2_json_want *w, const struct t2_json_value *splits,
                        struct tfr_manifest *m)
{
    if (t2_json_type(splits) != T2_JSON_OBJECT) {
        t2_json_complain(w, "splits", "an object");
        return;
    }
    m->n_splits = t2_json_size(splits);
    m->splits = t2_alloc(m->n_splits, sizeof *m->splits);
    for (size_t i = 0; i < m->n_splits; i++) {
        const struct t2_json_value *split = NULL;
        m->splits[i].name = t2_strdup(t2_json_member(splits, i, &split));
        load_split(w, split, &m->splits[i]);
    }
}

static void load_features(struct t2_json_want *w, const struct t2_json_value *list,
                          struct tfr_manifest *m)
{
    if (t2_json_type(list) != T2_JSON_ARRAY) {
        t2_json_complain(w, "features", "a list");
        return;
    }
    m->n_features = t2_json_size(list);
    m->features = t2_alloc(m->n_features, sizeof *m->features);
    for (size_t i = 0; i < m->n_features; i++) {
        const struct t2_json_value *object = t2_json_item(list, i);
        struct tfr_manifest_feature *f = &m->features[i];
        f->name = t2_json_want_string(w, object, "name");
        f->kind = t2_json_want_string(w, object, "kind");
        f->min_length = t2_json_want_u64(w, object, "min_length");
        f->max_length = t2_json_want_u64(w, object, "max_length");
        f->n_values = t2_json_want_u64(w, object, "n_values");
        f->min_value = t2_json_want_i64(w, object, "min_value");
        f->max_value = t2_json_want_i64(w, object, "max_value");
    }
}

/* Two entries for one file are refused: an edit would rewrite one and leave the other wrong. */
static void check_files_differ(struct t2_json_want *w, const struct tfr_manifest *m)
{
    struct t2_strs names = {NULL, 0, 0};

    for (size_t s = 0; s < m->n_splits; s++) {
        for (size_t i = 0; i < m->splits[s].n_shards; i++)
            t2_strs_push(&names, m->splits[s].shards[i].file);
    }
    t2_strs_sort(&names);
    for (size_t i = 1; i < names.n; i++) {
        if (strcmp(names.items[i - 1], names.items[i]) == 0)
            t2_json_complain(w, "splits", "a list of different files");
    }
    t2_strs_release(&names);
}

enum t2_status tfr_manifest_parse(const char *text, size_t len_bytes, const char *origin,
                                  struct tfr_manifest **m, struct t2_err *err)
{
    struct t2_json_want want = {origin, err, T2_OK};
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *root;

    *m = NULL;
    T2_TRY(t2_json_parse(text, len_bytes, origin, &doc, err));
    root = t2_json_root(doc);
    *m = t2_alloc(1, sizeof **m);
    (*m)->doc = doc;
    (*m)->path = t2_strdup(origin);
    if (strcmp(t2_json_as_string(t2_json_get(root, "format"), ""), "t2t.c data set") != 0)
        t2_json_complain(&want, "format", "\"t2t.c data set\"");
    else if (t2_json_as_i64(t2_json_get(root, "format_version"), 0) != 1)
        t2_json_complain(&want, "format_version", "1, the only one this program knows");
    (*m)->problem = t2_json_want_string(&want, root, "problem");
    load_splits(&want, t2_json_get(root, "splits"), *m);
    load_features(&want, t2_json_get(root, "features"), *m);
    if (want.status == T2_OK)
        check_files_differ(&want, *m);
    t2_sha256_of(text, len_bytes, (*m)->sha256);
    if (want.status != T2_OK) {
        tfr_manifest_free(*m);
        *m = NULL;
    }
    return want.status;
}

/* ---- an edit under way ---- */

char *tfr_journal_path(const char *path)
{
    const char *base = t2_path_base(path);
    size_t n = strlen(base);
    char *dir = t2_path_dir(path);
    char *file, *journal;

    if (t2_ends_with(base, TFR_MANIFEST_SUFFIX))
        n -= strlen(TFR_MANIFEST_SUFFIX);
    file = t2_asprintf(".%.*s.edit.json", (int) n, base);
    journal = t2_path_join(dir, file);
    t2_free(file);
    t2_free(dir);
    return journal;
}

/* A journal is valid as long as the manifest is the one that it is meant to replace. */
static enum t2_status check_no_edit(const struct tfr_manifest *m, struct t2_err *err)
{
    struct t2_err problem = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    char *path = tfr_journal_path(m->path);
    enum t2_status st = T2_OK;

    if (t2_exists(path))
        st = t2_json_load(path, &doc, &problem);
    if (st == T2_EIO) {
        *err = problem;
    } else if (st != T2_OK || !doc) { /* none, or none of ours */
        st = T2_OK;
    } else {
        const struct t2_json_value *root = t2_json_root(doc);
        if (strcmp(t2_json_as_string(t2_json_get(root, "before"), ""), m->sha256) == 0)
            st = t2_fail(err, T2_EIO,
                         "'%s': an edit of this data set is under way or was stopped halfway; when "
                         "none is running, finish it with: %s",
                         m->path, t2_json_as_string(t2_json_get(root, "command"), "tfrec"));
    }
    t2_json_free(doc);
    t2_free(path);
    return st;
}

enum t2_status tfr_manifest_load(const char *path, struct tfr_manifest **m, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st;

    *m = NULL;
    T2_TRY(t2_read_file(path, MAX_MANIFEST_BYTES, &text, err));
    st = tfr_manifest_parse(t2_buf_cstr(&text), text.len_bytes, path, m, err);
    t2_buf_release(&text);
    if (st == T2_OK && (st = check_no_edit(*m, err)) != T2_OK) {
        tfr_manifest_free(*m);
        *m = NULL;
    }
    return st;
}

/* ---- the rest ---- */

void tfr_manifest_release_split(struct tfr_manifest_split *s)
{
    for (size_t k = 0; k < s->n_shards; k++)
        t2_free(s->shards[k].file);
    t2_free(s->shards);
    t2_free(s->name);
    *s = (struct tfr_manifest_split){0};
}

void tfr_manifest_release_feature(struct tfr_manifest_feature *f)
{
    t2_free(f->name);
    t2_free(f->kind);
    *f = (struct tfr_manifest_feature){0};
}

void tfr_manifest_free(struct tfr_manifest *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_splits; i++)
        tfr_manifest_release_split(&m->splits[i]);
    t2_free(m->splits);
    for (size_t i = 0; i < m->n_features; i++)
        tfr_manifest_release_feature(&m->features[i]);
    t2_free(m->features);
    t2_free(m->path);
    t2_free(m->problem);
    t2_json_free(m->doc);
    t2_free(m);
}

uint64_t tfr_manifest_records(const struct tfr_manifest *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n_splits; i++)
        n += m->splits[i].n_records;
    return n;
}

struct tfr_manifest_split *tfr_manifest_find_split(const struct tfr_manifest *m, const char *name)
{
    for (size_t i = 0; i < m->n_splits; i++) {
        if (strcmp(m->splits[i].name, name) == 0)
            return &m->splits[i];
    }
    return NULL;
}

struct tfr_manifest_feature *tfr_manifest_find_feature(const struct tfr_manifest *m,
                                                       const char *name)
{
    for (size_t i = 0; i < m->n_features; i++) {
        if (strcmp(m->features[i].name, name) == 0)
            return &m->features[i];
    }
    return NULL;
}
