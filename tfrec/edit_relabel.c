/*
 * tfrec/edit_relabel.c - other values for one feature of some records.
 */
#include "tfrec/edit_relabel.h"

#include <string.h>

#include "base/alloc.h"
#include "tfrec/values.h"

void rec_relabel_release(struct rec_relabel *r)
{
    for (size_t i = 0; i < r->n_texts; i++)
        t2_free(r->texts[i]);
    t2_free(r->texts);
    t2_free(r->feature);
    t2_free(r->old_ints);
    t2_free(r->new_ints);
    t2_free(r->old_bytes);
    t2_free(r->new_bytes);
    t2_free(r->new_floats);
    *r = (struct rec_relabel){0};
}

/* ---- parsing ---- */

static enum tfr_kind kind_of(const char *name)
{
    for (int k = TFR_BYTES; k < REC_N_KINDS; k++) {
        if (strcmp(rec_kind_name((enum tfr_kind) k), name) == 0)
            return (enum tfr_kind) k;
    }
    return TFR_NONE;
}

static enum t2_status begin(struct rec_relabel *r, const char *feature, const char *kind,
                            struct t2_err *err)
{
    r->feature = t2_strdup(feature);
    r->kind = kind_of(kind);
    if (r->kind == TFR_NONE)
        return t2_fail(err, T2_EUSAGE,
                       "feature '%s' has no values in the data set, so it is not known of which "
                       "kind new ones should be",
                       feature);
    return T2_OK;
}

static void make_room(struct rec_relabel *r, size_t n)
{
    r->old_ints = t2_alloc(n, sizeof *r->old_ints);
    r->new_ints = t2_alloc(n, sizeof *r->new_ints);
    r->old_bytes = t2_alloc(n, sizeof *r->old_bytes);
    r->new_bytes = t2_alloc(n, sizeof *r->new_bytes);
    r->new_floats = t2_alloc(n, sizeof *r->new_floats);
    r->texts = t2_alloc(2 * n, sizeof *r->texts);
}

static struct t2_slice keep_text(struct rec_relabel *r, char *text)
{
    r->texts[r->n_texts++] = text;
    return t2_slice_of(text);
}

static enum t2_status bad_value(const struct rec_relabel *r, const char *text, struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE, "'%s' is no value of feature '%s', which is %s", text,
                   r->feature, rec_kind_name(r->kind));
}

static enum t2_status parse_pair(struct rec_relabel *r, const char *pair, struct t2_err *err)
{
    const char *colon = strchr(pair, ':');
    size_t i = r->n;

    if (!colon || strchr(colon + 1, ':'))
        return t2_fail(err, T2_EUSAGE, "'%s' in --map is not old:new", pair);
    r->old_bytes[i] = keep_text(r, t2_strndup(pair, (size_t) (colon - pair)));
    r->new_bytes[i] = keep_text(r, t2_strdup(colon + 1));
    if (r->kind == TFR_INT64) {
        if (!t2_parse_i64(r->texts[r->n_texts - 2], &r->old_ints[i]))
            return bad_value(r, r->texts[r->n_texts - 2], err);
        if (!t2_parse_i64(r->texts[r->n_texts - 1], &r->new_ints[i]))
            return bad_value(r, r->texts[r->n_texts - 1], err);
    }
    for (size_t k = 0; k < i; k++) {
        if (r->kind == TFR_INT64 ? r->old_ints[k] == r->old_ints[i]
                                 : t2_slice_eq(r->old_bytes[k], r->old_bytes[i]))
            return t2_fail(err, T2_EUSAGE, "--map says twice what '%.*s' becomes",
                           (int) (colon - pair), pair);
    }
    r->n++;
    return T2_OK;
}

enum t2_status rec_relabel_parse_map(struct rec_relabel *r, const char *feature, const char *kind,
                                     const char *text, struct t2_err *err)
{
    struct t2_strs pairs = {NULL, 0, 0};
    enum t2_status st = begin(r, feature, kind, err);

    r->is_map = true;
    if (st == T2_OK && r->kind == TFR_FLOAT)
        st = t2_fail(err, T2_EUSAGE,
                     "feature '%s' is float: values are hardly ever equal, so --map is for int64 "
                     "and bytes; --set with --where does it",
                     feature);
    t2_strs_split(&pairs, text, ',');
    if (st == T2_OK && pairs.n == 0)
        st = t2_fail(err, T2_EUSAGE, "--map is empty");
    make_room(r, pairs.n);
    for (size_t i = 0; st == T2_OK && i < pairs.n; i++)
        st = parse_pair(r, pairs.items[i], err);
    t2_strs_release(&pairs);
    return st;
}

static enum t2_status parse_number(struct rec_relabel *r, const char *text, struct t2_err *err)
{
    double v = 0;
    bool ok =
        r->kind == TFR_INT64 ? t2_parse_i64(text, &r->new_ints[r->n]) : t2_parse_double(text, &v);

    if (!ok)
        return bad_value(r, text, err);
    r->new_floats[r->n++] = (float) v;
    return T2_OK;
}

enum t2_status rec_relabel_parse_set(struct rec_relabel *r, const char *feature, const char *kind,
                                     const char *text, struct t2_err *err)
{
    struct t2_strs values = {NULL, 0, 0};
    enum t2_status st = begin(r, feature, kind, err);

    if (r->kind == TFR_BYTES)
        t2_strs_push(&values, text);
    else
        t2_strs_split(&values, text, ',');
    make_room(r, values.n);
    for (size_t i = 0; st == T2_OK && i < values.n; i++) {
        if (r->kind == TFR_BYTES)
            r->new_bytes[r->n++] = keep_text(r, t2_strdup(values.items[i]));
        else
            st = parse_number(r, values.items[i], err);
    }
    t2_strs_release(&values);
    return st;
}

/* ---- doing it ---- */

/* A record whose list is replaced.  Made anew for each record: few change, and a message cannot be
 * changed in place, as lengths of the levels around it change with it. */
struct draft {
    struct tfr_feature *features;
    struct rec_values *values;
    char **names;
    size_t n;
    /* the new list */
    int64_t *ints;
    struct t2_slice *bytes;
};

static void draft_release(struct draft *d)
{
    for (size_t i = 0; i < d->n; i++) {
        rec_values_release(&d->values[i]);
        t2_free(d->names[i]);
    }
    t2_free(d->features);
    t2_free(d->values);
    t2_free(d->names);
    t2_free(d->ints);
    t2_free(d->bytes);
}

static enum t2_status draft_load(struct draft *d, const struct tfr_example *ex, struct t2_err *err)
{
    d->features = t2_alloc(ex->n + 1, sizeof *d->features); /* one may be added */
    d->values = t2_alloc(ex->n + 1, sizeof *d->values);
    d->names = t2_alloc(ex->n + 1, sizeof *d->names);
    for (size_t i = 0; i < ex->n; i++) {
        const struct tfr_view *v = &ex->views[i];
        if (memchr(v->name.data, 0, v->name.len_bytes))
            return t2_fail(err, T2_EUNSUPPORTED, "the name of a feature holds a NUL byte");
        d->names[i] = t2_strndup((const char *) v->name.data, v->name.len_bytes);
        d->n++;
        if (v->kind != TFR_NONE)
            T2_TRY(rec_values_load(&d->values[i], v, err));
        d->features[i] = (struct tfr_feature){.name = d->names[i],
                                              .kind = v->kind,
                                              .n = v->n,
                                              .ints = d->values[i].ints,
                                              .floats = d->values[i].floats,
                                              .bytes = d->values[i].bytes};
    }
    return T2_OK;
}

static struct tfr_feature *draft_find(struct draft *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++) {
        if (strcmp(d->names[i], name) == 0)
            return &d->features[i];
    }
    return NULL;
}

static bool map_values(const struct rec_relabel *r, struct draft *d, struct tfr_feature *f)
{
    bool changed = false;

    d->ints = t2_alloc(f->n, sizeof *d->ints);
    d->bytes = t2_alloc(f->n, sizeof *d->bytes);
    for (size_t i = 0; i < f->n; i++) {
        if (r->kind == TFR_INT64)
            d->ints[i] = f->ints[i];
        else
            d->bytes[i] = f->bytes[i];
        for (size_t k = 0; k < r->n; k++) {
            if (r->kind == TFR_INT64 && r->old_ints[k] == f->ints[i])
                d->ints[i] = r->new_ints[k];
            else if (r->kind == TFR_BYTES && t2_slice_eq(r->old_bytes[k], f->bytes[i]))
                d->bytes[i] = r->new_bytes[k];
        }
        changed |= r->kind == TFR_INT64 ? d->ints[i] != f->ints[i]
                                        : !t2_slice_eq(d->bytes[i], f->bytes[i]);
    }
    f->ints = d->ints;
    f->bytes = d->bytes;
    return changed;
}

static bool same_list(const struct rec_relabel *r, const struct tfr_feature *f)
{
    if (f->kind != r->kind || f->n != r->n)
        return false;
    for (size_t i = 0; i < r->n; i++) {
        if (r->kind == TFR_INT64 && f->ints[i] != r->new_ints[i])
            return false;
        if (r->kind == TFR_FLOAT && memcmp((const char *) &f->floats[i],
                                           (const char *) &r->new_floats[i], sizeof(float)) != 0)
            return false;
        if (r->kind == TFR_BYTES && !t2_slice_eq(f->bytes[i], r->new_bytes[i]))
            return false;
    }
    return true;
}

static bool set_list(const struct rec_relabel *r, struct draft *d, struct tfr_feature *f)
{
    if (f && same_list(r, f))
        return false;
    if (!f) {
        d->names[d->n] = t2_strdup(r->feature);
        f = &d->features[d->n++];
    }
    *f = (struct tfr_feature){.name = r->feature,
                              .kind = r->kind,
                              .n = r->n,
                              .ints = r->new_ints,
                              .floats = r->new_floats,
                              .bytes = r->new_bytes};
    return true;
}

enum t2_status rec_relabel_record(const struct rec_relabel *r, const struct tfr_example *ex,
                                  struct t2_buf *out, enum rec_verdict *verdict, struct t2_err *err)
{
    struct draft d = {0};
    struct tfr_feature *f;
    enum t2_status st;

    *verdict = REC_KEEP;
    if (r->is_map && !tfr_example_find(ex, r->feature))
        return T2_OK;
    st = draft_load(&d, ex, err);
    f = draft_find(&d, r->feature);
    if (st == T2_OK && f && f->kind != r->kind && f->kind != TFR_NONE)
        st = t2_fail(err, T2_EFORMAT, "feature '%s' is %s, in the data set it is %s", r->feature,
                     rec_kind_name(f->kind), rec_kind_name(r->kind));
    if (st == T2_OK &&
        (r->is_map ? f->kind == r->kind && map_values(r, &d, f) : set_list(r, &d, f))) {
        tfr_example_build(out, d.features, d.n);
        *verdict = REC_CHANGE;
    }
    draft_release(&d);
    return st;
}
