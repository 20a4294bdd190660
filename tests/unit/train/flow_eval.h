/*
 * tests/unit/train/flow_eval.h - computes a flow (train/exchange/flow.h), value by value, by plain
 * loops.  Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_FLOW_EVAL_H
#define T2_TESTS_UNIT_TRAIN_FLOW_EVAL_H

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/exchange/flow.h"

/* Integers are doubles, too. */
struct fe_tensor {
    int rank;
    int64_t dims[6], n;
    double *x; /* owned */
};

static inline struct fe_tensor fe_new(int rank, const int64_t *dims)
{
    struct fe_tensor t = {.rank = rank, .n = 1};

    for (int i = 0; i < rank; i++)
        t.n *= t.dims[i] = dims[i];
    t.x = t2_alloc((size_t) t.n, sizeof *t.x);
    return t;
}

/* The element of t that stands at place i of a tensor with the dims, by broadcasting. */
static inline double fe_at(const struct fe_tensor *t, const struct fe_tensor *like, int64_t i)
{
    int64_t at = 0, stride = 1;

    for (int k = 0; k < like->rank; k++) {
        int mine = t->rank - 1 - k, axis = like->rank - 1 - k;
        int64_t place = i % like->dims[axis];

        i /= like->dims[axis];
        if (mine < 0)
            continue;
        at += t->dims[mine] == 1 ? 0 : place * stride;
        stride *= t->dims[mine];
    }
    return t->x[at];
}

static inline double fe_apply(enum xch_op op, double a, double b)
{
    switch (op) {
    case XCH_ADD:
        return a + b;
    case XCH_SUB:
        return a - b;
    case XCH_MUL:
        return a * b;
    case XCH_DIV:
        return a / b;
    case XCH_NOT_LESS:
        return a >= b;
    case XCH_RELU:
        return a > 0 ? a : 0;
    case XCH_SIGMOID:
        return 1 / (1 + exp(-a));
    case XCH_SQRT:
        return sqrt(a);
    case XCH_SIN:
        return sin(a);
    case XCH_COS:
        return cos(a);
    case XCH_NONZERO:
        return a != 0;
    case XCH_TO_FLOAT:
        return a;
    default:
        fail_msg("operation %d is not one of elements", op);
        return 0;
    }
}

static inline struct fe_tensor fe_elements(const struct xch_value *v, const struct fe_tensor *a,
                                           const struct fe_tensor *b)
{
    int rank = b && b->rank > a->rank ? b->rank : a->rank;
    int64_t dims[6];
    struct fe_tensor y;

    for (int k = 1; k <= rank; k++) {
        int64_t m = k <= a->rank ? a->dims[a->rank - k] : 1;
        int64_t n = b && k <= b->rank ? b->dims[b->rank - k] : 1;

        assert_true(m == n || m == 1 || n == 1);
        dims[rank - k] = m > n ? m : n;
    }
    y = fe_new(rank, dims);
    for (int64_t i = 0; i < y.n; i++)
        y.x[i] = fe_apply(v->op, fe_at(a, &y, i), b ? fe_at(b, &y, i) : 0);
    return y;
}

static inline struct fe_tensor fe_matmul(const struct xch_value *v, const struct fe_tensor *a,
                                         const struct fe_tensor *b)
{
    int64_t M = a->dims[a->rank - 2], K = a->dims[a->rank - 1];
    int64_t N = b->dims[b->rank - (v->transposed ? 2 : 1)];
    int64_t batches = a->n / (M * K);
    struct fe_tensor y = fe_new(a->rank, a->dims);

    assert_true(b->dims[b->rank - (v->transposed ? 1 : 2)] == K);
    assert_true(b->n == K * N || b->n == batches * K * N);
    t2_free(y.x);
    y.dims[y.rank - 1] = N;
    y.n = batches * M * N;
    y.x = t2_alloc((size_t) y.n, sizeof *y.x);
    for (int64_t i = 0; i < batches * M; i++)
        for (int64_t n = 0; n < N; n++)
            for (int64_t k = 0; k < K; k++)
                y.x[i * N + n] += a->x[i * K + k] * b->x[(b->n == K * N ? 0 : i / M * K * N) +
                                                         (v->transposed ? n * K + k : k * N + n)];
    return y;
}

static inline struct fe_tensor fe_softmax(const struct fe_tensor *a)
{
    struct fe_tensor y = fe_new(a->rank, a->dims);
    int64_t n = a->dims[a->rank - 1];

    for (int64_t row = 0; row < a->n / n; row++) {
        double most = -INFINITY, sum = 0;

        for (int64_t i = 0; i < n; i++)
            most = fmax(most, a->x[row * n + i]);
        for (int64_t i = 0; i < n; i++)
            sum += y.x[row * n + i] = exp(a->x[row * n + i] - most);
        for (int64_t i = 0; i < n; i++)
            y.x[row * n + i] /= sum;
    }
    return y;
}

/* Place i of a tensor as coordinates. */
static inline void fe_places(const struct fe_tensor *t, int64_t i, int64_t *places)
{
    for (int k = t->rank - 1; k >= 0; k--) {
        places[k] = i % t->dims[k];
        i /= t->dims[k];
    }
}

static inline struct fe_tensor fe_mean(const struct xch_value *v, const struct fe_tensor *a)
{
    struct fe_tensor kept = *a, y;
    int64_t n = 1;

    for (int k = 0; k < v->n_numbers; k++) {
        n *= a->dims[v->numbers[k]];
        kept.dims[v->numbers[k]] = 1;
    }
    y = fe_new(kept.rank, kept.dims);
    for (int64_t i = 0; i < a->n; i++) {
        int64_t places[6], at = 0;

        fe_places(a, i, places);
        for (int k = 0; k < y.rank; k++)
            at = at * y.dims[k] + (y.dims[k] == 1 ? 0 : places[k]);
        y.x[at] += a->x[i] / (double) n;
    }
    if (!v->keep) {
        int rank = 0;

        for (int k = 0; k < a->rank; k++) {
            bool gone = false;

            for (int m = 0; m < v->n_numbers; m++)
                gone = gone || v->numbers[m] == k;
            if (!gone)
                y.dims[rank++] = a->dims[k];
        }
        y.rank = rank;
    }
    return y;
}

static inline struct fe_tensor fe_gather(const struct fe_tensor *a, const struct fe_tensor *b)
{
    int64_t dims[6], row = a->n / a->dims[0];
    int rank = 0;
    struct fe_tensor y;

    for (int k = 0; k < b->rank; k++)
        dims[rank++] = b->dims[k];
    for (int k = 1; k < a->rank; k++)
        dims[rank++] = a->dims[k];
    y = fe_new(rank, dims);
    for (int64_t i = 0; i < b->n; i++) {
        assert_true(b->x[i] >= 0 && (int64_t) b->x[i] < a->dims[0]);
        memcpy(y.x + i * row, a->x + (int64_t) b->x[i] * row, (size_t) row * sizeof *y.x);
    }
    return y;
}

static inline struct fe_tensor fe_reshape(const struct xch_value *v, const struct fe_tensor *a)
{
    int64_t dims[6], known = 1;
    int open = -1;
    struct fe_tensor y;

    for (int k = 0; k < v->n_numbers; k++) {
        dims[k] = v->numbers[k] == 0 ? a->dims[k] : v->numbers[k];
        if (dims[k] < 0)
            open = k;
        else
            known *= dims[k];
    }
    if (open >= 0)
        dims[open] = a->n / known;
    y = fe_new(v->n_numbers, dims);
    assert_true(y.n == a->n);
    memcpy(y.x, a->x, (size_t) a->n * sizeof *y.x);
    return y;
}

static inline struct fe_tensor fe_transpose(const struct xch_value *v, const struct fe_tensor *a)
{
    int64_t dims[6];
    struct fe_tensor y;

    assert_int_equal(v->n_numbers, a->rank);
    for (int k = 0; k < a->rank; k++)
        dims[k] = a->dims[v->numbers[k]];
    y = fe_new(a->rank, dims);
    for (int64_t i = 0; i < y.n; i++) {
        int64_t places[6], from[6] = {0}, at = 0;

        fe_places(&y, i, places);
        for (int k = 0; k < a->rank; k++)
            from[v->numbers[k]] = places[k];
        for (int k = 0; k < a->rank; k++)
            at = at * a->dims[k] + from[k];
        y.x[i] = a->x[at];
    }
    return y;
}

static inline struct fe_tensor fe_concat(const struct fe_tensor *a, const struct fe_tensor *b)
{
    int64_t m = a->dims[a->rank - 1], n = b->dims[b->rank - 1], rows = a->n / m, dims[6];
    struct fe_tensor y;

    memcpy(dims, a->dims, sizeof dims);
    dims[a->rank - 1] = m + n;
    y = fe_new(a->rank, dims);
    for (int64_t i = 0; i < rows; i++) {
        memcpy(y.x + i * (m + n), a->x + i * m, (size_t) m * sizeof *y.x);
        memcpy(y.x + i * (m + n) + m, b->x + i * n, (size_t) n * sizeof *y.x);
    }
    return y;
}

static inline struct fe_tensor fe_shift(const struct fe_tensor *a)
{
    struct fe_tensor y = fe_new(a->rank, a->dims);

    for (int64_t i = 0; i < a->n; i++)
        y.x[i] = i % a->dims[1] ? a->x[i - 1] : 0;
    return y;
}

/* One element of what a window gives, for channel n. */
static inline double fe_tap(const struct xch_value *v, const struct fe_tensor *x,
                            const struct fe_tensor *k, const int64_t *to)
{
    const struct xch_window *w = &v->window;
    int64_t C = x->dims[3], n_seen = 0;
    double sum = 0, most = -INFINITY;

    for (int64_t i = 0; i < w->size[0] * w->size[1]; i++) {
        int64_t h = to[1] * w->stride - w->before[0] + i / w->size[1] * w->dilation;
        int64_t ww = to[2] * w->stride - w->before[1] + i % w->size[1] * w->dilation;
        const double *at;

        if (h < 0 || h >= x->dims[1] || ww < 0 || ww >= x->dims[2])
            continue;
        n_seen++;
        at = x->x + ((to[0] * x->dims[1] + h) * x->dims[2] + ww) * C;
        if (v->op == XCH_CONV)
            for (int64_t c = 0; c < C; c++)
                sum += at[c] * k->x[(i * C + c) * k->dims[3] + to[3]];
        else
            sum += at[to[3]], most = fmax(most, at[to[3]]);
    }
    return v->op == XCH_CONV ? sum : v->op == XCH_MAX_POOL ? most : sum / (double) n_seen;
}

static inline struct fe_tensor fe_window(const struct xch_value *v, const struct fe_tensor *x,
                                         const struct fe_tensor *k)
{
    const int64_t dims[] = {x->dims[0], v->window.out[0], v->window.out[1],
                            k ? k->dims[3] : x->dims[3]};
    struct fe_tensor y = fe_new(4, dims);

    assert_true(v->op != XCH_DEPTHWISE);
    for (int64_t i = 0; i < y.n; i++) {
        int64_t to[6];

        fe_places(&y, i, to);
        y.x[i] = fe_tap(v, x, k, to);
    }
    return y;
}

static inline struct fe_tensor fe_batch_norm(const struct xch_value *v, const struct fe_tensor *x,
                                             const struct fe_tensor *const *of)
{
    struct fe_tensor y = fe_new(x->rank, x->dims);
    int64_t C = x->dims[x->rank - 1];

    for (int64_t i = 0; i < y.n; i++)
        y.x[i] =
            of[0]->x[i % C] * (x->x[i] - of[2]->x[i % C]) / sqrt(of[3]->x[i % C] + v->epsilon) +
            of[1]->x[i % C];
    return y;
}

static inline struct fe_tensor fe_constant(const struct xch_value *v)
{
    struct fe_tensor y = fe_new(v->rank, v->dims);

    for (int64_t i = 0; i < y.n; i++)
        y.x[i] = v->floats ? (double) v->floats[i] : (double) v->integers[i];
    return y;
}

static inline struct fe_tensor fe_count(const struct xch_value *v, const struct fe_tensor *a)
{
    struct fe_tensor y = fe_new(1, &a->dims[v->numbers[0]]);

    for (int64_t i = 0; i < y.n; i++)
        y.x[i] = (double) i;
    return y;
}

static inline struct fe_tensor fe_compute(const struct xch_value *v,
                                          const struct fe_tensor *const *in)
{
    switch (v->op) {
    case XCH_WEIGHT:
    case XCH_INTEGERS:
        return fe_constant(v);
    case XCH_MATMUL:
        return fe_matmul(v, in[0], in[1]);
    case XCH_SOFTMAX:
        return fe_softmax(in[0]);
    case XCH_MEAN:
        return fe_mean(v, in[0]);
    case XCH_GATHER:
        return fe_gather(in[0], in[1]);
    case XCH_RESHAPE:
        return fe_reshape(v, in[0]);
    case XCH_TRANSPOSE:
        return fe_transpose(v, in[0]);
    case XCH_CONCAT:
        return fe_concat(in[0], in[1]);
    case XCH_COUNT:
        return fe_count(v, in[0]);
    case XCH_SHIFT:
        return fe_shift(in[0]);
    case XCH_CONV:
    case XCH_DEPTHWISE:
    case XCH_MAX_POOL:
    case XCH_AVG_POOL:
        return fe_window(v, in[0], v->n_inputs > 1 ? in[1] : NULL);
    case XCH_BATCH_NORM:
        return fe_batch_norm(v, in[0], in + 1);
    default:
        return fe_elements(v, in[0], v->n_inputs > 1 ? in[1] : NULL);
    }
}

/* inputs: by name, n of them; borrowed.  The logits, owned by the caller (x). */
static inline struct fe_tensor fe_run(const struct xch_flow *f, const char *const *names,
                                      const struct fe_tensor *inputs, int n)
{
    struct fe_tensor *values = t2_alloc((size_t) f->n, sizeof *values), logits;

    for (int i = 0; i < f->n; i++) {
        const struct xch_value *v = &f->values[i];
        const struct fe_tensor *in[XCH_FLOW_INPUTS];

        for (int k = 0; k < v->n_inputs; k++)
            in[k] = &values[v->inputs[k]];
        if (v->op == XCH_INPUT) {
            for (int k = 0; k < n; k++)
                if (strcmp(names[k], v->name) == 0) {
                    values[i] = fe_new(inputs[k].rank, inputs[k].dims);
                    memcpy(values[i].x, inputs[k].x, (size_t) inputs[k].n * sizeof *inputs[k].x);
                }
        } else {
            values[i] = fe_compute(v, in);
        }
        assert_non_null(values[i].x);
    }
    logits = values[f->logits];
    values[f->logits].x = NULL;
    for (int i = 0; i < f->n; i++)
        t2_free(values[i].x);
    t2_free(values);
    return logits;
}

#endif
