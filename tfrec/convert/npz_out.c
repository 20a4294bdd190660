/*
 * tfrec/convert/npz_out.c - Examples as arrays in a .npz file, stored, as numpy.savez writes it.
 *
 * Values are spooled to disk beside the output, a spool or two a feature; memory is 200 kB a
 * feature.  An array is put together when all is known: its size and CRC come first in the file.
 *
 * The arrays of a feature, for N records with V values and B bytes in all:
 *
 *   every record has 1 value      X (N)
 *   every record has k values     X (N, k)
 *   else                          X/values (V), X/row_splits (N + 1)
 *
 *   int64                         <i8
 *   float                         <f4
 *   bytes of at most 256 each     |S<longest>, padded with NUL; not when one ends with NUL, which
 *                                 numpy would drop
 *   other bytes                   X/bytes (B) |u1, X/byte_splits (V + 1), X/row_splits (not when
 *                                 every record has 1 value)
 *
 * Splits are <i8, the running sums of the counts. The column of a feature that first occurs in
 * record i gets i counts of 0.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/npy.h"
#include "base/spool.h"
#include "base/zip.h"
#include "tfrec/convert/npz.h"

const struct rec_format rec_format_npz = {"npz", rec_npz_open, NULL, rec_npz_create};

enum { MAX_COLUMNS = 256, MAX_FIXED_BYTES = 256, NUMBER_BYTES = 8 };

struct column {
    char *name;
    enum tfr_kind kind; /* TFR_NONE until a record has values */
    uint64_t n_records; /* whose count is in counts */
    uint64_t n_values, first_count;
    bool same_counts;
    struct t2_spool *counts; /* values per record */
    struct t2_spool *values; /* numbers, or bytes one behind the other */
    struct t2_spool *widths; /* of bytes values */
    size_t max_width;
    bool ends_with_zero;
};

struct writer {
    struct rec_writer base;
    const char *path;
    struct t2_out *out;
    struct column columns[MAX_COLUMNS];
    size_t n_columns;
    uint64_t n_records;
    struct tfr_example example;
    struct rec_values values;
};

static void put_number(struct t2_spool *s, uint64_t v)
{
    uint8_t b[NUMBER_BYTES];

    for (int i = 0; i < NUMBER_BYTES; i++)
        b[i] = (uint8_t) (v >> (8 * i));
    t2_spool_write(s, b, sizeof b);
}

static enum t2_status get_number(struct t2_spool *s, uint64_t *v, struct t2_err *err)
{
    uint8_t b[NUMBER_BYTES];

    T2_TRY(t2_spool_read(s, b, sizeof b, err));
    *v = 0;
    for (int i = NUMBER_BYTES - 1; i >= 0; i--)
        *v = *v << 8 | b[i];
    return T2_OK;
}

/* ---- taking records ---- */

static void add_count(struct column *col, uint64_t n)
{
    if (col->n_records == 0)
        col->first_count = n;
    col->same_counts = (col->n_records == 0 || col->same_counts) && n == col->first_count;
    col->n_records++;
    col->n_values += n;
    put_number(col->counts, n);
}

static enum t2_status find_column(struct writer *w, struct t2_slice name, struct column **found,
                                  struct t2_err *err)
{
    struct column *col = NULL;

    for (size_t i = 0; i < w->n_columns; i++) {
        if (t2_slice_eq(name, t2_slice_of(w->columns[i].name))) {
            *found = &w->columns[i];
            return T2_OK;
        }
    }
    if (w->n_columns == MAX_COLUMNS)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "more than %d different features; leave some out: tfrec project --keep",
                       MAX_COLUMNS);
    if (name.len_bytes == 0 || name.len_bytes > 4096 || memchr(name.data, '\0', name.len_bytes))
        return t2_fail(err, T2_EUNSUPPORTED, "a feature's name is no name of an array");
    col = &w->columns[w->n_columns++]; /* released from now on */
    col->name = t2_strndup((const char *) name.data, name.len_bytes);
    T2_TRY(t2_spool_new(w->path, &col->counts, err));
    T2_TRY(t2_spool_new(w->path, &col->values, err));
    while (col->n_records < w->n_records)
        add_count(col, 0);
    *found = col;
    return T2_OK;
}

static enum t2_status add_bytes(struct writer *w, struct column *col, const struct rec_values *v,
                                struct t2_err *err)
{
    if (!col->widths)
        T2_TRY(t2_spool_new(w->path, &col->widths, err));
    for (size_t i = 0; i < v->n; i++) {
        struct t2_slice s = v->bytes[i];
        t2_spool_write(col->values, s.data, s.len_bytes);
        put_number(col->widths, s.len_bytes);
        col->max_width = s.len_bytes > col->max_width ? s.len_bytes : col->max_width;
        col->ends_with_zero =
            col->ends_with_zero || (s.len_bytes > 0 && s.data[s.len_bytes - 1] == 0);
    }
    return T2_OK;
}

static enum t2_status add_feature(struct writer *w, const struct tfr_view *view, struct t2_err *err)
{
    static const char *const kinds[] = {"nothing", "bytes", "float", "int64"};
    struct rec_values *v = &w->values;
    struct column *col = NULL;

    T2_TRY(find_column(w, view->name, &col, err));
    if (col->kind != TFR_NONE && col->kind != view->kind)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "feature '%s' is %s here and %s in records before; an array has one type",
                       col->name, kinds[view->kind], kinds[col->kind]);
    col->kind = view->kind;
    T2_TRY(rec_values_load(v, view, err));
    if (v->kind == TFR_INT64)
        t2_spool_write(col->values, v->ints, v->n * sizeof *v->ints);
    else if (v->kind == TFR_FLOAT)
        t2_spool_write(col->values, v->floats, v->n * sizeof *v->floats);
    else
        T2_TRY(add_bytes(w, col, v, err));
    add_count(col, v->n);
    return T2_OK;
}

static enum t2_status add(struct rec_writer *base, uint64_t number, struct t2_slice made,
                          struct t2_err *err)
{
    struct writer *w = (struct writer *) base;

    (void) number;
    T2_TRY(tfr_example_parse(&w->example, made, err));
    for (size_t i = 0; i < w->example.n; i++) {
        if (w->example.views[i].kind != TFR_NONE)
            T2_TRY(add_feature(w, &w->example.views[i], err));
    }
    w->n_records++;
    for (size_t i = 0; i < w->n_columns; i++) {
        if (w->columns[i].n_records < w->n_records)
            add_count(&w->columns[i], 0);
    }
    return T2_OK;
}

/* ---- arrays ---- */

/* One array: header, then what fill gives.  It is made twice: for the CRC, and to be written. */
struct array {
    struct t2_buf header;
    struct column *col;
    enum t2_status (*fill)(struct array *a, struct t2_err *err);
    size_t width;          /* of |S */
    struct t2_spool *from; /* of sums */
    struct t2_out *out;    /* NULL: only count */
    uint64_t bytes;
    uint32_t crc;
};

static void put(struct array *a, const void *data, size_t n)
{
    if (a->out) {
        t2_out_write(a->out, data, n);
        return;
    }
    a->crc = t2_crc32(a->crc, data, n);
    a->bytes += n;
}

static enum t2_status fill_copy(struct array *a, struct t2_err *err)
{
    uint64_t left = t2_spool_bytes(a->col->values);
    uint8_t work[4096];

    T2_TRY(t2_spool_rewind(a->col->values, err));
    while (left > 0) {
        size_t n = left < sizeof work ? (size_t) left : sizeof work;
        T2_TRY(t2_spool_read(a->col->values, work, n, err));
        put(a, work, n);
        left -= n;
    }
    return T2_OK;
}

/* 0, then the sums of the numbers in a->from. */
static enum t2_status fill_sums(struct array *a, struct t2_err *err)
{
    uint64_t sum = 0, left = t2_spool_bytes(a->from) / NUMBER_BYTES;
    uint8_t b[NUMBER_BYTES];

    T2_TRY(t2_spool_rewind(a->from, err));
    for (;;) {
        uint64_t v;
        for (int i = 0; i < NUMBER_BYTES; i++)
            b[i] = (uint8_t) (sum >> (8 * i));
        put(a, b, sizeof b);
        if (left-- == 0)
            return T2_OK;
        T2_TRY(get_number(a->from, &v, err));
        sum += v;
    }
}

static enum t2_status fill_fixed(struct array *a, struct t2_err *err)
{
    uint8_t value[MAX_FIXED_BYTES];

    T2_TRY(t2_spool_rewind(a->col->values, err));
    T2_TRY(t2_spool_rewind(a->col->widths, err));
    for (uint64_t i = 0; i < a->col->n_values; i++) {
        uint64_t n;
        T2_TRY(get_number(a->col->widths, &n, err));
        T2_ASSERT(n <= a->width);
        T2_TRY(t2_spool_read(a->col->values, value, (size_t) n, err));
        memset(value + n, 0, a->width - (size_t) n);
        put(a, value, a->width);
    }
    return T2_OK;
}

/*
 * Runs fill twice: without `out` for size and CRC-32, which stand in the zip's local header before
 * the content, and then to write. Seeking back to fill them in would not work on a pipe.
 */
static enum t2_status put_array(struct writer *w, struct t2_zip_writer *zip, struct array *a,
                                const char *suffix, const char *descr, const uint64_t *dims,
                                size_t n_dims, struct t2_err *err)
{
    char *name = t2_asprintf("%s%s.npy", a->col->name, suffix);
    enum t2_status st;

    t2_npy_header(&a->header, descr, dims, n_dims);
    put(a, a->header.data, a->header.len_bytes);
    st = a->fill(a, err);
    if (st == T2_OK) {
        t2_zip_member(zip, w->out, name, a->bytes, a->crc);
        a->out = w->out;
        put(a, a->header.data, a->header.len_bytes);
        st = a->fill(a, err);
    }
    t2_buf_release(&a->header);
    t2_free(name);
    return st;
}

static enum t2_status put_splits(struct writer *w, struct t2_zip_writer *zip, struct column *col,
                                 struct t2_spool *from, const char *suffix, struct t2_err *err)
{
    struct array a = {.col = col, .fill = fill_sums, .from = from};
    uint64_t n = t2_spool_bytes(from) / NUMBER_BYTES + 1;

    return put_array(w, zip, &a, suffix, "<i8", &n, 1, err);
}

/* Bytes that do not fit |S. */
static enum t2_status put_long_bytes(struct writer *w, struct t2_zip_writer *zip,
                                     struct column *col, struct t2_err *err)
{
    struct array a = {.col = col, .fill = fill_copy};
    uint64_t n = t2_spool_bytes(col->values);

    T2_TRY(put_array(w, zip, &a, REC_NPZ_BYTES, "|u1", &n, 1, err));
    T2_TRY(put_splits(w, zip, col, col->widths, REC_NPZ_BYTE_SPLITS, err));
    if (!col->same_counts || col->first_count != 1)
        T2_TRY(put_splits(w, zip, col, col->counts, REC_NPZ_ROW_SPLITS, err));
    return T2_OK;
}

static enum t2_status put_column(struct writer *w, struct t2_zip_writer *zip, struct column *col,
                                 struct t2_err *err)
{
    struct array a = {.col = col, .fill = fill_copy};
    uint64_t dims[2] = {col->n_records, col->first_count};
    char text[32];
    const char *descr = col->kind == TFR_INT64 ? "<i8" : "<f4";

    if (col->kind == TFR_BYTES) {
        if (col->max_width > MAX_FIXED_BYTES || col->ends_with_zero)
            return put_long_bytes(w, zip, col, err);
        a.fill = fill_fixed;
        a.width = col->max_width ? col->max_width : 1;
        snprintf(text, sizeof text, "|S%zu", a.width);
        descr = text;
    }
    if (col->same_counts)
        return put_array(w, zip, &a, "", descr, dims, col->first_count == 1 ? 1 : 2, err);
    T2_TRY(put_array(w, zip, &a, REC_NPZ_VALUES, descr, &col->n_values, 1, err));
    return put_splits(w, zip, col, col->counts, REC_NPZ_ROW_SPLITS, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct column *) a)->name, ((const struct column *) b)->name);
}

static enum t2_status commit(struct rec_writer *base, struct t2_err *err)
{
    struct writer *w = (struct writer *) base;
    struct t2_zip_writer zip = {.n = 0};
    struct t2_out *out = w->out;
    enum t2_status st = T2_OK;

    qsort(w->columns, w->n_columns, sizeof *w->columns, by_name);
    for (size_t i = 0; i < w->n_columns && st == T2_OK; i++)
        st = put_column(w, &zip, &w->columns[i], err);
    t2_zip_end(&zip, out);
    if (st != T2_OK)
        return st;
    w->out = NULL;
    return t2_out_commit(out, err);
}

static void free_writer(struct rec_writer *base)
{
    struct writer *w = (struct writer *) base;

    t2_out_abort(w->out);
    for (size_t i = 0; i < w->n_columns; i++) {
        t2_spool_free(w->columns[i].counts);
        t2_spool_free(w->columns[i].values);
        t2_spool_free(w->columns[i].widths);
        t2_free(w->columns[i].name);
    }
    tfr_example_release(&w->example);
    rec_values_release(&w->values);
    t2_free(w);
}

enum t2_status rec_npz_create(const struct rec_convert *c, struct rec_writer **out,
                              struct t2_err *err)
{
    struct t2_out *file;
    struct writer *w;

    if (t2_ends_with(c->output, ".npy"))
        return t2_fail(err, T2_EUSAGE, "'%s': records have several features: write a .npz",
                       c->output);
    T2_TRY(t2_out_new(c->output, &file, err));
    w = t2_alloc(1, sizeof *w);
    w->base = (struct rec_writer){NULL, NULL, NULL, add, commit, free_writer};
    w->path = c->output;
    w->out = file;
    *out = &w->base;
    return T2_OK;
}
