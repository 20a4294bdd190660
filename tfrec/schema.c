/*
 * tfrec/schema.c - the features of records, counted and joined.
 *
 * The feature of a record is found without a search as a rule: expected[i] is the field that view
 * i of the record before had, as records of a set have their features in the same order; only when
 * that name differs the map is asked.
 */
#include "tfrec/schema.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/text.h"
#include "tfrec/image_type.h"

enum { FIRST_CAPACITY = 16, TAG_CONTEXT = 0x0a, TAG_FEATURE_LISTS = 0x12 };

struct rec_schema *rec_schema_new(void)
{
    struct rec_schema *s = t2_alloc(1, sizeof *s);

    s->by_name = t2_map_new();
    return s;
}

void rec_schema_free(struct rec_schema *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        t2_free(s->fields[i].name);
    t2_free(s->fields);
    t2_free(s->expected);
    t2_map_free(s->by_name);
    t2_free(s);
}

const struct rec_field *rec_schema_find(const struct rec_schema *s, struct t2_slice name)
{
    const uint64_t *number = t2_map_find(s->by_name, name.data, name.len_bytes);

    return number ? &s->fields[*number] : NULL;
}

/* ---- placing ---- */

static bool has_name(const struct rec_field *f, struct t2_slice name)
{
    return f->name_bytes == name.len_bytes &&
           (name.len_bytes == 0 || memcmp(f->name, name.data, name.len_bytes) == 0);
}

static void init_field(struct rec_field *f, struct t2_slice name)
{
    *f = (struct rec_field){
        .name = t2_bytes_dup(name.data, name.len_bytes), /* may hold NUL */
        .name_bytes = name.len_bytes,
        .min_length = UINT64_MAX,
        .min_int = INT64_MAX,
        .max_int = INT64_MIN,
        .min_float = INFINITY,
        .max_float = -INFINITY,
        .min_bytes = UINT64_MAX,
    };
    for (size_t k = 0; k < REC_N_KINDS; k++)
        f->of_kind[k].number = UINT64_MAX;
}

static enum t2_status add_field(struct rec_schema *s, struct t2_slice name, struct t2_err *err)
{
    if (s->n == REC_MAX_FEATURES || name.len_bytes > REC_MAX_NAME_BYTES - s->name_bytes)
        return t2_fail(err, T2_ENOMEM,
                       "more than %d names of features, or more than %d MiB of them: these records "
                       "do not share a schema",
                       (int) REC_MAX_FEATURES, (int) REC_MAX_NAME_BYTES >> 20);
    if (s->n == s->capacity) {
        s->capacity = s->capacity == 0 ? FIRST_CAPACITY : 2 * s->capacity;
        s->fields = t2_realloc(s->fields, s->capacity, sizeof *s->fields);
    }
    init_field(&s->fields[s->n], name);
    s->name_bytes += name.len_bytes;
    *t2_map_at(s->by_name, name.data, name.len_bytes, NULL) = s->n++;
    return T2_OK;
}

static void expect(struct rec_schema *s, size_t view_number, size_t field)
{
    if (view_number >= REC_MAX_FEATURES)
        return;
    if (view_number >= s->n_expected) {
        size_t n = s->n_expected == 0 ? FIRST_CAPACITY : s->n_expected;
        while (n <= view_number)
            n *= 2;
        s->expected = t2_realloc(s->expected, n, sizeof *s->expected);
        memset(s->expected + s->n_expected, 0, (n - s->n_expected) * sizeof *s->expected);
        s->n_expected = n;
    }
    s->expected[view_number] = (uint32_t) field;
}

enum t2_status rec_schema_place(struct rec_schema *s, struct t2_slice name, size_t view_number,
                                size_t *field, struct t2_err *err)
{
    const uint64_t *number;

    if (view_number < s->n_expected) {
        *field = s->expected[view_number];
        if (*field < s->n && has_name(&s->fields[*field], name))
            return T2_OK;
    }
    number = t2_map_find(s->by_name, name.data, name.len_bytes);
    if (number) {
        *field = (size_t) *number;
    } else {
        *field = s->n;
        T2_TRY(add_field(s, name, err));
    }
    expect(s, view_number, *field);
    return T2_OK;
}

/* ---- seeing ---- */

static void see_ints(struct rec_field *f, const int64_t *v, size_t n)
{
    int64_t low = f->min_int, high = f->max_int;

    for (size_t i = 0; i < n; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    f->min_int = low;
    f->max_int = high;
}

static void see_floats(struct rec_field *f, const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            f->n_not_finite++;
            continue;
        }
        f->min_float = v[i] < f->min_float ? v[i] : f->min_float;
        f->max_float = v[i] > f->max_float ? v[i] : f->max_float;
    }
}

static void see_bytes(struct rec_field *f, const struct t2_slice *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t len = v[i].len_bytes;
        f->n_bytes += len;
        f->min_bytes = len < f->min_bytes ? len : f->min_bytes;
        f->max_bytes = len > f->max_bytes ? len : f->max_bytes;
        f->n_not_utf8 += t2_utf8_invalid_at(v[i].data, v[i].len_bytes) < v[i].len_bytes;
        f->n_images += rec_image_type(v[i]) != REC_NO_IMAGE;
    }
}

void rec_field_see(struct rec_field *f, const struct tfr_view *view, const struct rec_values *v,
                   struct rec_at at)
{
    f->n_of_kind[view->kind]++;
    if (at.number < f->of_kind[view->kind].number)
        f->of_kind[view->kind] = at;
    if (view->kind == TFR_NONE)
        return;
    f->min_length = view->n < f->min_length ? view->n : f->min_length;
    f->max_length = view->n > f->max_length ? view->n : f->max_length;
    f->n_values += view->n;
    if (view->kind == TFR_INT64)
        see_ints(f, v->ints, v->n);
    else if (view->kind == TFR_FLOAT)
        see_floats(f, v->floats, v->n);
    else
        see_bytes(f, v->bytes, v->n);
}

enum t2_status rec_schema_see(struct rec_schema *s, const struct tfr_example *ex,
                              struct rec_values *scratch, struct rec_at at, struct t2_err *err)
{
    for (size_t i = 0; i < ex->n; i++) {
        size_t field;
        T2_TRY(rec_schema_place(s, ex->views[i].name, i, &field, err));
        T2_TRY(rec_values_load(scratch, &ex->views[i], err));
        rec_field_see(&s->fields[field], &ex->views[i], scratch, at);
    }
    s->n_records++;
    return T2_OK;
}

/*
 * Whether a payload is a SequenceExample: its feature_lists (tag 0x12) stand first or after one
 * context (tag 0x0a, varint length of at most 5 bytes).  An Example has one field 1 only, so that
 * a look at two tags is enough and nothing is parsed.
 */
static bool has_feature_lists(struct t2_slice payload)
{
    const uint8_t *p = payload.data, *end = p + payload.len_bytes;
    uint64_t len = 0;

    if (p == end || *p == TAG_FEATURE_LISTS)
        return p < end;
    if (*p++ != TAG_CONTEXT)
        return false;
    for (int shift = 0; p < end && shift < 35; shift += 7) {
        len |= (uint64_t) (*p & 0x7f) << shift;
        if (*p++ < 0x80)
            break;
    }
    return len < (uint64_t) (end - p) && p[len] == TAG_FEATURE_LISTS;
}

void rec_schema_see_payload(struct rec_schema *s, struct t2_slice payload)
{
    s->n_sequences += has_feature_lists(payload);
}

/* ---- joining ---- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void join_field(struct rec_field *a, const struct rec_field *b)
{
    for (size_t k = 0; k < REC_N_KINDS; k++) {
        a->n_of_kind[k] += b->n_of_kind[k];
        if (b->of_kind[k].number < a->of_kind[k].number)
            a->of_kind[k] = b->of_kind[k];
    }
    a->min_length = least(a->min_length, b->min_length);
    a->max_length = greatest(a->max_length, b->max_length);
    a->n_values += b->n_values;
    a->min_int = b->min_int < a->min_int ? b->min_int : a->min_int;
    a->max_int = b->max_int > a->max_int ? b->max_int : a->max_int;
    a->min_float = b->min_float < a->min_float ? b->min_float : a->min_float;
    a->max_float = b->max_float > a->max_float ? b->max_float : a->max_float;
    a->n_not_finite += b->n_not_finite;
    a->n_bytes += b->n_bytes;
    a->min_bytes = least(a->min_bytes, b->min_bytes);
    a->max_bytes = greatest(a->max_bytes, b->max_bytes);
    a->n_not_utf8 += b->n_not_utf8;
    a->n_images += b->n_images;
}

enum t2_status rec_schema_join(struct rec_schema *into, const struct rec_schema *from,
                               size_t *places, struct t2_err *err)
{
    for (size_t i = 0; i < from->n; i++) {
        struct t2_slice name = {(const uint8_t *) from->fields[i].name, from->fields[i].name_bytes};
        size_t field;
        T2_TRY(rec_schema_place(into, name, i, &field, err));
        join_field(&into->fields[field], &from->fields[i]);
        if (places)
            places[i] = field;
    }
    into->n_records += from->n_records;
    into->n_sequences += from->n_sequences;
    return T2_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct rec_field *x = a, *y = b;

    return t2_slice_cmp((struct t2_slice){(const uint8_t *) x->name, x->name_bytes},
                        (struct t2_slice){(const uint8_t *) y->name, y->name_bytes});
}

void rec_schema_sort(struct rec_schema *s)
{
    if (s->n > 1)
        qsort(s->fields, s->n, sizeof *s->fields, by_name);
    t2_map_free(s->by_name);
    s->by_name = t2_map_new();
    for (size_t i = 0; i < s->n; i++)
        *t2_map_at(s->by_name, s->fields[i].name, s->fields[i].name_bytes, NULL) = i;
    s->n_expected = 0;
}

/* ---- what a field means ---- */

/*
 * The kind of the first record that has the feature with one (a feature without values has none).
 */
enum tfr_kind rec_field_kind(const struct rec_field *f)
{
    enum tfr_kind kind = TFR_NONE;

    for (int k = TFR_BYTES; k < REC_N_KINDS; k++) {
        if (f->n_of_kind[k] > 0 &&
            (kind == TFR_NONE || f->of_kind[k].number < f->of_kind[kind].number))
            kind = (enum tfr_kind) k;
    }
    return kind;
}

const struct rec_at *rec_field_disagreement(const struct rec_field *f, enum tfr_kind *kind)
{
    enum tfr_kind usual = rec_field_kind(f);
    const struct rec_at *first = NULL;

    for (int k = TFR_BYTES; k < REC_N_KINDS; k++) {
        if ((enum tfr_kind) k == usual || f->n_of_kind[k] == 0)
            continue;
        if (!first || f->of_kind[k].number < first->number) {
            first = &f->of_kind[k];
            *kind = (enum tfr_kind) k;
        }
    }
    return first;
}

bool rec_field_agrees(const struct rec_field *f)
{
    enum tfr_kind other;

    return !rec_field_disagreement(f, &other);
}

uint64_t rec_field_records(const struct rec_field *f)
{
    return f->n_of_kind[TFR_BYTES] + f->n_of_kind[TFR_FLOAT] + f->n_of_kind[TFR_INT64];
}

bool rec_field_is_fixed(const struct rec_field *f)
{
    return f->min_length == f->max_length && f->max_length > 0;
}

bool rec_field_is_required(const struct rec_schema *s, const struct rec_field *f)
{
    return s->n_records > 0 && rec_field_records(f) == s->n_records && rec_field_agrees(f);
}

bool rec_field_is_int32(const struct rec_field *f)
{
    return rec_field_kind(f) == TFR_INT64 && f->min_int >= INT32_MIN && f->max_int <= INT32_MAX;
}

bool rec_field_is_text(const struct rec_field *f)
{
    return rec_field_kind(f) == TFR_BYTES && f->n_not_utf8 == 0;
}

bool rec_field_is_image(const struct rec_field *f)
{
    return rec_field_kind(f) == TFR_BYTES && rec_field_agrees(f) && f->n_values > 0 &&
           f->n_images == f->n_values;
}

const char *rec_kind_name(enum tfr_kind kind)
{
    static const char *const names[] = {"none", "bytes", "float", "int64"};

    return names[kind];
}

/* ---- discovering ---- */

enum t2_status rec_parse_record(const struct tfr_batch *b, size_t i, struct tfr_example *ex,
                                struct t2_err *err)
{
    struct t2_err why = T2_ERR_INIT;

    if (tfr_example_parse(ex, b->records[i].data, &why) == T2_OK)
        return T2_OK;
    return t2_fail(err, why.status,
                   "'%s': record %" PRIu64 " at offset %" PRIu64
                   ": %s; `tfrec raw` shows other payloads",
                   b->file->path, b->first_in_file + i, b->records[i].offset, why.message);
}

/* What one thread has. */
struct worker {
    struct rec_schema *schema;
    struct tfr_example example;
    struct rec_values values;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct worker *w = (struct worker *) context + worker;

    (void) result;
    for (size_t i = 0; i < b->n; i++) {
        T2_TRY(rec_parse_record(b, i, &w->example, err));
        if (rec_schema_see(w->schema, &w->example, &w->values, rec_at_of(b, i), err) != T2_OK)
            return t2_wrap(err, "'%s': record %" PRIu64, b->file->path, b->first_in_file + i);
        rec_schema_see_payload(w->schema, b->records[i].data);
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    (void) context;
    (void) b;
    (void) result;
    (void) err;
    return T2_OK;
}

enum t2_status rec_schema_discover(const struct tfr_inputs *in, struct t2_pool *pool,
                                   struct rec_schema **s, struct t2_err *err)
{
    int n_workers = t2_pool_threads(pool);
    struct worker *workers = t2_alloc((size_t) n_workers, sizeof *workers);
    const struct tfr_stream stream = {
        .inputs = in, .what = "reading", .work = work, .consume = consume, .context = workers};
    struct rec_schema *all = rec_schema_new();
    enum t2_status st;

    for (int i = 0; i < n_workers; i++)
        workers[i].schema = rec_schema_new();
    st = tfr_stream_run(&stream, pool, err);
    for (int i = 0; i < n_workers; i++) {
        if (st == T2_OK)
            st = rec_schema_join(all, workers[i].schema, NULL, err);
        rec_schema_free(workers[i].schema);
        tfr_example_release(&workers[i].example);
        rec_values_release(&workers[i].values);
    }
    t2_free(workers);
    rec_schema_sort(all);
    if (st == T2_OK)
        *s = all;
    else
        rec_schema_free(all);
    return st;
}
