/*
 * tests/support/op_check.h - what is asked of every kernel and of every operator.
 *
 * Kernels: the same call on device "reference", which is right, and on the others with several
 * numbers of threads, in buffers that end at a guard page.  Results lie within a tolerance of
 * plain's, are the same bits for any number of threads, and inputs stay as they were.
 *
 * Operators: a small graph whose parameters are the operator's inputs and whose loss is a number;
 * its gradients are compared with differences of the loss.
 */
#ifndef T2_TESTS_SUPPORT_OP_CHECK_H
#define T2_TESTS_SUPPORT_OP_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "train/device/device.h"
#include "train/device/kernels.h"
#include "train/graph/graph.h"

/* ---- devices ---- */

/* The device by name, opened once per program and closed at its end; fails the test when it cannot
 * be opened. */
struct dev *op_device(const char *name, int num_threads);

/* ---- one call of a kernel ---- */

enum { OP_MAX_BUFFERS = 16 };

struct op_buffer {
    size_t n;      /* elements of four bytes */
    void *initial; /* on the host */
    bool output;
    double atol, rtol;
};

struct op_call {
    char what[256]; /* says which call failed */
    struct op_buffer buffers[OP_MAX_BUFFERS];
    int n;
    double atol, rtol;
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
/* Another tolerance for the buffer added last. */
void op_tolerance(struct op_call *c, double atol, double rtol);

/* Makes the call: p[i] is buffer i in device memory. */
typedef void (*op_kernel_fn)(struct dev *d, void *const *p, const void *arg);
/* Scratch memory for the call being made, full of NaN; released after it. */
float *op_scratch(struct dev *d, int64_t n_floats);
/* Runs and compares everything, then releases the buffers. */
void op_check(struct op_call *c, op_kernel_fn call, const void *arg);
/* Runs on one device and gives the outputs, one behind the other, in malloc'd memory; c stays as it
 * is. */
float *op_run_on(struct dev *d, const struct op_call *c, op_kernel_fn call, const void *arg);
void op_release(struct op_call *c);

/* A step block in the memory of d, the same one for the same values; freed when d is closed. */
const struct dev_step *op_step(struct dev *d, float grad_scale, int32_t position);
/* A mask of the step block of d, its site made from the seed; rate 0 keeps all. */
struct dev_dropout op_dropout(struct dev *d, double rate, uint64_t seed);

/* ---- gradients ---- */

enum { OP_MAX_IDS = 8 };

struct op_graph {
    struct dev *dev;
    struct gr_params params;
    struct gr_graph *g;
    struct gr_context context; /* may be changed by the builder */
    struct gr_node *loss;
    struct gr_tensor *result; /* of op_sum_loss */
    struct gr_tensor *row_stats;
    float *coefficients; /* one per element of result */
    struct {
        struct gr_tensor *t;
        const int32_t *values;
    } ids[OP_MAX_IDS];
    int n_ids;
    void *arena;
};

/* For builders. */
struct gr_tensor *op_param(struct op_graph *t, const char *name, int rank, int64_t d0, int64_t d1,
                           int64_t d2);
struct gr_tensor *op_ids(struct op_graph *t, int64_t rows, int64_t cols, const int32_t *values);
/* The loss is a sum over x with fixed coefficients in (-1, 1). */
void op_sum_loss(struct op_graph *t, struct gr_tensor *x);
/* The loss is grad_scale times the sum of the rows' losses. */
void op_xent_loss(struct op_graph *t, struct gr_node *loss, struct gr_tensor *row_stats);

typedef void (*op_build_fn)(struct op_graph *t, const void *arg);

/* A training graph with parameters in (-1, 1), bound and ready to run. */
void op_graph_new(struct op_graph *t, struct dev *d, op_build_fn build, const void *arg);
void op_graph_release(struct op_graph *t);
/* Forward and backward; returns the loss. */
double op_graph_run(struct op_graph *t);

/*
 * Builds on "reference" and on "cpu", and compares the gradient of every parameter with central
 * differences of width `step`, by direction and length within tol; "cpu" also with "reference".
 */
void op_check_gradient(op_build_fn build, const void *arg, double step, double tol);

#endif
