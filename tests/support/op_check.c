/*
 * tests/support/op_check.c - running kernels in guarded buffers, on every device.
 */
#include "tests/support/op_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

/* ---- devices ---- */

/* What is compared with "reference".  A new device is a line here (docs/porting.md); "cuda" is left
 * out where there is none. */
static const struct {
    const char *name;
    int num_threads;
} tested[] = {{"cpu", 1}, {"cpu", 2}, {"cpu", 3}, {"far", 1}, {"cuda", 1}};

enum { N_TESTED = sizeof tested / sizeof *tested };

/* T2_TEST_DEVICE: compare this one alone. */
static bool is_there(const char *name)
{
    static int cuda; /* 1: there, -1: not */
    const char *wanted = getenv("T2_TEST_DEVICE");
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;

    if (wanted && strcmp(name, wanted) != 0)
        return false;
    if (strcmp(name, "cuda") != 0)
        return true;
    if (cuda == 0) {
        cuda = dev_open(name, 1, &d, &err) == T2_OK ? 1 : -1;
        if (cuda > 0)
            dev_close(d);
    }
    return cuda > 0;
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

float *op_typed_in(struct op_call *c, int64_t n, uint64_t seed)
{
    float *x = op_in(c, n, seed);

    c->buffers[c->n - 1].typed = true;
    return x;
}

float *op_typed_out(struct op_call *c, int64_t n, bool accumulate, uint64_t seed)
{
    float *x = op_out(c, n, accumulate, seed);

    c->buffers[c->n - 1].typed = true;
    return x;
}

static enum dev_type current_type = DEV_FLOAT32;

enum dev_type op_type(void)
{
    return current_type;
}

static enum dev_type type_of(const struct op_buffer *b)
{
    return b->typed ? current_type : DEV_FLOAT32;
}

static size_t bytes_of(const struct op_buffer *b)
{
    return b->n * dev_type_bytes(type_of(b));
}

/* The initial values as they are in device memory. */
static void *stored(const struct op_buffer *b)
{
    void *values = malloc(bytes_of(b) + 1);

    assert_non_null(values);
    if (type_of(b) == DEV_FLOAT32)
        memcpy(values, b->initial, bytes_of(b));
    else
        for (size_t i = 0; i < b->n; i++)
            dev_put(current_type, values, (int64_t) i, ((const float *) b->initial)[i]);
    return values;
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

/* ---- running a call ---- */

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
        size_t bytes = bytes_of(&c->buffers[i]);
        void *initial = stored(&c->buffers[i]);

        p[i] = op_alloc(d, bytes);
        d->upload_now(d, p[i], initial, bytes);
        free(initial);
    }
    call(d, p, arg);
    d->sync(d);
    op_done();
    for (int i = 0; i < c->n; i++) {
        const struct op_buffer *b = &c->buffers[i];
        void *now = malloc(bytes_of(b) + 1), *before = stored(b);
        size_t bytes = bytes_of(b);

        assert_non_null(now);
        d->download(d, now, p[i], bytes);
        if (!b->output && memcmp(now, before, bytes) != 0)
            fail_msg("%s on %s: input %d was changed", c->what, d->name, i);
        if (b->output && type_of(b) == DEV_FLOAT32)
            memcpy(out, now, bytes);
        else if (b->output)
            for (size_t j = 0; j < b->n; j++)
                out[j] = dev_get(current_type, now, (int64_t) j);
        out += b->output ? b->n : 0;
        free(now);
        free(before);
        op_free(d, p[i], bytes);
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

/* A unit in the last place: two numbers that are nearly the same may be rounded apart. */
static double last_place(const struct op_buffer *b)
{
    if (type_of(b) == DEV_FLOAT32)
        return 0.0;
    return current_type == DEV_BFLOAT16 ? 0x1p-7 : 0x1p-10;
}

static void compare(const struct op_call *c, const char *device, int threads, const float *actual,
                    const float *expected)
{
    double more = strcmp(device, "cuda") != 0 || current_type == DEV_FLOAT32 ? 0.0
                  : current_type == DEV_BFLOAT16                             ? c->bf16_atol
                                                                             : c->fp16_atol;

    for (int i = 0; i < c->n; i++) {
        const struct op_buffer *b = &c->buffers[i];
        size_t n_bad = 0, worst = 0;
        double largest = 0.0, squares = 0.0;

        if (!b->output)
            continue;
        for (size_t j = 0; j < b->n; j++) {
            double x = (double) actual[j], y = (double) expected[j], difference = fabs(x - y);

            squares += isnan(difference) ? 0.0 : difference * difference;
            if (close_enough(x, y, b->atol + (last_place(b) > 0.0 ? 0x1p-24 : 0.0) + more,
                             b->rtol + last_place(b)))
                continue;
            if (n_bad++ == 0 || difference > largest) {
                worst = j;
                largest = difference;
            }
        }
        if (n_bad)
            fail_msg("%s on %s (%d threads, %s): %zu of %zu values of buffer %d differ (atol %g, "
                     "rtol %g); "
                     "worst at [%zu]: %.9g, plain has %.9g",
                     c->what, device, threads, dev_type_name(current_type), n_bad, b->n, i, b->atol,
                     b->rtol, worst, (double) actual[worst], (double) expected[worst]);
        if (more > 0.0 && squares > more * more / 4.0 * (double) b->n)
            fail_msg("%s on %s (%s): buffer %d differs by %g on the whole, allowed is %g", c->what,
                     device, dev_type_name(current_type), i, sqrt(squares / (double) b->n),
                     more / 2.0);
        actual += b->n;
        expected += b->n;
    }
}

static void check_type(struct op_call *c, op_kernel_fn call, const void *arg)
{
    size_t bytes = output_floats(c) * sizeof(float);
    float *expected = op_run_on(op_device("reference", 1), c, call, arg);
    float *first = NULL;

    for (int i = 0; i < N_TESTED; i++) {
        float *actual;

        if (!is_there(tested[i].name))
            continue;
        actual = op_run_on(op_device(tested[i].name, tested[i].num_threads), c, call, arg);
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
}

void op_check(struct op_call *c, op_kernel_fn call, const void *arg)
{
    static const enum dev_type types[] = {DEV_FLOAT32, DEV_BFLOAT16, DEV_FLOAT16};
    bool typed = false;

    for (int i = 0; i < c->n; i++)
        typed |= c->buffers[i].typed;
    for (int i = 0; i < (typed ? 3 : 1); i++) {
        current_type = types[i];
        check_type(c, call, arg);
    }
    current_type = DEV_FLOAT32;
    op_release(c);
}
