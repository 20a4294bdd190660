/*
 * tfrec/verify_record.c - payloads: protobuf, what TensorFlow's own parser refuses, images, ids,
 * schema.
 */
#include "tfrec/verify_record.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "tfrec/image_check.h"
#include "tfrecord/example_check.h"

enum { MAX_ODDITIES = 8, SHOWN_BYTES = 80 };

/* The record at hand. */
struct at {
    const struct rec_verify_options *o;
    struct rec_checked *c;
    size_t file;
    uint64_t number, offset;
    bool bad;
};

static void put_path(struct t2_buf *path, struct t2_slice name)
{
    int n = name.len_bytes > SHOWN_BYTES ? SHOWN_BYTES : (int) name.len_bytes;

    t2_buf_clear(path);
    if (name.len_bytes == 0 || t2_utf8_invalid_at(name.data, name.len_bytes) < name.len_bytes)
        t2_buf_puts(path, "features");
    else
        t2_buf_printf(path, "features.feature['%.*s']", n, (const char *) name.data);
}

static void find_in(struct at *a, enum rec_severity severity, struct t2_slice name,
                    const char *words)
{
    struct t2_buf path = {NULL, 0, 0};

    put_path(&path, name);
    (void) rec_find(&a->c->found, severity, a->file, a->number, a->offset, t2_buf_cstr(&path), "%s",
                    words);
    t2_buf_release(&path);
    a->bad = a->bad || severity == REC_PAYLOAD_ERROR;
}

/* ---- protobuf ---- */

static void refuse(struct at *a, struct t2_slice record, size_t byte, const char *words)
{
    struct t2_buf path = {NULL, 0, 0};

    tfr_example_path(record, byte, &path);
    if (path.len_bytes == 0)
        t2_buf_puts(&path, "payload");
    (void) rec_find(&a->c->found, REC_PAYLOAD_ERROR, a->file, a->number, a->offset,
                    t2_buf_cstr(&path), "%s", words);
    t2_buf_release(&path);
    a->c->n_refused++;
    a->bad = true;
}

/* *parsed: the record is an Example, or the context of a SequenceExample. */
static enum t2_status parse(struct at *a, struct t2_slice record, bool *parsed, struct t2_err *err)
{
    struct t2_err problem = T2_ERR_INIT;
    size_t byte = 0;
    bool found = false;

    *parsed = false;
    if (tfr_example_parse_at(&a->c->example, record, &byte, &problem) != T2_OK) {
        if (problem.status == T2_ENOMEM) {
            *err = problem;
            return err->status;
        }
        refuse(a, record, byte, problem.message);
        return T2_OK;
    }
    if (a->o->payload == REC_PAYLOAD_SEQUENCE) {
        T2_TRY(tfr_sequence_parse(&a->c->sequence, record, &found, err));
        if (!found && tfr_has_field(record, 2)) {
            refuse(a, record, 0, "not a SequenceExample: field 2 is no FeatureLists");
            return T2_OK;
        }
    }
    *parsed = true;
    return T2_OK;
}

/* Warns of constructs that TensorFlow's two parsers, protobuf's and parse_example, treat
 * differently. */
static void warn(struct at *a, struct t2_slice record)
{
    struct tfr_oddity odd[MAX_ODDITIES];
    size_t n = tfr_example_oddities(record, odd, MAX_ODDITIES);

    for (size_t i = 0; i < n; i++)
        find_in(a, REC_PAYLOAD_WARNING, odd[i].name, odd[i].words);
}

/* ---- values ---- */

static void check_images(struct at *a, struct t2_slice name)
{
    const struct rec_values *v = &a->c->values;

    for (size_t i = 0; i < v->n; i++) {
        const char *problem = rec_image_check(v->bytes[i]);
        if (problem) {
            find_in(a, REC_PAYLOAD_ERROR, name, problem);
            return;
        }
    }
}

static void check_ids(struct at *a, struct t2_slice name)
{
    const struct rec_values *v = &a->c->values;
    char words[128];

    for (size_t i = 0; i < v->n; i++) {
        if (v->ints[i] >= 0 && v->ints[i] < a->o->vocab_size)
            continue;
        snprintf(words, sizeof words,
                 "value %zu is %" PRId64 ", not an id of a vocabulary of %" PRId64, i, v->ints[i],
                 a->o->vocab_size);
        find_in(a, REC_PAYLOAD_ERROR, name, words);
        return;
    }
}

static bool holds_ids(const struct rec_verify_options *o, struct t2_slice name)
{
    for (size_t i = 0; o->vocab_size > 0 && i < o->ids.n; i++) {
        if (t2_slice_eq(t2_slice_of(o->ids.items[i]), name))
            return true;
    }
    return false;
}

static enum t2_status check_values(struct at *a, struct t2_err *err)
{
    const struct tfr_example *ex = &a->c->example;

    for (size_t i = 0; i < ex->n; i++) {
        const struct tfr_view *v = &ex->views[i];
        bool images = v->kind == TFR_BYTES && a->o->deep;
        bool ids = v->kind == TFR_INT64 && holds_ids(a->o, v->name);
        if (!images && !ids)
            continue;
        T2_TRY(rec_values_load(&a->c->values, v, err));
        if (images)
            check_images(a, v->name);
        else
            check_ids(a, v->name);
    }
    return T2_OK;
}

/* ---- the schema that was given (kinds are checked with all records) ---- */

static void check_schema(struct at *a)
{
    const struct rec_schema *s = a->o->schema;
    const struct tfr_example *ex = &a->c->example;
    char words[128];

    for (size_t i = 0; i < s->n; i++) {
        const struct rec_field *f = &s->fields[i];
        const struct tfr_view *v = tfr_example_find(ex, f->name);
        struct t2_slice name = {(const uint8_t *) f->name, f->name_bytes};
        if (!v || v->kind == TFR_NONE) {
            if (rec_field_is_required(s, f))
                find_in(a, REC_PAYLOAD_ERROR, name, "is not there; the schema requires it");
        } else if (rec_field_is_fixed(f) && v->n != f->min_length) {
            snprintf(words, sizeof words, "%zu values; the schema says %" PRIu64, v->n,
                     f->min_length);
            find_in(a, REC_PAYLOAD_ERROR, name, words);
        }
    }
    for (size_t i = 0; i < ex->n; i++) {
        if (!rec_schema_find(s, ex->views[i].name))
            find_in(a, REC_PAYLOAD_WARNING, ex->views[i].name, "is not in the schema");
    }
}

/* ---- a record ---- */

enum t2_status rec_check_record(const struct rec_verify_options *o, struct rec_checked *c,
                                size_t file, uint64_t number, uint64_t offset,
                                struct t2_slice record, struct t2_err *err)
{
    struct at a = {.o = o, .c = c, .file = file, .number = number, .offset = offset};
    bool parsed = false;

    c->found.limit = o->limit;
    c->n_records++;
    if (o->payload == REC_PAYLOAD_ANY)
        return T2_OK;
    T2_TRY(parse(&a, record, &parsed, err));
    if (parsed) {
        c->n_examples += c->example.n > 0;
        warn(&a, record);
        rec_kinds_see(&c->kinds, &c->example, number, offset, o->limit);
        if (o->deep || o->vocab_size > 0)
            T2_TRY(check_values(&a, err));
        if (o->schema)
            check_schema(&a);
    }
    c->n_bad += a.bad;
    return T2_OK;
}

void rec_checked_release(struct rec_checked *c)
{
    rec_findings_release(&c->found);
    rec_kinds_release(&c->kinds);
    tfr_example_release(&c->example);
    tfr_sequence_release(&c->sequence);
    rec_values_release(&c->values);
    *c = (struct rec_checked){.n_records = 0};
}
