/*
 * datagen/shards/feature_stats.c - lengths and values of the features.
 */
#include "datagen/shards/feature_stats.h"

#include <string.h>

#include "base/err.h"

struct dg_feature_stats *dg_stats_of(struct dg_stats *s, const char *name, enum tfr_kind kind)
{
    size_t i = 0;

    while (i < s->n && strcmp(s->items[i].name, name) < 0)
        i++;
    if (i < s->n && strcmp(s->items[i].name, name) == 0)
        return &s->items[i];
    T2_ASSERT(s->n < DG_MAX_FEATURES);
    memmove(s->items + i + 1, s->items + i, (s->n - i) * sizeof *s->items);
    s->n++;
    s->items[i] = (struct dg_feature_stats){.name = name, .kind = kind};
    return &s->items[i];
}

static void add_length(struct dg_feature_stats *s, uint64_t n)
{
    if (s->n_records == 0 || n < s->min_length)
        s->min_length = n;
    if (n > s->max_length)
        s->max_length = n;
    s->n_records++;
    s->n_values += n;
}

static void add_value(struct dg_feature_stats *s, int64_t value, bool first)
{
    if (first || value < s->min_value)
        s->min_value = value;
    if (first || value > s->max_value)
        s->max_value = value;
}

void dg_stats_add_ints(struct dg_stats *s, const char *name, const int64_t *ints, size_t n)
{
    struct dg_feature_stats *f = dg_stats_of(s, name, TFR_INT64);

    for (size_t i = 0; i < n; i++)
        add_value(f, ints[i], f->n_values == 0 && i == 0);
    add_length(f, n);
}

void dg_stats_add_lists(struct dg_stats *s, const char *name, const int32_t *ids,
                        const size_t *ends, size_t n_lists)
{
    struct dg_feature_stats *f = dg_stats_of(s, name, TFR_INT64);
    size_t n = n_lists ? ends[n_lists - 1] : 0, start = 0;
    int32_t low = INT32_MAX, high = INT32_MIN;

    for (size_t i = 0; i < n; i++) {
        low = ids[i] < low ? ids[i] : low;
        high = ids[i] > high ? ids[i] : high;
    }
    if (n) {
        add_value(f, low, f->n_values == 0);
        add_value(f, high, false);
    }
    for (size_t i = 0; i < n_lists; start = ends[i++])
        add_length(f, ends[i] - start);
}

void dg_stats_add_record(struct dg_stats *s, const struct dg_record *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct dg_feature *feature = &r->features[i];
        if (feature->kind == TFR_INT64)
            dg_stats_add_ints(s, feature->name, feature->ints, feature->n);
        else
            add_length(dg_stats_of(s, feature->name, feature->kind),
                       feature->kind == TFR_BYTES ? 1 : feature->n);
    }
}

void dg_stats_join(struct dg_stats *into, const struct dg_stats *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct dg_feature_stats *f = &from->items[i];
        struct dg_feature_stats *t = dg_stats_of(into, f->name, f->kind);
        if (f->n_records == 0)
            continue;
        if (f->n_values && f->kind == TFR_INT64) {
            add_value(t, f->min_value, t->n_values == 0);
            add_value(t, f->max_value, false);
        }
        if (t->n_records == 0 || f->min_length < t->min_length)
            t->min_length = f->min_length;
        if (f->max_length > t->max_length)
            t->max_length = f->max_length;
        t->n_records += f->n_records;
        t->n_values += f->n_values;
    }
}
