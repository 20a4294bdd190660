/*
 * tfrecord/example_batch.c - Examples into columns.
 *
 * Nearly every writer writes an entry of the feature map in one way: name, then a Feature that
 * holds one list, then in it one packed run that fills it.  Such an entry is recognised by its
 * bytes and its values are read in the pass that checks them.  A record with any other entry goes
 * through the parser (example_parse.c), which also finds the words when something is wrong.
 *
 * A column c after n records: splits (n + 1) int64, values splits[i] ... splits[i + 1] belong to
 * record i; ints or floats (n_values), or for bytes ends (n_values + 1) into data.  This is the
 * layout of ragged arrays, which NumPy and Arrow take as they are.
 *
 * A record is added in one of two ways, and taken back when the first finds it odd:
 *
 *   add_example   the usual form by its bytes; reads and checks values in one pass
 *   add_parsed    the parser; also for messages
 */
#include "tfrecord/example_batch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tfrecord/example_lists.h"
#include "tfrecord/varint.h"

enum { FIRST_CAPACITY = 64 };

/* ---- memory ---- */

/* Room for `want` items in all; grows by half at least.  array: of the pointer. */
static bool reserve(void *array, size_t *capacity, size_t want, size_t item_bytes)
{
    void *old, *grown;
    size_t n = *capacity + *capacity / 2 + FIRST_CAPACITY;

    if (__builtin_expect(want <= *capacity, 1))
        return true;
    if (n < want)
        n = want;
    memcpy(&old, array, sizeof old);
    grown = t2_try_alloc(n, item_bytes);
    if (!grown)
        return false;
    if (*capacity > 0)
        memcpy(grown, old, *capacity * item_bytes);
    t2_free(old);
    memcpy(array, &grown, sizeof grown);
    *capacity = n;
    return true;
}

/* Room for n more values, and some bytes that a fast form may write beyond them. */
static bool reserve_values(struct tfr_column *c, size_t n)
{
    size_t want = c->n_values + n + TFR_READ_SLACK;

    if (c->kind == TFR_INT64)
        return reserve(&c->ints, &c->capacity, want, sizeof *c->ints);
    if (c->kind == TFR_FLOAT)
        return reserve(&c->floats, &c->capacity, want, sizeof *c->floats);
    return reserve(&c->ends, &c->capacity, want, sizeof *c->ends);
}

void tfr_batch_init(struct tfr_batch *b, const char *const *names, const enum tfr_kind *kinds,
                    size_t n_columns)
{
    *b = (struct tfr_batch){.n_columns = n_columns};
    b->columns = t2_alloc(n_columns + 1, sizeof *b->columns);
    for (size_t i = 0; i < n_columns; i++) {
        struct tfr_column *c = &b->columns[i];
        c->name = t2_strdup(names[i]);
        c->name_bytes = strlen(names[i]);
        c->wanted = c->kind = !kinds ? TFR_NONE : kinds[i];
    }
}

void tfr_batch_release(struct tfr_batch *b)
{
    for (size_t i = 0; i < b->n_columns; i++) {
        struct tfr_column *c = &b->columns[i];
        t2_free(c->name);
        t2_free(c->splits);
        t2_free(c->ints);
        t2_free(c->floats);
        t2_free(c->ends);
        t2_free(c->data);
    }
    t2_free(b->columns);
    tfr_example_release(&b->scratch);
    *b = (struct tfr_batch){0};
}

/* Gives a column its kind; arrays of another kind are not kept. */
static void set_kind(struct tfr_column *c, enum tfr_kind kind)
{
    if (kind == c->kind)
        return;
    t2_free(c->ints);
    t2_free(c->floats);
    t2_free(c->ends);
    c->ints = NULL;
    c->floats = NULL;
    c->ends = NULL;
    c->capacity = 0;
    c->kind = kind;
}

void tfr_batch_clear(struct tfr_batch *b)
{
    b->n_records = 0;
    for (size_t i = 0; i < b->n_columns; i++)
        b->columns[i].n_values = 0;
}

/* ---- one list into a column ---- */

/* ODD: not in the usual form, or not of the column's kind; not known whether it is sound. */
enum outcome { ADDED, ODD, NO_MEMORY };

/* The column has no value of this record yet, and the kind of the list. */
static enum outcome begin_list(struct tfr_batch *b, struct tfr_column *c, enum tfr_kind kind)
{
    if (c->seen)
        c->n_values = (size_t) c->splits[b->n_records]; /* the last of equal names wins */
    c->seen = true;
    if (c->kind == kind)
        return ADDED;
    if (c->wanted != TFR_NONE || c->n_values > 0)
        return ODD;
    set_kind(c, kind);
    return ADDED;
}

static bool add_value(struct tfr_column *c, struct t2_slice value)
{
    size_t at = c->n_values == 0 ? 0 : (size_t) c->ends[c->n_values];

    if (!reserve(&c->data, &c->data_capacity, at + value.len_bytes, 1))
        return false;
    if (value.len_bytes > 0)
        memcpy(c->data + at, value.data, value.len_bytes);
    c->ends[0] = 0;
    c->ends[++c->n_values] = (int64_t) (at + value.len_bytes);
    return true;
}

static void put_floats(float *to, const uint8_t *from, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, from, 4 * n);
#else
    for (size_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t) from[4 * i] | (uint32_t) from[4 * i + 1] << 8 |
                        (uint32_t) from[4 * i + 2] << 16 | (uint32_t) from[4 * i + 3] << 24;
        memcpy(to + i, &bits, 4);
    }
#endif
}

/* The list is exactly one field 1 with this body. */
static enum outcome add_run(struct tfr_batch *b, struct tfr_column *c, enum tfr_kind kind,
                            struct t2_slice run, const struct tfr_varint_ops *ops)
{
    enum outcome o;
    size_t n;

    if (kind == TFR_FLOAT && run.len_bytes % 4 != 0)
        return ODD;
    if ((o = begin_list(b, c, kind)) != ADDED)
        return o;
    n = kind == TFR_INT64 ? run.len_bytes : kind == TFR_FLOAT ? run.len_bytes / 4 : 1;
    if (!reserve_values(c, n))
        return NO_MEMORY;
    if (kind == TFR_BYTES)
        return add_value(c, run) ? ADDED : NO_MEMORY;
    if (kind == TFR_FLOAT) {
        if (n > 0)
            put_floats(c->floats + c->n_values, run.data, n);
    } else if ((n = ops->read_ints(run.data, run.len_bytes, c->ints + c->n_values)) == SIZE_MAX) {
        return ODD;
    }
    c->n_values += n;
    return ADDED;
}

/* ---- entries ---- */

/*
 * A length that must be that of all that follows.
 *
 * In the usual form each message ends where its parent does.
 */
static inline bool is_rest(const uint8_t **p, const uint8_t *end)
{
    struct t2_wire w = {*p, end};
    uint64_t n;

    if (!t2_wire_varint(&w, 5, &n))
        return false;
    *p = w.p;
    return n == (uint64_t) (end - w.p);
}

static inline bool is_tag(const uint8_t **p, const uint8_t *end, uint8_t tag)
{
    return *p < end && *(*p)++ == tag;
}

/*
 * Records of a file have their features in one order, so the search begins behind the column found
 * last (hint).
 */
static inline struct tfr_column *column_of(struct tfr_batch *b, struct t2_slice name)
{
    for (size_t i = 0; i < b->n_columns; i++) {
        size_t k = b->hint + i < b->n_columns ? b->hint + i : b->hint + i - b->n_columns;
        struct tfr_column *c = &b->columns[k];
        if (c->name_bytes == name.len_bytes && memcmp(c->name, name.data, name.len_bytes) == 0) {
            b->hint = k + 1 == b->n_columns ? 0 : k + 1;
            return c;
        }
    }
    return NULL;
}

/* Checks a list of no column, so that a damaged record is refused whatever the columns are. */
static enum outcome pass_over(struct t2_slice name, enum tfr_kind kind, struct t2_slice list)
{
    struct tfr_trouble t = {0};
    size_t n = 0;

    for (size_t i = 0; i < name.len_bytes; i++) {
        if (name.data[i] >= 0x80)
            return ODD;
    }
    return tfr_list_count(kind, list, &n, &t) ? ADDED : ODD;
}

/* An entry in the usual form. */
static inline enum outcome add_entry(struct tfr_batch *b, struct t2_slice entry,
                                     const struct tfr_varint_ops *ops)
{
    const uint8_t *p = entry.data, *end = p + entry.len_bytes;
    struct t2_slice name, list;
    struct tfr_column *c;
    enum tfr_kind kind;

    if (entry.len_bytes < 2 || p[0] != TFR_TAG_1 || p[1] >= 0x80 || p[1] > entry.len_bytes - 2)
        return ODD;
    name = (struct t2_slice){p + 2, p[1]};
    p += 2 + name.len_bytes;
    if (!is_tag(&p, end, TFR_TAG_2) || !is_rest(&p, end) || p == end)
        return ODD;
    kind = (enum tfr_kind)(*p >> 3);
    if ((*p != TFR_TAG_1 && *p != TFR_TAG_2 && *p != TFR_TAG_3) || (++p, !is_rest(&p, end)))
        return ODD;
    list = (struct t2_slice){p, (size_t) (end - p)};
    c = column_of(b, name);
    if (!c)
        return pass_over(name, kind, list);
    if (!is_tag(&p, end, TFR_TAG_1) || !is_rest(&p, end))
        return ODD;
    return add_run(b, c, kind, (struct t2_slice){p, (size_t) (end - p)}, ops);
}

/* ---- a record ---- */

static enum outcome add_features(struct tfr_batch *b, struct t2_slice body)
{
    const struct tfr_varint_ops *ops = tfr_varint_ops();
    struct t2_wire w = t2_wire_of(body);
    enum outcome o = ADDED;
    struct t2_slice entry;
    uint32_t tag;

    while (t2_wire_more(&w) && o == ADDED) {
        if (!t2_wire_tag(&w, &tag))
            return ODD;
        if (tag != TFR_TAG_1) {
            if (!t2_wire_skip(&w, tag, TFR_IN_FEATURES))
                return ODD;
            continue;
        }
        if (!t2_wire_bytes(&w, &entry))
            return ODD;
        o = add_entry(b, entry, ops);
    }
    return o;
}

static enum outcome add_example(struct tfr_batch *b, struct t2_slice record)
{
    struct t2_wire w = t2_wire_of(record);
    enum outcome o = ADDED;
    struct t2_slice features;
    uint32_t tag;

    while (t2_wire_more(&w) && o == ADDED) {
        if (!t2_wire_tag(&w, &tag))
            return ODD;
        if (tag == TFR_TAG_1)
            o = t2_wire_bytes(&w, &features) ? add_features(b, features) : ODD;
        else if (!t2_wire_skip(&w, tag, TFR_IN_EXAMPLE))
            return ODD;
    }
    return o;
}

/* Room for the splits of one record more; the first is there from then on. */
static bool reserve_splits(struct tfr_batch *b)
{
    size_t want = b->n_records + 2;
    size_t capacity = b->capacity;

    if (want <= b->capacity)
        return true;
    for (size_t i = 0; i < b->n_columns; i++) {
        capacity = b->capacity;
        if (!reserve(&b->columns[i].splits, &capacity, want, sizeof *b->columns[i].splits))
            return false;
        b->columns[i].splits[0] = 0;
    }
    b->capacity = capacity;
    return true;
}

/* ---- a record that is not in the usual form ---- */

static bool add_values(struct tfr_column *c, const struct tfr_view *v)
{
    struct t2_slice *values = t2_try_alloc(v->n + 1, sizeof *values);
    bool ok = values != NULL;

    if (!ok)
        return false;
    tfr_view_bytes(v, values);
    for (size_t i = 0; i < v->n && ok; i++)
        ok = add_value(c, values[i]);
    t2_free(values);
    return ok;
}

static enum outcome add_view(struct tfr_batch *b, struct tfr_column *c, const struct tfr_view *v)
{
    enum outcome o = begin_list(b, c, v->kind);

    if (o != ADDED)
        return o;
    if (!reserve_values(c, v->n))
        return NO_MEMORY;
    if (v->kind == TFR_BYTES)
        return add_values(c, v) ? ADDED : NO_MEMORY;
    if (v->kind == TFR_INT64)
        tfr_view_ints(v, c->ints + c->n_values);
    else
        tfr_view_floats(v, c->floats + c->n_values);
    c->n_values += v->n;
    return ADDED;
}

/* Takes back what was added of the record. */
static void take_back(struct tfr_batch *b)
{
    for (size_t i = 0; i < b->n_columns; i++) {
        struct tfr_column *c = &b->columns[i];
        c->n_values = b->n_records == 0 ? 0 : (size_t) c->splits[b->n_records];
        c->seen = false;
    }
}

static enum t2_status fail(struct tfr_batch *b, struct t2_slice record, enum outcome o,
                           const struct tfr_column *c, const struct tfr_view *v, struct t2_err *err)
{
    static const char *const names[] = {"nothing", "bytes", "float", "int64"};

    take_back(b);
    if (o == NO_MEMORY)
        return t2_fail(err, T2_ENOMEM, "no memory for the values of an Example of %zu bytes",
                       record.len_bytes);
    return t2_fail(err, T2_EFORMAT, "feature '%s' has a list of %s, not of %s", c->name,
                   names[v->kind], names[c->kind]);
}

static enum t2_status add_parsed(struct tfr_batch *b, struct t2_slice record, struct t2_err *err)
{
    take_back(b);
    T2_TRY(tfr_example_parse(&b->scratch, record, err));
    for (size_t i = 0; i < b->n_columns; i++) {
        struct tfr_column *c = &b->columns[i];
        const struct tfr_view *v = tfr_example_find(&b->scratch, c->name);
        enum outcome o = !v || v->kind == TFR_NONE ? ADDED : add_view(b, c, v);
        if (o != ADDED)
            return fail(b, record, o, c, v, err);
    }
    return T2_OK;
}

enum t2_status tfr_batch_add(struct tfr_batch *b, struct t2_slice record, struct t2_err *err)
{
    enum outcome o;

    if (!reserve_splits(b))
        return fail(b, record, NO_MEMORY, NULL, NULL, err);
    for (size_t i = 0; i < b->n_columns; i++)
        b->columns[i].seen = false;
    o = record.len_bytes == 0 ? ADDED : add_example(b, record);
    if (o == NO_MEMORY)
        return fail(b, record, NO_MEMORY, NULL, NULL, err);
    if (o != ADDED)
        T2_TRY(add_parsed(b, record, err));
    b->n_records++;
    for (size_t i = 0; i < b->n_columns; i++)
        b->columns[i].splits[b->n_records] = (int64_t) b->columns[i].n_values;
    return T2_OK;
}
