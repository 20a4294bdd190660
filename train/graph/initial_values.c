/*
 * train/graph/initial_values.c - initial values of variables (spec t2t-trainer.md §3.7).
 *
 * A variable's numbers come from a stream of random numbers of its own, named by (seed, its name),
 * so they do not depend on which other variables exist, on their order or on threads.  Uniform and
 * normal streams can be entered anywhere: those variables are cut into pieces of PIECE_FLOATS and
 * filled in parallel.  Truncated ones redraw a varying number of times, orthogonal ones need all
 * values: one piece.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/rng.h"
#include "train/device/rules/eighth_power.h"
#include "train/graph/layouts.h"
#include "train/graph/params.h"
#include "train/graph/params_special.h"

enum { PIECE_FLOATS = 1 << 14 };

/* The distribution of one initializer; scale is the half width, the standard deviation or the
 * length of orthogonal vectors. */
enum shape { UNIFORM, NORMAL, TRUNCATED_NORMAL, ORTHOGONAL };

struct filling {
    enum shape shape;
    double scale;
};

/* Fans of a variable as tf.contrib.layers' _compute_fans has them: a matrix (in, out); a kernel
 * (kh, kw, in, out) with kh * kw times as many; of a vector both are its length. */
static void compute_fans(const struct gr_variable *v, double *fan_in, double *fan_out)
{
    double field = 1.0;

    if (v->rank == 1) {
        *fan_in = *fan_out = (double) v->dims[0];
        return;
    }
    for (int i = 0; i < v->rank - 2; i++)
        field *= (double) v->dims[i];
    *fan_in = (double) v->dims[v->rank - 2] * field;
    *fan_out = (double) v->dims[v->rank - 1] * field;
}

static enum t2_status choose_filling(const struct gr_variable *v, const char *initializer,
                                     double gain, struct filling *f, struct t2_err *err)
{
    /* standard deviation of a normal distribution that is cut at 2: what a truncated one is divided
     * by so that its variance is the one asked for, as TensorFlow's variance_scaling_initializer
     * does */
    static const double cut = 0.87962566103423978;
    double fan_in, fan_out, mean;

    compute_fans(v, &fan_in, &fan_out);
    mean = (fan_in + fan_out) / 2.0;
    if (v->init == GR_INIT_NORMAL)
        *f = (struct filling){NORMAL, v->init_gain};
    else if (v->init == GR_INIT_UNIFORM)
        *f = (struct filling){UNIFORM, v->init_gain};
    else if (v->init == GR_INIT_TRUNCATED_NORMAL)
        *f = (struct filling){TRUNCATED_NORMAL, v->init_gain};
    else if (v->init == GR_INIT_FAN_IN)
        *f = (struct filling){TRUNCATED_NORMAL, sqrt(v->init_gain / fan_in) / cut};
    else if (v->init == GR_INIT_GLOROT)
        *f = (struct filling){UNIFORM, sqrt(3.0 / mean)};
    else if (v->init == GR_INIT_DIRAC)
        *f = (struct filling){UNIFORM, 1.0 / sqrt(fan_in)};
    else if (v->init == GR_INIT_WHITEN)
        *f = (struct filling){UNIFORM, 0.0};
    else if (strcmp(initializer, "uniform_unit_scaling") == 0)
        *f = (struct filling){UNIFORM, sqrt(3.0 * gain / mean)};
    else if (strcmp(initializer, "normal_unit_scaling") == 0)
        *f = (struct filling){TRUNCATED_NORMAL, sqrt(gain / mean) / cut};
    else if (strcmp(initializer, "uniform") == 0)
        *f = (struct filling){UNIFORM, 0.1 * gain};
    else if (strcmp(initializer, "xavier") == 0 || strcmp(initializer, "") == 0)
        *f = (struct filling){UNIFORM, sqrt(3.0 / mean)};
    else if (strcmp(initializer, "orthogonal") == 0 && v->rank > 1)
        *f = (struct filling){ORTHOGONAL, gain};
    else
        return t2_fail(err, T2_EUNSUPPORTED,
                       "initializer '%s' is not supported for variable '%s'; use "
                       "uniform_unit_scaling, normal_unit_scaling, orthogonal, uniform or xavier",
                       initializer, v->name);
    return T2_OK;
}

/* n numbers of one distribution, times scale; what is beyond two deviations of a truncated one is
 * drawn again, as tf.truncated_normal does. */
static void fill(const struct filling *f, struct t2_rng *rng, float *x, int64_t n)
{
    double drawn[512];
    const int64_t most = sizeof drawn / sizeof *drawn;

    for (int64_t at = 0; at < n;) {
        int64_t draws = n - at < most ? n - at : most;

        if (f->shape == UNIFORM) {
            t2_rng_uniform_doubles(rng, drawn, (size_t) draws);
            for (int64_t i = 0; i < draws; i++)
                x[at++] = (float) ((2.0 * drawn[i] - 1.0) * f->scale);
            continue;
        }
        t2_rng_normals(rng, drawn, (size_t) draws);
        for (int64_t i = 0; i < draws; i++)
            if (f->shape != TRUNCATED_NORMAL || fabs(drawn[i]) <= 2.0)
                x[at++] = (float) (drawn[i] * f->scale);
    }
}

/* A few numbers, again and again, at the speed of memory; those of orthogonal vectors of this
 * length only as large as theirs. */
static void fill_repeated(const struct filling *f, int64_t length, struct t2_rng *rng, float *x,
                          int64_t n)
{
    double scale = f->shape == ORTHOGONAL ? f->scale / sqrt((double) length) : f->scale;
    const int64_t few = n < 256 ? n : 256;

    fill(&(struct filling){f->shape, scale}, rng, x, few);
    for (int64_t i = few; i < n; i++)
        x[i] = x[i - few];
}

/* a -= (a . b) b */
static void remove_part(double *a, const double *b, int64_t n)
{
    double dot = 0.0;

    for (int64_t i = 0; i < n; i++)
        dot += a[i] * b[i];
    for (int64_t i = 0; i < n; i++)
        a[i] -= dot * b[i];
}

/*
 * tf.orthogonal_initializer of (rows, cols): the columns, or the rows where these are fewer, are
 * orthonormal; Q of a random matrix whose R has a positive diagonal, here by Gram and Schmidt.
 */
static void fill_orthogonal(double gain, struct t2_rng *rng, float *x, int64_t rows, int64_t cols)
{
    int64_t n = rows < cols ? rows : cols, length = rows < cols ? cols : rows;
    double *q =
        t2_alloc((size_t) (n * length), sizeof *q); /* vectors of `length`, one after another */
    double *drawn = t2_alloc((size_t) n, sizeof *drawn);

    for (int64_t i = 0; i < length; i++) {
        t2_rng_normals(rng, drawn, (size_t) n);
        for (int64_t k = 0; k < n; k++)
            q[k * length + i] = drawn[k];
    }
    for (int64_t k = 0; k < n; k++) {
        double *v = q + k * length, norm = 0.0;

        for (int64_t earlier = 0; earlier < k; earlier++)
            remove_part(v, q + earlier * length, length);
        for (int64_t i = 0; i < length; i++)
            norm += v[i] * v[i];
        for (int64_t i = 0; i < length; i++)
            v[i] /= sqrt(norm);
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < cols; c++)
            x[r * cols + c] =
                (float) (gain * (rows < cols ? q[r * length + c] : q[c * length + r]));
    t2_free(drawn);
    t2_free(q);
}

/* One piece of work: at most PIECE_FLOATS of a variable, or all of one whose numbers can only be
 * drawn one after the other. */
struct job {
    const struct gr_variable *v;
    struct filling filling;
    int64_t at, n;
};

struct jobs {
    struct gr_params *p;
    uint64_t seed;
    struct job *items;
    int64_t n, capacity;
};

static void add_jobs(struct jobs *j, const struct gr_variable *v, const struct filling *f)
{
    bool in_order = f->shape == TRUNCATED_NORMAL || f->shape == ORTHOGONAL;
    int64_t most = in_order ? v->n : PIECE_FLOATS;

    for (int64_t at = 0; at < v->n; at += most) {
        if (j->n == j->capacity) {
            j->capacity = 2 * j->capacity + 64;
            j->items = t2_realloc(j->items, (size_t) j->capacity, sizeof *j->items);
        }
        j->items[j->n++] = (struct job){v, *f, at, v->n - at < most ? v->n - at : most};
    }
}

static bool is_constant(const struct gr_variable *v)
{
    return v->init == GR_INIT_ZEROS || v->init == GR_INIT_ONES || v->init == GR_INIT_CONSTANT;
}

/* Values at .. at + n - 1 of the variable into x; T2_RNG_INIT separates these streams from
 * dropout's. */
static void draw(const struct jobs *j, const struct job *job, float *x)
{
    const struct gr_variable *v = job->v;
    struct t2_rng rng;

    if (is_constant(v)) {
        float value = v->init == GR_INIT_CONSTANT ? (float) v->init_gain : 1.0f;

        for (int64_t i = 0; i < job->n; i++)
            x[i] = v->init == GR_INIT_ZEROS ? 0.0f : value;
        return;
    }
    t2_rng_init(&rng, j->seed, T2_RNG_INIT, 0, t2_hash64(v->name, strlen(v->name), 0));
    t2_rng_seek(&rng, (uint64_t) job->at);
    if (j->p->repeats)
        fill_repeated(&job->filling, v->n / v->dims[v->rank - 1], &rng, x, job->n);
    else if (job->filling.shape == ORTHOGONAL)
        fill_orthogonal(job->filling.scale, &rng, x, v->n / v->dims[v->rank - 1],
                        v->dims[v->rank - 1]);
    else
        fill(&job->filling, &rng, x, job->n);
    if (v->init == GR_INIT_DIRAC)
        gr_init_dirac(v->dims, job->at, job->n, x);
    else if (v->init == GR_INIT_WHITEN)
        gr_init_whiten(v->dims, job->at, job->n, x);
}

/* The initial values at job's place into x, as the device will hold them. */
static void draw_stored(const struct jobs *j, const struct job *job, float *x)
{
    draw(j, job, x);
    for (int64_t i = 0; j->p->encoded && job->v->trainable && i < job->n; i++)
        x[i] = dev_eighth_power(x[i], 0.0f);
}

static void draw_in_place(void *arg, int64_t i, int worker)
{
    const struct jobs *j = arg;
    const struct job *job = &j->items[i];

    (void) worker;
    draw_stored(j, job, j->p->values + job->v->offset + job->at);
}

enum { GROUP = 64 };

/* Jobs first .. of the list, each with memory of its own. */
struct group {
    const struct jobs *jobs;
    int64_t first;
    float *pieces[GROUP];
};

static void draw_piece(void *arg, int64_t i, int worker)
{
    struct group *g = arg;
    const struct job *job = &g->jobs->items[g->first + i];

    (void) worker;
    g->pieces[i] = t2_alloc((size_t) job->n, sizeof *g->pieces[i]);
    draw_stored(g->jobs, job, g->pieces[i]);
}

/* For devices whose memory the host cannot write: by way of the host, some pieces at a time. */
static void draw_and_upload(const struct jobs *j)
{
    struct dev *dev = j->p->dev;
    struct group g = {.jobs = j};

    for (; g.first < j->n; g.first += GROUP) {
        int64_t n = j->n - g.first < GROUP ? j->n - g.first : GROUP;

        t2_pool_run(dev_host_pool(dev), n, draw_piece, &g);
        for (int64_t i = 0; i < n; i++) {
            const struct job *job = &j->items[g.first + i];

            gr_upload(j->p, job->v, j->p->values + job->v->offset, job->at, g.pieces[i], job->n);
            t2_free(g.pieces[i]);
        }
    }
}

enum t2_status gr_params_initialise(struct gr_params *p, const char *initializer, double gain,
                                    uint64_t seed, struct t2_err *err)
{
    struct jobs j = {.p = p, .seed = seed};
    enum t2_status st = T2_OK;

    T2_ASSERT(p->frozen);
    for (int i = 0; i < p->n_variables && st == T2_OK; i++) {
        const struct gr_variable *v = &p->variables[i];
        struct filling f = {UNIFORM, 0.0};

        if (!is_constant(v))
            st = choose_filling(v, initializer, gain, &f, err);
        if (st == T2_OK)
            add_jobs(&j, v, &f);
    }
    if (st == T2_OK && (!p->dev->host_memory || p->n_laid > 0))
        draw_and_upload(&j);
    else if (st == T2_OK)
        t2_pool_run(dev_host_pool(p->dev), j.n, draw_in_place, &j);
    t2_free(j.items);
    return st;
}
