/*
 * tfrec/edit_schema.c - features of a manifest: from records, and what new records must keep to.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "tfrec/edit.h"

static enum t2_status check_agreement(const struct rec_field *f, const struct tfr_inputs *in,
                                      struct t2_err *err)
{
    enum tfr_kind kind = TFR_NONE;
    const struct rec_at *at = rec_field_disagreement(f, &kind);

    if (strlen(f->name) != f->name_bytes)
        return t2_fail(err, T2_EUNSUPPORTED, "the name of a feature, '%s...', holds a NUL byte",
                       f->name);
    if (!at)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s': record %" PRIu64 ": feature '%s' is %s, in records before it is %s: a "
                   "manifest has one kind for each feature",
                   in->files[at->file].path, at->in_file, f->name, rec_kind_name(kind),
                   rec_kind_name(rec_field_kind(f)));
}

static void fill(struct tfr_manifest_feature *f, const char *name, const char *kind,
                 const struct rec_schema *s, const struct rec_field *field)
{
    *f = (struct tfr_manifest_feature){.name = t2_strdup(name), .kind = t2_strdup(kind)};
    if (!field || rec_field_records(field) == 0)
        return;
    f->min_length = rec_field_records(field) < s->n_records ? 0 : field->min_length;
    f->max_length = field->max_length;
    f->n_values = field->n_values;
    if (field->min_int <= field->max_int) {
        f->min_value = field->min_int;
        f->max_value = field->max_int;
    }
}

enum t2_status rec_features_of(const struct rec_schema *s, const struct tfr_inputs *in,
                               const struct tfr_manifest_feature *old, size_t n_old,
                               struct tfr_manifest_feature **features, size_t *n_features,
                               struct t2_err *err)
{
    size_t n = 0;

    *features = NULL;
    *n_features = 0;
    for (size_t i = 0; i < s->n; i++)
        T2_TRY(check_agreement(&s->fields[i], in, err));
    *features = t2_alloc(n_old + s->n, sizeof **features);
    for (; n < n_old; n++) {
        const struct rec_field *field = rec_schema_find(s, t2_slice_of(old[n].name));
        bool has_kind = field && rec_field_kind(field) != TFR_NONE;
        fill(&(*features)[n], old[n].name,
             has_kind ? rec_kind_name(rec_field_kind(field)) : old[n].kind, s, field);
    }
    for (size_t i = 0; i < s->n; i++) {
        const struct rec_field *field = &s->fields[i];
        bool known = false;
        for (size_t k = 0; k < n_old && !known; k++)
            known = strcmp(old[k].name, field->name) == 0;
        if (!known)
            fill(&(*features)[n++], field->name, rec_kind_name(rec_field_kind(field)), s, field);
    }
    *n_features = n;
    return T2_OK;
}

/* ---- a record against the set ---- */

static int64_t vocab_size(const struct rec_edit *e, const char *feature)
{
    const struct t2_json_value *vocabs =
        e->m->doc ? t2_json_get(t2_json_root(e->m->doc), "vocabularies") : NULL;

    return t2_json_as_i64(t2_json_get(t2_json_get(vocabs, feature), "size"), 0);
}

static enum t2_status check_ids(const struct tfr_manifest_feature *f, const struct tfr_view *view,
                                int64_t size, struct rec_values *scratch, struct t2_err *err)
{
    T2_TRY(rec_values_load(scratch, view, err));
    for (size_t i = 0; i < scratch->n; i++) {
        if (scratch->ints[i] < 0 || scratch->ints[i] >= size)
            return t2_fail(err, T2_EFORMAT,
                           "feature '%s': value %zu is %" PRId64
                           ", but the vocabulary of the data set has the ids 0 to %" PRId64,
                           f->name, i, scratch->ints[i], size - 1);
    }
    return T2_OK;
}

static enum t2_status check_view(const struct rec_edit *e, const struct tfr_view *view,
                                 struct rec_values *scratch, struct t2_err *err)
{
    const struct tfr_manifest_feature *f = NULL;
    int name_bytes = view->name.len_bytes < 80 ? (int) view->name.len_bytes : 80;
    const char *kind = rec_kind_name(view->kind);
    int64_t size;

    for (size_t i = 0; i < e->m->n_features && !f; i++) {
        if (t2_slice_eq(view->name, t2_slice_of(e->m->features[i].name)))
            f = &e->m->features[i];
    }
    if (!f)
        return t2_fail(err, T2_EFORMAT, "feature '%.*s' is not one of the data set's", name_bytes,
                       (const char *) view->name.data);
    if (view->kind != TFR_NONE && strcmp(f->kind, "none") != 0 && strcmp(f->kind, kind) != 0)
        return t2_fail(err, T2_EFORMAT, "feature '%s' is %s, in the data set it is %s", f->name,
                       kind, f->kind);
    size = vocab_size(e, f->name);
    return view->kind == TFR_INT64 && size > 0 ? check_ids(f, view, size, scratch, err) : T2_OK;
}

enum t2_status rec_edit_check_record(const struct rec_edit *e, const struct tfr_example *ex,
                                     struct rec_values *scratch, struct t2_err *err)
{
    if (e->m->n_features == 0)
        return T2_OK;
    for (size_t i = 0; i < ex->n; i++)
        T2_TRY(check_view(e, &ex->views[i], scratch, err));
    for (size_t i = 0; i < e->m->n_features; i++) {
        const struct tfr_manifest_feature *f = &e->m->features[i];
        const struct tfr_view *view = tfr_example_find(ex, f->name);
        if (f->min_length > 0 && (!view || view->kind == TFR_NONE))
            return t2_fail(err, T2_EFORMAT,
                           "feature '%s' is missing; every record of the data set has it", f->name);
    }
    return T2_OK;
}
