/*
 * tests/support/op_check.h - what is asked of every kernel; of operators: op_graph.h.
 *
 * The same call on device "reference", which is right, and on the others with several numbers of
 * threads, in buffers that end at a guard page.  Results lie within a tolerance of plain's, are the
 * same bits for any number of threads and on far, and inputs stay as they were.
 */
#ifndef T2_TESTS_SUPPORT_OP_CHECK_H
#define T2_TESTS_SUPPORT_OP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/op_device.h"
#include "tests/support/op_graph.h"

enum { OP_MAX_BUFFERS = 16 };

struct op_buffer {
    size_t n;      /* elements of four bytes, but for what is typed */
    void *initial; /* on the host, as float32 or int32 */
    bool output;
    bool typed; /* of op_type() in device memory */
    double atol, rtol;
};

struct op_call {
    char what[256]; /* says which call failed */
    struct op_buffer buffers[OP_MAX_BUFFERS];
    int n;
    double atol, rtol;
    /* Beside atol, on cuda with 16 bits, where what lies between two products is rounded; the root
     * of the mean square of what differs is at most half of it. */
    double bf16_atol, fp16_atol;
};

/* Begins a call; |actual - expected| <= atol + rtol |expected| for every element of every
 * output. */
__attribute__((format(printf, 4, 5))) void op_begin(struct op_call *c, double atol, double rtol,
                                                    const char *format, ...);
/* Adds a buffer; its number is the order of adding.  The initial values may be changed until
 * op_check.  Outputs that are not added to begin as NaN. */
float *op_in(struct op_call *c, int64_t n, uint64_t seed);
float *op_out(struct op_call *c, int64_t n, bool accumulate, uint64_t seed);
/* Ids in [0, limit); about one in zero_every is 0 (0: as chance has it). */
int32_t *op_in_ids(struct op_call *c, int64_t n, int32_t limit, unsigned zero_every, uint64_t seed);
/* Likewise floats that are of op_type() in device memory.  A call with such buffers is checked in
 * every float type; one unit of the type in the last place is allowed beside the tolerance. */
float *op_typed_in(struct op_call *c, int64_t n, uint64_t seed);
float *op_typed_out(struct op_call *c, int64_t n, bool accumulate, uint64_t seed);
/* Of the call being made: what the arguments of kernels say. */
enum dev_type op_type(void);
/* Another tolerance for the buffer added last. */
void op_tolerance(struct op_call *c, double atol, double rtol);

/* Makes the call: p[i] is buffer i in device memory.  What op_device.h gives for it (scratch
 * memory) is freed behind it. */
typedef void (*op_kernel_fn)(struct dev *d, void *const *p, const void *arg);
/* Runs and compares everything, then releases the buffers. */
void op_check(struct op_call *c, op_kernel_fn call, const void *arg);
/* Runs on one device and gives the outputs, one behind the other, in malloc'd memory; c stays as it
 * is. */
float *op_run_on(struct dev *d, const struct op_call *c, op_kernel_fn call, const void *arg);
void op_release(struct op_call *c);

#endif
