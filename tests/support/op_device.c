/*
 * tests/support/op_device.c - devices that are opened once, their memory, their step blocks.
 */
#include "tests/support/op_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

enum { MAX_OPEN = 16, MAX_STEPS = 256, MAX_HELD = 64 };

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

bool op_is_gpu(const struct dev *d)
{
    return strcmp(d->name, "cuda") == 0 && !strstr(d->describe(d), "CUDA on the host");
}

/* ---- memory ---- */

void *op_alloc(struct dev *d, size_t bytes)
{
    void *p = d->host_memory ? t_guarded_alloc(bytes) : d->alloc(d, bytes);

    assert_non_null(p);
    return p;
}

void op_free(struct dev *d, void *p, size_t bytes)
{
    if (d->host_memory)
        t_guarded_free(p, bytes);
    else
        d->free(d, p);
}

static struct {
    struct dev *dev;
    void *p;
    size_t bytes;
    void *host; /* of op_result; else NULL */
} held[MAX_HELD];
static int n_held;

static void *hold(struct dev *d, const void *from, size_t bytes, void *host)
{
    void *p = op_alloc(d, bytes);

    assert_true(n_held < MAX_HELD);
    held[n_held].dev = d;
    held[n_held].p = p;
    held[n_held].bytes = bytes;
    held[n_held++].host = host;
    d->upload_now(d, p, from, bytes);
    return p;
}

void *op_upload(struct dev *d, const void *host, size_t bytes)
{
    return host ? hold(d, host, bytes, NULL) : NULL;
}

void *op_result(struct dev *d, void *host, size_t bytes)
{
    return hold(d, host, bytes, host);
}

float *op_scratch(struct dev *d, int64_t n_floats)
{
    float *nan = malloc((size_t) n_floats * sizeof *nan + 1), *p;

    assert_non_null(nan);
    for (int64_t i = 0; i < n_floats; i++)
        nan[i] = NAN;
    p = hold(d, nan, (size_t) n_floats * sizeof *nan, NULL);
    free(nan);
    return p;
}

void op_fetch(void)
{
    for (int i = 0; i < n_held; i++)
        if (held[i].host)
            held[i].dev->download(held[i].dev, held[i].host, held[i].p, held[i].bytes);
}

void op_done(void)
{
    op_fetch();
    for (int i = 0; i < n_held; i++)
        held[i].dev->sync(held[i].dev);
    while (n_held > 0) {
        n_held--;
        op_free(held[n_held].dev, held[n_held].p, held[n_held].bytes);
    }
}

/* ---- step blocks ---- */

const struct dev_step *op_step_of(struct dev *d, const struct dev_step *value)
{
    for (int i = 0; i < n_steps; i++)
        if (steps[i].dev == d && memcmp(&steps[i].value, value, sizeof *value) == 0)
            return steps[i].on_device;
    assert_true(n_steps < MAX_STEPS);
    steps[n_steps].dev = d;
    steps[n_steps].value = *value;
    steps[n_steps].on_device = d->alloc(d, sizeof *value);
    assert_non_null(steps[n_steps].on_device);
    d->upload_now(d, steps[n_steps].on_device, value, sizeof *value);
    return steps[n_steps++].on_device;
}

static struct dev_step step_value(float grad_scale, int32_t position)
{
    return (struct dev_step){.dropout_key = {(uint32_t) t_hash64(1), (uint32_t) t_hash64(2)},
                             .dropout_step = {(uint32_t) t_hash64(3) % 1000,
                                              (uint32_t) (t_hash64(4) % 8) << 16},
                             .grad_scale = grad_scale,
                             .loss_scale = 4.0f,
                             .position = position};
}

const struct dev_step *op_step(struct dev *d, float grad_scale, int32_t position)
{
    struct dev_step value = step_value(grad_scale, position);

    return op_step_of(d, &value);
}

static struct dev_dropout mask(const struct dev_step *step, double rate, uint64_t seed)
{
    return (struct dev_dropout){.step = step,
                                .threshold = dev_dropout_threshold(rate),
                                .scale = rate > 0.0 ? (float) (1.0 / (1.0 - rate)) : 1.0f,
                                .site = (uint32_t) t_hash64(seed + 4) % 50};
}

struct dev_dropout op_dropout(struct dev *d, double rate, uint64_t seed)
{
    return mask(op_step(d, 1.0f, 0), rate, seed);
}

struct dev_dropout op_host_dropout(double rate, uint64_t seed)
{
    static struct dev_step step;

    step = step_value(1.0f, 0);
    return mask(&step, rate, seed);
}
