/*
 * tfrec/edit_choose.c - which records of a data set an edit is about.
 */
#include "tfrec/edit_choose.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "tfrecord/record_stream.h"

/* Half a SHA-256 in hex: two records with the same half cannot be made by design. */
enum { KEY_BYTES = 32 };

void rec_choice_release(struct rec_choice *c)
{
    rec_where_free(c->where);
    t2_free(c->ranges);
    t2_map_free(c->others);
    *c = (struct rec_choice){0};
}

/* ---- by number ---- */

static bool parse_range(const char *text, struct rec_numbers *r)
{
    const char *dash = strchr(text, '-');
    char *first = dash ? t2_strndup(text, (size_t) (dash - text)) : t2_strdup(text);
    bool ok = t2_parse_u64(first, &r->first);

    r->last = r->first;
    if (ok && dash)
        ok = t2_parse_u64(dash + 1, &r->last) && r->last >= r->first;
    t2_free(first);
    return ok;
}

static int by_first(const void *a, const void *b)
{
    const struct rec_numbers *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

/* Sorted; those that touch become one. */
static void tidy(struct rec_choice *c)
{
    size_t n = 0;

    if (c->n_ranges < 2)
        return;
    qsort(c->ranges, c->n_ranges, sizeof *c->ranges, by_first);
    for (size_t i = 1; i < c->n_ranges; i++) {
        if (c->ranges[i].first <= c->ranges[n].last)
            c->ranges[n].last =
                c->ranges[i].last > c->ranges[n].last ? c->ranges[i].last : c->ranges[n].last;
        else
            c->ranges[++n] = c->ranges[i];
    }
    c->n_ranges = n + 1;
}

enum t2_status rec_choice_parse_records(struct rec_choice *c, const char *text, uint64_t n_records,
                                        struct t2_err *err)
{
    struct t2_strs parts = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    t2_strs_split(&parts, text, ',');
    c->ranges = t2_realloc(c->ranges, c->n_ranges + parts.n, sizeof *c->ranges);
    for (size_t i = 0; st == T2_OK && i < parts.n; i++) {
        struct rec_numbers r;
        if (!parse_range(parts.items[i], &r))
            st = t2_fail(err, T2_EUSAGE, "'%s' in '%s' is no record: give numbers, as in 3,7-9",
                         parts.items[i], text);
        else if (r.last >= n_records)
            st = t2_fail(err, T2_EUSAGE,
                         "there is no record %" PRIu64 ": the data set has %" PRIu64
                         ", counted from 0",
                         r.last, n_records);
        else
            c->ranges[c->n_ranges++] = r;
    }
    t2_strs_release(&parts);
    tidy(c);
    return st;
}

static bool in_ranges(const struct rec_choice *c, uint64_t number)
{
    size_t low = 0, high = c->n_ranges;

    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (c->ranges[mid].last < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low < c->n_ranges && c->ranges[low].first <= number;
}

/* ---- because others have them ---- */

struct adding {
    struct t2_map *map;
    uint64_t max_memory;
};

struct keys {
    char (*items)[T2_SHA256_HEX];
    size_t capacity;
};

static enum t2_status hash_batch(void *context, const struct tfr_batch *b, void *result, int worker,
                                 struct t2_err *err)
{
    struct keys *k = result;

    (void) context;
    (void) worker;
    (void) err;
    if (b->n > k->capacity) {
        k->items = t2_realloc(k->items, b->n, sizeof *k->items);
        k->capacity = b->n;
    }
    for (size_t i = 0; i < b->n; i++)
        t2_sha256_of(b->records[i].data.data, b->records[i].data.len_bytes, k->items[i]);
    return T2_OK;
}

static enum t2_status add_batch(void *context, const struct tfr_batch *b, void *result,
                                struct t2_err *err)
{
    struct adding *a = context;
    const struct keys *k = result;

    for (size_t i = 0; i < b->n; i++)
        (void) t2_map_at(a->map, k->items[i], KEY_BYTES, NULL);
    if (t2_map_memory(a->map) > a->max_memory)
        return t2_fail(err, T2_ENOMEM,
                       "the records to compare with need more than --max_memory (%" PRIu64
                       " records so far); give more, or compare with a part after the other",
                       b->first + b->n);
    return T2_OK;
}

static void free_keys(void *context, void *result)
{
    struct keys *k = result;

    (void) context;
    t2_free(k->items);
}

enum t2_status rec_choice_add_others(struct rec_choice *c, const struct tfr_inputs *in,
                                     uint64_t max_memory, struct t2_pool *pool, struct t2_err *err)
{
    struct adding a = {NULL, max_memory};
    const struct tfr_stream stream = {.inputs = in,
                                      .what = "hashing",
                                      .result_bytes = sizeof(struct keys),
                                      .work = hash_batch,
                                      .consume = add_batch,
                                      .release = free_keys,
                                      .context = &a};

    if (!c->others)
        c->others = t2_map_new();
    a.map = c->others;
    return tfr_stream_run(&stream, pool, err);
}

/* ---- choosing ---- */

bool rec_choice_needs_example(const struct rec_choice *c)
{
    return c->where && rec_where_needs_example(c->where);
}

bool rec_choice_has(const struct rec_choice *c, struct rec_where_scratch *scratch,
                    const struct tfr_example *ex, struct t2_slice record, uint64_t number)
{
    char sha256[T2_SHA256_HEX];

    if (c->n_ranges > 0 && in_ranges(c, number))
        return true;
    if (c->where && rec_where_match(c->where, scratch, ex, record, number))
        return true;
    if (!c->others)
        return false;
    t2_sha256_of(record.data, record.len_bytes, sha256);
    return t2_map_find(c->others, sha256, KEY_BYTES) != NULL;
}
