/*
 * datagen/shards/feature_stats.h - lengths and values of the features, as the manifest tells them.
 */
#ifndef DG_FEATURE_STATS_H
#define DG_FEATURE_STATS_H

#include "datagen/feature_list.h"

/* Statistics of one feature; lengths and values over all records that have it. */
struct dg_feature_stats {
    const char *name; /* static text */
    enum tfr_kind kind;
    uint64_t n_records, min_length, max_length, n_values;
    int64_t min_value, max_value; /* of integers */
};
struct dg_stats {
    struct dg_feature_stats items[DG_MAX_FEATURES]; /* sorted by name */
    size_t n;
};

/* The entry of a feature, new when it was not there. */
struct dg_feature_stats *dg_stats_of(struct dg_stats *s, const char *name, enum tfr_kind kind);
void dg_stats_add_ints(struct dg_stats *s, const char *name, const int64_t *ints, size_t n);
/* Lists that follow each other: list i ends before ids[ends[i]]. */
void dg_stats_add_lists(struct dg_stats *s, const char *name, const int32_t *ids,
                        const size_t *ends, size_t n_lists);
void dg_stats_add_record(struct dg_stats *s, const struct dg_record *r);
void dg_stats_join(struct dg_stats *into, const struct dg_stats *from);

#endif
