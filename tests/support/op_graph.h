/*
 * tests/support/op_graph.h - what is asked of every operator: a small graph whose parameters are
 * the operator's inputs and whose loss is a number; its gradients are compared with differences of
 * the loss.
 */
#ifndef T2_TESTS_SUPPORT_OP_GRAPH_H
#define T2_TESTS_SUPPORT_OP_GRAPH_H

#include <stdint.h>

#include "tests/support/op_device.h"
#include "train/graph/graph.h"

enum { OP_MAX_IDS = 8, OP_MAX_CONSTS = 4 };

struct op_graph {
    struct dev *dev;
    struct gr_params params;
    struct gr_graph *g;
    struct gr_context context; /* may be changed by the builder */
    struct gr_node *loss;
    struct gr_tensor *result; /* of op_sum_loss */
    struct gr_tensor *row_stats;
    float *coefficients;     /* one per element of result */
    float *dev_coefficients; /* the same in device memory */
    struct {
        struct gr_tensor *t;
        const int32_t *values;
    } ids[OP_MAX_IDS];
    int n_ids;
    float *consts[OP_MAX_CONSTS]; /* in device memory */
    int n_consts;
    void *arena;
};

/* For builders. */
struct gr_tensor *op_param(struct op_graph *t, const char *name, int rank, int64_t d0, int64_t d1,
                           int64_t d2);
struct gr_tensor *op_ids(struct op_graph *t, int64_t rows, int64_t cols, const int32_t *values);
/* Floats that the graph reads and nothing changes. */
struct gr_tensor *op_const(struct op_graph *t, int rank, const int64_t *dims, const float *values);
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
 * On "far" loss and gradients have the bits of "reference".
 */
void op_check_gradient(op_build_fn build, const void *arg, double step, double tol);

#endif
