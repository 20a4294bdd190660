/*
 * datagen/passes/make_shards.c - shards of problems that make each by itself.
 */
#include "datagen/passes/shard_maker.h"

#include <pthread.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/shards/layout.h"
#include "datagen/shards/pack_records.h"
#include "tfrecord/writer.h"

enum { FLUSH_BYTES = 1 << 20 };

/* Each shard is one job with random numbers of its own, so any thread may make any shard; threads
 * take the next one under a mutex until none is left.  Frames go to the shard's bin in pieces of
 * FLUSH_BYTES, under the same mutex, as bins have one writer. */
struct make_run {
    struct dg_encode *e;
    const struct dg_problem *p;
    size_t first_bin, n_bins;
    struct dg_shard_job *jobs; /* of each bin */
    struct t2_err *errors;     /* of each bin */
    pthread_mutex_t mutex;     /* for what is below, and e */
    size_t next, n_done;
    bool failed;
    struct t2_progress progress;
};

struct dg_shard_sink {
    struct make_run *run;
    size_t bin; /* of all */
    struct dg_packer *packer;
    struct t2_buf payload, frames;
    struct dg_stats stats;
    uint64_t n_records;
};

/* ---- records ---- */

static enum t2_status flush(struct dg_shard_sink *s, struct t2_err *err)
{
    struct make_run *r = s->run;
    enum t2_status st;

    (void) pthread_mutex_lock(&r->mutex);
    st = r->failed ? t2_fail(err, T2_EINTERRUPTED, "another shard failed")
                   : dg_bins_add(r->e->bins, s->bin, s->frames.data, s->frames.len_bytes, err);
    (void) pthread_mutex_unlock(&r->mutex);
    t2_buf_clear(&s->frames);
    return st;
}

static struct dg_packed packed_of(struct dg_shard_sink *s)
{
    return (struct dg_packed){&s->frames, &s->stats, 0};
}

enum t2_status dg_shard_put(struct dg_shard_job *job, const struct dg_record *r, struct t2_err *err)
{
    struct dg_shard_sink *s = job->sink;
    struct dg_packed packed = packed_of(s);

    t2_buf_clear(&s->payload);
    dg_record_write(r, &s->payload);
    if (s->packer) {
        T2_TRY(dg_packer_add(s->packer, t2_buf_slice(&s->payload), &packed, err));
        s->n_records += packed.n_records;
    } else {
        dg_stats_add_record(&s->stats, r);
        tfr_frame(&s->frames, s->payload.data, s->payload.len_bytes);
        s->n_records++;
    }
    return s->frames.len_bytes < FLUSH_BYTES ? T2_OK : flush(s, err);
}

static enum t2_status end_sink(struct dg_shard_sink *s, struct t2_err *err)
{
    struct dg_packed packed = packed_of(s);

    if (s->packer) {
        dg_packer_end(s->packer, &packed);
        s->n_records += packed.n_records;
    }
    return flush(s, err);
}

static void sink_release(struct dg_shard_sink *s)
{
    dg_packer_free(s->packer);
    t2_buf_release(&s->payload);
    t2_buf_release(&s->frames);
}

/* ---- shards ---- */

static enum t2_status make_one(struct make_run *r, size_t i, struct t2_err *err)
{
    const struct dg_packing packing = {r->p->packing.length, r->p->packing.spacing,
                                       r->p->has_inputs};
    struct dg_shard_sink sink = {.run = r, .bin = r->first_bin + i};
    struct dg_shard_job *job = &r->jobs[i];
    enum t2_status st;

    if (packing.length)
        sink.packer = dg_packer_new(&packing);
    job->sink = &sink;
    st = r->p->sharding.maker->make(job, err);
    if (st == T2_OK)
        st = end_sink(&sink, err);
    job->sink = NULL;
    (void) pthread_mutex_lock(&r->mutex);
    dg_stats_join(&r->e->stats, &sink.stats);
    r->e->n_bytes += job->n_bytes;
    r->e->n_records[job->split] += sink.n_records;
    if (r->e->bin_records)
        r->e->bin_records[sink.bin] = sink.n_records;
    t2_progress_update(&r->progress, ++r->n_done);
    (void) pthread_mutex_unlock(&r->mutex);
    sink_release(&sink);
    return st;
}

/* The next shard that is this task's, SIZE_MAX when there is none or one failed. */
static size_t take_next(struct make_run *r)
{
    size_t i;

    (void) pthread_mutex_lock(&r->mutex);
    while (r->next < r->n_bins && !dg_owns_shard(&r->e->share, r->first_bin + r->next))
        r->next++;
    i = r->failed || r->next == r->n_bins ? SIZE_MAX : r->next++;
    (void) pthread_mutex_unlock(&r->mutex);
    return i;
}

static void make_some(void *arg, int64_t piece, int worker)
{
    struct make_run *r = arg;
    size_t i;

    (void) piece;
    (void) worker;
    while ((i = take_next(r)) != SIZE_MAX) {
        enum t2_status st = t2_check_interrupt(&r->errors[i]);
        if (st == T2_OK)
            st = make_one(r, i, &r->errors[i]);
        if (st == T2_OK)
            continue;
        (void) pthread_mutex_lock(&r->mutex);
        r->failed = true;
        (void) pthread_mutex_unlock(&r->mutex);
    }
}

/* How many at one time. */
static int64_t n_lanes(const struct make_run *r)
{
    uint64_t n = (uint64_t) t2_pool_threads(r->e->pool), fit;

    if (r->e->options->max_memory == 0)
        return (int64_t) n;
    fit = r->e->options->max_memory / 2 / r->p->sharding.maker->memory(r->p);
    return (int64_t) (fit < 1 ? 1 : fit < n ? fit : n);
}

/* The failure of the first shard that failed by itself. */
static enum t2_status first_failure(const struct make_run *r, struct t2_err *err)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < r->n_bins; i++) {
        if (r->errors[i].status == T2_OK)
            continue;
        if (found == SIZE_MAX || r->errors[found].status == T2_EINTERRUPTED)
            found = i;
    }
    if (found == SIZE_MAX)
        return T2_OK;
    *err = r->errors[found];
    return err->status;
}

static void run_new(struct make_run *r, enum dg_split split)
{
    r->jobs = t2_alloc(r->n_bins, sizeof *r->jobs);
    r->errors = t2_alloc(r->n_bins, sizeof *r->errors);
    (void) pthread_mutex_init(&r->mutex, NULL);
    for (size_t i = 0; i < r->n_bins; i++) {
        r->errors[i] = (struct t2_err) T2_ERR_INIT;
        r->jobs[i] = (struct dg_shard_job){.problem = r->p,
                                           .options = r->e->options,
                                           .vocabs = {r->e->vocabs[0], r->e->vocabs[1]},
                                           .split = split,
                                           .shard = (int) i};
    }
}

/* Collects the states and reports of the shards. */
static void run_end(struct make_run *r, struct t2_mt *states, struct dg_drops *drops,
                    uint64_t *n_replaced)
{
    for (size_t i = 0; i < r->n_bins; i++) {
        states[i] = r->jobs[i].mt;
        *n_replaced += r->jobs[i].n_replaced;
        dg_drops_join(drops, &r->jobs[i].drops);
    }
    (void) pthread_mutex_destroy(&r->mutex);
    t2_free(r->jobs);
    t2_free(r->errors);
}

enum t2_status dg_make_shards(struct dg_encode *e, enum dg_split split, size_t first_bin,
                              size_t n_bins, struct t2_mt *states, struct dg_drops *drops,
                              uint64_t *n_replaced, struct t2_err *err)
{
    struct make_run r = {.e = e, .p = e->problem, .first_bin = first_bin, .n_bins = n_bins};
    enum t2_status st;

    e->n_records[split] = 0;
    run_new(&r, split);
    t2_progress_start(&r.progress, "making", "shards", n_bins);
    t2_pool_run(e->pool, n_lanes(&r), make_some, &r);
    t2_progress_end(&r.progress);
    st = first_failure(&r, err);
    run_end(&r, states, drops, n_replaced);
    if (st == T2_OK)
        dg_layout_of(e->problem)->says.split_ends(e->n_records[split]);
    return st;
}
