/*
 * tfrecord/manifest_text.c - a manifest as text.
 *
 * Nothing in it depends on time, machine or number of threads: the same work gives the same bytes.
 */
#include <string.h>

#include "base/hash.h"
#include "base/json_copy.h"
#include "tfrecord/manifest.h"

/* ---- the hash of the data ---- */

void tfr_manifest_hash_file(struct t2_sha256 *h, const char *sha256, const char *file)
{
    t2_sha256_update(h, sha256, strlen(sha256));
    t2_sha256_update(h, "  ", 2);
    t2_sha256_update(h, file, strlen(file));
    t2_sha256_update(h, "\n", 1);
}

void tfr_manifest_hash_split(struct t2_sha256 *h, const struct tfr_manifest_split *s)
{
    for (size_t i = 0; i < s->n_shards; i++)
        tfr_manifest_hash_file(h, s->shards[i].sha256, s->shards[i].file);
}

void tfr_manifest_hash_data(const struct tfr_manifest *m, char sha256[65])
{
    static const char *const sides[] = {"inputs", "targets"};
    const struct t2_json_value *vocabs =
        m->doc ? t2_json_get(t2_json_root(m->doc), "vocabularies") : NULL;
    struct t2_sha256 *h = t2_sha256_new();

    for (size_t i = 0; i < m->n_splits; i++)
        tfr_manifest_hash_split(h, &m->splits[i]);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct t2_json_value *side = t2_json_get(vocabs, sides[i]);
        const char *file = t2_json_as_string(t2_json_get(side, "file"), NULL);
        if (file)
            tfr_manifest_hash_file(h, t2_json_as_string(t2_json_get(side, "sha256"), ""), file);
    }
    t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
}

/* ---- parts ---- */

void tfr_manifest_put_features(struct t2_json *j, const struct tfr_manifest_feature *features,
                               size_t n_features)
{
    t2_json_key(j, "features");
    t2_json_array(j);
    for (size_t i = 0; i < n_features; i++) {
        const struct tfr_manifest_feature *f = &features[i];
        t2_json_object(j);
        t2_json_kv_string(j, "name", f->name);
        t2_json_kv_string(j, "kind", f->kind);
        t2_json_kv_u64(j, "min_length", f->min_length);
        t2_json_kv_u64(j, "max_length", f->max_length);
        t2_json_kv_u64(j, "n_values", f->n_values);
        t2_json_kv_i64(j, "min_value", f->min_value);
        t2_json_kv_i64(j, "max_value", f->max_value);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}

void tfr_manifest_put_split(struct t2_json *j, const char *name, const struct tfr_manifest_split *s)
{
    t2_json_key(j, name);
    t2_json_object(j);
    t2_json_kv_u64(j, "records", s->n_records);
    t2_json_key(j, "shards");
    t2_json_array(j);
    for (size_t i = 0; i < s->n_shards; i++) {
        t2_json_object(j);
        t2_json_kv_string(j, "file", s->shards[i].file);
        t2_json_kv_u64(j, "records", s->shards[i].n_records);
        t2_json_kv_u64(j, "bytes", s->shards[i].bytes);
        t2_json_kv_string(j, "sha256", s->shards[i].sha256);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_end_object(j);
}

static void put_splits(struct t2_json *j, const struct tfr_manifest *m)
{
    t2_json_key(j, "splits");
    t2_json_object(j);
    for (size_t i = 0; i < m->n_splits; i++)
        tfr_manifest_put_split(j, m->splits[i].name, &m->splits[i]);
    t2_json_end_object(j);
}

static void put_edit(struct t2_json *j, const struct tfr_manifest_edit *e, const char *before,
                     const char *after)
{
    t2_json_object(j);
    t2_json_kv_string(j, "command", e->command);
    t2_json_kv_string(j, "version", e->version);
    t2_json_kv_string(j, "edit_sha256", e->edit_sha256);
    t2_json_kv_u64(j, "records_before", e->records_before);
    t2_json_kv_u64(j, "records_after", e->records_after);
    t2_json_kv_string(j, "data_sha256_before", before);
    t2_json_kv_string(j, "data_sha256_after", after);
    t2_json_end_object(j);
}

/* ---- the whole ---- */

struct text {
    struct t2_json j;
    const struct tfr_manifest *m;
    const struct tfr_manifest_edit *edit;
    const char *before; /* data_sha256 */
    char after[65];
};

static enum t2_status put_history(struct text *t, const struct t2_json_value *old,
                                  struct t2_err *err)
{
    if (t2_json_size(old) == 0 && !t->edit)
        return T2_OK;
    t2_json_key(&t->j, "history");
    t2_json_array(&t->j);
    for (size_t i = 0; i < t2_json_size(old); i++)
        T2_TRY(t2_json_copy(&t->j, t2_json_item(old, i), err));
    if (t->edit)
        put_edit(&t->j, t->edit, t->before, t->after);
    t2_json_end_array(&t->j);
    return T2_OK;
}

/* The members of doc in their order, four of them anew; at the end what it does not have. */
static enum t2_status put_members(struct text *t, const struct t2_json_value *root,
                                  struct t2_err *err)
{
    const struct t2_json_value *value = NULL;

    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *key = t2_json_member(root, i, &value);
        if (strcmp(key, "shared_samples") == 0 && t->edit) /* of other records than are there now */
            continue;
        if (strcmp(key, "features") == 0) {
            tfr_manifest_put_features(&t->j, t->m->features, t->m->n_features);
        } else if (strcmp(key, "splits") == 0) {
            put_splits(&t->j, t->m);
        } else if (strcmp(key, "data_sha256") == 0) {
            t2_json_kv_string(&t->j, "data_sha256", t->after);
        } else if (strcmp(key, "history") == 0) {
            T2_TRY(put_history(t, value, err));
        } else {
            t2_json_key(&t->j, key);
            T2_TRY(t2_json_copy(&t->j, value, err));
        }
    }
    if (!t2_json_get(root, "data_sha256"))
        t2_json_kv_string(&t->j, "data_sha256", t->after);
    if (!t2_json_get(root, "history"))
        T2_TRY(put_history(t, NULL, err));
    return T2_OK;
}

static void put_new(struct text *t, const char *command, const char *version)
{
    t2_json_kv_string(&t->j, "format", "t2t.c data set");
    t2_json_kv_i64(&t->j, "format_version", 1);
    t2_json_kv_string(&t->j, "problem", t->m->problem);
    t2_json_kv_string(&t->j, "version", version);
    t2_json_kv_string(&t->j, "command", command);
    tfr_manifest_put_features(&t->j, t->m->features, t->m->n_features);
    put_splits(&t->j, t->m);
    t2_json_kv_string(&t->j, "data_sha256", t->after);
}

enum t2_status tfr_manifest_text(const struct tfr_manifest *m, const char *command,
                                 const char *version, const struct tfr_manifest_edit *edit,
                                 struct t2_buf *out, struct t2_err *err)
{
    struct text t = {.m = m, .edit = edit, .before = ""};
    enum t2_status st = T2_OK;

    tfr_manifest_hash_data(m, t.after);
    t2_json_init(&t.j, out, 1);
    t2_json_object(&t.j);
    if (m->doc) {
        t.before = t2_json_as_string(t2_json_get(t2_json_root(m->doc), "data_sha256"), "");
        st = put_members(&t, t2_json_root(m->doc), err);
    } else {
        put_new(&t, command, version);
    }
    if (st != T2_OK)
        return t2_wrap(err, "'%s'", m->path);
    t2_json_end_object(&t.j);
    t2_buf_push(out, '\n');
    return T2_OK;
}
