/*
 * tests/support/device_floats.h - floats of a device from the host, for tests that run on any
 * device.
 */
#ifndef T2_TESTS_SUPPORT_DEVICE_FLOATS_H
#define T2_TESTS_SUPPORT_DEVICE_FLOATS_H

#include <stdlib.h>

#include "tests/support/t.h"
#include "train/device/device.h"

static inline void device_write(struct dev *d, float *to, const float *from, int64_t n)
{
    d->upload_now(d, to, from, (size_t) n * sizeof *to);
}

static inline void device_read(struct dev *d, float *to, const float *from, int64_t n)
{
    d->download(d, to, from, (size_t) n * sizeof *to);
}

/* A copy, to be freed. */
static inline float *device_floats(struct dev *d, const float *from, int64_t n)
{
    float *to = malloc((size_t) n * sizeof *to + 1);

    assert_non_null(to);
    device_read(d, to, from, n);
    return to;
}

static inline float device_float(struct dev *d, const float *from)
{
    float x;

    device_read(d, &x, from, 1);
    return x;
}

/* t_fill in device memory. */
static inline void device_fill(struct dev *d, float *to, int64_t n, uint64_t seed)
{
    float *x = malloc((size_t) n * sizeof *x + 1);

    assert_non_null(x);
    t_fill(x, (size_t) n, seed);
    device_write(d, to, x, n);
    free(x);
}

/* The same bits in the memory of two devices. */
static inline void device_assert_same(struct dev *d, const float *x, struct dev *e, const float *y,
                                      int64_t n)
{
    float *a = device_floats(d, x, n), *b = device_floats(e, y, n);

    assert_memory_equal(a, b, (size_t) n * sizeof *a);
    free(a);
    free(b);
}

#endif
