/*
 * tfrec/convert/csv_out.c - Examples as rows of CSV and TSV files, a column a feature.
 *
 * Columns are the features of all records in the order of their names, found by reading everything
 * first, or those of --columns.  A feature that is absent, or has no values, is an empty cell.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/text.h"
#include "tfrec/convert/csv_columns.h"
#include "tfrec/row_json.h"

struct writer {
    struct rec_writer base;
    const struct rec_convert *c;
    struct rec_csv_columns columns;
    struct t2_strs names; /* while looking: sorted at its end */
    struct tfr_example example;
    struct t2_out *out;
    char separator, list_separator;
};

static enum t2_status look(struct rec_writer *base, uint64_t number, struct t2_slice record,
                           struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    (void) number;
    T2_TRY(tfr_example_parse(&w->example, record, err));
    for (size_t i = 0; i < w->example.n; i++) {
        struct t2_slice name = w->example.views[i].name;
        bool known = false;
        for (size_t k = 0; k < w->names.n && !known; k++)
            known = t2_slice_eq(name, t2_slice_of(w->names.items[k]));
        if (known)
            continue;
        if (w->names.n == 4096)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "more than 4096 different features; choose some by --columns");
        if (name.len_bytes > 0 && memchr(name.data, '\0', name.len_bytes))
            return t2_fail(err, T2_EUNSUPPORTED, "the name of a feature holds a NUL byte");
        t2_strs_take(&w->names, t2_strndup((const char *) name.data, name.len_bytes));
    }
    return T2_OK;
}

static void put_header(struct writer *w)
{
    struct t2_buf line = {NULL, 0, 0};

    for (size_t i = 0; i < w->columns.n; i++) {
        if (i)
            t2_buf_push(&line, (uint8_t) w->separator);
        t2_csv_put(&line, t2_slice_of(w->columns.items[i].name), w->separator);
    }
    if (w->columns.n > 0 && w->c->header) {
        t2_buf_push(&line, '\n');
        t2_out_write(w->out, line.data, line.len_bytes);
    }
    t2_buf_release(&line);
}

static enum t2_status columns_known(struct writer *w, struct t2_err *err)
{
    T2_TRY(rec_csv_parse_types(w->c->types, &w->columns, err));
    put_header(w);
    return T2_OK;
}

static enum t2_status looked(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    t2_strs_sort(&w->names);
    for (size_t i = 0; i < w->names.n; i++)
        (void) rec_csv_column_add(&w->columns, t2_slice_of(w->names.items[i]));
    return columns_known(w, err);
}

/* A value of a bytes list. */
static enum t2_status put_bytes(const struct writer *w, const struct rec_csv_column *column,
                                bool in_list, struct t2_slice v, struct t2_buf *out,
                                struct t2_err *err)
{
    if (column->type == REC_CSV_BASE64) {
        t2_base64_encode(v, out);
        return T2_OK;
    }
    if (t2_utf8_invalid_at(v.data, v.len_bytes) < v.len_bytes)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "feature '%s' has bytes that are no text; write them as base64 by "
                       "--types='%s:base64', or leave the column out by --columns",
                       column->name, column->name);
    if (in_list && v.len_bytes > 0 && memchr(v.data, w->list_separator, v.len_bytes))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "feature '%s' is a list whose values have the separator '%c'; choose "
                       "another by --list_separator",
                       column->name, w->list_separator);
    t2_buf_append(out, v.data, v.len_bytes);
    return T2_OK;
}

static enum t2_status put_cell(const struct writer *w, const struct rec_csv_column *column,
                               const struct rec_values *v, struct t2_buf *cell, struct t2_err *err)
{
    for (size_t i = 0; i < v->n; i++) {
        if (i)
            t2_buf_push(cell, (uint8_t) w->list_separator);
        if (v->kind == TFR_INT64)
            t2_buf_printf(cell, "%" PRId64, v->ints[i]);
        else if (v->kind == TFR_FLOAT)
            rec_csv_put_float(cell, v->floats[i]);
        else
            T2_TRY(put_bytes(w, column, v->n > 1, v->bytes[i], cell, err));
    }
    return T2_OK;
}

static enum t2_status format(const struct rec_writer *base, struct rec_scratch *s, uint64_t number,
                             struct t2_slice record, struct t2_buf *out, struct t2_err *err)
{
    const struct writer *w = (const struct writer *) base;
    size_t before = out->len_bytes;

    (void) number;
    T2_TRY(tfr_example_parse(&s->example, record, err));
    for (size_t i = 0; i < w->columns.n; i++) {
        const struct rec_csv_column *column = &w->columns.items[i];
        const struct tfr_view *view = tfr_example_find(&s->example, column->name);
        if (i)
            t2_buf_push(out, (uint8_t) w->separator);
        if (!view || view->kind == TFR_NONE)
            continue;
        T2_TRY(rec_values_load(&s->values, view, err));
        t2_buf_clear(&s->text);
        T2_TRY(put_cell(w, column, &s->values, &s->text, err));
        t2_csv_put(out, t2_buf_slice(&s->text), w->separator);
    }
    if (out->len_bytes == before && w->columns.n == 1)
        t2_buf_puts(out, "\"\""); /* many readers pass over empty lines */
    t2_buf_push(out, '\n');
    return T2_OK;
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    t2_out_write(w->out, made.data, made.len_bytes);
    return number % 1024 == 0 ? t2_out_status(w->out, err) : T2_OK;
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_out *out = w->out;

    w->out = NULL;
    return t2_out_commit(out, err);
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    t2_out_abort(w->out);
    rec_csv_columns_release(&w->columns);
    t2_strs_release(&w->names);
    tfr_example_release(&w->example);
    t2_free(w);
}

enum t2_status rec_csv_create(const struct rec_convert *c, struct rec_writer **out,
                              struct t2_err *err)
{
    bool given = *c->columns != '\0';
    struct writer *w;
    enum t2_status st;

    T2_TRY(rec_csv_check_flags(c, err));
    if (rec_csv_list_separator(c) == rec_csv_separator(c->to))
        return t2_fail(err, T2_EUSAGE, "--list_separator is what separates the columns");
    w = t2_alloc(1, sizeof *w);
    w->base = (struct rec_writer){given ? NULL : look, given ? NULL : looked, format, add, commit,
                                  free_writer};
    w->c = c;
    w->separator = rec_csv_separator(c->to);
    w->list_separator = rec_csv_list_separator(c);
    st = t2_out_new(c->output, &w->out, err);
    if (st == T2_OK && given)
        st = rec_csv_parse_columns(c->columns, &w->columns, err);
    if (st == T2_OK && given)
        st = columns_known(w, err);
    if (st == T2_OK)
        *out = &w->base;
    else
        free_writer(&w->base);
    return st;
}
