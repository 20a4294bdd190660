/*
 * train/input/order.c - order of samples and batches.
 */
#include "train/input/order.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* ---- training ---- */

/* Streams of T2_RNG_ORDER are named by (epoch, bucket); these stand for all batches, all
 * samples. */
enum { ALL_BATCHES = 0xffff, ALL_SAMPLES = 0xfffe };

static uint64_t stream_name(uint64_t epoch, int bucket)
{
    return epoch << 16 | (uint64_t) bucket;
}

void in_order_init(struct in_order *o, uint64_t seed, int n_buckets, const int32_t *sizes,
                   const uint64_t *counts)
{
    T2_ASSERT(n_buckets > 0 && n_buckets < ALL_SAMPLES);
    o->seed = seed;
    o->n_buckets = n_buckets;
    o->sizes = t2_alloc((size_t) n_buckets, sizeof *o->sizes);
    o->counts = t2_alloc((size_t) n_buckets, sizeof *o->counts);
    memcpy(o->sizes, sizes, (size_t) n_buckets * sizeof *sizes);
    memcpy(o->counts, counts, (size_t) n_buckets * sizeof *counts);
    T2_ASSERT(in_order_samples(o) > 0);
}

void in_order_release(struct in_order *o)
{
    t2_free(o->sizes);
    t2_free(o->counts);
    *o = (struct in_order){0};
}

double in_order_batches_per_epoch(const struct in_order *o)
{
    double n = 0;

    for (int b = 0; b < o->n_buckets; b++)
        n += (double) o->counts[b] / o->sizes[b];
    return n;
}

uint64_t in_order_samples(const struct in_order *o)
{
    uint64_t n = 0;

    for (int b = 0; b < o->n_buckets; b++)
        n += o->counts[b];
    return n;
}

/* Batches of a bucket that are full before the epoch begins. */
static uint64_t batches_before(const struct in_order *o, uint64_t epoch, int b)
{
    return epoch * o->counts[b] / (uint64_t) o->sizes[b];
}

/* Samples in all batches that are full before the epoch begins. */
static uint64_t samples_before(const struct in_order *o, uint64_t epoch)
{
    uint64_t n = 0;

    for (int b = 0; b < o->n_buckets; b++)
        n += batches_before(o, epoch, b) * (uint64_t) o->sizes[b];
    return n;
}

static uint64_t batches_of(const struct in_order *o, uint64_t epoch)
{
    uint64_t n = 0;

    for (int b = 0; b < o->n_buckets; b++)
        n += batches_before(o, epoch + 1, b) - batches_before(o, epoch, b);
    return n;
}

static void begin_epoch(const struct in_order *o, uint64_t epoch, struct in_cursor *c)
{
    c->epoch = epoch;
    c->batch = 0;
    c->n_batches = batches_of(o, epoch);
    if (c->n_batches > 0)
        t2_perm_init(&c->mix, c->n_batches, o->seed, T2_RNG_ORDER, stream_name(epoch, ALL_BATCHES));
}

/* A small data set may need many epochs to fill its first batch. */
static void skip_empty_epochs(const struct in_order *o, struct in_cursor *c)
{
    while (c->batch == c->n_batches)
        begin_epoch(o, c->epoch + 1, c);
}

/* Batch i of the epoch, in order of buckets. */
static struct in_batch_name nth_batch(const struct in_order *o, uint64_t epoch, uint64_t i)
{
    int b = 0;

    for (;; b++) {
        uint64_t before = batches_before(o, epoch, b);
        uint64_t n = batches_before(o, epoch + 1, b) - before;

        T2_ASSERT(b < o->n_buckets);
        if (i < n)
            return (struct in_batch_name){b, (before + i) * (uint64_t) o->sizes[b]};
        i -= n;
    }
}

struct in_batch_name in_order_next(const struct in_order *o, struct in_cursor *c)
{
    struct in_batch_name name;

    skip_empty_epochs(o, c);
    name = nth_batch(o, c->epoch, t2_perm_at(&c->mix, c->batch));
    c->batch++;
    c->samples += (uint64_t) o->sizes[name.bucket];
    return name;
}

/* The last epoch that begins at or before `samples`. */
static uint64_t find_epoch(const struct in_order *o, uint64_t samples)
{
    uint64_t low = 0, high = 1; /* samples_before(low) <= samples < samples_before(high) */

    while (samples_before(o, high) <= samples) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (samples_before(o, middle) <= samples)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum t2_status in_order_seek(const struct in_order *o, uint64_t samples, struct in_cursor *c,
                             struct t2_err *err)
{
    uint64_t epoch;

    *c = (struct in_cursor){0};
    if (samples >> 60 != 0) /* keeps the products above inside 64 bits */
        return t2_fail(err, T2_EFORMAT, "position %" PRIu64 " of the sample order cannot be right",
                       samples);
    epoch = find_epoch(o, samples);
    begin_epoch(o, epoch, c);
    c->samples = samples_before(o, epoch);
    while (c->samples < samples)
        (void) in_order_next(o, c);
    if (c->samples != samples)
        return t2_fail(err, T2_EFORMAT,
                       "position %" PRIu64
                       " of the sample order is inside a batch: the data or the "
                       "batch sizes are not those of the run that is to be continued",
                       samples);
    return T2_OK;
}

uint64_t in_order_sample(const struct in_order *o, int bucket, uint64_t position)
{
    uint64_t n = o->counts[bucket];
    struct t2_perm perm;

    t2_perm_init(&perm, n, o->seed, T2_RNG_ORDER, stream_name(position / n, bucket));
    return t2_perm_at(&perm, position % n);
}

void in_order_epoch(struct t2_perm *perm, uint64_t n, uint64_t seed, uint64_t epoch)
{
    t2_perm_init(perm, n, seed, T2_RNG_ORDER, stream_name(epoch, ALL_SAMPLES));
}

/* ---- evaluation ---- */

/* A batch while it fills. */
struct filling {
    uint32_t *members; /* of all samples: which batch, in order of opening */
    uint64_t *rank;    /* of an opened batch: its place in the order of emission */
    uint64_t *length;  /* of an opened batch */
    uint64_t n_opened, n_emitted;
};

static void fill(struct filling *f, uint32_t n, const uint16_t *bucket_of, int n_buckets,
                 const int32_t *sizes)
{
    uint64_t *open = t2_alloc((size_t) n_buckets, sizeof *open); /* batch + 1; 0 = none */

    for (uint32_t i = 0; i < n; i++) {
        int b = bucket_of[i];

        if (open[b] == 0)
            open[b] = ++f->n_opened;
        f->members[i] = (uint32_t) (open[b] - 1);
        if (++f->length[open[b] - 1] == (uint64_t) sizes[b]) {
            f->rank[open[b] - 1] = f->n_emitted++;
            open[b] = 0;
        }
    }
    for (int b = 0; b < n_buckets; b++)
        if (open[b] != 0)
            f->rank[open[b] - 1] = f->n_emitted++;
    t2_free(open);
}

void in_pass_init(struct in_pass *p, uint32_t n, const uint16_t *bucket_of, int n_buckets,
                  const int32_t *sizes)
{
    struct filling f = {0};
    uint64_t *at;

    f.members = t2_alloc(n, sizeof *f.members);
    f.rank = t2_alloc(n, sizeof *f.rank);
    f.length = t2_alloc(n, sizeof *f.length);
    fill(&f, n, bucket_of, n_buckets, sizes);

    p->n_batches = f.n_emitted;
    p->begins = t2_alloc((size_t) p->n_batches + 1, sizeof *p->begins);
    p->samples = t2_alloc(n, sizeof *p->samples);
    for (uint64_t i = 0; i < f.n_opened; i++)
        p->begins[f.rank[i] + 1] = f.length[i];
    for (uint64_t i = 0; i < p->n_batches; i++)
        p->begins[i + 1] += p->begins[i];
    at = t2_alloc((size_t) p->n_batches + 1, sizeof *at);
    memcpy(at, p->begins, ((size_t) p->n_batches + 1) * sizeof *at);
    for (uint32_t i = 0; i < n; i++)
        p->samples[at[f.rank[f.members[i]]]++] = i;
    t2_free(at);
    t2_free(f.members);
    t2_free(f.rank);
    t2_free(f.length);
}

void in_pass_release(struct in_pass *p)
{
    t2_free(p->samples);
    t2_free(p->begins);
    *p = (struct in_pass){0};
}
