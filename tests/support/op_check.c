/*
 * tests/support/op_check.c - running kernels in guarded buffers, gradients by differences.
 */
#include "tests/support/op_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

/* ---- devices ---- */

/* What is compared with "reference".  A new device is a line here (docs/porting.md). */
static const struct {
    const char *name;
    int num_threads;
} tested[] = {{"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"far", 1}};

enum { N_TESTED = sizeof tested / sizeof *tested, MAX_OPEN = 16, MAX_STEPS = 256 };

static struct {
    const char *name;
    int num_threads;
    struct dev *dev;
} opened[MAX_OPEN];
static int n_opened;

/* Step blocks of open devices. */
static struct {
    struct dev *dev;
    struct dev_step value;
    struct dev_step *on_device;
} steps[MAX_STEPS];
static int n_steps;

static void close_devices(void)
{
    while (n_steps > 0) {
        n_steps--;
        steps[n_steps].dev->free(steps[n_steps].dev, steps[n_steps].on_device);
    }
    while (n_opened > 0)
        dev_close(opened[--n_opened].dev);
}

struct dev *op_device(const char *name, int num_threads)
{
    struct t2_err err = T2_ERR_INIT;

    for (int i = 0; i < n_opened; i++)
        if (strcmp(opened[i].name, name) == 0 && opened[i].num_threads == num_threads)
            return opened[i].dev;
    assert_true(n_opened < MAX_OPEN);
    if (n_opened == 0)
        atexit(close_devices);
    if (dev_open(name, num_threads, &opened[n_opened].dev, &err) != T2_OK)
        fail_msg("device %s: %s", name, err.message);
    opened[n_opened].name = name;
    opened[n_opened].num_threads = num_threads;
    return opened[n_opened++].dev;
}

/* ---- buffers of a call ---- */

void op_begin(struct op_call *c, double atol, double rtol, const char *format, ...)
{
    va_list args;

    memset(c, 0, sizeof *c);
    c->atol = atol;
    c->rtol = rtol;
    va_start(args, format);
    vsnprintf(c->what, sizeof c->what, format, args);
    va_end(args);
}

static void *add(struct op_call *c, int64_t n, bool output)
{
    struct op_buffer *b = &c->buffers[c->n++];

    assert_true(c->n <= OP_MAX_BUFFERS);
    b->n = (size_t) n;
    b->output = output;
    b->atol = c->atol;
    b->rtol = c->rtol;
    b->initial = malloc(b->n * sizeof(float) + 1);
    assert_non_null(b->initial);
    return b->initial;
}

float *op_in(struct op_call *c, int64_t n, uint64_t seed)
{
    float *x = add(c, n, false);

    t_fill(x, (size_t) n, seed);
    return x;
}

float *op_out(struct op_call *c, int64_t n, bool accumulate, uint64_t seed)
{
    float *x = add(c, n, true);

    t_fill(x, (size_t) n, seed);
    for (int64_t i = 0; !accumulate && i < n; i++)
        x[i] = NAN;
    return x;
}

int32_t *op_in_ids(struct op_call *c, int64_t n, int32_t limit, unsigned zero_every, uint64_t seed)
{
    int32_t *ids = add(c, n, false);

    for (int64_t i = 0; i < n; i++) {
        uint64_t h = t_hash64(seed * 7919 + (uint64_t) i);

        ids[i] = zero_every && h % zero_every == 0 ? 0 : (int32_t) (h / 64 % (uint64_t) limit);
    }
    return ids;
}

void op_tolerance(struct op_call *c, double atol, double rtol)
{
    c->buffers[c->n - 1].atol = atol;
    c->buffers[c->n - 1].rtol = rtol;
}

void op_release(struct op_call *c)
{
    for (int i = 0; i < c->n; i++)
        free(c->buffers[i].initial);
    c->n = 0;
}

const struct dev_step *op_step(struct dev *d, float grad_scale, int32_t position)
{
    struct dev_step host = {.dropout_key = {(uint32_t) t_hash64(1), (uint32_t) t_hash64(2)},
                            .dropout_step = {(uint32_t) t_hash64(3) % 1000,
                                             (uint32_t) (t_hash64(4) % 8) << 16},
                            .grad_scale = grad_scale,
                            .position = position};

    for (int i = 0; i < n_steps; i++)
        if (steps[i].dev == d && memcmp(&steps[i].value, &host, sizeof host) == 0)
            return steps[i].on_device;
    assert_true(n_steps < MAX_STEPS);
    steps[n_steps].dev = d;
    steps[n_steps].value = host;
    steps[n_steps].on_device = d->alloc(d, sizeof host);
    assert_non_null(steps[n_steps].on_device);
    d->upload_now(d, steps[n_steps].on_device, &host, sizeof host);
    return steps[n_steps++].on_device;
}

struct dev_dropout op_dropout(struct dev *d, double rate, uint64_t seed)
{
    return (struct dev_dropout){.step = op_step(d, 1.0f, 0),
                                .threshold = dev_dropout_threshold(rate),
                                .scale = rate > 0.0 ? (float) (1.0 / (1.0 - rate)) : 1.0f,
                                .site = (uint32_t) t_hash64(seed + 4) % 50};
}

/* ---- running a call ---- */

/* Memory of a device: guarded where the host may see it. */
static void *device_alloc(struct dev *d, size_t bytes)
{
    void *p = d->host_memory ? t_guarded_alloc(bytes) : d->alloc(d, bytes);

    assert_non_null(p);
    return p;
}

static void device_free(struct dev *d, void *p, size_t bytes)
{
    if (d->host_memory)
        t_guarded_free(p, bytes);
    else
        d->free(d, p);
}

static struct {
    struct dev *dev;
    void *p[4];
    size_t bytes[4];
    int n;
} scratch;

float *op_scratch(struct dev *d, int64_t n_floats)
{
    size_t bytes = (size_t) n_floats * sizeof(float);
    float *nan = malloc(bytes + 1);

    assert_true(scratch.n < 4);
    assert_non_null(nan);
    for (int64_t i = 0; i < n_floats; i++)
        nan[i] = NAN;
    scratch.dev = d;
    scratch.bytes[scratch.n] = bytes;
    scratch.p[scratch.n] = device_alloc(d, bytes);
    d->upload_now(d, scratch.p[scratch.n], nan, bytes);
    free(nan);
    return scratch.p[scratch.n++];
}

static void scratch_release(void)
{
    while (scratch.n > 0) {
        scratch.n--;
        device_free(scratch.dev, scratch.p[scratch.n], scratch.bytes[scratch.n]);
    }
}

static size_t output_floats(const struct op_call *c)
{
    size_t n = 0;

    for (int i = 0; i < c->n; i++)
        n += c->buffers[i].output ? c->buffers[i].n : 0;
    return n;
}

float *op_run_on(struct dev *d, const struct op_call *c, op_kernel_fn call, const void *arg)
{
    float *all = malloc(output_floats(c) * sizeof *all + 1), *out = all;
    void *p[OP_MAX_BUFFERS] = {0};

    assert_non_null(all);
    for (int i = 0; i < c->n; i++) {
        size_t bytes = c->buffers[i].n * sizeof(float);

        p[i] = device_alloc(d, bytes);
        d->upload_now(d, p[i], c->buffers[i].initial, bytes);
    }
    call(d, p, arg);
    d->sync(d);
    scratch_release();
    for (int i = 0; i < c->n; i++) {
        const struct op_buffer *b = &c->buffers[i];
        size_t bytes = b->n * sizeof(float);

        if (b->output) {
            d->download(d, out, p[i], bytes);
            out += b->n;
        } else {
            void *now = malloc(bytes + 1);

            assert_non_null(now);
            d->download(d, now, p[i], bytes);
            if (memcmp(now, b->initial, bytes) != 0)
                fail_msg("%s on %s: input %d was changed", c->what, d->name, i);
            free(now);
        }
        device_free(d, p[i], bytes);
    }
    return all;
}

/* ---- comparing ---- */

static bool close_enough(double a, double b, double atol, double rtol)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= atol + rtol * fabs(b);
}

static void compare(const struct op_call *c, const char *device, int threads, const float *actual,
                    const float *expected)
{
    for (int i = 0; i < c->n; i++) {
        const struct op_buffer *b = &c->buffers[i];
        size_t n_bad = 0, worst = 0;
        double largest = 0.0;

        if (!b->output)
            continue;
        for (size_t j = 0; j < b->n; j++) {
            double x = (double) actual[j], y = (double) expected[j], difference = fabs(x - y);

            if (close_enough(x, y, b->atol, b->rtol))
                continue;
            if (n_bad++ == 0 || difference > largest) {
                worst = j;
                largest = difference;
            }
        }
        if (n_bad)
            fail_msg(
                "%s on %s (%d threads): %zu of %zu values of buffer %d differ (atol %g, rtol %g); "
                "worst at [%zu]: %.9g, plain has %.9g",
                c->what, device, threads, n_bad, b->n, i, b->atol, b->rtol, worst,
                (double) actual[worst], (double) expected[worst]);
        actual += b->n;
        expected += b->n;
    }
}

void op_check(struct op_call *c, op_kernel_fn call, const void *arg)
{
    size_t bytes = output_floats(c) * sizeof(float);
    float *expected = op_run_on(op_device("reference", 1), c, call, arg);
    float *first = NULL;

    for (int i = 0; i < N_TESTED; i++) {
        float *actual = op_run_on(op_device(tested[i].name, tested[i].num_threads), c, call, arg);

        compare(c, tested[i].name, tested[i].num_threads, actual, expected);
        if (strcmp(tested[i].name, "far") == 0 && memcmp(actual, expected, bytes) != 0)
            fail_msg("%s on far: other bits than the reference", c->what);
        if (i > 0 && strcmp(tested[i].name, tested[i - 1].name) == 0) {
            if (memcmp(actual, first, bytes) != 0)
                fail_msg("%s on %s: %d threads give other bits than %d", c->what, tested[i].name,
                         tested[i].num_threads, tested[i - 1].num_threads);
            free(actual);
        } else {
            free(first);
            first = actual;
        }
    }
    free(first);
    free(expected);
    op_release(c);
}

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
    node->dev->upload_now(node->dev, x->grad, t->coefficients, (size_t) x->n * sizeof(float));
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

void op_sum_loss(struct op_graph *t, struct gr_tensor *x)
{
    struct op_graph **self = gr_alloc(t->g, sizeof *self);

    *self = t;
    t->result = x;
    t->coefficients = malloc((size_t) x->n * sizeof(float));
    assert_non_null(t->coefficients);
    t_fill(t->coefficients, (size_t) x->n, 99);
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
    t->arena = device_alloc(d, t->g->arena_bytes);
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
    device_free(t->dev, t->arena, t->g->arena_bytes);
    gr_free(t->g);
    gr_params_release(&t->params);
    free(t->coefficients);
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

    gr_run_forward(t->g, &t->context);
    loss = t->result ? weighted_sum(t) : 0.0; /* the backward pass may use its memory */
    gr_run_backward(t->g, &t->context);
    return t->result ? loss : weighted_sum(t);
}

static float *download(struct dev *d, const float *from, int64_t n)
{
    float *x = malloc((size_t) n * sizeof *x + 1);

    assert_non_null(x);
    d->download(d, x, from, (size_t) n * sizeof *x);
    return x;
}

static float *numeric_gradient(struct op_graph *t, double step)
{
    float *values = download(t->dev, t->params.values, t->params.n_floats);
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
        gradient = download(t.dev, t.params.grads, n);
        numeric = numeric_gradient(&t, step);
        compare_gradients(&t, gradient, numeric, tol);
        if (plain)
            compare_gradients(&t, gradient, plain, 1e-5);
        free(plain);
        plain = gradient;
        free(numeric);
        op_graph_release(&t);
    }
    free(plain);
}
