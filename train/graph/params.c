/*
 * train/graph/params.c - parameters, their variables and initial values.
 */
#include "train/graph/params.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/str.h"

enum { ALIGN_FLOATS = 16, PIECE_FLOATS = 1 << 14 };

void gr_params_init(struct gr_params *p, struct dev *dev)
{
    memset(p, 0, sizeof *p);
    p->dev = dev;
}

void gr_params_release(struct gr_params *p)
{
    for (int i = 0; i < p->n_variables; ++i)
        t2_free(p->variables[i].name);
    t2_free(p->variables);
    t2_free(p->params);
    if (p->values)
        p->dev->free(p->dev, p->values);
    if (p->grads)
        p->dev->free(p->dev, p->grads);
    memset(p, 0, sizeof *p);
}

static void add_variable(struct gr_params *p, char *name, int rank, const int64_t *dims,
                         int64_t rows, int64_t offset, enum gr_init init, double gain)
{
    struct gr_variable *v;

    if (p->n_variables == p->variables_capacity) {
        p->variables_capacity = p->variables_capacity ? 2 * p->variables_capacity : 64;
        p->variables =
            t2_realloc(p->variables, (size_t) p->variables_capacity, sizeof *p->variables);
    }
    v = &p->variables[p->n_variables++];
    memset(v, 0, sizeof *v);
    v->name = name;
    v->rank = rank;
    v->n = 1;
    for (int i = 0; i < rank; ++i) {
        v->dims[i] = i == 0 ? rows : dims[i];
        v->n *= v->dims[i];
    }
    v->offset = offset;
    v->param = p->n_params - 1;
    v->trainable = p->params[v->param].trainable;
    v->init = init;
    v->init_gain = gain;
}

/* The name of shard s: its number stands at '#', or at the end. */
static char *shard_name(const char *name, int s)
{
    const char *mark = strchr(name, '#');

    return mark ? t2_asprintf("%.*s_%d%s", (int) (mark - name), name, s, mark + 1)
                : t2_asprintf("%s_%d", name, s);
}

/* Index of the parameter whose first variable is `name` or the first shard of it, or -1. */
static int find_param(const struct gr_params *p, const char *name, int n_shards)
{
    char *first = n_shards ? shard_name(name, 0) : t2_strdup(name);
    int found = -1;

    for (int i = 0; i < p->n_params && found < 0; ++i)
        if (strcmp(p->variables[p->params[i].first_variable].name, first) == 0)
            found = i;
    t2_free(first);
    return found;
}

static int get(struct gr_params *p, const char *name, int rank, const int64_t *dims, int n_shards,
               bool trainable, enum gr_init init, double init_gain)
{
    int found = find_param(p, name, n_shards);
    struct gr_param *param;

    T2_ASSERT(rank >= 1 && rank <= GR_MAX_RANK);
    if (found >= 0) {
        T2_ASSERT(p->params[found].rank == rank && p->params[found].trainable == trainable);
        T2_ASSERT(memcmp(p->params[found].dims, dims, (size_t) rank * sizeof *dims) == 0);
        return found;
    }
    T2_ASSERT(!p->frozen);
    if (p->n_params == p->params_capacity) {
        p->params_capacity = p->params_capacity ? 2 * p->params_capacity : 64;
        p->params = t2_realloc(p->params, (size_t) p->params_capacity, sizeof *p->params);
    }
    param = &p->params[p->n_params++];
    memset(param, 0, sizeof *param);
    param->trainable = trainable;
    param->rank = rank;
    param->n = 1;
    for (int i = 0; i < rank; ++i) {
        param->dims[i] = dims[i];
        param->n *= dims[i];
    }
    param->offset = p->n_floats;
    param->first_variable = p->n_variables;
    p->n_floats += (param->n + ALIGN_FLOATS - 1) / ALIGN_FLOATS * ALIGN_FLOATS;
    if (n_shards == 0) {
        add_variable(p, t2_strdup(name), rank, dims, dims[0], param->offset, init, init_gain);
    } else {
        int64_t row = 0, row_floats = param->n / dims[0];

        for (int s = 0; s < n_shards; ++s) {
            int64_t rows = dims[0] / n_shards + (s < dims[0] % n_shards);

            add_variable(p, shard_name(name, s), rank, dims, rows, param->offset + row * row_floats,
                         init, init_gain);
            row += rows;
        }
    }
    param->n_variables = p->n_variables - param->first_variable;
    return p->n_params - 1;
}

int gr_params_get(struct gr_params *p, const char *name, int rank, const int64_t *dims,
                  int n_shards, enum gr_init init, double init_gain)
{
    return get(p, name, rank, dims, n_shards, true, init, init_gain);
}

int gr_params_get_state(struct gr_params *p, const char *name, int rank, const int64_t *dims,
                        enum gr_init init, double init_gain)
{
    return get(p, name, rank, dims, 0, false, init, init_gain);
}

enum t2_status gr_params_freeze(struct gr_params *p, struct t2_err *err)
{
    size_t bytes = (size_t) p->n_floats * sizeof(float);

    T2_ASSERT(!p->frozen);
    p->values = p->dev->alloc(p->dev, bytes);
    if (!p->values_only)
        p->grads = p->dev->alloc(p->dev, bytes);
    if (!p->values || (!p->grads && !p->values_only)) {
        char human[32];

        return t2_fail(err, T2_ENOMEM, "not enough memory for %s%s)",
                       p->values_only ? "parameters (" : "parameters and gradients (2 x ",
                       t2_human_bytes(bytes, human, sizeof human));
    }
    p->frozen = true;
    return T2_OK;
}

static int64_t count_values(const struct gr_params *p, bool trainable)
{
    int64_t n = 0;

    for (int i = 0; i < p->n_params; ++i)
        n += p->params[i].trainable == trainable ? p->params[i].n : 0;
    return n;
}

int64_t gr_params_count(const struct gr_params *p)
{
    return count_values(p, true);
}

int64_t gr_params_count_states(const struct gr_params *p)
{
    return count_values(p, false);
}

int gr_params_count_variables(const struct gr_params *p)
{
    int n = 0;

    for (int i = 0; i < p->n_variables; ++i)
        n += p->variables[i].trainable;
    return n;
}

const struct gr_variable *gr_params_find(const struct gr_params *p, const char *variable)
{
    for (int i = 0; i < p->n_variables; ++i)
        if (strcmp(p->variables[i].name, variable) == 0)
            return &p->variables[i];
    return NULL;
}

/* ---- initial values: spec t2t-trainer.md §3.7 ---- */

/* The formula of one initializer; scale is the half width or the standard deviation. */
enum shape { UNIFORM, NORMAL, TRUNCATED_NORMAL };

struct filling {
    enum shape shape;
    double scale;
};

/* Fans of a variable: tf.contrib's _compute_fans. */
static void compute_fans(const struct gr_variable *v, double *fan_in, double *fan_out)
{
    double field = 1.0;

    if (v->rank == 1) {
        *fan_in = *fan_out = (double) v->dims[0];
        return;
    }
    for (int i = 0; i < v->rank - 2; ++i)
        field *= (double) v->dims[i];
    *fan_in = (double) v->dims[v->rank - 2] * field;
    *fan_out = (double) v->dims[v->rank - 1] * field;
}

static enum t2_status choose_filling(const struct gr_variable *v, const char *initializer,
                                     double gain, struct filling *f, struct t2_err *err)
{
    /* standard deviation of a normal distribution that is cut at 2 */
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
    else if (strcmp(initializer, "uniform_unit_scaling") == 0)
        *f = (struct filling){UNIFORM, sqrt(3.0 * gain / mean)};
    else if (strcmp(initializer, "normal_unit_scaling") == 0)
        *f = (struct filling){TRUNCATED_NORMAL, sqrt(gain / mean) / cut};
    else if (strcmp(initializer, "uniform") == 0)
        *f = (struct filling){UNIFORM, 0.1 * gain};
    else if (strcmp(initializer, "xavier") == 0 || strcmp(initializer, "") == 0)
        *f = (struct filling){UNIFORM, sqrt(3.0 / mean)};
    else
        return t2_fail(err, T2_EUNSUPPORTED,
                       "initializer '%s' is not supported; use uniform_unit_scaling, "
                       "normal_unit_scaling, uniform or xavier",
                       initializer);
    return T2_OK;
}

static void fill(const struct filling *f, struct t2_rng *rng, float *x, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        double value;

        if (f->shape == UNIFORM) {
            value = (2.0 * t2_rng_uniform_double(rng) - 1.0) * f->scale;
        } else {
            do
                value = t2_rng_normal(rng);
            while (f->shape == TRUNCATED_NORMAL && fabs(value) > 2.0);
            value *= f->scale;
        }
        x[i] = (float) value;
    }
}

/* What is done at once: at most PIECE_FLOATS of a variable, or all of one whose numbers can only be
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
    int64_t most = f->shape == TRUNCATED_NORMAL ? v->n : PIECE_FLOATS;

    for (int64_t at = 0; at < v->n; at += most) {
        if (j->n == j->capacity) {
            j->capacity = 2 * j->capacity + 64;
            j->items = t2_realloc(j->items, (size_t) j->capacity, sizeof *j->items);
        }
        j->items[j->n++] = (struct job){v, *f, at, v->n - at < most ? v->n - at : most};
    }
}

static void draw(const struct jobs *j, const struct job *job, float *x)
{
    const struct gr_variable *v = job->v;
    struct t2_rng rng;

    if (v->init == GR_INIT_ZEROS || v->init == GR_INIT_ONES) {
        for (int64_t i = 0; i < job->n; ++i)
            x[i] = v->init == GR_INIT_ONES ? 1.0f : 0.0f;
        return;
    }
    t2_rng_init(&rng, j->seed, T2_RNG_INIT, 0, t2_hash64(v->name, strlen(v->name), 0));
    t2_rng_seek(&rng, (uint64_t) job->at);
    fill(&job->filling, &rng, x, job->n);
}

static void draw_in_place(void *arg, int64_t i, int worker)
{
    const struct jobs *j = arg;
    const struct job *job = &j->items[i];

    (void) worker;
    draw(j, job, j->p->values + job->v->offset + job->at);
}

static void draw_and_upload(const struct jobs *j)
{
    struct dev *dev = j->p->dev;

    for (int64_t i = 0; i < j->n; ++i) {
        const struct job *job = &j->items[i];
        size_t bytes = (size_t) job->n * sizeof(float);
        float *piece = t2_alloc(bytes, 1);

        draw(j, job, piece);
        dev->upload(dev, j->p->values + job->v->offset + job->at, piece, bytes);
        t2_free(piece);
    }
}

enum t2_status gr_params_initialise(struct gr_params *p, const char *initializer, double gain,
                                    uint64_t seed, struct t2_err *err)
{
    struct jobs j = {.p = p, .seed = seed};
    enum t2_status st = T2_OK;

    T2_ASSERT(p->frozen);
    for (int i = 0; i < p->n_variables && st == T2_OK; ++i) {
        const struct gr_variable *v = &p->variables[i];
        struct filling f = {UNIFORM, 0.0};

        if (v->init != GR_INIT_ZEROS && v->init != GR_INIT_ONES)
            st = choose_filling(v, initializer, gain, &f, err);
        if (st == T2_OK)
            add_jobs(&j, v, &f);
    }
    if (st == T2_OK && !p->dev->host_memory)
        draw_and_upload(&j);
    else if (st == T2_OK && p->dev->pool != NULL)
        t2_pool_run(p->dev->pool, j.n, draw_in_place, &j);
    else
        for (int64_t i = 0; st == T2_OK && i < j.n; ++i)
            draw_in_place(&j, i, 0);
    t2_free(j.items);
    return st;
}
