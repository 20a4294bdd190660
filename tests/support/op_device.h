/*
 * tests/support/op_device.h - devices, and their memory seen from a test: nothing here looks into
 * it, so a test that uses these runs on every device.
 */
#ifndef T2_TESTS_SUPPORT_OP_DEVICE_H
#define T2_TESTS_SUPPORT_OP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/device/device.h"
#include "train/device/kernels.h"

/* The device by name, opened once per program and closed at its end; fails the test when it cannot
 * be opened. */
struct dev *op_device(const char *name, int num_threads);

/* A GPU, not the emulated one: its functions round otherwise than the host's, and its queues run
 * when they like. */
bool op_is_gpu(const struct dev *d);

/* Skips a test of the host's own memory or threads where another device has the cpu's place
 * (T2_ALL_DEVICES). */
#define OP_NEEDS_CPU()                                                                             \
    do {                                                                                           \
        if (strcmp(op_device("cpu", 1)->name, "cpu") != 0)                                         \
            t_skip("about the cpu device's memory or threads");                                    \
    } while (0)

/* Memory of a device; its end touches a page that cannot be read where the host may see it. */
void *op_alloc(struct dev *d, size_t bytes);
void op_free(struct dev *d, void *p, size_t bytes);

/*
 * Arguments of kernels.  op_upload: a copy of the host's bytes in device memory, NULL for NULL;
 * op_result: likewise, and op_fetch copies it back to the host; op_scratch: floats that are all
 * NaN.  op_done fetches and frees everything that these gave.
 */
void *op_upload(struct dev *d, const void *host, size_t bytes);
void *op_result(struct dev *d, void *host, size_t bytes);
float *op_scratch(struct dev *d, int64_t n_floats);
void op_fetch(void);
void op_done(void);

/* A step block in the memory of d, the same one for the same values; freed when d is closed. */
const struct dev_step *op_step_of(struct dev *d, const struct dev_step *value);
const struct dev_step *op_step(struct dev *d, float grad_scale, int32_t position);
/* A mask of the step block of d, its site made from the seed; rate 0 keeps all. */
struct dev_dropout op_dropout(struct dev *d, double rate, uint64_t seed);
/* The same mask for functions that the host calls: its step block is the host's. */
struct dev_dropout op_host_dropout(double rate, uint64_t seed);

#endif
