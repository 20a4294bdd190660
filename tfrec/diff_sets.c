/*
 * tfrec/diff_sets.c - compares two sets of records without regard to their order.
 *
 * The hashes of both sides go into one external sort (key: hash, value: struct origin); equal
 * records are then a group, whose counts n_a and n_b give min(n_a, n_b) equal records and the rest
 * on one side only.  Memory: the sorter's limit, one offset per file.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tfrec/diff.h"
#include "tfrec/record_key.h"
#include "tfrecord/external_sort.h"
#include "tfrecord/record_stream.h"

/* The value beside a hash in the sorter; in host order, as the file lives as long as the process.
 */
struct origin {
    uint64_t number;
    uint64_t of_b; /* 0 or 1 */
};

struct job {
    struct rec_key_options key;
    struct rec_key_scratch *scratch;
    struct tfr_sorter *sorter;
    bool of_b; /* which side is being read */
    uint64_t n_records;
    uint64_t *starts; /* number of the first record of each file of the side */
};

/* Of a batch. */
struct hashes {
    struct t2_buf bytes;
};

static enum t2_status work(void *context, const struct tfr_batch *b, void *result, int worker,
                           struct t2_err *err)
{
    struct job *job = context;
    struct hashes *h = result;

    t2_buf_clear(&h->bytes);
    for (size_t i = 0; i < b->n; i++) {
        bool found;
        uint8_t *to = t2_buf_reserve(&h->bytes, T2_SIPHASH_BYTES);
        /* Never fails: no features are asked for. */
        T2_TRY(
            rec_record_key(&job->key, &job->scratch[worker], b->records[i].data, to, &found, err));
        h->bytes.len_bytes += T2_SIPHASH_BYTES;
    }
    return T2_OK;
}

static enum t2_status consume(void *context, const struct tfr_batch *b, void *result,
                              struct t2_err *err)
{
    struct job *job = context;
    const struct hashes *h = result;

    if (b->first_in_file == 0)
        job->starts[b->file_number] = b->first;
    for (size_t i = 0; i < b->n; i++) {
        const struct origin from = {b->first + i, job->of_b};
        const struct t2_slice hash = {h->bytes.data + i * T2_SIPHASH_BYTES, T2_SIPHASH_BYTES};
        const struct t2_slice data = {(const uint8_t *) &from, sizeof from};
        T2_TRY(tfr_sorter_add(job->sorter, hash, data, err));
    }
    job->n_records += b->n;
    return T2_OK;
}

static void release(void *context, void *result)
{
    (void) context;
    t2_buf_release(&((struct hashes *) result)->bytes);
}

static enum t2_status read_side(struct job *job, const struct tfr_inputs *in, bool of_b,
                                uint64_t *starts, uint64_t *n_records, struct t2_pool *pool,
                                struct t2_err *err)
{
    const struct tfr_stream stream = {.inputs = in,
                                      .what = of_b ? "hashing the second" : "hashing the first",
                                      .result_bytes = sizeof(struct hashes),
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = job};

    job->of_b = of_b;
    job->starts = starts;
    job->n_records = 0;
    T2_TRY(tfr_stream_run(&stream, pool, err));
    *n_records = job->n_records;
    return T2_OK;
}

/* ---- groups of equal records ---- */

struct group {
    uint8_t hash[T2_SIPHASH_BYTES];
    uint64_t n_a, n_b;
    uint64_t last_a,
        last_b; /* numbers of the last ones: surplus when there are more than in the other */
};

/* Keeps the smallest numbers, in order; n: how many there were before. */
static void keep_example(struct rec_place *examples, uint64_t n, uint64_t number)
{
    size_t i = n < REC_DIFF_EXAMPLES ? (size_t) n : REC_DIFF_EXAMPLES;

    if (i == REC_DIFF_EXAMPLES) {
        if (examples[i - 1].number < number)
            return;
        i--;
    }
    for (; i > 0 && examples[i - 1].number > number; i--)
        examples[i] = examples[i - 1];
    examples[i].number = number;
}

/* n_kept: groups that gave an example so far. */
static void end_group(struct rec_diff *d, const struct group *g, uint64_t *kept_a, uint64_t *kept_b)
{
    uint64_t both = g->n_a < g->n_b ? g->n_a : g->n_b;

    d->n_equal += both;
    d->n_only_a += g->n_a - both;
    d->n_only_b += g->n_b - both;
    if (g->n_a > both)
        keep_example(d->only_a, (*kept_a)++, g->last_a);
    if (g->n_b > both)
        keep_example(d->only_b, (*kept_b)++, g->last_b);
}

static enum t2_status count_groups(struct rec_diff *d, struct tfr_sorter *sorter,
                                   struct t2_err *err)
{
    struct group g = {.n_a = 0};
    uint64_t kept_a = 0, kept_b = 0;
    struct t2_slice hash, data;
    enum t2_status st;

    T2_TRY(tfr_sorter_finish(sorter, err));
    while ((st = tfr_sorter_next(sorter, &hash, &data, err)) == T2_OK) {
        struct origin from;
        memcpy(&from, data.data, sizeof from);
        if (memcmp(g.hash, hash.data, sizeof g.hash) != 0) {
            end_group(d, &g, &kept_a, &kept_b);
            g = (struct group){.n_a = 0};
            memcpy(g.hash, hash.data, sizeof g.hash);
        }
        if (from.of_b) {
            g.n_b++;
            g.last_b = from.number;
        } else {
            g.n_a++;
            g.last_a = from.number;
        }
    }
    end_group(d, &g, &kept_a, &kept_b);
    return st == T2_EOF ? T2_OK : st;
}

static void find_places(struct rec_place *examples, uint64_t n, const struct tfr_inputs *in,
                        const uint64_t *starts)
{
    for (size_t i = 0; i < REC_DIFF_EXAMPLES && i < n; i++) {
        size_t f = in->n - 1;
        while (f > 0 && starts[f] > examples[i].number)
            f--;
        examples[i].path = in->files[f].path;
        examples[i].in_file = examples[i].number - starts[f];
    }
}

/* Examples have a path afterwards; there are at most as many as records that the other has not. */
static enum t2_status diff_sets(struct rec_diff *d, struct job *job, const struct tfr_inputs *a,
                                const struct tfr_inputs *b, uint64_t *starts_a, uint64_t *starts_b,
                                struct t2_pool *pool, struct t2_err *err)
{
    T2_TRY(read_side(job, a, false, starts_a, &d->n_a, pool, err));
    T2_TRY(read_side(job, b, true, starts_b, &d->n_b, pool, err));
    for (size_t i = 0; i < REC_DIFF_EXAMPLES; i++)
        d->only_a[i].number = d->only_b[i].number = UINT64_MAX;
    T2_TRY(count_groups(d, job->sorter, err));
    for (size_t i = 0; i < REC_DIFF_EXAMPLES; i++) {
        if (d->only_a[i].number != UINT64_MAX)
            find_places(&d->only_a[i], 1, a, starts_a);
        if (d->only_b[i].number != UINT64_MAX)
            find_places(&d->only_b[i], 1, b, starts_b);
    }
    return T2_OK;
}

enum t2_status rec_diff_sets(struct rec_diff *d, const struct tfr_inputs *a,
                             const struct tfr_inputs *b, struct t2_pool *pool, struct t2_err *err)
{
    struct job job = {.key = {.by_example = d->by_example}};
    uint64_t *starts_a = t2_alloc(a->n, sizeof *starts_a);
    uint64_t *starts_b = t2_alloc(b->n, sizeof *starts_b);
    int n_threads = t2_pool_threads(pool);
    enum t2_status st;

    t2_siphash_random_key(job.key.sip_key);
    job.scratch = t2_alloc((size_t) n_threads, sizeof *job.scratch);
    st = tfr_sorter_new(d->tmp_dir, d->max_memory, &job.sorter, err);
    if (st == T2_OK)
        st = diff_sets(d, &job, a, b, starts_a, starts_b, pool, err);
    tfr_sorter_free(job.sorter);
    for (int i = 0; i < n_threads; i++)
        rec_key_scratch_release(&job.scratch[i]);
    t2_free(job.scratch);
    t2_free(starts_a);
    t2_free(starts_b);
    return st;
}
