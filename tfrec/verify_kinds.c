/*
 * tfrec/verify_kinds.c - checks that a feature has the same kind in all records.
 *
 * The right kind is that of the schema, or of the first record that has the feature; but pieces of
 * a file are read on several threads, and the first one is not known there.  So each piece collects
 * per feature and kind the number of records and the first few places (rec_kinds_see), and the
 * pieces are settled in order (rec_kinds_settle), where everything before is known.
 */
#include "tfrec/verify_kinds.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/text.h"

/* LISTED: at most so many records of one file are reported for one feature; the others are only
 * counted. */
enum { SHOWN_BYTES = 80, FIRST_CAPACITY = 8, LISTED = 3 };

/* ---- seeing ---- */

static struct rec_kind_entry *add_entry(struct rec_kinds *k, struct t2_slice name)
{
    if (k->n == k->capacity) {
        k->capacity = k->capacity == 0 ? FIRST_CAPACITY : 2 * k->capacity;
        k->entries = t2_realloc(k->entries, k->capacity, sizeof *k->entries);
    }
    k->entries[k->n] =
        (struct rec_kind_entry){.name = t2_bytes_dup(name.data, name.len_bytes), /* may hold NUL */
                                .name_bytes = name.len_bytes};
    return &k->entries[k->n++];
}

static bool is_called(const struct rec_kind_entry *e, struct t2_slice name)
{
    return e->name_bytes == name.len_bytes && memcmp(e->name, name.data, name.len_bytes) == 0;
}

/* NULL: too many names. */
static struct rec_kind_entry *entry_of(struct rec_kinds *k, struct t2_slice name)
{
    uint64_t *place;
    bool inserted;

    if (k->expected < k->n && is_called(&k->entries[k->expected], name))
        return &k->entries[k->expected++];
    if (!k->by_name)
        k->by_name = t2_map_new();
    place = t2_map_find(k->by_name, name.data, name.len_bytes);
    if (place) {
        k->expected = (size_t) *place + 1;
        return &k->entries[*place];
    }
    if (k->n == REC_MAX_FEATURES) {
        k->too_many = true;
        return NULL;
    }
    *t2_map_at(k->by_name, name.data, name.len_bytes, &inserted) = k->n;
    k->expected = k->n + 1;
    return add_entry(k, name);
}

void rec_kinds_see(struct rec_kinds *k, const struct tfr_example *ex, uint64_t record,
                   uint64_t offset, size_t limit)
{
    k->expected = 0;
    for (size_t i = 0; i < ex->n; i++) {
        struct rec_kind_entry *e;
        if (ex->views[i].kind == TFR_NONE)
            continue;
        e = entry_of(k, ex->views[i].name);
        if (!e)
            continue;
        struct rec_kind_use *use = &e->of[ex->views[i].kind];
        if (use->count++ >= limit)
            continue;
        if (use->n == use->capacity) {
            use->capacity = use->capacity == 0 ? FIRST_CAPACITY : 2 * use->capacity;
            use->places = t2_realloc(use->places, use->capacity, sizeof *use->places);
        }
        use->places[use->n++] = (struct rec_kind_place){record, offset};
    }
}

static void clear(struct rec_kinds *k)
{
    for (size_t i = 0; i < k->n; i++) {
        t2_free(k->entries[i].name);
        for (int kind = 0; kind <= TFR_INT64; kind++)
            t2_free(k->entries[i].of[kind].places);
    }
    k->n = 0;
    k->too_many = false;
    t2_map_free(k->by_name);
    k->by_name = NULL;
}

void rec_kinds_release(struct rec_kinds *k)
{
    clear(k);
    t2_free(k->entries);
    *k = (struct rec_kinds){.entries = NULL};
}

/* ---- settling ---- */

struct known {
    enum tfr_kind kind;
    uint64_t record;
    size_t file;
    bool from_schema;
    size_t listed_file, n_listed; /* findings of that file */
};

struct rec_known_kinds {
    struct t2_map *by_name; /* to the number of a known */
    struct known *items;
    size_t n, capacity;
    bool too_many;
};

static void add_known(struct rec_known_kinds *known, struct t2_slice name, struct known item)
{
    bool inserted;

    if (known->n == known->capacity) {
        known->capacity = known->capacity == 0 ? FIRST_CAPACITY : 2 * known->capacity;
        known->items = t2_realloc(known->items, known->capacity, sizeof *known->items);
    }
    *t2_map_at(known->by_name, name.data, name.len_bytes, &inserted) = known->n;
    known->items[known->n++] = item;
}

struct rec_known_kinds *rec_known_new(const struct rec_schema *schema)
{
    struct rec_known_kinds *known = t2_alloc(1, sizeof *known);

    known->by_name = t2_map_new();
    for (size_t i = 0; schema && i < schema->n; i++) {
        const struct rec_field *f = &schema->fields[i];
        struct t2_slice name = {(const uint8_t *) f->name, f->name_bytes};
        if (rec_field_kind(f) != TFR_NONE)
            add_known(known, name, (struct known){.kind = rec_field_kind(f), .from_schema = true});
    }
    return known;
}

void rec_known_free(struct rec_known_kinds *known)
{
    if (!known)
        return;
    t2_map_free(known->by_name);
    t2_free(known->items);
    t2_free(known);
}

bool rec_known_too_many(const struct rec_known_kinds *known)
{
    return known->too_many;
}

/* The kind that came first; NULL: every use was beyond the limit, which cannot be. */
static struct known first_use(const struct rec_kind_entry *e, size_t file)
{
    struct known first = {.kind = TFR_NONE, .record = UINT64_MAX, .file = file};

    for (int kind = TFR_BYTES; kind <= TFR_INT64; kind++) {
        if (e->of[kind].n > 0 && e->of[kind].places[0].record < first.record) {
            first.kind = (enum tfr_kind) kind;
            first.record = e->of[kind].places[0].record;
        }
    }
    return first;
}

static void path_of(const struct rec_kind_entry *e, char *path, size_t path_bytes)
{
    struct t2_buf b = {NULL, 0, 0};
    int n = e->name_bytes > SHOWN_BYTES ? SHOWN_BYTES : (int) e->name_bytes;

    t2_buf_printf(&b, "features.feature['%.*s']", n, e->name);
    size_t n_copied = b.len_bytes < path_bytes ? b.len_bytes : path_bytes - 1;
    memcpy(path, b.data, n_copied);
    path[n_copied] = '\0';
    t2_buf_release(&b);
}

static void report(const struct rec_kind_entry *e, enum tfr_kind kind, struct known *right,
                   size_t file, struct rec_findings *found)
{
    const struct rec_kind_use *use = &e->of[kind];
    char path[256];

    path_of(e, path, sizeof path);
    if (right->listed_file != file)
        right->n_listed = 0;
    right->listed_file = file;
    size_t i = 0;
    for (; i < use->n && right->n_listed < LISTED; i++, right->n_listed++) {
        const struct rec_kind_place *p = &use->places[i];
        if (right->from_schema)
            (void) rec_find(found, REC_PAYLOAD_ERROR, file, p->record, p->offset, path,
                            "kind %s, but %s in the schema", rec_kind_name(kind),
                            rec_kind_name(right->kind));
        else
            (void) rec_find(found, REC_PAYLOAD_ERROR, file, p->record, p->offset, path,
                            "kind %s, but %s in the first record that has it (%" PRIu64 " of %s)",
                            rec_kind_name(kind), rec_kind_name(right->kind), right->record,
                            right->file == file ? "this file" : "an earlier file");
    }
    found->counts[REC_PAYLOAD_ERROR] += use->count - i;
}

void rec_kinds_settle(struct rec_known_kinds *known, struct rec_kinds *k, size_t file,
                      struct rec_findings *found)
{
    known->too_many = known->too_many || k->too_many;
    for (size_t i = 0; i < k->n; i++) {
        const struct rec_kind_entry *e = &k->entries[i];
        struct t2_slice name = {(const uint8_t *) e->name, e->name_bytes};
        uint64_t *at = t2_map_find(known->by_name, e->name, e->name_bytes);
        if (!at && known->n < REC_MAX_FEATURES) {
            add_known(known, name, first_use(e, file));
            at = t2_map_find(known->by_name, e->name, e->name_bytes);
        }
        if (!at) {
            known->too_many = true;
            continue;
        }
        for (int kind = TFR_BYTES; kind <= TFR_INT64; kind++) {
            if (kind != (int) known->items[*at].kind && e->of[kind].count > 0)
                report(e, (enum tfr_kind) kind, &known->items[*at], file, found);
        }
    }
    clear(k);
}
