/*
 * datagen/sets/manifest_read.c - reading a manifest: what t2t-datagen says beyond
 * tfrecord/manifest.h.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_want.h"
#include "datagen/problem.h"

char *dg_manifest_path(const char *data_dir, const char *base_name)
{
    char *file = t2_asprintf("%s.manifest.json", base_name);
    char *path = t2_path_join(data_dir, file);

    t2_free(file);
    return path;
}

static void load_labels(struct t2_json_want *w, const struct t2_json_value *labels,
                        struct dg_vocab_info *v)
{
    size_t n = t2_json_size(labels);

    for (size_t i = 0; i < n; i++)
        t2_strs_push(&v->labels, t2_json_as_string(t2_json_item(labels, i), ""));
    if (n > 0 && n != (size_t) v->size)
        t2_json_complain(w, "labels", "a name for each class");
}

static void load_vocab(struct t2_json_want *w, const struct t2_json_value *vocabs, const char *side,
                       struct dg_vocab_info *v)
{
    const struct t2_json_value *object = t2_json_get(vocabs, side);
    const char *kind = t2_json_as_string(t2_json_get(object, "kind"), "");
    int i;

    for (i = 0; i < DG_N_VOCAB_KINDS; i++) {
        if (strcmp(kind, dg_vocab_kind_name((enum dg_vocab_kind) i)) == 0)
            break;
    }
    if (i == DG_N_VOCAB_KINDS) {
        t2_json_complain(w, "kind", "a kind of vocabulary");
        return;
    }
    v->kind = (enum dg_vocab_kind) i;
    v->size = t2_json_want_i64(w, object, "size");
    v->is_label =
        v->kind == DG_VOCAB_CLASSES || t2_json_as_bool(t2_json_get(object, "is_label"), false);
    if (v->kind == DG_VOCAB_CLASSES || v->kind == DG_VOCAB_LABEL_SETS)
        load_labels(w, t2_json_get(object, "labels"), v);
    if (v->kind == DG_VOCAB_NUMBERS)
        v->id_offset = t2_json_as_i64(t2_json_get(object, "id_offset"), 2);
    if (v->kind == DG_VOCAB_BYTES || !dg_vocab_is_of_text(v->kind))
        return;
    v->file = t2_json_want_file(w, object, "file");
    t2_json_want_sha256(w, object, "sha256", v->sha256);
    if (v->kind == DG_VOCAB_MODEL) {
        v->model = t2_json_want_string(w, object, "model");
        v->id_offset = t2_json_want_i64(w, object, "id_offset");
    }
    if (t2_json_get(object, "oov_token"))
        v->oov_token = t2_json_want_string(w, object, "oov_token");
}

/* The members of t2t-datagen's manifests beyond tfrecord/manifest.h. */
static void load_rest(struct t2_json_want *w, const struct t2_json_value *root,
                      struct dg_manifest *m)
{
    const struct t2_json_value *vocabs = t2_json_get(root, "vocabularies");

    m->dataset_filename = t2_json_want_file(w, root, "dataset_filename");
    m->random_seed = t2_json_want_u64(w, root, "random_seed");
    m->has_inputs = t2_json_want_bool(w, root, "has_inputs");
    m->input_space_id = (int) t2_json_want_i64(w, root, "input_space_id");
    m->target_space_id = (int) t2_json_want_i64(w, root, "target_space_id");
    m->context_separator = (int) t2_json_as_i64(t2_json_get(root, "context_separator"), 0);
    if (m->has_inputs)
        load_vocab(w, vocabs, "inputs", &m->inputs_vocab);
    load_vocab(w, vocabs, "targets", &m->targets_vocab);
    m->n_dropped = t2_json_want_u64(w, t2_json_get(root, "dropped"), "total");
}

/* The classes, in a manifest of jpeg-to-tfrecord. */
static void load_images(const struct t2_json_value *root, struct dg_manifest *m)
{
    const struct t2_json_value *labels = t2_json_get(root, "labels");

    for (size_t i = 0, n = t2_json_size(labels); i < n; i++)
        t2_strs_push(&m->image_labels, t2_json_as_string(t2_json_item(labels, i), ""));
}

/* jpeg-to-tfrecord calls it validation. */
static struct tfr_manifest_split *find_split(struct tfr_manifest *from, const struct dg_manifest *m,
                                             enum dg_split split)
{
    if (split == DG_DEV && m->image_labels.n > 0)
        return tfr_manifest_find_split(from, "validation");
    return tfr_manifest_find_split(from, dg_split_name(split));
}

/* Splits and features change hands. */
static void take(struct tfr_manifest *from, struct dg_manifest *m)
{
    for (int i = 0; i < DG_N_SPLITS; i++) {
        struct tfr_manifest_split *s = find_split(from, m, (enum dg_split) i);
        if (!s)
            continue;
        m->splits[i] = *s;
        m->splits[i].name = NULL;
        s->n_shards = 0;
        s->shards = NULL;
    }
    m->features = from->features;
    m->n_features = from->n_features;
    from->features = NULL;
    from->n_features = 0;
    memcpy(m->sha256, from->sha256, sizeof m->sha256);
}

/* Releases common. */
static enum t2_status complete(struct tfr_manifest *common, const char *origin,
                               struct dg_manifest **m, struct t2_err *err)
{
    struct t2_json_want w = {origin, err, T2_OK};
    const struct t2_json_value *root = t2_json_root(common->doc);

    *m = t2_alloc(1, sizeof **m);
    (*m)->problem = t2_strdup(common->problem);
    (*m)->version = t2_json_want_string(&w, root, "version");
    (*m)->command = t2_json_want_string(&w, root, "command");
    (*m)->is_foreign = !t2_json_get(root, "vocabularies") && !t2_json_get(root, "random_seed");
    if (!(*m)->is_foreign)
        load_rest(&w, root, *m);
    else if (tfr_manifest_find_feature(common, "image/encoded"))
        load_images(root, *m);
    (*m)->n_edits = t2_json_size(t2_json_get(root, "history"));
    t2_json_want_sha256(&w, root, "data_sha256", (*m)->data_sha256);
    take(common, *m);
    tfr_manifest_free(common);
    if (w.status != T2_OK) {
        dg_manifest_free(*m);
        *m = NULL;
    }
    return w.status;
}

enum t2_status dg_manifest_load(const char *path, struct dg_manifest **m, struct t2_err *err)
{
    struct tfr_manifest *common = NULL;

    *m = NULL;
    T2_TRY(tfr_manifest_load(path, &common, err));
    return complete(common, path, m, err);
}

static void release_vocab(struct dg_vocab_info *v)
{
    t2_free(v->file);
    t2_free(v->model);
    t2_free(v->oov_token);
    t2_strs_release(&v->labels);
}

void dg_manifest_free(struct dg_manifest *m)
{
    if (!m)
        return;
    t2_free(m->problem);
    t2_free(m->dataset_filename);
    t2_free(m->command);
    t2_free(m->version);
    release_vocab(&m->inputs_vocab);
    release_vocab(&m->targets_vocab);
    t2_strs_release(&m->image_labels);
    for (size_t i = 0; i < DG_N_SPLITS; i++)
        tfr_manifest_release_split(&m->splits[i]);
    for (size_t i = 0; i < m->n_features; i++)
        tfr_manifest_release_feature(&m->features[i]);
    t2_free(m->features);
    t2_free(m);
}
