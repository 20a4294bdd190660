/*
 * datagen/sets/problem_view.c - a problem as the trainer and the decoder see it.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/problem.h"
#include "datagen/sets/problem_shards.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tokenizer/named_encoders.h"

static char *in_dir(const char *data_dir, const char *file)
{
    if (!file)
        return NULL;
    return data_dir ? t2_path_join(data_dir, file) : t2_strdup(file);
}

static void side_of_manifest(struct dg_side *side, const struct dg_vocab_info *v, int space_id,
                             const char *data_dir)
{
    side->vocab_kind = v->kind;
    side->vocab_file = in_dir(data_dir, v->file);
    side->oov_token = v->oov_token ? t2_strdup(v->oov_token) : NULL;
    side->size = v->size;
    side->raw_ids = v->kind == DG_VOCAB_NUMBERS && v->id_offset == 0;
    side->is_label = v->is_label;
    side->labels = v->labels.n ? (const char *const *) v->labels.items : NULL;
    side->space_id = space_id;
}

static const struct tfr_manifest_feature *find_feature(const struct dg_manifest *m,
                                                       const char *name)
{
    for (size_t i = 0; i < m->n_features; i++)
        if (strcmp(m->features[i].name, name) == 0)
            return &m->features[i];
    return NULL;
}

/* Images have no inputs of ids, whatever their vocabulary says. */
static void settle_images(struct dg_view *v, bool has_images)
{
    v->is_images = has_images && v->targets.is_label;
    v->describes_images = has_images && !v->is_images;
    v->has_inputs = v->has_inputs && !v->is_images;
}

/* Numbers from 1 on, as ImageNet's own tools write them, show in the largest. */
static int first_label_of(const struct dg_manifest *m, int64_t n_classes)
{
    const struct tfr_manifest_feature *f = find_feature(m, "image/class/label");

    return f && f->min_value > 0 && f->max_value == n_classes;
}

static void view_of_manifest(struct dg_view *v, const char *data_dir)
{
    const struct dg_manifest *m = v->manifest;

    v->dataset_filename = t2_strdup(m->dataset_filename);
    v->has_inputs = m->has_inputs;
    v->context_separator = m->context_separator;
    if (v->has_inputs)
        side_of_manifest(&v->inputs, &m->inputs_vocab, m->input_space_id, data_dir);
    side_of_manifest(&v->targets, &m->targets_vocab, m->target_space_id, data_dir);
    settle_images(v, find_feature(m, "image/encoded") != NULL);
    if (v->is_images)
        v->first_label = first_label_of(m, v->targets.size);
    v->is_speech = find_feature(m, "waveforms") != NULL;
}

/* The view of a set that jpeg-to-tfrecord made. */
static void view_of_images(struct dg_view *v)
{
    const struct t2_strs *labels = &v->manifest->image_labels;

    v->has_inputs = false;
    v->is_images = true;
    v->first_label = 1;
    v->targets.vocab_kind = DG_VOCAB_CLASSES;
    v->targets.is_label = true;
    v->targets.size = (int64_t) labels->n;
    v->targets.labels = (const char *const *) labels->items;
}

static void side_of_problem(struct dg_side *side, const struct dg_problem *p,
                            enum dg_side_index index, const char *data_dir)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, index);
    char *file = dg_vocab_file_name(p, index);

    side->vocab_kind = spec->kind;
    side->vocab_file = in_dir(data_dir, file);
    side->oov_token = spec->oov_token ? t2_strdup(spec->oov_token) : NULL;
    side->size = spec->approx_size;
    side->raw_ids = spec->raw_ids;
    side->is_label =
        spec->kind == DG_VOCAB_CLASSES || (index == DG_TARGETS && p->text.targets_are_labels);
    side->labels = spec->classes;
    side->space_id = index == DG_INPUTS ? p->input_space_id : p->target_space_id;
    t2_free(file);
}

static bool makes_field(const struct dg_problem *p, const char *field)
{
    for (const char *const *f = p->record.more_fields; f && *f; f++)
        if (strcmp(*f, field) == 0)
            return true;
    return false;
}

static bool makes_images(const struct dg_problem *p)
{
    return makes_field(p, "image/encoded bytes");
}

static void view_of_problem(struct dg_view *v, const struct dg_problem *p, const char *data_dir)
{
    v->dataset_filename = t2_strdup(dg_problem_stem(p));
    v->has_inputs = p->has_inputs;
    v->context_separator = p->text.context_separator;
    if (v->has_inputs)
        side_of_problem(&v->inputs, p, DG_INPUTS, data_dir);
    side_of_problem(&v->targets, p, DG_TARGETS, data_dir);
    settle_images(v, makes_images(p));
    v->is_speech = makes_field(p, "waveforms float");
}

static void release_side(struct dg_side *side)
{
    t2_free(side->vocab_file);
    t2_free(side->oov_token);
}

static enum t2_status encoder_of_labels(const struct dg_side *side, struct tok_encoder **e,
                                        struct t2_err *err)
{
    struct t2_strs names = {0};
    struct t2_slice *labels;
    enum t2_status st;

    if (side->size < 1 || side->size > DG_MOST_CLASS_IDS)
        return t2_fail(err, T2_EFORMAT, "%" PRId64 " classes: must be 1 to %d", side->size,
                       DG_MOST_CLASS_IDS);
    for (int64_t i = 0; i < side->size; i++)
        t2_strs_take(&names,
                     side->labels ? t2_strdup(side->labels[i]) : t2_asprintf("ID_%" PRId64, i));
    labels = t2_alloc(names.n, sizeof *labels);
    for (int64_t i = 0; i < side->size; i++)
        labels[i] = t2_slice_of(names.items[i]);
    st = tok_labels_new(labels, names.n, false, e, err);
    t2_free(labels);
    t2_strs_release(&names);
    return st;
}

enum t2_status dg_side_encoder(const struct dg_side *side, struct tok_encoder **e,
                               struct t2_err *err)
{
    enum t2_status st;

    *e = NULL;
    if (side->vocab_kind == DG_VOCAB_CLASSES)
        return encoder_of_labels(side, e, err);
    if (side->vocab_kind == DG_VOCAB_NUMBERS) {
        *e = side->raw_ids ? tok_raw_ids_new() : tok_integers_new();
        return T2_OK;
    }
    if (!dg_vocab_is_of_text(side->vocab_kind))
        return t2_fail(err, T2_EUNSUPPORTED, "the %s are %s, not text", side->feature,
                       dg_vocab_kind_name(side->vocab_kind));
    T2_TRY(dg_vocab_open(side->vocab_file, side->vocab_kind, e, err));
    if (!side->oov_token) /* the list's own, as in manifests that do not say it */
        return T2_OK;
    st = dg_vocab_replace(side->vocab_file, *e, side->oov_token, err);
    if (st != T2_OK) {
        tok_free(*e);
        *e = NULL;
    }
    return st;
}

/* Reversed first, then copied, as the original's readers do.  Of images only the name says it. */
static enum t2_status apply_suffixes(struct dg_view *v, struct t2_err *err)
{
    if (v->is_images && v->was_reversed && !v->was_copy)
        return T2_OK;
    if ((v->was_reversed || v->was_copy) && !v->has_inputs)
        return t2_fail(err, T2_EUSAGE, "'%s': '%s' has no inputs to reverse or copy", v->name,
                       v->base_name);
    if ((v->was_reversed || v->was_copy) && v->context_separator)
        return t2_fail(err, T2_EUSAGE,
                       "'%s': '%s' is neither reversible nor copyable: a context "
                       "belongs to its inputs",
                       v->name, v->base_name);
    if ((v->was_reversed || v->was_copy) && v->is_speech)
        return t2_fail(err, T2_EUSAGE,
                       "'%s': '%s' is of speech, which is neither reversed nor copied", v->name,
                       v->base_name);
    if (v->was_reversed) {
        struct dg_side inputs = v->inputs;
        v->inputs = v->targets;
        v->targets = inputs;
    }
    if (v->was_copy) {
        release_side(&v->targets);
        v->targets = v->inputs;
        v->targets.vocab_file = v->inputs.vocab_file ? t2_strdup(v->inputs.vocab_file) : NULL;
        v->targets.oov_token = v->inputs.oov_token ? t2_strdup(v->inputs.oov_token) : NULL;
    }
    return T2_OK;
}

/* Names of the data sets that a folder's manifests describe. */
static void names_in_dir(const char *data_dir, struct t2_strs *names)
{
    static const char suffix[] = ".manifest.json";
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_strs files = {0};

    if (data_dir && t2_list_dir(data_dir, &files, &ignored) == T2_OK) {
        for (size_t i = 0; i < files.n; i++) {
            if (t2_ends_with(files.items[i], suffix))
                t2_strs_take(names, t2_strndup(files.items[i],
                                               strlen(files.items[i]) - (sizeof suffix - 1)));
        }
    }
    t2_strs_release(&files);
}

static enum t2_status not_known(const struct dg_view *v, const char *data_dir, struct t2_err *err)
{
    struct t2_strs there = {0}, all = {0};
    struct t2_buf text = {0};
    const char *near;
    enum t2_status st;

    names_in_dir(data_dir, &there);
    dg_names(&all);
    for (size_t i = 0; i < there.n; i++) {
        t2_buf_printf(&text, "%s'%s'", i ? ", " : "", there.items[i]);
        t2_strs_push(&all, there.items[i]);
    }
    near = t2_nearest(v->base_name, (const char *const *) all.items, all.n);
    st = t2_fail(err, T2_ENOTFOUND, "there is no problem '%s'%s%s%s%s%s%s%s%s", v->base_name,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
                 data_dir ? "; '" : "", data_dir ? data_dir : "", data_dir ? "' holds " : "",
                 data_dir ? (there.n ? "data of " : "no manifest") : "", t2_buf_cstr(&text));
    t2_buf_release(&text);
    t2_strs_release(&all);
    t2_strs_release(&there);
    return st;
}

static void view_of_foreign(struct dg_view *v, const struct dg_problem *p, const char *data_dir)
{
    view_of_problem(v, p, data_dir);
    if (v->is_images)
        v->first_label = first_label_of(v->manifest, v->targets.size);
}

/* The manifest of the problem's data; or, when there is none and it is of images, of those that
 * jpeg-to-tfrecord put there. */
static char *find_manifest(const struct dg_view *v, const struct dg_problem *p,
                           const char *data_dir)
{
    char *path = dg_manifest_path(data_dir, v->base_name), *other;

    if (t2_exists(path) || !p || !makes_images(p))
        return path;
    other = dg_manifest_path(data_dir, "pictures");
    if (!t2_exists(other)) {
        t2_free(other);
        return path;
    }
    t2_free(path);
    return other;
}

static bool manifest_has_mask(const struct dg_manifest *m)
{
    for (size_t i = 0; m && i < m->n_features; i++)
        if (strcmp(m->features[i].name, "targets_mask") == 0)
            return true;
    return false;
}

static enum t2_status fill(struct dg_view *v, const char *data_dir, struct t2_err *err)
{
    const struct dg_problem *p = dg_find(v->base_name);
    char *path = data_dir ? find_manifest(v, p, data_dir) : NULL;
    enum t2_status st = T2_OK;

    v->inputs.feature = "inputs";
    v->targets.feature = "targets";
    if (path && t2_exists(path)) {
        st = dg_manifest_load(path, &v->manifest, err);
        if (st == T2_OK && !v->manifest->is_foreign)
            view_of_manifest(v, data_dir);
        else if (st == T2_OK && v->manifest->image_labels.n > 0)
            view_of_images(v);
        else if (st == T2_OK && p && !find_feature(v->manifest, "input_mask"))
            view_of_foreign(v, p, data_dir);
        else if (st == T2_OK)
            st = dg_view_from_shards(v, data_dir, err);
    } else if (p && !(data_dir && dg_shards_are_sentences(data_dir, v->base_name))) {
        view_of_problem(v, p, data_dir);
    } else {
        st = data_dir ? dg_view_from_shards(v, data_dir, err) : T2_ENOTFOUND;
        if (st == T2_ENOTFOUND)
            st = not_known(v, data_dir, err);
    }
    t2_free(path);
    v->has_targets_mask |= manifest_has_mask(v->manifest);
    return st == T2_OK ? apply_suffixes(v, err) : st;
}

enum t2_status dg_view_open(const char *name, const char *data_dir, struct dg_view **v,
                            struct t2_err *err)
{
    enum t2_status st;

    *v = t2_alloc(1, sizeof **v);
    (*v)->name = t2_strdup(name);
    dg_parse_name(name, &(*v)->base_name, &(*v)->was_reversed, &(*v)->was_copy);
    st = fill(*v, data_dir, err);
    if (st != T2_OK) {
        dg_view_free(*v);
        *v = NULL;
    }
    return st;
}

const char *dg_view_shards(const struct dg_view *v, enum dg_split split, const char **stem)
{
    *stem = v->dataset_filename;
    if (v->dataset_filename)
        return dg_split_name(split);
    *stem = split == DG_DEV ? "validation" : dg_split_name(split);
    return NULL;
}

void dg_view_free(struct dg_view *v)
{
    if (!v)
        return;
    t2_free(v->name);
    t2_free(v->base_name);
    t2_free(v->dataset_filename);
    t2_free(v->assumed);
    release_side(&v->inputs);
    release_side(&v->targets);
    dg_manifest_free(v->manifest);
    t2_free(v);
}
