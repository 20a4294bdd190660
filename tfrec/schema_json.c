/*
 * tfrec/schema_json.c - a schema in our own JSON.
 */
#include "tfrec/schema_json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/map.h"

#define FORMAT "tfrec schema"

enum { VERSION = 1, MAX_FILE_BYTES = 64 << 20 };

/* ---- writing ---- */

static void print_other_kinds(struct t2_json *j, const struct rec_field *f,
                              const struct tfr_inputs *in)
{
    enum tfr_kind usual = rec_field_kind(f);

    t2_json_key(j, "other_kinds");
    t2_json_array(j);
    for (int k = TFR_BYTES; k < REC_N_KINDS; k++) {
        if ((enum tfr_kind) k == usual || f->n_of_kind[k] == 0)
            continue;
        t2_json_object(j);
        t2_json_kv_string(j, "kind", rec_kind_name((enum tfr_kind) k));
        t2_json_kv_u64(j, "records", f->n_of_kind[k]);
        if (in && f->of_kind[k].file < in->n) {
            t2_json_kv_string(j, "file", in->files[f->of_kind[k].file].path);
            t2_json_kv_u64(j, "record", f->of_kind[k].in_file);
        }
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}

static void print_values(struct t2_json *j, const struct rec_field *f, enum tfr_kind kind)
{
    if (kind == TFR_INT64 && f->min_int <= f->max_int) {
        t2_json_kv_i64(j, "min", f->min_int);
        t2_json_kv_i64(j, "max", f->max_int);
        t2_json_kv_bool(j, "int32", rec_field_is_int32(f));
    } else if (kind == TFR_FLOAT) {
        if (f->min_float <= f->max_float) {
            t2_json_key(j, "min");
            t2_json_float9(j, (double) f->min_float);
            t2_json_key(j, "max");
            t2_json_float9(j, (double) f->max_float);
        }
        t2_json_kv_u64(j, "not_finite", f->n_not_finite);
    } else if (kind == TFR_BYTES && f->min_bytes <= f->max_bytes) {
        t2_json_kv_u64(j, "bytes", f->n_bytes);
        t2_json_kv_u64(j, "min_bytes", f->min_bytes);
        t2_json_kv_u64(j, "max_bytes", f->max_bytes);
        t2_json_kv_bool(j, "utf8", f->n_not_utf8 == 0);
        t2_json_kv_u64(j, "pictures", f->n_images);
    }
}

static void print_field(struct t2_json *j, const struct rec_schema *s, const struct rec_field *f,
                        const struct tfr_inputs *in)
{
    enum tfr_kind kind = rec_field_kind(f);

    t2_json_object(j);
    t2_json_key(j, "name");
    t2_json_bytes(j, f->name, f->name_bytes);
    t2_json_kv_string(j, "kind", rec_kind_name(kind));
    t2_json_kv_u64(j, "records", rec_field_records(f));
    t2_json_kv_bool(j, "required", rec_field_is_required(s, f));
    if (f->min_length <= f->max_length) {
        t2_json_key(j, "length");
        t2_json_object(j);
        t2_json_kv_u64(j, "min", f->min_length);
        t2_json_kv_u64(j, "max", f->max_length);
        t2_json_kv_bool(j, "fixed", rec_field_is_fixed(f));
        t2_json_end_object(j);
    }
    t2_json_kv_u64(j, "values", f->n_values);
    print_values(j, f, kind);
    if (f->n_of_kind[TFR_NONE] > 0)
        t2_json_kv_u64(j, "without_list", f->n_of_kind[TFR_NONE]);
    if (!rec_field_agrees(f))
        print_other_kinds(j, f, in);
    t2_json_end_object(j);
}

void rec_schema_print_json(const struct rec_schema *s, const struct tfr_inputs *in,
                           struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 2);
    t2_json_object(&j);
    t2_json_kv_string(&j, "format", FORMAT);
    t2_json_kv_i64(&j, "version", VERSION);
    t2_json_kv_u64(&j, "records", s->n_records);
    if (s->n_sequences > 0)
        t2_json_kv_u64(&j, "sequence_examples", s->n_sequences);
    t2_json_key(&j, "features");
    t2_json_array(&j);
    for (size_t i = 0; i < s->n; i++)
        print_field(&j, s, &s->fields[i], in);
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(out, '\n');
}

/* ---- reading ---- */

/* What messages are about. */
struct place {
    const char *origin;
    const char *feature;
};

static enum t2_status fail_key(const struct place *at, const char *key, const char *what,
                               struct t2_err *err)
{
    if (at->feature)
        return t2_fail(err, T2_EFORMAT, "'%s': feature '%.80s': '%s' %s", at->origin, at->feature,
                       key, what);
    return t2_fail(err, T2_EFORMAT, "'%s': '%s' %s", at->origin, key, what);
}

/* A count that may be absent: *value stays then. */
static enum t2_status get_count(const struct place *at, const struct t2_json_value *object,
                                const char *key, uint64_t *value, struct t2_err *err)
{
    const struct t2_json_value *v = t2_json_get(object, key);
    int64_t n = t2_json_as_i64(v, -1);

    if (!v)
        return T2_OK;
    if (t2_json_type(v) != T2_JSON_INT || n < 0)
        return fail_key(at, key, "is no count", err);
    *value = (uint64_t) n;
    return T2_OK;
}

static bool parse_kind(const char *name, enum tfr_kind *kind)
{
    for (int k = TFR_NONE; k < REC_N_KINDS; k++) {
        if (strcmp(name, rec_kind_name((enum tfr_kind) k)) == 0) {
            *kind = (enum tfr_kind) k;
            return true;
        }
    }
    return false;
}

static enum t2_status get_kind(const struct place *at, const struct t2_json_value *object,
                               enum tfr_kind *kind, struct t2_err *err)
{
    if (parse_kind(t2_json_as_string(t2_json_get(object, "kind"), ""), kind))
        return T2_OK;
    return fail_key(at, "kind", "is none of int64, float, bytes, none", err);
}

static enum t2_status parse_numbers(const struct place *at, const struct t2_json_value *v,
                                    struct rec_field *f, enum tfr_kind kind, struct t2_err *err)
{
    const struct t2_json_value *min = t2_json_get(v, "min");
    const struct t2_json_value *max = t2_json_get(v, "max");
    const struct t2_json_value *length = t2_json_get(v, "length");

    T2_TRY(get_count(at, length, "min", &f->min_length, err));
    T2_TRY(get_count(at, length, "max", &f->max_length, err));
    T2_TRY(get_count(at, v, "values", &f->n_values, err));
    T2_TRY(get_count(at, v, "not_finite", &f->n_not_finite, err));
    T2_TRY(get_count(at, v, "bytes", &f->n_bytes, err));
    T2_TRY(get_count(at, v, "min_bytes", &f->min_bytes, err));
    T2_TRY(get_count(at, v, "max_bytes", &f->max_bytes, err));
    T2_TRY(get_count(at, v, "pictures", &f->n_images, err));
    T2_TRY(get_count(at, v, "without_list", &f->n_of_kind[TFR_NONE], err));
    if (!t2_json_as_bool(t2_json_get(v, "utf8"), true))
        f->n_not_utf8 = 1;
    if (!min && !max)
        return T2_OK;
    if (kind == TFR_INT64) {
        if (t2_json_type(min) != T2_JSON_INT || t2_json_type(max) != T2_JSON_INT)
            return fail_key(at, "min, max", "are not whole numbers", err);
        f->min_int = t2_json_as_i64(min, 0);
        f->max_int = t2_json_as_i64(max, 0);
    } else {
        double low = t2_json_as_double(min, HUGE_VAL), high = t2_json_as_double(max, HUGE_VAL);
        if (fabs(low) > (double) FLT_MAX || fabs(high) > (double) FLT_MAX)
            return fail_key(at, "min, max", "are no floats", err);
        f->min_float = (float) low;
        f->max_float = (float) high;
    }
    return T2_OK;
}

static enum t2_status parse_other_kinds(const struct place *at, const struct t2_json_value *list,
                                        struct rec_field *f, struct t2_err *err)
{
    for (size_t i = 0; i < t2_json_size(list); i++) {
        const struct t2_json_value *v = t2_json_item(list, i);
        enum tfr_kind kind = TFR_NONE;
        T2_TRY(get_kind(at, v, &kind, err));
        T2_TRY(get_count(at, v, "records", &f->n_of_kind[kind], err));
        f->of_kind[kind].number = 1;
    }
    return T2_OK;
}

static enum t2_status parse_feature(const char *origin, const struct t2_json_value *v,
                                    struct rec_schema *s, struct t2_err *err)
{
    const char *name = t2_json_as_string(t2_json_get(v, "name"), NULL);
    struct place at = {origin, name};
    enum tfr_kind kind = TFR_NONE;
    struct rec_field *f;
    size_t number, n_before = s->n;

    if (!name)
        return fail_key(&at, "features", "has an entry without a 'name'", err);
    T2_TRY(get_kind(&at, v, &kind, err));
    if (rec_schema_place(s, t2_slice_of(name), SIZE_MAX, &number, err) != T2_OK)
        return t2_wrap(err, "'%s'", origin);
    if (s->n == n_before)
        return fail_key(&at, "name", "is there twice", err);
    f = &s->fields[number];
    T2_TRY(parse_numbers(&at, v, f, kind, err));
    T2_TRY(parse_other_kinds(&at, t2_json_get(v, "other_kinds"), f, err));
    if (kind == TFR_NONE)
        return T2_OK;

    uint64_t records = 0;
    T2_TRY(get_count(&at, v, "records", &records, err));
    for (int k = TFR_BYTES; k < REC_N_KINDS; k++)
        records -= f->n_of_kind[k] < records ? f->n_of_kind[k] : records;
    f->n_of_kind[kind] = records > 0 ? records : 1;
    f->of_kind[kind].number = 0;
    return T2_OK;
}

enum t2_status rec_schema_parse(const char *text, size_t len_bytes, const char *origin,
                                struct rec_schema **s, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    struct rec_schema *made = rec_schema_new();
    struct place at = {origin, NULL};
    const struct t2_json_value *root, *features;
    enum t2_status st;

    T2_GOTO(st, out, t2_json_parse(text, len_bytes, origin, &doc, err));
    root = t2_json_root(doc);
    if (strcmp(t2_json_as_string(t2_json_get(root, "format"), ""), FORMAT) != 0)
        T2_GOTO(st, out,
                t2_fail(err, T2_EFORMAT,
                        "'%s' is no schema of tfrec ('format' is not '" FORMAT
                        "'); `tfrec schema --format=json` writes one",
                        origin));
    if (t2_json_as_i64(t2_json_get(root, "version"), 0) != VERSION)
        T2_GOTO(st, out, fail_key(&at, "version", "is not 1: made by a newer tfrec?", err));
    T2_GOTO(st, out, get_count(&at, root, "records", &made->n_records, err));
    T2_GOTO(st, out, get_count(&at, root, "sequence_examples", &made->n_sequences, err));
    features = t2_json_get(root, "features");
    if (t2_json_type(features) != T2_JSON_ARRAY)
        T2_GOTO(st, out, fail_key(&at, "features", "is no array", err));
    for (size_t i = 0; i < t2_json_size(features); i++)
        T2_GOTO(st, out, parse_feature(origin, t2_json_item(features, i), made, err));
    rec_schema_sort(made);
out:
    t2_json_free(doc);
    if (st == T2_OK)
        *s = made;
    else
        rec_schema_free(made);
    return st;
}

enum t2_status rec_schema_load(const char *path, struct rec_schema **s, struct t2_err *err)
{
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = t2_read_file(path, MAX_FILE_BYTES, &text, err);

    if (st == T2_OK)
        st = rec_schema_parse(t2_buf_cstr(&text), text.len_bytes, path, s, err);
    t2_buf_release(&text);
    return st;
}
