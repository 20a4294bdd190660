/*
 * train/exchange/flow.c - the list of values that a graph for another program is written from.
 */
#include "train/exchange/flow.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"

void xch_flow_release(struct xch_flow *f)
{
    for (int i = 0; i < f->n; i++) {
        t2_free((char *) (uintptr_t) f->values[i].name);
        t2_free(f->values[i].floats);
        t2_free(f->values[i].integers);
    }
    t2_free(f->values);
    *f = (struct xch_flow){0};
}

static struct xch_value *add(struct xch_flow *f, enum xch_op op, int n_inputs, const int *inputs)
{
    struct xch_value *v;

    if (f->n == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 256;
        f->values = t2_realloc(f->values, (size_t) f->capacity, sizeof *f->values);
    }
    v = &f->values[f->n++];
    *v = (struct xch_value){.op = op, .n_inputs = n_inputs};
    for (int i = 0; i < n_inputs; i++) {
        T2_ASSERT(inputs[i] >= 0 && inputs[i] < f->n - 1);
        v->inputs[i] = inputs[i];
        v->of_targets = v->of_targets || f->values[inputs[i]].of_targets;
    }
    return v;
}

static int last(const struct xch_flow *f)
{
    return f->n - 1;
}

static void set_dims(struct xch_value *v, int rank, const int64_t *dims)
{
    T2_ASSERT(rank <= XCH_FLOW_RANK);
    v->rank = rank;
    for (int i = 0; i < rank; i++)
        v->dims[i] = dims[i];
}

int xch_flow_input(struct xch_flow *f, const char *name, enum xch_type type, int rank,
                   const int64_t *dims)
{
    struct xch_value *v = add(f, XCH_INPUT, 0, NULL);

    v->name = t2_strdup(name);
    v->type = type;
    v->of_targets = strcmp(name, "targets") == 0;
    set_dims(v, rank, dims);
    return last(f);
}

static int find_weight(const struct xch_flow *f, const char *name)
{
    for (int i = 0; i < f->n; i++)
        if (f->values[i].op == XCH_WEIGHT && strcmp(f->values[i].name, name) == 0)
            return i;
    return -1;
}

static bool has_dims(const struct xch_value *v, int rank, const int64_t *dims)
{
    return v->rank == rank &&
           (rank == 0 || memcmp(v->dims, dims, (size_t) rank * sizeof *dims) == 0);
}

int xch_flow_weight(struct xch_flow *f, const char *name, int rank, const int64_t *dims,
                    float *floats)
{
    int known = find_weight(f, name);
    struct xch_value *v;

    if (known >= 0 && has_dims(&f->values[known], rank, dims)) {
        t2_free(floats);
        return known;
    }
    v = add(f, XCH_WEIGHT, 0, NULL);
    v->name = known < 0 ? t2_strdup(name) : t2_asprintf("%s_%d", name, f->n);
    v->floats = floats;
    set_dims(v, rank, dims);
    return last(f);
}

int xch_flow_number(struct xch_flow *f, double number)
{
    float *x = t2_alloc(1, sizeof *x);
    char *name = t2_asprintf("number_%d", f->n);
    int i;

    *x = (float) number;
    i = xch_flow_weight(f, name, 0, NULL, x);
    t2_free(name);
    return i;
}

int xch_flow_integer(struct xch_flow *f, int64_t number)
{
    struct xch_value *v = add(f, XCH_INTEGERS, 0, NULL);

    v->type = XCH_INT64;
    v->integers = t2_alloc(1, sizeof *v->integers);
    v->integers[0] = number;
    return last(f);
}

static bool gives_integers(enum xch_op op)
{
    return op == XCH_COUNT || op == XCH_SHIFT;
}

int xch_flow_unary(struct xch_flow *f, enum xch_op op, int x)
{
    struct xch_value *v = add(f, op, 1, &x);

    v->type = gives_integers(op) ? XCH_INT64 : XCH_FLOAT;
    return last(f);
}

int xch_flow_binary(struct xch_flow *f, enum xch_op op, int a, int b)
{
    const int inputs[] = {a, b};

    add(f, op, 2, inputs);
    return last(f);
}

int xch_flow_matmul(struct xch_flow *f, int a, int b, bool transposed)
{
    int i = xch_flow_binary(f, XCH_MATMUL, a, b);

    f->values[i].transposed = transposed;
    return i;
}

int xch_flow_shaped(struct xch_flow *f, enum xch_op op, int x, int n, const int64_t *numbers,
                    bool keep)
{
    struct xch_value *v = add(f, op, 1, &x);

    T2_ASSERT(n <= XCH_FLOW_RANK);
    v->type = gives_integers(op)                         ? XCH_INT64
              : op == XCH_RESHAPE || op == XCH_TRANSPOSE ? f->values[x].type
                                                         : XCH_FLOAT;
    v->n_numbers = n;
    v->keep = keep;
    memcpy(v->numbers, numbers, (size_t) n * sizeof *numbers);
    return last(f);
}

int xch_flow_window(struct xch_flow *f, enum xch_op op, int x, int kernel,
                    const struct xch_window *w)
{
    const int inputs[] = {x, kernel};
    struct xch_value *v = add(f, op, kernel < 0 ? 1 : 2, inputs);

    v->window = *w;
    return last(f);
}

int xch_flow_batch_norm(struct xch_flow *f, const int inputs[5], double epsilon)
{
    struct xch_value *v = add(f, XCH_BATCH_NORM, 5, inputs);

    v->epsilon = epsilon;
    return last(f);
}

int64_t xch_flow_count(const struct xch_value *v)
{
    int64_t n = 1;

    for (int i = 0; i < v->rank; i++)
        n *= v->dims[i];
    return n;
}
