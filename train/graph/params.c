/*
 * train/graph/params.c - parameters and their variables; initial values are in initial_values.c.
 *
 * Two arenas, values and gradients, with one layout: parameter p at [offset, offset + n), offsets
 * rounded up to ALIGN_FLOATS (64 bytes, a vector).  The variables of a parameter (shards of an
 * embedding table) lie one behind the other without a gap, so the table (V,D) is one matrix for
 * kernels and several tensors for checkpoints.
 */
#include "train/graph/params.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/device/kernels.h"
#include "train/graph/late_values.h"
#include "train/graph/layouts.h"

enum { ALIGN_FLOATS = DEV_ALIGN_BYTES / sizeof(float) };

static void give_back(struct gr_params *p)
{
    if (!p->lent.mapping)
        return;
    t2_unmap_file(&p->lent);
    p->values = p->arena;
}

void gr_params_init(struct gr_params *p, struct dev *dev)
{
    memset(p, 0, sizeof *p);
    p->dev = dev;
}

void gr_params_release(struct gr_params *p)
{
    for (int i = 0; i < p->n_variables; i++)
        t2_free(p->variables[i].name);
    t2_free(p->variables);
    t2_free(p->params);
    gr_late_end(p);
    give_back(p);
    if (p->values)
        p->dev->free(p->dev, p->values);
    if (p->grads)
        p->dev->free(p->dev, p->grads);
    if (p->laid)
        p->dev->free(p->dev, p->laid);
    if (p->rounded)
        p->dev->free(p->dev, p->rounded->values);
    t2_free(p->rounded);
    memset(p, 0, sizeof *p);
}

/* Sizes beyond all memory stay there, instead of wrapping round: gr_params_freeze refuses them. */
static int64_t times(int64_t a, int64_t b)
{
    enum { MOST_BITS = 58 };
    const int64_t most = (int64_t) 1 << MOST_BITS;
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) || product > most ? most : product;
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
    for (int i = 0; i < rank; i++) {
        v->dims[i] = i == 0 ? rows : dims[i];
        v->n = times(v->n, v->dims[i]);
    }
    v->offset = offset;
    v->param = p->n_params - 1;
    v->trainable = p->params[v->param].trainable;
    v->init = init;
    v->init_gain = gain;
}

/* The name of shard s: "_s" stands in place of a '#' ("x#/y": "x_0/y"), or at the end. */
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

    for (int i = 0; i < p->n_params && found < 0; i++)
        if (strcmp(p->variables[p->params[i].first_variable].name, first) == 0)
            found = i;
    t2_free(first);
    return found;
}

/* Finds or adds.  Shards have dims[0] / n rows, the first dims[0] % n of them one more, as
 * modalities.get_weights cuts. */
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
    for (int i = 0; i < rank; i++) {
        param->dims[i] = dims[i];
        param->n = times(param->n, dims[i]);
    }
    param->offset = p->n_floats;
    param->first_variable = p->n_variables;
    p->n_floats =
        times(1, p->n_floats + (param->n + ALIGN_FLOATS - 1) / ALIGN_FLOATS * ALIGN_FLOATS);
    if (n_shards == 0) {
        add_variable(p, t2_strdup(name), rank, dims, dims[0], param->offset, init, init_gain);
    } else {
        int64_t row = 0, row_floats = param->n / dims[0];

        for (int s = 0; s < n_shards; s++) {
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

void gr_params_set_l2(struct gr_params *p, int param, double l2)
{
    const struct gr_param *of = &p->params[param];

    for (int i = 0; i < of->n_variables; i++)
        p->variables[of->first_variable + i].l2 = l2;
}

enum t2_status gr_params_freeze(struct gr_params *p, struct t2_err *err)
{
    T2_ASSERT(!p->frozen);
    p->frozen = true;
    return gr_params_place(p, err);
}

static enum t2_status place_rounded(struct gr_params *p, struct t2_err *err)
{
    const uint64_t bytes = gr_rounded_bytes(p);
    void *values;

    if (bytes == 0)
        return T2_OK;
    values = p->dev->alloc(p->dev, (size_t) bytes);
    if (!values)
        return dev_fail_memory(p->dev, bytes, "rounded parameters", NULL, err);
    p->rounded = t2_alloc(1, sizeof *p->rounded);
    *p->rounded = (struct gr_rounded){values, gr_rounded_type(p), true};
    return T2_OK;
}

enum t2_status gr_params_place(struct gr_params *p, struct t2_err *err)
{
    size_t bytes = (size_t) p->n_floats * sizeof(float);

    T2_ASSERT(p->frozen && !p->values);
    p->values = p->dev->alloc(p->dev, bytes);
    if (!p->values_only)
        p->grads = p->dev->alloc(p->dev, bytes);
    if (!p->values || (!p->grads && !p->values_only)) {
        p->dev->free(p->dev, p->values);
        p->dev->free(p->dev, p->grads);
        p->values = p->grads = NULL;
        return dev_fail_memory(p->dev, p->values_only ? bytes : 2 * bytes,
                               p->values_only ? "parameters" : "parameters and gradients", NULL,
                               err);
    }
    p->arena = p->values;
    T2_TRY(place_rounded(p, err));
    return gr_place_layouts(p, err);
}

/* ---- values in a mapped file ---- */

bool gr_params_can_borrow(const struct gr_params *p, const void *const *places)
{
    uintptr_t first = p->n_variables > 0 ? (uintptr_t) places[0] : 0;

    if (!gr_late_possible(p) || first == 0 || first % DEV_ALIGN_BYTES != 0)
        return false;
    for (int i = 0; i < p->n_variables; i++)
        if ((uintptr_t) places[i] != first + (size_t) p->variables[i].offset * sizeof(float))
            return false;
    return true;
}

/* Nobody writes what is borrowed; const ends here because tensors' values have none. */
void gr_params_borrow(struct gr_params *p, const float *values, struct t2_mapped *map)
{
    union {
        const float *borrowed;
        float *values;
    } u = {values};

    T2_ASSERT(p->n_bound == 0);
    gr_params_own(p);
    p->lent = *map;
    *map = (struct t2_mapped){0};
    p->values = u.values;
}

void gr_params_own(struct gr_params *p)
{
    T2_ASSERT(!p->lent.mapping || p->n_bound == 0);
    gr_late_end(p);
    give_back(p);
}

/* ---- rounded values ---- */

enum dev_type gr_rounded_type(const struct gr_params *p)
{
    return p->dev->rounds_ahead ? p->dev->precision : DEV_FLOAT32;
}

uint64_t gr_rounded_bytes(const struct gr_params *p)
{
    enum dev_type type = gr_rounded_type(p);

    return type == DEV_FLOAT32 ? 0 : (uint64_t) p->n_floats * dev_type_bytes(type);
}

void *gr_rounded_at(const struct gr_params *p, int64_t at)
{
    return p->rounded ? dev_element(p->rounded->type, p->rounded->values, at) : NULL;
}

void gr_round_values(const struct gr_params *p)
{
    struct gr_rounded *r = p->rounded;

    if (!r || !r->is_old)
        return;
    p->dev->kernels->convert(p->dev, &(struct dev_convert_args){.type_x = DEV_FLOAT32,
                                                                .type_y = r->type,
                                                                .x = p->values,
                                                                .n = p->n_floats,
                                                                .y = r->values});
    r->is_old = false;
}

int64_t gr_params_count(const struct gr_params *p)
{
    int64_t n = 0;

    for (int i = 0; i < p->n_variables; i++)
        n += p->variables[i].trainable ? p->variables[i].n : 0;
    return n;
}

int gr_params_count_variables(const struct gr_params *p)
{
    int n = 0;

    for (int i = 0; i < p->n_variables; i++)
        n += p->variables[i].trainable;
    return n;
}

const struct gr_variable *gr_params_find(const struct gr_params *p, const char *variable)
{
    for (int i = 0; i < p->n_variables; i++)
        if (strcmp(p->variables[i].name, variable) == 0)
            return &p->variables[i];
    return NULL;
}

bool gr_param_is_trained(const struct gr_params *p, int param)
{
    const struct gr_param *q = &p->params[param];

    for (int i = 0; i < q->n_variables; i++)
        if (p->variables[q->first_variable + i].trainable)
            return true;
    return false;
}
