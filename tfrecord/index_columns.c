/*
 * tfrecord/index_columns.c - first values and lengths of chosen features of every record.
 *
 * Per column and record: counts, the number of values (UINT32_MAX: the feature is absent), and for
 * numbers values, the first one (0 without any). The kind of a column is known from the first
 * record that has values; zeros for the records before it are added then, in a batch (extract_one)
 * as well as over batches (tfr_columns_append). Batches are extracted on all threads and appended
 * in order.
 */
#include "tfrecord/index_columns.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrecord/framing.h"

struct tfr_column_part {
    enum tfr_kind kind;
    uint64_t kind_record; /* in its file: the first record that has a list of that kind */
    struct t2_buf counts; /* uint32_t */
    struct t2_buf values; /* int64_t or float */
};

struct tfr_columns {
    struct t2_strs names;
    struct tfr_column_part *columns;
};

static const char *kind_name(enum tfr_kind kind)
{
    return kind == TFR_BYTES ? "bytes" : kind == TFR_FLOAT ? "float" : "int64";
}

struct tfr_columns *tfr_columns_new(const struct t2_strs *names)
{
    struct tfr_columns *c = t2_alloc(1, sizeof *c);

    for (size_t i = 0; names && i < names->n; i++) {
        if (!t2_strs_contains(&c->names, names->items[i]))
            t2_strs_push(&c->names, names->items[i]);
    }
    c->columns = t2_alloc(c->names.n, sizeof *c->columns);
    return c;
}

static void release_parts(struct tfr_column_part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        t2_buf_release(&parts[i].counts);
        t2_buf_release(&parts[i].values);
    }
    t2_free(parts);
}

void tfr_columns_free(struct tfr_columns *c)
{
    if (!c)
        return;
    release_parts(c->columns, c->names.n);
    t2_strs_release(&c->names);
    t2_free(c);
}

size_t tfr_columns_count(const struct tfr_columns *c)
{
    return c->names.n;
}

void tfr_columns_part_release(struct tfr_columns_part *p)
{
    release_parts(p->parts, p->n);
    tfr_example_release(&p->example);
    t2_buf_release(&p->scratch);
    *p = (struct tfr_columns_part){0};
}

/* ---- collecting ---- */

static enum t2_status fail_kinds(const char *path, const char *name, uint64_t a,
                                 enum tfr_kind kind_a, uint64_t b, enum tfr_kind kind_b,
                                 struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s': feature '%s' is a list of %s in record %" PRIu64 " and of %s in record "
                   "%" PRIu64 ": it cannot be a column of the index",
                   path, name, kind_name(kind_a), a, kind_name(kind_b), b);
}

/* Values before the kind was known were absent: zeros. */
static void put_zeros(struct t2_buf *values, enum tfr_kind kind, size_t n)
{
    size_t size = kind == TFR_INT64 ? sizeof(int64_t) : kind == TFR_FLOAT ? sizeof(float) : 0;

    if (n * size == 0)
        return;
    memset(t2_buf_reserve(values, n * size), 0, n * size);
    values->len_bytes += n * size;
}

static void put_first_value(struct tfr_columns_part *p, struct tfr_column_part *part,
                            const struct tfr_view *v)
{
    t2_buf_clear(&p->scratch);
    if (!v || v->n == 0 || v->kind == TFR_NONE) {
        put_zeros(&part->values, part->kind, 1);
    } else if (v->kind == TFR_INT64) {
        int64_t *all = (void *) t2_buf_reserve(&p->scratch, v->n * sizeof *all);
        tfr_view_ints(v, all);
        t2_buf_append(&part->values, all, sizeof *all);
    } else if (v->kind == TFR_FLOAT) {
        float *all = (void *) t2_buf_reserve(&p->scratch, v->n * sizeof *all);
        tfr_view_floats(v, all);
        t2_buf_append(&part->values, all, sizeof *all);
    }
}

/* Column `name` of record i of the batch. */
static enum t2_status extract_one(const struct tfr_batch *b, size_t i, const char *name,
                                  struct tfr_columns_part *p, struct tfr_column_part *part,
                                  struct t2_err *err)
{
    const struct tfr_view *v = tfr_example_find(&p->example, name);
    uint64_t number = b->first_in_file + i;
    uint32_t count = UINT32_MAX;

    if (v && v->kind != TFR_NONE) {
        if (part->kind == TFR_NONE) {
            part->kind = v->kind;
            part->kind_record = number;
            put_zeros(&part->values, part->kind, i);
        } else if (part->kind != v->kind) {
            return fail_kinds(b->file->path, name, part->kind_record, part->kind, number, v->kind,
                              err);
        }
        if (v->n >= UINT32_MAX)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "'%s': record %" PRIu64 ": feature '%s' has %zu values, too many for "
                           "an index",
                           b->file->path, number, name, v->n);
        count = (uint32_t) v->n;
    }
    t2_buf_append(&part->counts, &count, sizeof count);
    put_first_value(p, part, v);
    return T2_OK;
}

enum t2_status tfr_columns_extract(const struct tfr_columns *c, const struct tfr_batch *b,
                                   struct tfr_columns_part *p, struct t2_err *err)
{
    if (!p->parts)
        p->parts = t2_alloc(c->names.n, sizeof *p->parts);
    p->n = c->names.n;
    for (size_t k = 0; k < p->n; k++) {
        p->parts[k].kind = TFR_NONE;
        t2_buf_clear(&p->parts[k].counts);
        t2_buf_clear(&p->parts[k].values);
    }
    for (size_t i = 0; p->n > 0 && i < b->n; i++) {
        if (tfr_example_parse(&p->example, b->records[i].data, err) != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64 " at offset %" PRIu64, b->file->path,
                           b->first_in_file + i, b->records[i].offset);
        for (size_t k = 0; k < p->n; k++)
            T2_TRY(extract_one(b, i, c->names.items[k], p, &p->parts[k], err));
    }
    return T2_OK;
}

enum t2_status tfr_columns_append(struct tfr_columns *c, const struct tfr_batch *b,
                                  const struct tfr_columns_part *p, struct t2_err *err)
{
    for (size_t k = 0; k < p->n; k++) {
        struct tfr_column_part *to = &c->columns[k];
        const struct tfr_column_part *from = &p->parts[k];
        if (to->kind == TFR_NONE && from->kind != TFR_NONE) {
            to->kind = from->kind;
            to->kind_record = from->kind_record;
            put_zeros(&to->values, to->kind, to->counts.len_bytes / sizeof(uint32_t));
        } else if (from->kind != TFR_NONE && to->kind != from->kind) {
            return fail_kinds(b->file->path, c->names.items[k], to->kind_record, to->kind,
                              from->kind_record, from->kind, err);
        }
        t2_buf_append(&to->counts, from->counts.data, from->counts.len_bytes);
        if (from->kind == TFR_NONE)
            put_zeros(&to->values, to->kind, b->n);
        else
            t2_buf_append(&to->values, from->values.data, from->values.len_bytes);
    }
    return T2_OK;
}

/* ---- writing ---- */

static void put_padded(const struct t2_buf *b, tfr_columns_put *put, void *context)
{
    static const uint8_t zeros[8];

    if (b->len_bytes > 0)
        put(context, b->data, b->len_bytes);
    if (b->len_bytes % 8 != 0)
        put(context, zeros, 8 - b->len_bytes % 8);
}

void tfr_columns_values(const struct tfr_columns *c, size_t i, tfr_columns_put *put, void *context)
{
    put_padded(&c->columns[i].counts, put, context);
    put_padded(&c->columns[i].values, put, context);
}

void tfr_columns_name(const struct tfr_columns *c, size_t i, tfr_columns_put *put, void *context)
{
    struct t2_buf text = {NULL, 0, 0};
    uint8_t head[8];

    t2_buf_puts(&text, c->names.items[i]);
    tfr_put_le32(head, (uint32_t) c->columns[i].kind);
    tfr_put_le32(head + 4, (uint32_t) text.len_bytes);
    put(context, head, sizeof head);
    put_padded(&text, put, context);
    t2_buf_release(&text);
}
