/*
 * datagen/sets/check_set.c - comparing a data set with its manifest.
 */
#include "datagen/sets/check_set.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "datagen/sets/check_origin.h"
#include "datagen/sets/manifest_write.h"
#include "datagen/sets/shard_survey.h"
#include "datagen/vocabs/problem_vocab.h"

void dg_checked_release(struct dg_checked *c)
{
    t2_free(c->problem);
    t2_strs_release(&c->errors);
    memset(c, 0, sizeof *c);
}

static void check_file(struct dg_checked *c, const char *dir, const char *file, const char *sha256)
{
    char *path = t2_path_join(dir, file), there[65];
    struct t2_err err = T2_ERR_INIT;
    uint64_t bytes;

    if (t2_sha256_file(path, there, &bytes, &err) != T2_OK)
        t2_strs_printf(&c->errors, "%s", err.message);
    else if (strcmp(there, sha256) != 0)
        t2_strs_printf(&c->errors, "'%s' has SHA-256 %s, the manifest says %s", path, there,
                       sha256);
    t2_free(path);
}

static void check_vocab(struct dg_checked *c, const char *dir, const struct dg_vocab_info *v)
{
    struct tok_encoder *e = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *path;

    if (!v->file)
        return;
    check_file(c, dir, v->file, v->sha256);
    path = t2_path_join(dir, v->file);
    if (dg_vocab_open(path, v->kind, &e, &err) != T2_OK)
        t2_strs_printf(&c->errors, "%s", err.message);
    else if (tok_size(e) != v->size)
        t2_strs_printf(&c->errors, "'%s' has %" PRId32 " entries, the manifest says %" PRId64, path,
                       tok_size(e), v->size);
    tok_free(e);
    t2_free(path);
}

/* The vocabulary whose ids a feature holds; NULL: it holds something else. */
static const struct dg_vocab_info *vocab_of(const struct dg_manifest *m, const char *feature)
{
    const struct dg_vocab_info *v = NULL;

    if (m->is_foreign)
        return NULL;
    if (strcmp(feature, "targets") == 0)
        v = &m->targets_vocab;
    else if (m->has_inputs && (strcmp(feature, "inputs") == 0 || strcmp(feature, "context") == 0))
        v = &m->inputs_vocab;
    return v && v->kind != DG_VOCAB_REALS ? v : NULL;
}

static void check_ids(struct dg_checked *c, const struct dg_manifest *m,
                      const struct dg_surveyed_feature *f)
{
    const struct dg_vocab_info *v = vocab_of(m, f->name);

    if (!v || f->kind != TFR_INT64 || f->n_values == 0)
        return;
    if (f->min_value < 0 || f->max_value >= v->size)
        t2_strs_printf(&c->errors,
                       "feature '%s' has ids from %" PRId64 " to %" PRId64
                       ", its vocabulary has %" PRId64,
                       f->name, f->min_value, f->max_value, v->size);
}

static void check_feature(struct dg_checked *c, const struct dg_survey *all,
                          const struct tfr_manifest_feature *want)
{
    static const char *const kinds[] = {"none", "bytes", "float", "int64"};
    const struct dg_surveyed_feature *f = dg_survey_find(all, want->name);
    uint64_t least;

    if (!f) {
        t2_strs_printf(&c->errors, "no record has the feature '%s'", want->name);
        return;
    }
    if (strcmp(kinds[f->kind], want->kind) != 0)
        t2_strs_printf(&c->errors, "feature '%s' is of kind %s, the manifest says %s", want->name,
                       kinds[f->kind], want->kind);
    /* A record without it counts as length 0 in some manifests, not at all in others. */
    least = f->n_records < all->n_records ? 0 : f->min_length;
    if ((want->min_length != least && want->min_length != f->min_length) ||
        want->max_length != f->max_length || want->n_values != f->n_values)
        t2_strs_printf(&c->errors,
                       "feature '%s' has %" PRIu64 " values, %" PRIu64 " to %" PRIu64
                       " in a record, the manifest says %" PRIu64 ", %" PRIu64 " to %" PRIu64,
                       want->name, f->n_values, least, f->max_length, want->n_values,
                       want->min_length, want->max_length);
    if (f->kind == TFR_INT64 && f->n_values > 0 &&
        (want->min_value != f->min_value || want->max_value != f->max_value))
        t2_strs_printf(&c->errors,
                       "feature '%s' has values from %" PRId64 " to %" PRId64
                       ", the manifest says %" PRId64 " to %" PRId64,
                       want->name, f->min_value, f->max_value, want->min_value, want->max_value);
}

static void check_features(struct dg_checked *c, const struct dg_manifest *m,
                           const struct dg_survey *all)
{
    size_t k;

    for (size_t i = 0; i < m->n_features; i++)
        check_feature(c, all, &m->features[i]);
    for (size_t i = 0; i < all->n_features; i++) {
        for (k = 0; k < m->n_features && strcmp(m->features[k].name, all->features[i].name) != 0;
             k++)
            continue;
        if (k == m->n_features)
            t2_strs_printf(&c->errors, "feature '%s' is not in the manifest",
                           all->features[i].name);
        check_ids(c, m, &all->features[i]);
    }
}

static enum t2_status check_text_files(struct dg_checked *c, const char *manifest_path,
                                       const char *dir, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *files;

    T2_TRY(t2_json_load(manifest_path, &doc, err));
    files = t2_json_get(t2_json_root(doc), "text_files");
    for (size_t i = 0; i < t2_json_size(files); i++) {
        const struct t2_json_value *f = t2_json_item(files, i);
        check_file(c, dir, t2_json_as_string(t2_json_get(f, "file"), ""),
                   t2_json_as_string(t2_json_get(f, "sha256"), ""));
    }
    t2_json_free(doc);
    return T2_OK;
}

static void check_data_hash(struct dg_checked *c, struct dg_manifest *m)
{
    char said[65];

    memcpy(said, m->data_sha256, sizeof said);
    dg_manifest_hash_data(m);
    if (strcmp(said, m->data_sha256) != 0)
        t2_strs_printf(&c->errors,
                       "the manifest contradicts itself: data_sha256 is %s, its entries make %s",
                       said, m->data_sha256);
}

static enum t2_status count_shared(struct dg_checked *c, const struct dg_manifest *m,
                                   const char *dir, struct t2_err *err)
{
    struct dg_hashes hashes[DG_N_SPLITS] = {{0}};
    enum t2_status st = T2_OK;

    for (int i = 0; i < DG_N_SPLITS && st == T2_OK; i++)
        st = dg_hash_shards(&m->splits[i], dir, &hashes[i], err);
    if (st == T2_OK)
        dg_count_shared(hashes, c->shared);
    for (int i = 0; i < DG_N_SPLITS; i++)
        dg_hashes_release(&hashes[i]);
    return st;
}

static enum t2_status check_splits(struct dg_checked *c, const struct dg_manifest *m,
                                   const char *dir, struct t2_pool *pool, struct t2_err *err)
{
    struct dg_survey all = {0};
    enum t2_status st = T2_OK;

    for (size_t split = 0; split < DG_N_SPLITS && st == T2_OK; split++) {
        struct dg_survey one = {0};
        st = dg_survey_split(&m->splits[split], dir, true, pool, &one, err);
        c->n_shards += m->splits[split].n_shards;
        for (size_t i = 0; i < m->splits[split].n_shards; i++)
            c->n_bytes += m->splits[split].shards[i].bytes;
        dg_survey_join(&all, &one);
        dg_survey_release(&one);
    }
    c->n_records = all.n_records;
    for (size_t i = 0; i < all.errors.n; i++)
        t2_strs_push(&c->errors, all.errors.items[i]);
    if (st == T2_OK && all.errors.n == 0)
        check_features(c, m, &all);
    if (st == T2_OK && all.errors.n == 0 &&
        !dg_survey_find(&all, "targets_segmentation")) /* records are samples, not packs of them */
        st = count_shared(c, m, dir, err);
    dg_survey_release(&all);
    return st;
}

enum t2_status dg_check_set(const char *manifest_path, struct t2_pool *pool,
                            struct dg_checked *checked, struct t2_err *err)
{
    char *dir = t2_path_dir(manifest_path);
    struct dg_manifest *m = NULL;
    struct t2_err damage = T2_ERR_INIT;
    enum t2_status st = T2_OK;

    memset(checked, 0, sizeof *checked);
    checked->problem =
        t2_strndup(t2_path_base(manifest_path), strcspn(t2_path_base(manifest_path), "."));
    if (dg_manifest_load(manifest_path, &m, &damage) != T2_OK) {
        t2_strs_printf(&checked->errors, "%s", damage.message);
    } else {
        check_vocab(checked, dir, &m->targets_vocab);
        if (m->has_inputs && m->inputs_vocab.file && m->targets_vocab.file &&
            strcmp(m->inputs_vocab.file, m->targets_vocab.file) != 0)
            check_vocab(checked, dir, &m->inputs_vocab);
        st = check_text_files(checked, manifest_path, dir, err);
        if (st == T2_OK)
            st = check_splits(checked, m, dir, pool, err);
        if (st == T2_OK && !m->is_foreign)
            st = dg_check_origin(m, dir, &checked->errors, err);
        if (st == T2_OK && !m->is_foreign && m->n_edits == 0)
            check_data_hash(checked, m);
    }
    dg_manifest_free(m);
    t2_free(dir);
    return st;
}

static void tell(const struct dg_checked *c, const char *path, bool json, struct t2_buf *out)
{
    struct t2_json j;
    char human[32];

    if (!json) {
        t2_buf_printf(out, "%s: %s: %" PRIu64 " shards, %" PRIu64 " records, %s\n", c->problem,
                      c->errors.n ? "DAMAGED" : "whole", c->n_shards, c->n_records,
                      t2_human_bytes(c->n_bytes, human, sizeof human));
        for (size_t i = 0; i < c->errors.n; i++)
            t2_buf_printf(out, "    %s\n", c->errors.items[i]);
        for (size_t i = 0; i < DG_N_SHARED; i++) {
            if (c->shared[i].n_shared == 0)
                continue;
            t2_buf_puts(out, "    ");
            dg_shared_put(&c->shared[i], out);
            t2_buf_push(out, '\n');
        }
        return;
    }
    t2_json_init(&j, out, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "problem", c->problem);
    t2_json_kv_string(&j, "manifest", path);
    t2_json_kv_bool(&j, "whole", c->errors.n == 0);
    t2_json_kv_u64(&j, "shards", c->n_shards);
    t2_json_kv_u64(&j, "records", c->n_records);
    t2_json_kv_u64(&j, "bytes", c->n_bytes);
    t2_json_key(&j, "errors");
    t2_json_array(&j);
    for (size_t i = 0; i < c->errors.n; i++)
        t2_json_string(&j, c->errors.items[i]);
    t2_json_end_array(&j);
    dg_shared_json(c->shared, &j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

enum t2_status dg_check_sets(const char *data_dir, bool json, struct t2_pool *pool,
                             struct t2_buf *out, size_t *n_damaged, struct t2_err *err)
{
    struct t2_strs names = {0};
    size_t n = 0;
    enum t2_status st = t2_list_dir(data_dir, &names, err);

    *n_damaged = 0;
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        struct dg_checked checked = {0};
        char *path;
        if (!t2_ends_with(names.items[i], TFR_MANIFEST_SUFFIX))
            continue;
        n++;
        path = t2_path_join(data_dir, names.items[i]);
        st = dg_check_set(path, pool, &checked, err);
        if (st == T2_OK)
            tell(&checked, path, json, out);
        *n_damaged += checked.errors.n > 0;
        dg_checked_release(&checked);
        t2_free(path);
    }
    t2_strs_release(&names);
    if (st == T2_OK && n == 0)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s' has no manifest, so there is nothing to check against; `tfrec verify` "
                     "looks at files without one",
                     data_dir);
    return st;
}
