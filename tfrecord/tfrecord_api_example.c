/*
 * tfrecord/tfrecord_api_example.c - libtfrecord: tf.train.Example, one by one and in batches.
 *
 * Layout of the block that tfrecord_example_parse() gives, words of 8 bytes in host order:
 *
 *   rows      n_features x TFRECORD_ROW words: offset of the name in the record, its bytes, kind,
 *             number of values, offset of the values in the block (bytes)
 *   values    int64: one word each; float: two a word; bytes: offset in the record and length
 *
 * One block for all features, so that a binding for another language makes one call and one copy;
 * names and bytes are not copied at all. Offsets instead of pointers, as a caller may move both.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "base/text.h"
#include "tfrecord/example.h"
#include "tfrecord/example_batch.h"
#include "tfrecord/tfrecord_api_impl.h"

/* protobuf's own bound for a message. */
#define MAX_EXAMPLE_BYTES ((uint64_t) INT32_MAX)

struct tfrecord_example {
    struct t2_strs names;
    bool all;
    struct tfr_example parsed;
    int64_t *block; /* of words: what begins in it is aligned */
    size_t capacity;
    struct t2_slice *values;
    size_t values_capacity;
    struct t2_buf built;
};

int tfrecord_example_new(const char *const *names, size_t n_names,
                         struct tfrecord_example **example)
{
    struct tfrecord_example *e;

    if (!example)
        return tfrecord_api_misuse("tfrecord_example_new: NULL");
    e = t2_alloc(1, sizeof *e);
    e->all = !names;
    for (size_t i = 0; names && i < n_names; i++)
        t2_strs_push(&e->names, !names[i] ? "" : names[i]);
    *example = e;
    return TFRECORD_OK;
}

void tfrecord_example_free(struct tfrecord_example *e)
{
    if (!e)
        return;
    t2_strs_release(&e->names);
    tfr_example_release(&e->parsed);
    t2_free(e->block);
    t2_free(e->values);
    t2_buf_release(&e->built);
    t2_free(e);
}

/* ---- parse ---- */

static bool is_wanted(const struct tfrecord_example *e, struct t2_slice name)
{
    for (size_t i = 0; i < e->names.n; i++) {
        if (t2_slice_eq(t2_slice_of(e->names.items[i]), name))
            return true;
    }
    return e->all;
}

/* Words of the block that the values take. */
static size_t words_of(const struct tfr_view *v)
{
    if (v->kind == TFR_INT64)
        return v->n;
    if (v->kind == TFR_FLOAT)
        return v->n / 2 + v->n % 2;
    return v->kind == TFR_BYTES ? 2 * v->n : 0;
}

/* Room for words of the block and for n byte strings.  The sizes are bounded by the record's. */
static bool reserve(struct tfrecord_example *e, size_t words, size_t n)
{
    if (words > e->capacity) {
        int64_t *block = t2_try_alloc(words + words / 2, sizeof *block);
        if (!block)
            return false;
        t2_free(e->block);
        e->block = block;
        e->capacity = words + words / 2;
    }
    if (n > e->values_capacity) {
        struct t2_slice *values = t2_try_alloc(n + n / 2, sizeof *values);
        if (!values)
            return false;
        t2_free(e->values);
        e->values = values;
        e->values_capacity = n + n / 2;
    }
    return true;
}

static void put_values(struct tfrecord_example *e, const struct tfr_view *v, const uint8_t *record,
                       int64_t *to)
{
    if (v->kind == TFR_INT64)
        tfr_view_ints(v, to);
    else if (v->kind == TFR_FLOAT)
        tfr_view_floats(v, (float *) (void *) to);
    if (v->kind != TFR_BYTES)
        return;
    tfr_view_bytes(v, e->values);
    for (size_t i = 0; i < v->n; i++) {
        to[2 * i] = e->values[i].len_bytes == 0 ? 0 : e->values[i].data - record;
        to[2 * i + 1] = (int64_t) e->values[i].len_bytes;
    }
}

/* Moves the views of the chosen features to the front; their number, and the words of the block. */
static size_t choose(struct tfrecord_example *e, size_t *words, size_t *n_values)
{
    size_t n = 0;

    *words = *n_values = 0;
    for (size_t i = 0; i < e->parsed.n; i++) {
        const struct tfr_view *v = &e->parsed.views[i];
        if (!is_wanted(e, v->name))
            continue;
        *words += TFRECORD_ROW + words_of(v);
        if (v->kind == TFR_BYTES && v->n > *n_values)
            *n_values = v->n;
        e->parsed.views[n++] = *v;
    }
    return n;
}

int tfrecord_example_parse(struct tfrecord_example *e, const void *record, size_t n_bytes,
                           const void **block, size_t *block_bytes, size_t *n_features)
{
    const struct t2_slice rec = {record, n_bytes};
    struct t2_err err = T2_ERR_INIT;
    size_t n, words, n_values;
    enum t2_status st;

    if (!e || !block || !block_bytes || !n_features || (!record && n_bytes > 0))
        return tfrecord_api_misuse("tfrecord_example_parse: NULL");
    *block = NULL;
    *block_bytes = *n_features = 0;
    if ((st = tfr_example_parse(&e->parsed, rec, &err)) != T2_OK)
        return tfrecord_api_status(st, &err);
    n = choose(e, &words, &n_values);
    if (!reserve(e, words + 1, n_values))
        return tfrecord_api_status(t2_fail(&err, T2_ENOMEM,
                                           "no memory for the values of an Example of %zu bytes",
                                           n_bytes),
                                   &err);
    size_t at = n * TFRECORD_ROW;
    for (size_t i = 0; i < n; i++) {
        const struct tfr_view *v = &e->parsed.views[i];
        int64_t *row = e->block + i * TFRECORD_ROW;
        row[0] = v->name.len_bytes == 0 ? 0 : v->name.data - rec.data;
        row[1] = (int64_t) v->name.len_bytes;
        row[2] = v->kind;
        row[3] = (int64_t) v->n;
        row[4] = (int64_t) (at * sizeof *row);
        put_values(e, v, rec.data, e->block + at);
        at += words_of(v);
    }
    *block = e->block;
    *block_bytes = words * sizeof *e->block;
    *n_features = n;
    return TFRECORD_OK;
}

/* ---- build ---- */

/* NULL, or a name that is there twice. */
static const char *name_there_twice(const struct tfr_feature *f, size_t n)
{
    enum { FEW = 16 }; /* faster without a map */
    struct t2_map *names = n > FEW ? t2_map_new() : NULL;
    const char *found = NULL;
    bool is_new = true;

    for (size_t i = 0; i < n && !found; i++) {
        if (names)
            (void) t2_map_at(names, f[i].name, strlen(f[i].name), &is_new);
        for (size_t j = 0; j < i && !names; j++)
            is_new &= strcmp(f[i].name, f[j].name) != 0;
        found = is_new ? NULL : f[i].name;
    }
    t2_map_free(names);
    return found;
}

/* Checks what tfr_example_build asserts: across the library's border wrong arguments are an error
 * and must not end the process. */
static enum t2_status check_features(const struct tfr_feature *f, size_t n, struct t2_err *err)
{
    const char *twice;
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        size_t name_bytes = !f[i].name ? 0 : strlen(f[i].name);
        if (!f[i].name || (int) f[i].kind < 0 || f[i].kind > TFR_INT64)
            return t2_fail(err, T2_EUSAGE, "feature %zu has no name or an unknown kind", i);
        if (t2_utf8_invalid_at((const uint8_t *) f[i].name, name_bytes) < name_bytes)
            return t2_fail(err, T2_EUSAGE, "the name of feature %zu is not UTF-8", i);
        sum += name_bytes + 64;
        if (f[i].n > MAX_EXAMPLE_BYTES)
            sum += MAX_EXAMPLE_BYTES;
        else if (f[i].kind != TFR_BYTES)
            sum += (f[i].kind == TFR_FLOAT ? 4 : 10) * (uint64_t) f[i].n;
        for (size_t k = 0; f[i].kind == TFR_BYTES && k < f[i].n && sum <= MAX_EXAMPLE_BYTES; k++)
            sum += f[i].bytes[k].len_bytes > MAX_EXAMPLE_BYTES ? MAX_EXAMPLE_BYTES
                                                               : f[i].bytes[k].len_bytes + 6;
        if (sum > MAX_EXAMPLE_BYTES)
            return t2_fail(err, T2_EUSAGE, "an Example may not be larger than 2 GiB");
    }
    twice = name_there_twice(f, n);
    return twice ? t2_fail(err, T2_EUSAGE, "feature '%s' is there twice", twice) : T2_OK;
}

/* The values of one feature of bytes as slices; owned by the caller. */
static struct t2_slice *slices(const void *values, const size_t *lengths, size_t n)
{
    struct t2_slice *s = t2_alloc(n + 1, sizeof *s);

    for (size_t i = 0; i < n; i++)
        s[i] = (struct t2_slice){((const uint8_t *const *) values)[i], lengths[i]};
    return s;
}

int tfrecord_example_build(struct tfrecord_example *e, size_t n_features, const char *const *names,
                           const int *kinds, const size_t *counts, const void *const *values,
                           const size_t *const *lengths, const void **data, size_t *n_bytes)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_feature *f;
    enum t2_status st = T2_OK;

    if (!e || !data || !n_bytes || (n_features > 0 && (!names || !kinds || !counts || !values)))
        return tfrecord_api_misuse("tfrecord_example_build: NULL");
    f = t2_alloc(n_features + 1, sizeof *f);
    for (size_t i = 0; i < n_features && st == T2_OK; i++) {
        f[i] = (struct tfr_feature){.name = names[i],
                                    .kind = (enum tfr_kind) kinds[i],
                                    .n = counts[i],
                                    .ints = values[i],
                                    .floats = values[i]};
        if (counts[i] > 0 &&
            (!values[i] || (kinds[i] == TFRECORD_BYTES && (!lengths || !lengths[i]))))
            st = t2_fail(&err, T2_EUSAGE, "feature %zu has values that are NULL", i);
        else if (kinds[i] == TFRECORD_BYTES)
            f[i].bytes = slices(values[i], counts[i] > 0 ? lengths[i] : NULL, counts[i]);
    }
    if (st == T2_OK)
        st = check_features(f, n_features, &err);
    if (st == T2_OK) {
        t2_buf_clear(&e->built);
        tfr_example_build(&e->built, f, n_features);
        *data = e->built.data;
        *n_bytes = e->built.len_bytes;
    }
    for (size_t i = 0; i < n_features; i++)
        t2_free((void *) (uintptr_t) f[i].bytes);
    t2_free(f);
    return tfrecord_api_status(st, &err);
}

/* ---- batches ---- */

struct tfrecord_batch {
    struct tfr_batch b;
};

int tfrecord_batch_new(const char *const *names, const int *kinds, size_t n_columns,
                       struct tfrecord_batch **batch)
{
    enum tfr_kind *k;

    if (!batch || (!names && n_columns > 0))
        return tfrecord_api_misuse("tfrecord_batch_new: NULL");
    *batch = NULL;
    for (size_t i = 0; i < n_columns; i++) {
        if (!names[i] || (kinds && (kinds[i] < 0 || kinds[i] > TFRECORD_INT64)))
            return tfrecord_api_misuse("a column has no name or an unknown kind");
        for (size_t j = 0; j < i; j++) {
            if (strcmp(names[i], names[j]) == 0)
                return tfrecord_api_misuse("two columns have one name");
        }
    }
    k = t2_alloc(n_columns + 1, sizeof *k);
    for (size_t i = 0; kinds && i < n_columns; i++)
        k[i] = (enum tfr_kind) kinds[i];
    *batch = t2_alloc(1, sizeof **batch);
    tfr_batch_init(&(*batch)->b, names, k, n_columns);
    t2_free(k);
    return TFRECORD_OK;
}

void tfrecord_batch_free(struct tfrecord_batch *b)
{
    if (!b)
        return;
    tfr_batch_release(&b->b);
    t2_free(b);
}

void tfrecord_batch_clear(struct tfrecord_batch *b)
{
    if (b)
        tfr_batch_clear(&b->b);
}

int tfrecord_batch_add(struct tfrecord_batch *b, const void *record, size_t n_bytes)
{
    struct t2_err err = T2_ERR_INIT;

    if (!b || (!record && n_bytes > 0))
        return tfrecord_api_misuse("tfrecord_batch_add: NULL");
    return tfrecord_api_status(tfr_batch_add(&b->b, (struct t2_slice){record, n_bytes}, &err),
                               &err);
}

/* Adds a record of a reader; what is wrong with it is said with its place. */
static enum t2_status add(struct tfrecord_batch *b, struct tfrecord_reader *r, struct t2_slice rec,
                          struct t2_err *err)
{
    enum t2_status st = tfr_batch_add(&b->b, rec, err);

    if (st != T2_OK)
        tfrecord_api_locate(r, err);
    return st;
}

int tfrecord_batch_next(struct tfrecord_batch *b, struct tfrecord_reader *r, size_t max_records)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice rec = {0};
    enum t2_status st = T2_OK;
    size_t n = 0;

    if (!b || !r)
        return tfrecord_api_misuse("tfrecord_batch_next: NULL");
    for (; n < max_records && st == T2_OK; n += st == T2_OK) {
        if ((st = tfrecord_api_next(r, &rec, &err)) == T2_OK)
            st = add(b, r, rec, &err);
    }
    return tfrecord_api_status(st == T2_EOF && n > 0 ? T2_OK : st, &err);
}

int tfrecord_batch_get(struct tfrecord_batch *b, struct tfrecord_reader *r, const uint64_t *numbers,
                       size_t n_numbers)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice rec = {0};
    enum t2_status st = T2_OK;

    if (!b || !r || (!numbers && n_numbers > 0))
        return tfrecord_api_misuse("tfrecord_batch_get: NULL");
    for (size_t i = 0; i < n_numbers && st == T2_OK; i++) {
        if ((st = tfrecord_api_get(r, numbers[i], &rec, &err)) == T2_OK)
            st = add(b, r, rec, &err);
    }
    return tfrecord_api_status(st, &err);
}

size_t tfrecord_batch_n_records(const struct tfrecord_batch *b)
{
    return !b ? 0 : b->b.n_records;
}

static const struct tfr_column *column(const struct tfrecord_batch *b, size_t i)
{
    return !b || i >= b->b.n_columns ? NULL : &b->b.columns[i];
}

int tfrecord_batch_kind(const struct tfrecord_batch *b, size_t i)
{
    const struct tfr_column *c = column(b, i);

    return !c ? 0 : (int) c->kind;
}

const int64_t *tfrecord_batch_splits(const struct tfrecord_batch *b, size_t i)
{
    static const int64_t none[1];
    const struct tfr_column *c = column(b, i);

    if (!c)
        return NULL;
    return b->b.n_records == 0 ? none : c->splits;
}

const void *tfrecord_batch_values(const struct tfrecord_batch *b, size_t i)
{
    static const int64_t none[1];
    const struct tfr_column *c = column(b, i);

    if (!c)
        return NULL;
    if (c->n_values == 0)
        return none;
    return c->kind == TFR_INT64   ? (const void *) c->ints
           : c->kind == TFR_FLOAT ? (const void *) c->floats
                                  : (const void *) c->ends;
}

const uint8_t *tfrecord_batch_data(const struct tfrecord_batch *b, size_t i)
{
    static const uint8_t none[1];
    const struct tfr_column *c = column(b, i);

    if (!c)
        return NULL;
    return c->kind != TFR_BYTES || !c->data ? none : c->data;
}
