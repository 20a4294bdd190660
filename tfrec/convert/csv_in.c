/*
 * tfrec/convert/csv_in.c - rows of CSV and TSV files as Examples.
 *
 * A cell of a column of numbers that is empty gives no feature; an empty cell of a column of lists
 * gives an empty list; an empty cell of bytes is the empty text.
 *
 * Types that --types does not give are found by a first pass over all files (guess_types): a
 * column whose cells are all whole numbers is int64, else float when all are numbers, else bytes;
 * a column of numbers with the list separator in any cell is a list. The second pass reads rows on
 * one thread (next) and parses their cells on many (parse).
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

#include "base/csv.h"
#include "base/signals.h"
#include "base/text.h"
#include "tfrec/convert/csv_columns.h"
#include "tfrec/row_json.h"

struct reader {
    struct rec_reader base;
    struct t2_csv *csv;
    char *path;
    const struct rec_csv_columns *columns;
    char list_separator;
};

/* ---- what the columns are ---- */

/* The header line, or --columns; T2_EOF: the file is empty. */
static enum t2_status read_header(const struct rec_convert *c, const char *path, struct t2_csv *csv,
                                  struct rec_csv_columns *columns, struct t2_err *err)
{
    const struct t2_slice *fields;
    size_t n;

    if (*c->columns)
        return rec_csv_parse_columns(c->columns, columns, err);
    T2_TRY(t2_csv_next(csv, &fields, &n, err));
    for (size_t i = 0; i < n; i++) {
        const struct rec_csv_column *column;
        size_t others = columns->n;
        struct t2_slice f = fields[i];
        if (f.len_bytes == 0 || memchr(f.data, '\0', f.len_bytes) ||
            t2_utf8_invalid_at(f.data, f.len_bytes) < f.len_bytes)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %" PRIu64 ": column %zu of the header has no name in UTF-8; "
                           "name the columns by --columns if there is no header",
                           path, t2_csv_line(csv), i + 1);
        column = rec_csv_column_add(columns, f);
        if (rec_csv_column_find(columns, column->name) != &columns->items[others])
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %" PRIu64 ": two columns of the header are called '%s'",
                           path, t2_csv_line(csv), column->name);
    }
    return T2_OK;
}

/* The next row, with as many cells as there are columns. */
static enum t2_status next_row(struct t2_csv *csv, const char *path,
                               const struct rec_csv_columns *columns,
                               const struct t2_slice **fields, struct t2_err *err)
{
    size_t n;

    T2_TRY(t2_csv_next(csv, fields, &n, err));
    if (n != columns->n)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': line %" PRIu64 " has %zu field%s where there are %zu column%s", path,
                       t2_csv_line(csv), n, n == 1 ? "" : "s", columns->n,
                       columns->n == 1 ? "" : "s");
    return T2_OK;
}

/* What all cells of a column have been so far. */
struct guess {
    bool ints, floats, several, any;
};

static void look_at(struct guess *g, struct t2_slice cell, bool lists, char separator)
{
    while (cell.len_bytes > 0) {
        const uint8_t *cut = lists ? memchr(cell.data, separator, cell.len_bytes) : NULL;
        struct t2_slice value = {cell.data, cut ? (size_t) (cut - cell.data) : cell.len_bytes};
        int64_t i;
        float f;
        g->any = true;
        g->several = g->several || cut;
        g->ints = g->ints && rec_csv_int64(value, &i);
        /* Numbers of more digits than int64 has are names of something. */
        g->floats =
            g->floats && rec_csv_float(value, &f) &&
            (rec_csv_int64(value, &i) || memchr(value.data, '.', value.len_bytes) ||
             memchr(value.data, 'e', value.len_bytes) || memchr(value.data, 'E', value.len_bytes) ||
             memchr(value.data, 'n', value.len_bytes));
        cell.data += value.len_bytes + (cut != NULL);
        cell.len_bytes -= value.len_bytes + (cut != NULL);
    }
}

static enum t2_status guess_file(const struct rec_convert *c, const char *path, struct guess *g,
                                 const struct rec_csv_columns *columns, struct t2_err *err)
{
    struct rec_csv_columns again = {.items = NULL};
    const struct t2_slice *fields;
    struct t2_csv *csv;
    enum t2_status st;

    T2_TRY(t2_csv_new(path, rec_csv_separator(c->from), c->quotes, &csv, err));
    st = read_header(c, path, csv, &again, err);
    while (st == T2_OK) {
        st = next_row(csv, path, columns, &fields, err);
        for (size_t i = 0; st == T2_OK && i < columns->n; i++)
            look_at(&g[i], fields[i], *c->list_separator, rec_csv_list_separator(c));
        if (st == T2_OK && t2_csv_line(csv) % 4096 == 0)
            st = t2_check_interrupt(err);
    }
    rec_csv_columns_release(&again);
    t2_csv_free(csv);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status guess_types(const struct rec_convert *c, struct rec_csv_columns *columns,
                                  struct t2_err *err)
{
    struct guess *g = t2_alloc(columns->n, sizeof *g);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < columns->n; i++)
        g[i] = (struct guess){true, true, false, false};
    for (size_t i = 0; i < c->inputs->n && st == T2_OK; i++) {
        if (strcmp(c->inputs->items[i], "-") == 0)
            st = t2_fail(err, T2_EUSAGE,
                         "the standard input can be read only once, and types are found by "
                         "reading it first; give --types for every column");
        else
            st = guess_file(c, c->inputs->items[i], g, columns, err);
    }
    for (size_t i = 0; i < columns->n && st == T2_OK; i++) {
        struct rec_csv_column *column = &columns->items[i];
        if (column->type != REC_CSV_UNKNOWN)
            continue;
        column->type = !g[i].any     ? REC_CSV_BYTES
                       : g[i].ints   ? REC_CSV_INT64
                       : g[i].floats ? REC_CSV_FLOAT
                                     : REC_CSV_BYTES;
        column->is_list = column->type != REC_CSV_BYTES && g[i].several;
    }
    t2_free(g);
    return st;
}

/* The first file says which columns there are; all must have them. */
static enum t2_status find_columns(const struct rec_convert *c, struct reader *r,
                                   struct t2_err *err)
{
    struct rec_csv_columns own = {.items = NULL};
    bool unknown = false;
    enum t2_status st = read_header(c, r->path, r->csv, c->csv->ready ? &own : c->csv, err);

    if (st == T2_EOF && c->csv->ready) {
        st = T2_OK; /* an empty file among others */
    } else if (st == T2_OK && c->csv->ready) {
        bool same = own.n == c->csv->n;
        for (size_t i = 0; same && i < own.n; i++)
            same = strcmp(own.items[i].name, c->csv->items[i].name) == 0;
        if (!same)
            st = t2_fail(err, T2_EFORMAT, "'%s': the columns are not those of '%s'", r->path,
                         c->inputs->items[0]);
    } else if (st == T2_OK) {
        st = rec_csv_parse_types(c->types, c->csv, err);
        for (size_t i = 0; i < c->csv->n; i++)
            unknown = unknown || c->csv->items[i].type == REC_CSV_UNKNOWN;
        if (st == T2_OK && unknown)
            st = guess_types(c, c->csv, err);
        c->csv->ready = st == T2_OK;
    }
    rec_csv_columns_release(&own);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- rows ---- */

/* An item is the cells, each with its length (8 bytes) in front. */
static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    const struct t2_slice *fields;

    T2_TRY(next_row(r->csv, r->path, r->columns, &fields, err));
    for (size_t i = 0; i < r->columns->n; i++) {
        uint64_t n = fields[i].len_bytes;
        t2_buf_append(out, &n, sizeof n);
        t2_buf_append(out, fields[i].data, fields[i].len_bytes);
    }
    *place = t2_csv_line(r->csv);
    return T2_OK;
}

/* Values of one row, in memory of one block per kind. */
struct values {
    int64_t *ints;
    float *floats;
    struct t2_slice *bytes;
    size_t *offsets; /* of base64 values in decoded: where a slice of bytes begins, or SIZE_MAX */
    size_t n, capacity;
    struct t2_buf decoded;
};

static void make_room(struct values *v)
{
    if (v->n < v->capacity)
        return;
    v->capacity = v->capacity ? 2 * v->capacity : 64;
    v->ints = t2_realloc(v->ints, v->capacity, sizeof *v->ints);
    v->floats = t2_realloc(v->floats, v->capacity, sizeof *v->floats);
    v->bytes = t2_realloc(v->bytes, v->capacity, sizeof *v->bytes);
    v->offsets = t2_realloc(v->offsets, v->capacity, sizeof *v->offsets);
}

/* What a cell should be and is not, or NULL. */
static const char *add_value(struct values *v, enum rec_csv_type type, struct t2_slice cell)
{
    size_t i = v->n, before = v->decoded.len_bytes;

    make_room(v);
    v->n++;
    v->offsets[i] = SIZE_MAX;
    switch (type) {
    case REC_CSV_INT64:
        return rec_csv_int64(cell, &v->ints[i]) ? NULL : "a whole number of 64 bits";
    case REC_CSV_FLOAT:
        return rec_csv_float(cell, &v->floats[i]) ? NULL : "a number";
    case REC_CSV_BASE64:
        if (!t2_base64_decode(cell, &v->decoded))
            return "base64";
        v->offsets[i] = before;
        v->bytes[i] = (struct t2_slice){NULL, v->decoded.len_bytes - before};
        return NULL;
    default:
        v->bytes[i] = cell;
        return NULL;
    }
}

static const char *add_cell(struct values *v, const struct rec_csv_column *column,
                            struct t2_slice cell, char separator)
{
    const char *want = NULL;

    if (!column->is_list)
        return add_value(v, column->type, cell);
    while (!want && cell.len_bytes > 0) {
        const uint8_t *cut = memchr(cell.data, separator, cell.len_bytes);
        struct t2_slice value = {cell.data, cut ? (size_t) (cut - cell.data) : cell.len_bytes};
        want = add_value(v, column->type, value);
        cell.data += value.len_bytes + (cut != NULL);
        cell.len_bytes -= value.len_bytes + (cut != NULL);
        if (cut && cell.len_bytes == 0 && !want) /* a separator at the end: an empty value */
            want = add_value(v, column->type, cell);
    }
    return want;
}

static void release_values(struct values *v)
{
    t2_free(v->ints);
    t2_free(v->floats);
    t2_free(v->bytes);
    t2_free(v->offsets);
    t2_buf_release(&v->decoded);
}

/* The features of a row; starts[i] is the first value of feature i. */
static enum t2_status fill(const struct reader *r, uint64_t line, struct t2_slice item,
                           struct tfr_feature *features, size_t *starts, size_t *n_features,
                           struct values *v, struct t2_err *err)
{
    size_t at = 0;

    *n_features = 0;
    for (size_t i = 0; i < r->columns->n; i++) {
        const struct rec_csv_column *column = &r->columns->items[i];
        struct tfr_feature *f = &features[*n_features];
        struct t2_slice cell;
        const char *want;
        uint64_t n;

        memcpy(&n, item.data + at, sizeof n);
        cell = (struct t2_slice){item.data + at + sizeof n, (size_t) n};
        at += sizeof n + (size_t) n;
        if (n == 0 && !column->is_list &&
            (column->type == REC_CSV_INT64 || column->type == REC_CSV_FLOAT))
            continue;
        starts[*n_features] = v->n;
        want = add_cell(v, column, cell, r->list_separator);
        if (want)
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", column '%s': '%.*s' is not %s",
                           r->path, line, column->name, (int) (n < 40 ? n : 40),
                           (const char *) cell.data, want);
        *f = (struct tfr_feature){.name = column->name,
                                  .n = v->n - starts[*n_features],
                                  .kind = column->type == REC_CSV_INT64   ? TFR_INT64
                                          : column->type == REC_CSV_FLOAT ? TFR_FLOAT
                                                                          : TFR_BYTES};
        ++*n_features;
    }
    return T2_OK;
}

static enum t2_status parse(const struct rec_reader *base, uint64_t place, struct t2_slice item,
                            struct t2_buf *out, struct t2_err *err)
{
    const struct reader *r = (const struct reader *) base;
    struct tfr_feature *features = t2_alloc(r->columns->n, sizeof *features);
    size_t *starts = t2_alloc(r->columns->n, sizeof *starts), n_features;
    struct values v = {.n = 0};
    enum t2_status st = fill(r, place, item, features, starts, &n_features, &v, err);

    if (st == T2_OK) {
        for (size_t i = 0; i < v.n; i++) { /* now that the memory stays where it is */
            if (v.offsets[i] != SIZE_MAX)
                v.bytes[i].data = (const uint8_t *) t2_buf_cstr(&v.decoded) + v.offsets[i];
        }
        for (size_t i = 0; i < n_features && v.n > 0; i++) {
            features[i].ints = v.ints + starts[i];
            features[i].floats = v.floats + starts[i];
            features[i].bytes = v.bytes + starts[i];
        }
        tfr_example_build(out, features, n_features);
    }
    release_values(&v);
    t2_free(features);
    t2_free(starts);
    return st;
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    t2_csv_free(r->csv);
    t2_free(r->path);
    t2_free(r);
}

enum t2_status rec_csv_open(const struct rec_convert *c, const char *path, struct rec_reader **out,
                            struct t2_err *err)
{
    struct reader *r;
    struct t2_csv *csv;
    enum t2_status st;

    T2_TRY(rec_csv_check_flags(c, err));
    T2_TRY(t2_csv_new(path, rec_csv_separator(c->from), c->quotes, &csv, err));
    r = t2_alloc(1, sizeof *r);
    *r = (struct reader){{.next = next, .parse = parse, .free = free_reader},
                         csv,
                         t2_strdup(path),
                         c->csv,
                         rec_csv_list_separator(c)};
    st = find_columns(c, r, err);
    if (st == T2_OK)
        *out = &r->base;
    else
        free_reader(&r->base);
    return st;
}
