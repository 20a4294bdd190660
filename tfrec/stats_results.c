/*
 * tfrec/stats_results.c - what the sums of a feature say.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tfrec/stats.h"

enum { MOST_CLASSES = 1000, FEW_CLASSES = 20 };

double rec_stats_mean(const struct rec_field *f, const struct rec_feature_stats *s)
{
    if (rec_field_kind(f) == TFR_INT64 && rec_field_agrees(f) && f->n_values > 0)
        return (double) s->int_sum / (double) f->n_values;
    if (rec_field_kind(f) == TFR_FLOAT && rec_field_agrees(f) && f->n_values > f->n_not_finite)
        return rec_float_sum_value(s->float_sum) / (double) (f->n_values - f->n_not_finite);
    return (double) NAN;
}

static int by_int(uint64_t a, uint64_t b)
{
    int64_t x = (int64_t) a, y = (int64_t) b;

    return x < y ? -1 : x > y;
}

static float float_of(uint64_t key)
{
    uint32_t bits = (uint32_t) key;
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* NaN last. */
static int by_float(uint64_t a, uint64_t b)
{
    float x = float_of(a), y = float_of(b);

    if (isnan(x) || isnan(y))
        return (isnan(x) ? 1 : 0) - (isnan(y) ? 1 : 0);
    return x < y ? -1 : x > y;
}

static int by_count_then_text(const void *a, const void *b)
{
    const struct rec_top *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return t2_slice_cmp(x->text, y->text);
}

static size_t top_texts(const struct rec_feature_stats *s, struct rec_top *top, size_t n)
{
    size_t n_all = s->labels ? t2_map_count(s->labels) : 0;
    struct rec_top *all = t2_alloc(n_all, sizeof *all);

    for (size_t i = 0; i < n_all; i++)
        all[i] =
            (struct rec_top){.count = t2_map_value(s->labels, i), .text = t2_map_key(s->labels, i)};
    if (n_all > 1)
        qsort(all, n_all, sizeof *all, by_count_then_text);
    n = n_all < n ? n_all : n;
    if (n > 0)
        memcpy(top, all, n * sizeof *top);
    t2_free(all);
    return n;
}

size_t rec_stats_top(const struct rec_field *f, const struct rec_feature_stats *s,
                     struct rec_top *top, size_t n)
{
    enum tfr_kind kind = rec_field_kind(f);
    struct rec_counted *counted;
    bool exact;

    (void) rec_distinct_count(&s->distinct, &exact);
    if (!exact || !rec_field_agrees(f) || kind == TFR_NONE)
        return 0;
    if (kind == TFR_BYTES)
        return top_texts(s, top, n);
    counted = t2_alloc(n, sizeof *counted);
    n = rec_distinct_top(&s->distinct, counted, n, kind == TFR_INT64 ? by_int : by_float);
    for (size_t i = 0; i < n; i++)
        top[i] = (struct rec_top){.count = counted[i].count,
                                  .int_value = (int64_t) counted[i].key,
                                  .float_value = float_of(counted[i].key)};
    t2_free(counted);
    return n;
}

bool rec_stats_is_label(const struct rec_field *f, const struct rec_feature_stats *s)
{
    enum tfr_kind kind = rec_field_kind(f);
    bool exact;
    uint64_t n = rec_distinct_count(&s->distinct, &exact);

    return (kind == TFR_INT64 || (kind == TFR_BYTES && s->labels)) && rec_field_agrees(f) &&
           f->max_length == 1 && exact && n > 0 && n <= MOST_CLASSES && n < f->n_values &&
           (n <= FEW_CLASSES || 2 * n <= f->n_values);
}

bool rec_stats_is_ids(const struct rec_field *f)
{
    return rec_field_kind(f) == TFR_INT64 && rec_field_agrees(f) && f->max_length > 1;
}
