/*
 * tests/support/op_graph.c - graphs of one operator, their gradients by differences.
 */
#include "tests/support/op_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/device_floats.h"
#include "tests/support/t.h"

/* ---- a node that makes a number of a tensor ---- */

static void sum_fwd(struct gr_node *node, const struct gr_context *context)
{
    (void) node, (void) context;
}

static void sum_bwd(struct gr_node *node, const struct gr_context *context)
{
    const struct op_graph *t = *(struct op_graph *const *) node->attributes;
    struct gr_tensor *x = node->inputs[0];

    (void) context;
    assert_false(node->accumulate[0]); /* the loss comes last, so it writes first */
    node->dev->copy(node->dev, x->grad, t->dev_coefficients, (size_t) x->n * sizeof(float));
}

static const struct gr_op sum_op = {.name = "test_sum", .fwd = sum_fwd, .bwd = sum_bwd};

struct gr_tensor *op_param(struct op_graph *t, const char *name, int rank, int64_t d0, int64_t d1,
                           int64_t d2)
{
    int64_t dims[] = {d0, d1, d2};

    return gr_param(t->g, name, rank, dims, 0, GR_INIT_ZEROS, 0.0);
}

struct gr_tensor *op_ids(struct op_graph *t, int64_t rows, int64_t cols, const int32_t *values)
{
    int64_t dims[] = {rows, cols};
    struct gr_tensor *ids = gr_ids(t->g, 2, dims);

    assert_true(t->n_ids < OP_MAX_IDS);
    t->ids[t->n_ids].t = ids;
    t->ids[t->n_ids++].values = values;
    return ids;
}

struct gr_tensor *op_const(struct op_graph *t, int rank, const int64_t *dims, const float *values)
{
    size_t bytes = sizeof *values;
    float *p;

    for (int i = 0; i < rank; i++)
        bytes *= (size_t) dims[i];
    assert_true(t->n_consts < OP_MAX_CONSTS);
    p = t->dev->alloc(t->dev, bytes);
    assert_non_null(p);
    t->dev->upload_now(t->dev, p, values, bytes);
    t->consts[t->n_consts++] = p;
    return gr_const(t->g, rank, dims, p);
}

static void upload_coefficients(struct op_graph *t)
{
    if (t->coefficients)
        t->dev->upload_now(t->dev, t->dev_coefficients, t->coefficients,
                           (size_t) t->result->n * sizeof(float));
}

void op_sum_loss(struct op_graph *t, struct gr_tensor *x)
{
    struct op_graph **self = gr_alloc(t->g, sizeof *self);

    *self = t;
    t->result = x;
    t->coefficients = malloc((size_t) x->n * sizeof(float));
    assert_non_null(t->coefficients);
    t_fill(t->coefficients, (size_t) x->n, 99);
    t->dev_coefficients = t->dev->alloc(t->dev, (size_t) x->n * sizeof(float));
    assert_non_null(t->dev_coefficients);
    upload_coefficients(t);
    t->loss = gr_add_node(t->g, &sum_op, 1, &x, self);
}

void op_xent_loss(struct op_graph *t, struct gr_node *loss, struct gr_tensor *row_stats)
{
    t->loss = loss;
    t->row_stats = row_stats;
}

void op_graph_new(struct op_graph *t, struct dev *d, op_build_fn build, const void *arg)
{
    struct t2_err err = T2_ERR_INIT;
    struct gr_tensor *keep;
    float *values;
    size_t n;

    memset(t, 0, sizeof *t);
    t->dev = d;
    t->context = (struct gr_context){.dropout_key = {11, 22}, .step = 33, .grad_scale = 1.0f};
    gr_params_init(&t->params, d);
    t->g = gr_new(d, &t->params, true);
    build(t, arg);
    keep = t->result ? t->result : t->row_stats;
    if (gr_finish(t->g, t->loss, &keep, 1, &err) != T2_OK ||
        gr_params_freeze(&t->params, &err) != T2_OK)
        fail_msg("%s", err.message);
    /* nothing may be read before it is written */
    t->arena = op_alloc(d, t->g->arena_bytes);
    n = t->g->arena_bytes / sizeof *values;
    values = malloc(n * sizeof *values + 1);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = NAN;
    d->upload_now(d, t->arena, values, t->g->arena_bytes);
    free(values);
    n = (size_t) t->params.n_floats;
    values = malloc(n * sizeof *values);
    assert_non_null(values);
    t_fill(values, n, 5);
    d->upload_now(d, t->params.values, values, n * sizeof *values);
    free(values);
    gr_bind(t->g, t->arena);
    for (int i = 0; i < t->n_ids; i++)
        d->upload_now(d, t->ids[i].t->ids, t->ids[i].values,
                      (size_t) t->ids[i].t->n * sizeof(int32_t));
}

void op_graph_release(struct op_graph *t)
{
    op_free(t->dev, t->arena, t->g->arena_bytes);
    gr_free(t->g);
    gr_params_release(&t->params);
    free(t->coefficients);
    t->dev->free(t->dev, t->dev_coefficients);
    for (int i = 0; i < t->n_consts; i++)
        t->dev->free(t->dev, t->consts[i]);
    memset(t, 0, sizeof *t);
}

static double weighted_sum(const struct op_graph *t)
{
    const struct gr_tensor *x = t->result ? t->result : t->row_stats;
    float *host = malloc((size_t) x->n * sizeof *host);
    double sum = 0.0;

    assert_non_null(host);
    t->dev->download(t->dev, host, x->value, (size_t) x->n * sizeof *host);
    if (t->result)
        for (int64_t i = 0; i < x->n; i++)
            sum += (double) host[i] * (double) t->coefficients[i];
    else
        for (int64_t i = 0; i < x->n; i += 4)
            sum += (double) host[i] * (double) t->context.grad_scale;
    free(host);
    return sum;
}

/* The loss alone; that of a cross-entropy is computed in the backward pass. */
static double loss_of(struct op_graph *t)
{
    gr_run_forward(t->g, &t->context);
    if (!t->result)
        gr_run_backward(t->g, &t->context);
    return weighted_sum(t);
}

double op_graph_run(struct op_graph *t)
{
    double loss;

    upload_coefficients(t); /* a test may have changed them */
    gr_run_forward(t->g, &t->context);
    loss = t->result ? weighted_sum(t) : 0.0; /* the backward pass may use its memory */
    gr_run_backward(t->g, &t->context);
    return t->result ? loss : weighted_sum(t);
}

static float *numeric_gradient(struct op_graph *t, double step)
{
    float *values = device_floats(t->dev, t->params.values, t->params.n_floats);
    float *gradient = calloc((size_t) t->params.n_floats, sizeof *gradient);

    assert_non_null(gradient);
    for (int p = 0; p < t->params.n_params; p++) {
        const struct gr_param *param = &t->params.params[p];

        /* a state has no gradient */
        for (int64_t i = param->offset; param->trainable && i < param->offset + param->n; i++) {
            double loss[2], width;
            float moved[2];

            for (int side = 0; side < 2; side++) {
                moved[side] = values[i] + (float) (side ? step : -step);
                t->dev->upload_now(t->dev, t->params.values + i, &moved[side], sizeof(float));
                loss[side] = loss_of(t);
            }
            t->dev->upload_now(t->dev, t->params.values + i, &values[i], sizeof(float));
            width = (double) moved[1] - (double) moved[0];
            gradient[i] = (float) ((loss[1] - loss[0]) / width);
        }
    }
    free(values);
    return gradient;
}

static double length(const float *x, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; i++)
        sum += (double) x[i] * (double) x[i];
    return sqrt(sum);
}

/* One parameter after the other; one whose gradient is nearly nothing only by its size. */
static void compare_gradients(const struct op_graph *t, const float *a, const float *b, double tol)
{
    double all = length(b, t->params.n_floats);

    for (int p = 0; p < t->params.n_params; p++) {
        const struct gr_param *param = &t->params.params[p];
        const float *x = a + param->offset, *y = b + param->offset;

        if (length(y, param->n) > 0.02 * all)
            t_assert_same_direction(x, y, (size_t) param->n, tol);
        else if (fabs(length(x, param->n) - length(y, param->n)) > tol * all)
            fail_msg("gradient of '%s' has length %g, expected %g",
                     t->params.variables[param->first_variable].name, length(x, param->n),
                     length(y, param->n));
    }
}

/* On far they are the reference's, bit for bit. */
static void check_far(op_build_fn build, const void *arg)
{
    struct op_graph near, far;

    op_graph_new(&near, op_device("reference", 1), build, arg);
    op_graph_new(&far, op_device("far", 1), build, arg);
    assert_true(op_graph_run(&near) == op_graph_run(&far));
    device_assert_same(near.dev, near.params.grads, far.dev, far.params.grads,
                       near.params.n_floats);
    op_graph_release(&near);
    op_graph_release(&far);
}

void op_check_gradient(op_build_fn build, const void *arg, double step, double tol)
{
    static const char *const names[] = {"reference", "cpu"};
    float *plain = NULL;

    for (int i = 0; i < 2; i++) {
        struct op_graph t;
        float *gradient, *numeric;
        int64_t n;

        op_graph_new(&t, op_device(names[i], i == 0 ? 1 : 2), build, arg);
        n = t.params.n_floats;
        /* gradients are replaced, not added to, whatever was there */
        for (int run = 0; run < 2; run++)
            (void) op_graph_run(&t);
        gradient = device_floats(t.dev, t.params.grads, n);
        numeric = numeric_gradient(&t, step);
        compare_gradients(&t, gradient, numeric, tol);
        if (plain)
            compare_gradients(&t, gradient, plain, 1e-5);
        free(plain);
        plain = gradient;
        free(numeric);
        op_graph_release(&t);
    }
    check_far(build, arg);
    free(plain);
}
