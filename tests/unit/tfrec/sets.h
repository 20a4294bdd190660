/*
 * tests/unit/tfrec/sets.h - a small set of records with known features, for what understands sets.
 *
 *   record 0: ids [3,1]    label [7]   score [0.5]       text ["a<b"]
 *   record 1: ids [4,5,1]  label [7]   score [1.5, NaN]  text ["\xc3\xa9"]
 *   record 2: ids []       label [-2]                    text ["a<b"]    none (no list)
 */
#ifndef T2_TESTS_UNIT_TFREC_SETS_H
#define T2_TESTS_UNIT_TFREC_SETS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrec/schema.h"
#include "tfrec/stats.h"
#include "tfrecord/example.h"

static struct t2_err err;

static inline void set_record(struct t2_buf *file, const struct tfr_feature *f, size_t n)
{
    struct t2_buf payload = {NULL, 0, 0};

    tfr_example_build(&payload, f, n);
    rf_record(file, payload.data, payload.len_bytes);
    t2_buf_release(&payload);
}

static inline void set_three(struct t2_buf *file)
{
    static const int64_t ids0[] = {3, 1}, ids1[] = {4, 5, 1}, seven[] = {7}, minus[] = {-2};
    static const float score0[] = {0.5F}, score1[] = {1.5F, NAN};
    const struct t2_slice ab = t2_slice_of("a<b"), e = t2_slice_of("\xc3\xa9");

    set_record(file,
               (struct tfr_feature[]){{"ids", TFR_INT64, 2, ids0, NULL, NULL},
                                      {"label", TFR_INT64, 1, seven, NULL, NULL},
                                      {"score", TFR_FLOAT, 1, NULL, score0, NULL},
                                      {"text", TFR_BYTES, 1, NULL, NULL, &ab}},
               4);
    set_record(file,
               (struct tfr_feature[]){{"ids", TFR_INT64, 3, ids1, NULL, NULL},
                                      {"label", TFR_INT64, 1, seven, NULL, NULL},
                                      {"score", TFR_FLOAT, 2, NULL, score1, NULL},
                                      {"text", TFR_BYTES, 1, NULL, NULL, &e}},
               4);
    set_record(file,
               (struct tfr_feature[]){{"ids", TFR_INT64, 0, NULL, NULL, NULL},
                                      {"label", TFR_INT64, 1, minus, NULL, NULL},
                                      {"none", TFR_NONE, 0, NULL, NULL, NULL},
                                      {"text", TFR_BYTES, 1, NULL, NULL, &ab}},
               4);
}

/* A record whose label is text. */
static inline void set_disagree(struct t2_buf *file)
{
    const struct t2_slice seven = t2_slice_of("seven");

    set_record(file, (struct tfr_feature[]){{"label", TFR_BYTES, 1, NULL, NULL, &seven}}, 1);
}

/* One file of these bytes, which are released, as inputs. */
static inline struct tfr_inputs set_inputs(const char *name, struct t2_buf *bytes)
{
    struct t2_strs args = {NULL, 0, 0};
    struct tfr_inputs in;

    t_write_file(t_tmp_path(name), bytes->data, bytes->len_bytes);
    t2_buf_release(bytes);
    t2_strs_push(&args, t_tmp_path(name));
    assert_int_equal(tfr_inputs_find(&args, &in, &err), T2_OK);
    t2_strs_release(&args);
    return in;
}

static inline struct tfr_inputs set_three_inputs(void)
{
    struct t2_buf bytes = {NULL, 0, 0};

    set_three(&bytes);
    return set_inputs("three.tfrecord", &bytes);
}

static inline struct rec_schema *set_schema(const struct tfr_inputs *in, int n_threads)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct rec_schema *s = NULL;

    assert_int_equal(rec_schema_discover(in, pool, &s, &err), T2_OK);
    t2_pool_free(pool);
    return s;
}

static inline struct rec_stats *set_stats(const struct tfr_inputs *in, int n_threads,
                                          const struct rec_stats_options *o)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct rec_stats *s = NULL;

    assert_int_equal(rec_stats_collect(in, pool, o, &s, &err), T2_OK);
    t2_pool_free(pool);
    return s;
}

static inline const struct rec_field *set_field(const struct rec_schema *s, const char *name)
{
    const struct rec_field *f = rec_schema_find(s, t2_slice_of(name));

    assert_non_null(f);
    return f;
}

#endif
