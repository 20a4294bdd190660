/*
 * tfrec/stats.h - what is in a set of records, feature by feature: lengths, ranges, means, distinct
 * values, frequent values, duplicates.
 *
 * Every thread has its own sums; all of them are whole numbers, so the result does not depend on
 * the number of threads.  Memory does not grow with the input: see rec_stats_limits.
 */
#ifndef REC_STATS_H
#define REC_STATS_H

#include "tfrec/distinct.h"
#include "tfrec/duplicates.h"
#include "tfrec/exact_sum.h"
#include "tfrec/histogram.h"
#include "tfrec/schema.h"
#include "tfrec/vocab_use.h"

struct tok_encoder;

/*
 * What each feature may hold, less when there are many features: different values that are counted
 * exactly (2^17 for up to 16 features), keys counted in an array (2^16), texts kept for the table
 * of frequent ones (2^10, of at most REC_LABEL_BYTES each).  Together below 160 MB a thread for up
 * to a thousand features.
 */
struct rec_limits {
    size_t distinct, dense, labels;
};
struct rec_limits rec_stats_limits(size_t n_features);
enum { REC_LABEL_BYTES = 256 };

/* One feature, beside its rec_field. */
struct rec_feature_stats {
    struct rec_histogram lengths; /* values per record */
    struct rec_histogram sizes;   /* bytes of each bytes value */
    rec_i128 int_sum;
    struct rec_float_sum *float_sum; /* NULL: no floats */
    struct rec_distinct distinct;
    struct t2_map *labels; /* bytes values and how often; NULL: none, too many or too long */
    bool labels_left_out;
    struct rec_vocab_use use;
};

struct rec_stats {
    struct rec_schema *schema; /* sorted */
    struct rec_feature_stats *features;
    size_t n_features, capacity;
    struct rec_limits limits;
    struct rec_histogram record_bytes;
    uint64_t n_duplicates, most_equal; /* most_equal: records of the most frequent payload */
    bool duplicates_exact;
    uint64_t n_files_read; /* completely or in part */
    struct t2_err damage;  /* why reading ended; T2_OK when it did not */
};

struct rec_stats_options {
    const struct tok_encoder *vocab; /* NULL: none */
    uint64_t duplicate_bytes;        /* memory for finding duplicates */
    bool accept_damage; /* what was sound before damage is the result, stats->damage set (not of
                           "-") */
    const char *what;   /* of the progress line; NULL: "reading" */
    /* Called with every sound batch in order; may be NULL. */
    enum t2_status (*see)(void *context, const struct tfr_batch *b, struct t2_err *err);
    void *context;
};

T2_MUST_CHECK enum t2_status rec_stats_collect(const struct tfr_inputs *in, struct t2_pool *pool,
                                               const struct rec_stats_options *o,
                                               struct rec_stats **stats, struct t2_err *err);
void rec_stats_free(struct rec_stats *s);

/* ---- one feature's results ---- */

double rec_stats_mean(const struct rec_field *f,
                      const struct rec_feature_stats *s); /* of numbers */

/* A frequent value. */
struct rec_top {
    uint64_t count;
    int64_t int_value;
    float float_value;
    struct t2_slice text; /* of bytes; borrowed from the stats */
};
/* The n most frequent values, ties in the order of the values; none when they are not known. */
size_t rec_stats_top(const struct rec_field *f, const struct rec_feature_stats *s,
                     struct rec_top *top, size_t n);
/* Does it name classes: at most one value a record, int64 or bytes, few different ones? */
bool rec_stats_is_label(const struct rec_field *f, const struct rec_feature_stats *s);
/* Lists of ids, for numbers of the vocabulary: int64 with more than one value in some record. */
bool rec_stats_is_ids(const struct rec_field *f);

#endif
