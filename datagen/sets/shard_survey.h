/*
 * datagen/sets/shard_survey.h - what the records of a split really hold: counts, lengths, ranges of
 * values.
 *
 * For --check, which compares it with the manifest, and for --info, which tells it.
 */
#ifndef DG_SHARD_SURVEY_H
#define DG_SHARD_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pool.h"
#include "datagen/problem.h"
#include "tfrecord/example.h"

enum { DG_SURVEY_FEATURES = 64, DG_SURVEY_LENGTHS = 1 << 16 };

/* One feature over all records of a split. */
struct dg_surveyed_feature {
    char *name;
    enum tfr_kind kind;
    uint64_t n_records, n_values; /* records that have it */
    uint64_t min_length, max_length;
    int64_t min_value, max_value; /* of integers */
    uint64_t *lengths;            /* how many records have length i; the last: so many and more */
};

/* Zero-initialise; dg_survey_release. */
struct dg_survey {
    uint64_t n_records;
    struct dg_surveyed_feature features[DG_SURVEY_FEATURES]; /* in order of their names */
    size_t n_features;
    struct t2_strs errors; /* of shards that are damaged, missing, or not what the manifest says */
};
void dg_survey_release(struct dg_survey *s);

/* Reads all shards of a split: framing, checksums, Examples; with hash also their SHA-256.  Damage
 * is in s->errors, in the order of the shards; the status says only that the system failed or was
 * interrupted. */
T2_MUST_CHECK enum t2_status dg_survey_split(const struct tfr_manifest_split *split,
                                             const char *data_dir, bool hash, struct t2_pool *pool,
                                             struct dg_survey *s, struct t2_err *err);
/* The survey of several splits together; errors are moved. */
void dg_survey_join(struct dg_survey *into, struct dg_survey *from);
const struct dg_surveyed_feature *dg_survey_find(const struct dg_survey *s, const char *name);
/* The length that `share` of the records with the feature do not pass (nearest rank). */
uint64_t dg_survey_percentile(const struct dg_surveyed_feature *f, double share);

#endif
