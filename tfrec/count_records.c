/*
 * tfrec/count_records.c - counting by index, manifest, or reading.
 */
#include "tfrec/count_records.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/signals.h"
#include "tfrecord/compress.h"
#include "tfrecord/reader.h"
#include "tfrecord/record_index.h"

const char *rec_count_by_name(enum rec_count_by by)
{
    static const char *const names[] = {"reading", "index", "manifest"};

    return names[by];
}

/* *counted is false when there is no index to be used. */
static enum t2_status count_by_index(const struct tfr_input_file *f, uint64_t *n_records,
                                     bool *counted, struct t2_err *err)
{
    struct tfr_index *ix = NULL;
    enum tfr_index_state state;
    char why[512];

    *counted = false;
    if (strcmp(f->path, "-") == 0)
        return T2_OK;
    T2_TRY(tfr_index_open(f->path, &ix, &state, why, sizeof why, err));
    if (state == TFR_INDEX_STALE || state == TFR_INDEX_DAMAGED)
        t2_warn("'%s': the index is not used: %s", f->path, why);
    if (!ix)
        return T2_OK;
    *n_records = ix->n_records;
    *counted = true;
    tfr_index_free(ix);
    return T2_OK;
}

enum t2_status rec_count_file(const struct tfr_input_file *f, bool only_reading,
                              uint64_t *n_records, enum rec_count_by *by, struct t2_err *err)
{
    bool counted;

    *by = REC_COUNT_READING;
    *n_records = 0;
    if (!only_reading) {
        T2_TRY(count_by_index(f, n_records, &counted, err));
        if (counted) {
            *by = REC_COUNT_INDEX;
            return T2_OK;
        }
        if (f->n_records != TFR_UNKNOWN_COUNT && f->manifest_bytes == f->bytes) {
            *by = REC_COUNT_MANIFEST;
            *n_records = f->n_records;
            return T2_OK;
        }
    }
    return tfr_count(f->path, n_records, err);
}

/* ---- ahead ---- */

struct ahead {
    const struct tfr_inputs *in;
    uint64_t *counts;
    struct t2_err *errs;
};

static enum t2_status count_one(const struct tfr_input_file *f, uint64_t *n_records,
                                struct t2_err *err)
{
    enum tfr_compression compression;
    bool counted;

    *n_records = TFR_UNKNOWN_COUNT;
    if (strcmp(f->path, "-") == 0 || f->bytes == 0) /* 0: empty, or a pipe */
        return T2_OK;
    T2_TRY(count_by_index(f, n_records, &counted, err));
    if (counted)
        return T2_OK;
    T2_TRY(tfr_compression_of(f->path, &compression, err));
    return compression == TFR_PLAIN ? tfr_count(f->path, n_records, err) : T2_OK;
}

static void count_piece(void *arg, int64_t piece, int worker)
{
    struct ahead *a = arg;

    (void) worker;
    if (!t2_interrupted())
        a->errs[piece].status = count_one(&a->in->files[piece], &a->counts[piece], &a->errs[piece]);
}

enum t2_status rec_count_ahead(const struct tfr_inputs *in, struct t2_pool *pool,
                               uint64_t *n_records, struct t2_err *err)
{
    struct ahead a = {in, t2_alloc(in->n, sizeof(uint64_t)),
                      t2_alloc(in->n, sizeof(struct t2_err))};
    enum t2_status st;

    *n_records = 0;
    t2_pool_run(pool, (int64_t) in->n, count_piece, &a);
    st = t2_check_interrupt(err);
    for (size_t i = 0; i < in->n && st == T2_OK; i++) {
        st = a.errs[i].status;
        if (st != T2_OK)
            *err = a.errs[i];
        else if (a.counts[i] == TFR_UNKNOWN_COUNT || *n_records == TFR_UNKNOWN_COUNT)
            *n_records = TFR_UNKNOWN_COUNT;
        else
            *n_records += a.counts[i];
    }
    t2_free(a.counts);
    t2_free(a.errs);
    return st;
}
