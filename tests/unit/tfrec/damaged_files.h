/*
 * tests/unit/tfrec/damaged_files.h - small files of Examples, whole and damaged, for verify and
 * salvage.
 */
#ifndef T2_TESTS_UNIT_TFREC_DAMAGED_FILES_H
#define T2_TESTS_UNIT_TFREC_DAMAGED_FILES_H

#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "tfrec/verify.h"
#include "tfrecord/example.h"
#include "tfrecord/inputs.h"
#include "tfrecord/writer.h"

/* {"ids": [i, 1]}, or, for kind TFR_FLOAT, {"ids": [0.5]}; framed, at the end of b. */
static inline void df_record(struct t2_buf *b, int64_t i, enum tfr_kind kind)
{
    const int64_t ints[] = {i, 1};
    const float half = 0.5f;
    struct tfr_feature f = {
        .name = "ids", .kind = kind, .n = kind == TFR_INT64 ? 2 : 1, .ints = ints, .floats = &half};
    struct t2_buf payload = {NULL, 0, 0};

    tfr_example_build(&payload, &f, 1);
    tfr_frame(b, payload.data, payload.len_bytes);
    t2_buf_release(&payload);
}

static inline void df_records(struct t2_buf *b, int n)
{
    for (int i = 0; i < n; i++)
        df_record(b, i, TFR_INT64);
}

/* Writes b under the name and releases it; the path is valid until the 16th next t_tmp_path. */
static inline const char *df_write(const char *name, struct t2_buf *b)
{
    const char *path = t_tmp_path(name);

    t_write_file(path, b->len_bytes > 0 ? (const void *) b->data : "", b->len_bytes);
    t2_buf_release(b);
    return path;
}

static inline void df_inputs(struct tfr_inputs *in, const char *a, const char *b)
{
    struct t2_strs args = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    t2_strs_push(&args, a);
    if (b)
        t2_strs_push(&args, b);
    if (tfr_inputs_find(&args, in, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_strs_release(&args);
}

static inline void df_verify(const struct tfr_inputs *in, const struct rec_verify_options *o,
                             int n_threads, struct rec_verified *v)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct t2_err err = T2_ERR_INIT;

    if (rec_verify_run(in, o, pool, v, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_pool_free(pool);
}

#endif
