/*
 * train/eval/resample.c - see the header.
 *
 * Random numbers are drawn by one thread, a sample at a time, in order; the samples are summed and
 * scored in parallel.
 *
 * NumPy's sum over rows adds float32 row to row, so a sum beyond 2^24 is rounded at each step: rows
 * are added in the order in which they were drawn.  Four columns are a vector, and a row is padded
 * to whole vectors.  Small whole numbers, as counts of a line are, are exact in any order: there it
 * is counted how many times each row was drawn, and a column's sum is the product of these counts
 * and the column, which is read from end to end.
 */
#include "train/eval/resample.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/numpy_generator.h"
#include "base/signals.h"

typedef float v4 __attribute__((vector_size(16), aligned(16)));
typedef int32_t v4i __attribute__((vector_size(16), aligned(16)));

enum { LANES = 4, MAX_VECTORS = 4, MAX_STATS = 128, MAX_COLUMNS = 4 };
/* Sums wait for each other, addition by addition: of so many systems they are done side by side,
 * with up to so many vectors at once. */
enum { ABREAST = 2, MAX_ABREAST = 6 };

struct job {
    const struct ev_metric *metric;
    size_t n, n_samples, drawn;
    struct t2_generator generator;
    /* bootstrap */
    v4 *rows;         /* (n, n_systems, n_vectors) */
    int16_t *columns; /* (n_columns, n); NULL: they are no small whole numbers */
    size_t *column;   /* (n_systems, n_stats): which one a statistic is; equal ones are one */
    size_t n_columns, n_systems, n_vectors;
    struct ev_number *const *of_systems; /* (n_systems, n_samples) */
    /* randomisation */
    const double *a, *b;       /* (n, n_stats) */
    v4i *apart;                /* (n, n_vectors): a - b; NULL: those are no small whole numbers */
    double *whole_a, *whole_b; /* (n_stats): sums of all segments */
    struct ev_number *scores;
};

/* One sample: what was drawn, (n), and room to count it, (n). */
struct sample {
    size_t index;
    uint32_t *drawn;
    int16_t *times;
};

static void release_sample(void *context, void *item)
{
    struct sample *s = item;

    (void) context;
    t2_free(s->drawn);
    t2_free(s->times);
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
    if (j->columns && !s->times)
        s->times = t2_alloc(j->n, sizeof *s->times);
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

/* sums[k] += times (n) . column k of n_columns, which is a constant where this is called. */
static inline void add_columns(const int16_t *restrict times, const int16_t *restrict columns,
                               size_t n, size_t n_columns, int32_t *restrict sums)
{
    int32_t sum[MAX_COLUMNS] = {0};

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_columns; k++)
            sum[k] += times[i] * columns[k * n + i];
    for (size_t k = 0; k < n_columns; k++)
        sums[k] += sum[k];
}

/* All systems, by how many times each row was drawn: of so many draws at once that no count is too
 * large. */
static void score_counts(const struct job *j, const struct sample *s)
{
    size_t n_stats = (size_t) j->metric->n_stats;
    int32_t *sums = t2_alloc(j->n_columns, sizeof *sums);
    double stats[MAX_STATS];

    for (size_t i = 0, end; i < j->n; i = end) {
        size_t k = 0;

        end = j->n - i < INT16_MAX ? j->n : i + INT16_MAX;
        memset(s->times, 0, j->n * sizeof *s->times);
        for (size_t at = i; at < end; at++)
            s->times[s->drawn[at]]++;
        for (; k + MAX_COLUMNS <= j->n_columns; k += MAX_COLUMNS)
            add_columns(s->times, j->columns + k * j->n, j->n, MAX_COLUMNS, sums + k);
        for (; k < j->n_columns; k++)
            add_columns(s->times, j->columns + k * j->n, j->n, 1, sums + k);
    }
    for (size_t i = 0; i < j->n_systems; i++) {
        for (size_t k = 0; k < n_stats; k++)
            stats[k] = sums[j->column[i * n_stats + k]];
        j->of_systems[i][s->index] = j->metric->kind->score(j->metric, stats, EV_SUMS_FLOAT32);
    }
    t2_free(sums);
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
    if (j->columns) {
        score_counts(j, item);
        return T2_OK;
    }
    for (size_t i = 0; i < j->n_systems; i += ABREAST)
        score_systems(j, i, j->n_systems - i < ABREAST ? 1 : ABREAST, item);
    return T2_OK;
}

/* Are all statistics small whole numbers, and so few that their sums are exact floats? */
static bool are_counts(const struct job *j, const double *const *stats)
{
    double most = (double) (1 << 24) / (double) j->n;

    most = most < INT16_MAX ? most : INT16_MAX;
    for (size_t s = 0; s < j->n_systems; s++)
        for (size_t i = 0; i < j->n * (size_t) j->metric->n_stats; i++) {
            double x = stats[s][i];

            if (!(x >= 0 && x <= most && x == trunc(x)))
                return false;
        }
    return true;
}

/* Statistics of the systems that are equal, as their references' lengths, are one column. */
static bool make_columns(struct job *j, const double *const *stats)
{
    size_t n_stats = (size_t) j->metric->n_stats;

    j->columns = t2_alloc_aligned(j->n_systems * n_stats * j->n * sizeof *j->columns);
    if (!j->columns)
        return false;
    j->column = t2_alloc(j->n_systems * n_stats, sizeof *j->column);
    for (size_t i = 0; i < j->n_systems * n_stats; i++) {
        int16_t *made = j->columns + j->n_columns * j->n;
        size_t same = 0;

        for (size_t row = 0; row < j->n; row++)
            made[row] = (int16_t) stats[i / n_stats][row * n_stats + i % n_stats];
        while (same < j->n_columns &&
               memcmp(j->columns + same * j->n, made, j->n * sizeof *made) != 0)
            same++;
        j->column[i] = same;
        j->n_columns += same == j->n_columns;
    }
    return true;
}

static bool make_rows(struct job *j, const double *const *stats)
{
    size_t n_stats = (size_t) j->metric->n_stats;

    j->n_vectors = (n_stats + LANES - 1) / LANES;
    j->rows = t2_alloc_aligned(j->n_systems * j->n * j->n_vectors * sizeof *j->rows);
    if (!j->rows)
        return false;
    for (size_t s = 0; s < j->n_systems; s++)
        for (size_t i = 0; i < j->n; i++)
            for (size_t k = 0; k < n_stats; k++)
                j->rows[(i * j->n_systems + s) * j->n_vectors + k / LANES][k % LANES] =
                    (float) stats[s][i * n_stats + k];
    return true;
}

enum t2_status ev_resample(const struct ev_metric *m, const double *const *stats, size_t n_systems,
                           size_t n, size_t n_samples, uint64_t seed, struct t2_pool *pool,
                           struct ev_number *const *scores, struct t2_err *err)
{
    struct t2_pipeline pipeline = {.produce = draw_indices, .work = score_sample};
    struct job j = {
        .metric = m, .n = n, .n_samples = n_samples, .n_systems = n_systems, .of_systems = scores};
    enum t2_status st;

    T2_ASSERT(n > 0 && m->n_stats <= MAX_STATS);
    if (n >= UINT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED, "%zu lines are too many to resample", n);
    if (!(are_counts(&j, stats) ? make_columns(&j, stats) : make_rows(&j, stats)))
        return t2_fail(err, T2_ENOMEM, "no memory to resample %zu lines", n);
    t2_generator_seed(&j.generator, seed);
    st = run(&j, &pipeline, pool, err);
    t2_free(j.column);
    t2_free_aligned(j.columns);
    t2_free_aligned(j.rows);
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
