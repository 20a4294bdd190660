/*
 * tfrec/convert/npz_in.c - arrays of .npz and .npy files as Examples: row i of each is record i.
 *
 * Arrays stay where they are (mapped; deflated ones in a spool), so memory is one record.  Further
 * dimensions of an array are flattened in C order.
 *
 * Ragged features are two or three arrays of one stem (npz_out.c writes them so), splits being n +
 * 1 rising offsets from 0, as in tf.RaggedTensor:
 *
 *   X                               (N, ...)   as many values in every row
 *   X/values, X/row_splits          (V), (N + 1): row i is values[row_splits[i] .. row_splits[i+1]]
 *   X/bytes, X/byte_splits          (B), (N + 1): one bytes value a row
 *   X/bytes, X/byte_splits,         (B), (V + 1), (N + 1): row_splits counts values, byte_splits
 *     X/row_splits                  counts bytes
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/npy.h"
#include "base/text.h"
#include "base/zip.h"
#include "tfrec/convert/npz.h"

enum { MAX_EMPTY_ROWS = 1 << 24 }; /* they cost no bytes in the file, but time */
enum { MAX_ARRAYS = 10000 };       /* names are compared in pairs */

struct array {
    char *name; /* without .npy */
    struct t2_npy npy;
    const uint8_t *data;
};

/* A feature: its values, and where those of a row are. */
struct source {
    char *name;
    const struct array *values;
    const struct array *row_splits;  /* NULL: as many in every row */
    const struct array *byte_splits; /* NULL: values are not bytes in pieces */
    uint64_t row_items;              /* without row_splits */
};

struct reader {
    struct rec_reader base;
    char *path;
    struct t2_zip *zip;
    struct t2_mapped map; /* of a .npy */
    struct array *arrays;
    size_t n_arrays;
    struct source *sources;
    size_t n_sources;
    uint64_t n, row;
    /* values of one row */
    struct t2_buf numbers, slices, text;
};

/* ---- single items ---- */

/* One item of at most 8 bytes as an unsigned number, in the byte order of the array. */
static uint64_t load(const struct t2_npy *a, const uint8_t *p)
{
    uint64_t v = 0;

    for (size_t i = 0; i < a->item_bytes; i++)
        v = v << 8 | p[a->big_endian ? i : a->item_bytes - 1 - i];
    return v;
}

/* Item i in C order. */
static const uint8_t *item_at(const struct array *a, uint64_t i)
{
    uint64_t at = i;

    if (a->npy.fortran && a->npy.n_dims > 1) {
        uint64_t rest = i, stride = a->npy.n_items;
        at = 0;
        for (size_t d = a->npy.n_dims;
             d-- > 0;) { /* the last index is the fastest in i, the slowest at */
            stride /= a->npy.dims[d];
            at += rest % a->npy.dims[d] * stride;
            rest /= a->npy.dims[d];
        }
    }
    return a->data + at * a->npy.item_bytes;
}

/* Sign-extends by setting the bits above; false: a uint64 beyond int64. */
static bool load_int(const struct array *a, uint64_t i, int64_t *value)
{
    uint64_t v = load(&a->npy, item_at(a, i));
    unsigned bits = (unsigned) a->npy.item_bytes * 8;

    if (a->npy.kind == 'i' && bits < 64 && v >> (bits - 1))
        v |= UINT64_MAX << bits;
    if (a->npy.kind == 'b')
        v = v != 0;
    *value = (int64_t) v;
    return a->npy.kind != 'u' || v <= INT64_MAX;
}

/*
 * IEEE 754 binary16: sign 1, exponent 5 (bias 15), fraction 10 bits. A subnormal is m 2^-24, a
 * normal number (1024 + m) 2^(exponent - 25). Exact in float.
 */
static float from_half(uint16_t h)
{
    int exponent = h >> 10 & 31;
    float m = (float) (h & 1023), v;

    if (exponent == 31)
        v = m > 0 ? NAN : INFINITY;
    else if (exponent == 0)
        v = ldexpf(m, -24);
    else
        v = ldexpf(m + 1024.0F, exponent - 25);
    return h >> 15 ? -v : v;
}

static float load_float(const struct array *a, uint64_t i)
{
    uint64_t v = load(&a->npy, item_at(a, i));
    uint32_t v32 = (uint32_t) v;
    double d;
    float f;

    if (a->npy.item_bytes == 2)
        return from_half((uint16_t) v);
    memcpy(&f, &v32, sizeof f);
    memcpy(&d, &v, sizeof d);
    return a->npy.item_bytes == 4 ? f : (float) d;
}

/* UCS-4 to UTF-8; false: no character. */
static bool put_character(struct t2_buf *out, uint64_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return false;
    if (c < 0x80) {
        t2_buf_push(out, (uint8_t) c);
        return true;
    }
    if (c >= 0x10000) {
        t2_buf_push(out, (uint8_t) (0xf0 | c >> 18));
        t2_buf_push(out, (uint8_t) (0x80 | (c >> 12 & 63)));
    } else if (c >= 0x800) {
        t2_buf_push(out, (uint8_t) (0xe0 | c >> 12));
    }
    if (c >= 0x800)
        t2_buf_push(out, (uint8_t) (0x80 | (c >> 6 & 63)));
    else
        t2_buf_push(out, (uint8_t) (0xc0 | c >> 6));
    t2_buf_push(out, (uint8_t) (0x80 | (c & 63)));
    return true;
}

/* Text of a fixed width without the zeros at its end. */
static bool load_text(const struct array *a, uint64_t i, struct t2_buf *out)
{
    struct t2_npy one = a->npy;
    const uint8_t *p = item_at(a, i);
    size_t n = a->npy.item_bytes / 4;

    one.item_bytes = 4;
    while (n > 0 && load(&one, p + 4 * (n - 1)) == 0)
        n--;
    for (size_t k = 0; k < n; k++) {
        if (!put_character(out, load(&one, p + 4 * k)))
            return false;
    }
    return true;
}

/* ---- rows ---- */

static enum t2_status fail(const struct reader *r, const char *name, const char *what,
                           struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': array '%s': %s", r->path, name, what);
}

/* Items from *from up to *end of array splits; n: how many there are to point into. */
static enum t2_status find_range(const struct reader *r, const struct array *splits, uint64_t i,
                                 uint64_t n, uint64_t *from, uint64_t *end, struct t2_err *err)
{
    int64_t a, b;

    if (!load_int(splits, i, &a) || !load_int(splits, i + 1, &b) || a < 0 || b < a ||
        (uint64_t) b > n)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': array '%s': numbers %" PRIu64 " and the next do not rise, or point "
                       "behind the values",
                       r->path, splits->name, i);
    *from = (uint64_t) a;
    *end = (uint64_t) b;
    return T2_OK;
}

static enum t2_status take_bytes(struct reader *r, const struct source *s, uint64_t from,
                                 uint64_t end, struct t2_err *err)
{
    for (uint64_t i = from; i < end; i++) {
        const struct array *a = s->values;
        struct t2_slice v = {NULL, 0};
        if (s->byte_splits) {
            uint64_t b = 0, e = 0;
            T2_TRY(find_range(r, s->byte_splits, i, a->npy.n_items, &b, &e, err));
            v = (struct t2_slice){a->data + b, (size_t) (e - b)};
        } else if (a->npy.kind == 'S') {
            v = (struct t2_slice){item_at(a, i), a->npy.item_bytes};
            while (v.len_bytes > 0 && v.data[v.len_bytes - 1] == 0)
                v.len_bytes--;
        } else {
            size_t before = r->text.len_bytes;
            if (!load_text(a, i, &r->text))
                return fail(r, a->name, "a text has a number that is no character", err);
            v.len_bytes = r->text.len_bytes - before; /* data: when text has stopped growing */
        }
        t2_buf_append(&r->slices, &v, sizeof v);
    }
    return T2_OK;
}

/* The values of a row, appended; f->n says how many. */
static enum t2_status take_values(struct reader *r, const struct source *s, struct tfr_feature *f,
                                  struct t2_err *err)
{
    uint64_t from = r->row * s->row_items, end = from + s->row_items;
    const struct array *a = s->values;
    char kind = a->npy.kind;

    if (s->row_splits)
        T2_TRY(find_range(r, s->row_splits, r->row,
                          s->byte_splits ? s->byte_splits->npy.n_items - 1 : a->npy.n_items, &from,
                          &end, err));
    *f = (struct tfr_feature){.name = s->name, .n = (size_t) (end - from)};
    f->kind = s->byte_splits || kind == 'S' || kind == 'U' ? TFR_BYTES
              : kind == 'f'                                ? TFR_FLOAT
                                                           : TFR_INT64;
    if (f->kind == TFR_BYTES)
        return take_bytes(r, s, from, end, err);
    for (uint64_t i = from; i < end; i++) {
        int64_t v = 0;
        float x;
        if (f->kind == TFR_FLOAT) { /* 8 bytes each, so that one buffer serves both */
            x = load_float(a, i);
            memcpy(&v, &x, sizeof x);
        } else if (!load_int(a, i, &v)) {
            return fail(r, a->name, "a number does not fit int64", err);
        }
        t2_buf_append(&r->numbers, &v, sizeof v);
    }
    return T2_OK;
}

/* Arrays of the features, now that the buffers stay where they are.  Floats move together in
 * place. */
static void point_to_values(struct reader *r, struct tfr_feature *features)
{
    uint8_t *numbers = r->numbers.data;
    struct t2_slice *slices = (void *) r->slices.data;
    const uint8_t *text = (const uint8_t *) t2_buf_cstr(&r->text);

    for (size_t i = 0; i < r->n_sources; i++) {
        struct tfr_feature *f = &features[i];
        if (f->n == 0)
            continue;
        if (f->kind == TFR_BYTES) {
            for (size_t k = 0; k < f->n; k++) {
                if (r->sources[i].values->npy.kind == 'U') {
                    slices[k].data = text;
                    text += slices[k].len_bytes;
                }
            }
            f->bytes = slices;
            slices += f->n;
            continue;
        }
        for (size_t k = 0; k < f->n && f->kind == TFR_FLOAT; k++)
            memmove(numbers + k * sizeof(float), numbers + k * sizeof(int64_t), sizeof(float));
        f->floats = (void *) numbers;
        f->ints = (void *) numbers;
        numbers += f->n * sizeof(int64_t);
    }
}

static enum t2_status next(struct rec_reader *base, struct t2_buf *out, uint64_t *place,
                           struct t2_err *err)
{
    struct reader *r = (struct reader *) base;
    struct tfr_feature *features;
    enum t2_status st = T2_OK;

    *place = r->row;
    if (r->row == r->n)
        return T2_EOF;
    t2_buf_clear(&r->numbers);
    t2_buf_clear(&r->slices);
    t2_buf_clear(&r->text);
    features = t2_alloc(r->n_sources, sizeof *features);
    for (size_t i = 0; i < r->n_sources && st == T2_OK; i++)
        st = take_values(r, &r->sources[i], &features[i], err);
    if (st == T2_OK) {
        point_to_values(r, features);
        tfr_example_build(out, features, r->n_sources);
    }
    t2_free(features);
    r->row++;
    return st;
}

static void free_reader(struct rec_reader *base)
{
    struct reader *r = (struct reader *) base;

    for (size_t i = 0; i < r->n_arrays; i++)
        t2_free(r->arrays[i].name);
    for (size_t i = 0; i < r->n_sources; i++)
        t2_free(r->sources[i].name);
    t2_free(r->arrays);
    t2_free(r->sources);
    t2_buf_release(&r->numbers);
    t2_buf_release(&r->slices);
    t2_buf_release(&r->text);
    t2_zip_free(r->zip);
    t2_unmap_file(&r->map);
    t2_free(r->path);
    t2_free(r);
}

/* ---- which arrays are which features ---- */

static enum t2_status add_array(struct reader *r, const char *name, size_t name_bytes,
                                struct t2_slice content, struct t2_err *err)
{
    char *origin =
        r->zip ? t2_asprintf("%s:%.*s", r->path, (int) name_bytes, name) : t2_strdup(r->path);
    struct array *a = &r->arrays[r->n_arrays];
    enum t2_status st = t2_npy_parse(content, origin, &a->npy, err);

    t2_free(origin);
    T2_TRY(st);
    a->name = t2_strndup(name, name_bytes);
    a->data = content.data + a->npy.header_bytes;
    r->n_arrays++;
    if (t2_utf8_invalid_at((const uint8_t *) name, name_bytes) < name_bytes)
        return fail(r, "?", "the name of an array is not UTF-8", err);
    if (a->npy.n_dims == 0)
        return fail(r, a->name, "a single number; it should have a row a record", err);
    if (a->npy.n_items == 0 && a->npy.dims[0] > MAX_EMPTY_ROWS)
        return fail(r, a->name, "millions of rows without a value", err);
    if (!strchr("biufSU", a->npy.kind) || a->npy.item_bytes == 0 ||
        (a->npy.kind == 'f'
             ? a->npy.item_bytes != 2 && a->npy.item_bytes != 4 && a->npy.item_bytes != 8
             : strchr("biu", a->npy.kind) && (a->npy.item_bytes > 8)))
        return fail(r, a->name,
                    "its type is none of bool, int, uint, float16 to float64, bytes (S), text (U); "
                    "convert it with astype first",
                    err);
    return T2_OK;
}

static void say(const struct rec_reader *base)
{
    const struct reader *r = (const struct reader *) base;

    for (size_t i = 0; i < r->n_arrays; i++)
        if (r->arrays[i].npy.kind == 'f' && r->arrays[i].npy.item_bytes == 8)
            t2_warn("'%s': array '%s': float64 becomes float32, which is what records have",
                    r->path, r->arrays[i].name);
}

static const struct array *find_array(const struct reader *r, const char *name, size_t name_bytes,
                                      const char *suffix)
{
    for (size_t i = 0; i < r->n_arrays; i++) {
        const char *s = r->arrays[i].name;
        if (strncmp(s, name, name_bytes) == 0 && strcmp(s + name_bytes, suffix) == 0)
            return &r->arrays[i];
    }
    return NULL;
}

/* The length of "X" in "X/values"; 0: it does not end so. */
static size_t stem(const char *name, const char *suffix)
{
    size_t n = strlen(name), k = strlen(suffix);

    return n > k && strcmp(name + n - k, suffix) == 0 ? n - k : 0;
}

static bool is_splits(const struct array *a)
{
    return a && a->npy.n_dims == 1 && a->npy.n_items > 0 && strchr("iu", a->npy.kind);
}

static enum t2_status add_source(struct reader *r, const struct array *a, struct t2_err *err)
{
    struct source *s = &r->sources[r->n_sources];
    size_t n = stem(a->name, REC_NPZ_VALUES), b = stem(a->name, REC_NPZ_BYTES);
    uint64_t rows = a->npy.dims[0];

    *s = (struct source){.values = a};
    s->row_splits = n ? find_array(r, a->name, n, REC_NPZ_ROW_SPLITS) : NULL;
    s->byte_splits = b ? find_array(r, a->name, b, REC_NPZ_BYTE_SPLITS) : NULL;
    if (s->byte_splits) {
        s->row_splits = find_array(r, a->name, b, REC_NPZ_ROW_SPLITS);
        n = b;
        if (!is_splits(s->byte_splits) || a->npy.item_bytes != 1 || a->npy.n_dims != 1)
            return fail(r, a->name, "with its byte_splits it is no list of bytes", err);
        rows = s->byte_splits->npy.n_items - 1;
    }
    if (s->row_splits) {
        if (!is_splits(s->row_splits) || a->npy.n_dims != 1)
            return fail(r, a->name, "with its row_splits it is no list of lists", err);
        rows = s->row_splits->npy.n_items - 1;
    }
    s->row_items = s->byte_splits ? 1 : 0;
    for (size_t d = 1, items = 1; !s->byte_splits && d <= a->npy.n_dims; d++) {
        s->row_items = items; /* n_items may be 0 when dims[0] is; the product was checked else */
        if (d < a->npy.n_dims)
            items = a->npy.n_items == 0 ? 0 : items * (size_t) a->npy.dims[d];
    }
    s->name = t2_strndup(a->name, s->row_splits || s->byte_splits ? n : strlen(a->name));
    r->n_sources++;
    if (r->n_sources == 1)
        r->n = rows;
    if (rows != r->n)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': array '%s' has %" PRIu64 " rows, '%s' has %" PRIu64
                       "; row i of each is record i",
                       r->path, a->name, rows, r->sources[0].values->name, r->n);
    return T2_OK;
}

/* Is it the splits of another array? */
static bool is_part(const struct reader *r, const struct array *a)
{
    size_t n = stem(a->name, REC_NPZ_ROW_SPLITS), b = stem(a->name, REC_NPZ_BYTE_SPLITS);

    return (n && (find_array(r, a->name, n, REC_NPZ_VALUES) ||
                  find_array(r, a->name, n, REC_NPZ_BYTES))) ||
           (b && find_array(r, a->name, b, REC_NPZ_BYTES));
}

static enum t2_status find_sources(struct reader *r, struct t2_err *err)
{
    r->sources = t2_alloc(r->n_arrays, sizeof *r->sources);
    for (size_t i = 0; i < r->n_arrays; i++) {
        const struct array *a = &r->arrays[i];
        if (is_part(r, a))
            continue;
        T2_TRY(add_source(r, a, err));
        for (size_t k = 0; k + 1 < r->n_sources; k++) {
            if (strcmp(r->sources[k].name, r->sources[r->n_sources - 1].name) == 0)
                return fail(r, a->name, "there are two arrays for one feature", err);
        }
    }
    return T2_OK;
}

static enum t2_status read_zip(struct reader *r, struct t2_err *err)
{
    size_t n;

    T2_TRY(t2_zip_open(r->path, &r->zip, err));
    n = t2_zip_count(r->zip);
    if (n > MAX_ARRAYS)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': more than %d arrays: each would be a feature of every record",
                       r->path, MAX_ARRAYS);
    r->arrays = t2_alloc(n, sizeof *r->arrays);
    for (size_t i = 0; i < n; i++) {
        const char *name = t2_zip_name(r->zip, i);
        size_t bytes = stem(name, ".npy");
        struct t2_slice content;
        if (bytes == 0)
            return t2_fail(err, T2_EFORMAT, "'%s': member '%s' is no .npy array", r->path, name);
        T2_TRY(t2_zip_content(r->zip, i, r->path, &content, err));
        T2_TRY(add_array(r, name, bytes, content, err));
    }
    return T2_OK;
}

static enum t2_status read_npy(struct reader *r, struct t2_err *err)
{
    const char *name = t2_path_base(r->path);
    size_t bytes = stem(name, ".npy");

    T2_TRY(t2_map_file(r->path, &r->map, err));
    r->arrays = t2_alloc(1, sizeof *r->arrays);
    return add_array(r, name, bytes ? bytes : strlen(name),
                     (struct t2_slice){r->map.data, r->map.len_bytes}, err);
}

static bool begins_as_npy(const char *path)
{
    struct t2_mapped m;
    struct t2_err ignored = T2_ERR_INIT;
    bool is_npy;

    if (t2_map_file(path, &m, &ignored) != T2_OK)
        return false;
    is_npy = m.len_bytes >= 6 && memcmp(m.data, "\x93NUMPY", 6) == 0;
    t2_unmap_file(&m);
    return is_npy;
}

enum t2_status rec_npz_open(const struct rec_convert *c, const char *path, struct rec_reader **out,
                            struct t2_err *err)
{
    struct reader *r;
    enum t2_status st;

    (void) c;
    if (strcmp(path, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "npz is read from its end: give a file, not '-'");
    r = t2_alloc(1, sizeof *r);
    r->base = (struct rec_reader){.next = next, .free = free_reader, .say = say};
    r->path = t2_strdup(path);
    st = t2_ends_with(path, ".npy") || begins_as_npy(path) ? read_npy(r, err) : read_zip(r, err);
    if (st == T2_OK)
        st = find_sources(r, err);
    if (st == T2_OK)
        *out = &r->base;
    else
        free_reader(&r->base);
    return st;
}
