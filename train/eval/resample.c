/*
 * train/eval/resample.c - see the header.
 *
 * Random numbers are drawn by one thread, a sample at a time, in order; the samples are summed and
 * scored in parallel.
 *
 * NumPy's sum over rows adds float32 row to row, so a sum beyond 2^24 is rounded at each step: rows
 * are added in the order in which they were drawn.  Four columns are a vector, and a row is padded
 * to whole vectors.  Small whole numbers, as counts of a line are, are exact in any order: rows of
 * bytes, 16 columns to a vector, added as bytes, halves and words as long as the sums of each fit.
 */
#include "train/eval/resample.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/numpy_generator.h"
#include "base/signals.h"

typedef float v4 __attribute__((vector_size(16), aligned(16)));
typedef int32_t v4i __attribute__((vector_size(16), aligned(16)));
typedef uint8_t v16b __attribute__((vector_size(16), aligned(16)));
typedef uint16_t v8h __attribute__((vector_size(16), aligned(16)));

enum { LANES = 4, MAX_VECTORS = 4, MAX_STATS = 128, BYTES = 16 };
/* Sums wait for each other, addition by addition: of so many systems they are done side by side,
 * with up to so many vectors at once. */
enum { ABREAST = 2, MAX_ABREAST = 6 };

struct job {
    const struct ev_metric *metric;
    size_t n, n_samples, drawn;
    struct t2_generator generator;
    /* bootstrap */
    v4 *rows;                        /* (n, n_systems, n_vectors) */
    v16b *bytes;                     /* the same as bytes; NULL: they are no small whole numbers */
    size_t rows_a_byte, rows_a_half; /* of which the sums fit */
    size_t n_systems, n_vectors;
    struct ev_number *const *of_systems; /* (n_systems, n_samples) */
    /* randomisation */
    const double *a, *b;       /* (n, n_stats) */
    v4i *apart;                /* (n, n_vectors): a - b; NULL: those are no small whole numbers */
    double *whole_a, *whole_b; /* (n_stats): sums of all segments */
    struct ev_number *scores;
};

/* One sample: what was drawn is n numbers behind this. */
struct sample {
    size_t index;
    uint32_t *drawn;
};

static void release_sample(void *context, void *item)
{
    (void) context;
    t2_free(((struct sample *) item)->drawn);
}

static enum t2_status keep(void *context, void *item, struct t2_err *err)
{
    (void) context;
    (void) item;
    (void) err;
    return T2_OK;
}

/* The next sample's number, and room for n_words words; T2_EOF behind the last. */
static enum t2_status next_sample(struct job *j, struct sample *s, size_t n_words,
                                  struct t2_err *err)
{
    T2_TRY(t2_check_interrupt(err));
    if (j->drawn == j->n_samples)
        return T2_EOF;
    s->index = j->drawn++;
    if (!s->drawn)
        s->drawn = t2_alloc(n_words, sizeof *s->drawn);
    return T2_OK;
}

static enum t2_status run(struct job *j, struct t2_pipeline *pipeline, struct t2_pool *pool,
                          struct t2_err *err)
{
    pipeline->item_bytes = sizeof(struct sample);
    pipeline->consume = keep;
    pipeline->release = release_sample;
    pipeline->context = j;
    return t2_pool_pipeline(pool, pipeline, err);
}

/* ---- bootstrap ---- */

static enum t2_status draw_indices(void *context, void *item, struct t2_err *err)
{
    struct job *j = context;
    struct sample *s = item;

    T2_TRY(next_sample(j, s, j->n, err));
    t2_generator_integers(&j->generator, (uint32_t) j->n, s->drawn, j->n);
    return T2_OK;
}

/* sums[k] of n_vectors vectors from the first column on; the number is a constant where it is
 * called, so that the sums are registers. */
static inline void add_rows(const struct job *j, const uint32_t *drawn, size_t first,
                            size_t n_vectors, v4 *sums)
{
    const v4 *rows = j->rows + first;
    const size_t stride = j->n_systems * j->n_vectors;
    v4 sum[MAX_ABREAST] = {{0}};

    for (size_t i = 0; i < j->n; i++) {
        const v4 *row = rows + drawn[i] * stride;

        for (size_t k = 0; k < n_vectors; k++)
            sum[k] += row[k];
    }
    memcpy(sums, sum, n_vectors * sizeof *sums);
}

/* totals (n_vectors * BYTES) of n_vectors vectors from the first on; the number is a constant where
 * it is called. */
static inline void add_bytes(const struct job *j, const uint32_t *drawn, size_t first,
                             size_t n_vectors, uint32_t *totals)
{
    const v16b *rows = j->bytes + first;
    const size_t stride = j->n_systems * j->n_vectors;

    memset(totals, 0, n_vectors * BYTES * sizeof *totals);
    for (size_t i = 0; i < j->n;) {
        size_t end = j->n - i < j->rows_a_half ? j->n : i + j->rows_a_half;
        v8h even[MAX_VECTORS] = {{0}}, odd[MAX_VECTORS] = {{0}};

        while (i < end) {
            size_t stop = end - i < j->rows_a_byte ? end : i + j->rows_a_byte;
            v16b sum[MAX_VECTORS] = {{0}};

            for (; i < stop; i++)
                for (size_t k = 0; k < n_vectors; k++)
                    sum[k] += rows[drawn[i] * stride + k];
            for (size_t k = 0; k < n_vectors; k++) { /* the low byte of a half is the even column */
                even[k] += (v8h) sum[k] & 255;
                odd[k] += (v8h) sum[k] >> 8;
            }
        }
        for (size_t k = 0; k < n_vectors; k++)
            for (size_t l = 0; l < BYTES / 2; l++) {
                totals[k * BYTES + 2 * l] += even[k][l];
                totals[k * BYTES + 2 * l + 1] += odd[k][l];
            }
    }
}

/* All systems, as bytes. */
static void score_bytes(const struct job *j, const struct sample *s)
{
    size_t n = j->n_systems * j->n_vectors;
    uint32_t totals[MAX_VECTORS * BYTES];
    double stats[MAX_STATS];

    for (size_t first = 0, some; first < n; first += some) {
        some = n - first < MAX_VECTORS / 2 ? 1 : n - first < MAX_VECTORS ? 2 : MAX_VECTORS;
        if (some == 1)
            add_bytes(j, s->drawn, first, 1, totals);
        else if (some == 2)
            add_bytes(j, s->drawn, first, 2, totals);
        else
            add_bytes(j, s->drawn, first, MAX_VECTORS, totals);
        for (size_t k = first; k < first + some; k++) {
            size_t own = k % j->n_vectors * BYTES; /* columns before this vector */

            for (size_t l = 0; l < BYTES && own + l < MAX_STATS; l++)
                stats[own + l] = totals[(k - first) * BYTES + l];
            if (k % j->n_vectors == j->n_vectors - 1)
                j->of_systems[k / j->n_vectors][s->index] =
                    j->metric->kind->score(j->metric, stats, EV_SUMS_FLOAT32);
        }
    }
}

/* Of n_systems systems from the first on. */
static void score_systems(const struct job *j, size_t system, size_t n_systems,
                          const struct sample *s)
{
    size_t from = system * j->n_vectors, n = n_systems * j->n_vectors;
    v4 sums[ABREAST * MAX_STATS / LANES];
    double stats[MAX_STATS];

    for (size_t first = 0, some; first < n; first += some) {
        some = n - first;
        switch (some) {
        case 1:
            add_rows(j, s->drawn, from + first, 1, sums + first);
            break;
        case 2:
            add_rows(j, s->drawn, from + first, 2, sums + first);
            break;
        case 3:
            add_rows(j, s->drawn, from + first, 3, sums + first);
            break;
        case 4:
        case 5:
            some = 4;
            add_rows(j, s->drawn, from + first, 4, sums + first);
            break;
        default:
            some = MAX_ABREAST;
            add_rows(j, s->drawn, from + first, MAX_ABREAST, sums + first);
            break;
        }
    }
    for (size_t i = 0; i < n_systems; i++) {
        const v4 *own = sums + i * j->n_vectors;

        for (int k = 0; k < j->metric->n_stats; k++)
            stats[k] = (double) own[k / LANES][k % LANES];
        j->of_systems[system + i][s->index] =
            j->metric->kind->score(j->metric, stats, EV_SUMS_FLOAT32);
    }
}

static enum t2_status score_sample(void *context, void *item, int worker, struct t2_err *err)
{
    const struct job *j = context;

    (void) worker;
    (void) err;
    if (j->bytes) {
        score_bytes(j, item);
        return T2_OK;
    }
    for (size_t i = 0; i < j->n_systems; i += ABREAST)
        score_systems(j, i, j->n_systems - i < ABREAST ? 1 : ABREAST, item);
    return T2_OK;
}

/* Are all statistics whole numbers that fit a byte, and so few that their sums are exact floats? */
static bool fit_bytes(struct job *j, const double *const *stats)
{
    size_t n_stats = (size_t) j->metric->n_stats;
    double most = 1;

    for (size_t s = 0; s < j->n_systems; s++)
        for (size_t i = 0; i < j->n * n_stats; i++) {
            double x = stats[s][i];

            if (!(x >= 0 && x <= UINT8_MAX && x == trunc(x)))
                return false;
            most = x > most ? x : most;
        }
    j->rows_a_byte = (size_t) (UINT8_MAX / most);
    j->rows_a_half = (size_t) (UINT16_MAX / most);
    return most * (double) j->n <= 1 << 24;
}

static void *make_rows(struct job *j, const double *const *stats)
{
    size_t n_stats = (size_t) j->metric->n_stats;
    bool as_bytes = fit_bytes(j, stats);
    size_t columns = as_bytes ? BYTES : LANES;
    void *rows;

    j->n_vectors = (n_stats + columns - 1) / columns;
    rows = t2_alloc_aligned(j->n_systems * j->n * j->n_vectors * sizeof(v4));
    if (!rows)
        return NULL;
    if (as_bytes)
        j->bytes = rows;
    else
        j->rows = rows;
    for (size_t s = 0; s < j->n_systems; s++)
        for (size_t i = 0; i < j->n; i++)
            for (size_t k = 0; k < n_stats; k++) {
                size_t at = (i * j->n_systems + s) * j->n_vectors + k / columns;
                double x = stats[s][i * n_stats + k];

                if (as_bytes)
                    j->bytes[at][k % columns] = (uint8_t) x;
                else
                    j->rows[at][k % columns] = (float) x;
            }
    return rows;
}

enum t2_status ev_resample(const struct ev_metric *m, const double *const *stats, size_t n_systems,
                           size_t n, size_t n_samples, uint64_t seed, struct t2_pool *pool,
                           struct ev_number *const *scores, struct t2_err *err)
{
    struct t2_pipeline pipeline = {.produce = draw_indices, .work = score_sample};
    struct job j = {
        .metric = m, .n = n, .n_samples = n_samples, .n_systems = n_systems, .of_systems = scores};
    enum t2_status st;
    void *rows;

    T2_ASSERT(n > 0 && m->n_stats <= MAX_STATS);
    if (n >= UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED, "%zu lines are too many to resample", n);
    rows = make_rows(&j, stats);
    if (!rows)
        return t2_fail(err, T2_ENOMEM, "no memory to resample %zu lines", n);
    t2_generator_seed(&j.generator, seed);
    st = run(&j, &pipeline, pool, err);
    t2_free_aligned(rows);
    return st;
}

/* ---- approximate randomisation ---- */

/* NumPy draws all trials at once, so a word's bits go on from trial to trial: a trial keeps its own
 * bits, packed anew. */
struct trials {
    struct job job;
    struct t2_generator_bits bits;
};

static enum t2_status draw_bits(void *context, void *item, struct t2_err *err)
{
    struct trials *t = context;
    struct job *j = &t->job;
    struct sample *s = item;
    size_t n_words = j->n / 32 + 1;

    T2_TRY(next_sample(j, s, n_words, err));
    for (size_t i = 0; i < j->n; i += 32)
        s->drawn[i / 32] =
            t2_generator_draw_bits(&j->generator, &t->bits, (int) (j->n - i < 32 ? j->n - i : 32));
    return T2_OK;
}

/* Sums of n_vectors vectors from the first column on, of the segments whose bit is 1; the number is
 * a constant where it is called. */
static inline void add_apart(const struct job *j, const uint32_t *drawn, size_t first,
                             size_t n_vectors, v4i *sums)
{
    v4i sum[MAX_VECTORS] = {{0}};

    for (size_t word = 0; word * 32 < j->n; word++)
        for (uint32_t own = drawn[word]; own != 0; own &= own - 1) {
            size_t i = word * 32 + (size_t) __builtin_ctz(own);
            const v4i *row = j->apart + i * j->n_vectors + first;

            for (size_t k = 0; k < n_vectors; k++)
                sum[k] += row[k];
        }
    memcpy(sums, sum, n_vectors * sizeof *sums);
}

/* What the segments that stay with their system make of the other's sums: b + own (a - b). */
static void sum_apart(const struct job *j, const uint32_t *drawn, double sums[2][MAX_STATS])
{
    v4i apart[MAX_STATS / LANES];
    int32_t values[MAX_STATS];

    for (size_t first = 0; first < j->n_vectors; first += MAX_VECTORS) {
        if (j->n_vectors - first == 3)
            add_apart(j, drawn, first, 3, apart + first);
        else if (j->n_vectors - first >= MAX_VECTORS)
            add_apart(j, drawn, first, MAX_VECTORS, apart + first);
        else
            add_apart(j, drawn, first, j->n_vectors - first, apart + first);
    }
    memcpy(values, apart, j->n_vectors * sizeof *apart);
    for (int k = 0; k < j->metric->n_stats; k++) {
        sums[0][k] = j->whole_b[k] + (double) values[k];
        sums[1][k] = j->whole_a[k] - (double) values[k];
    }
}

static void sum_each(const struct job *j, const uint32_t *drawn, double sums[2][MAX_STATS])
{
    size_t n_stats = (size_t) j->metric->n_stats;
    /* sums: where the first system has its own segment, a's and b's; and where it has not: */
    double other[2][MAX_STATS] = {{0}};

    memset(sums, 0, 2 * sizeof *sums);
    for (size_t i = 0; i < j->n; i++) {
        bool own = drawn[i / 32] >> i % 32 & 1;
        double *to_a = own ? sums[0] : other[0], *to_b = own ? sums[1] : other[1];

        for (size_t k = 0; k < n_stats; k++) {
            to_a[k] += j->a[i * n_stats + k];
            to_b[k] += j->b[i * n_stats + k];
        }
    }
    for (size_t k = 0; k < n_stats; k++) {
        double a = sums[0][k] + other[1][k], b = other[0][k] + sums[1][k];

        sums[0][k] = a;
        sums[1][k] = b;
    }
}

static enum t2_status score_trial(void *context, void *item, int worker, struct t2_err *err)
{
    const struct job *j = context;
    const struct sample *s = item;
    double sums[2][MAX_STATS], first, second;

    (void) worker;
    (void) err;
    if (j->apart)
        sum_apart(j, s->drawn, sums);
    else
        sum_each(j, s->drawn, sums);
    first = j->metric->kind->score(j->metric, sums[0], EV_SUMS_INT64).v;
    second = j->metric->kind->score(j->metric, sums[1], EV_SUMS_INT64).v;
    j->scores[s->index] = ev_python(fabs(first - second));
    return T2_OK;
}

/* Differences of whole numbers whose sums, of any segments, have 31 bits; most statistics are
 * counts.  Sums of such are exact in any order. */
static enum t2_status take_apart(struct job *j, struct t2_err *err)
{
    size_t n_stats = (size_t) j->metric->n_stats;

    for (size_t i = 0; i < j->n * n_stats; i++) {
        double most = (double) (INT32_MAX / 2) / (double) j->n, a = j->a[i], b = j->b[i];

        if (!(fabs(a) <= most && fabs(b) <= most && a == trunc(a) && b == trunc(b)))
            return T2_OK;
    }
    j->n_vectors = (n_stats + LANES - 1) / LANES;
    j->apart = t2_alloc_aligned(j->n * j->n_vectors * sizeof *j->apart);
    if (!j->apart)
        return t2_fail(err, T2_ENOMEM, "no memory to randomise %zu lines", j->n);
    j->whole_a = t2_alloc(2 * n_stats, sizeof *j->whole_a);
    j->whole_b = j->whole_a + n_stats;
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < n_stats; k++) {
            double a = j->a[i * n_stats + k], b = j->b[i * n_stats + k];

            j->apart[i * j->n_vectors + k / LANES][k % LANES] = (int32_t) (a - b);
            j->whole_a[k] += a;
            j->whole_b[k] += b;
        }
    return T2_OK;
}

enum t2_status ev_randomise(const struct ev_metric *m, const double *stats_a, const double *stats_b,
                            size_t n, size_t n_samples, uint64_t seed, struct t2_pool *pool,
                            struct ev_number *differences, struct t2_err *err)
{
    struct t2_pipeline pipeline = {.produce = draw_bits, .work = score_trial};
    struct trials t = {.job = {.metric = m,
                               .n = n,
                               .n_samples = n_samples,
                               .a = stats_a,
                               .b = stats_b,
                               .scores = differences}};

    enum t2_status st;

    T2_ASSERT(n > 0 && m->n_stats <= MAX_STATS);
    T2_TRY(take_apart(&t.job, err));
    t2_generator_seed(&t.job.generator, seed);
    st = run(&t.job, &pipeline, pool, err);
    t2_free(t.job.whole_a);
    t2_free_aligned(t.job.apart);
    return st;
}
