/*
 * tests/unit/tfrecord/index_files.h - data files with Examples, and indexes of them.
 */
#ifndef T2_TESTS_UNIT_TFRECORD_INDEX_FILES_H
#define T2_TESTS_UNIT_TFRECORD_INDEX_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrecord/record_index.h"
#include "tfrecord/sink.h"

static struct t2_err err;

/* Record i: label = i * 10 in every record but each third, ids = i numbers, text. */
static inline void xf_payload(size_t i, struct t2_buf *out)
{
    int64_t label = (int64_t) i * 10, ids[64];
    float weight = (float) i / 2;
    struct t2_slice text = t2_slice_of("text");
    struct tfr_feature f[4] = {
        {.name = "ids", .kind = TFR_INT64, .n = i % 64, .ints = ids},
        {.name = "text", .kind = TFR_BYTES, .n = 1, .bytes = &text},
        {.name = "weight", .kind = TFR_FLOAT, .n = 1, .floats = &weight},
        {.name = "label", .kind = TFR_INT64, .n = 1, .ints = &label},
    };

    for (size_t k = 0; k < 64; k++)
        ids[k] = (int64_t) (i + k);
    t2_buf_clear(out);
    tfr_example_build(out, f, i % 3 == 2 ? 3 : 4);
}

static inline void xf_write(const char *path, size_t n, enum tfr_compression compression)
{
    struct tfr_sink_options o = {.output = path, .compression = compression};
    struct tfr_sink *s = NULL;
    struct t2_buf b = {0};

    assert_int_equal(tfr_sink_new(&o, &s, &err), T2_OK);
    for (size_t i = 0; i < n; i++) {
        xf_payload(i, &b);
        tfr_sink_add(s, b.data, b.len_bytes);
    }
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_OK);
    t2_buf_release(&b);
}

/* with: "label,ids" or NULL. */
static inline enum t2_status xf_build(const char *path, const char *with, bool binary, bool dali,
                                      int n_threads, uint64_t *n_records)
{
    struct t2_strs names = {0};
    struct tfr_index_build job = {path, &names, binary, dali};
    struct t2_pool *pool = t2_pool_new(n_threads);
    enum t2_status st;

    if (with)
        t2_strs_split(&names, with, ',');
    st = tfr_index_build(&job, pool, n_records, &err);
    t2_pool_free(pool);
    t2_strs_release(&names);
    return st;
}

static inline char *xf_read(const char *path, const char *suffix, size_t *n)
{
    char name[5000];

    snprintf(name, sizeof name, "%s%s", path, suffix);
    return t_read_file(name, n);
}

#endif
