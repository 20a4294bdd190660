/*
 * train/exchange/flow.h - a model as the few operations that programs with graphs of their own
 * have, and its numbers: what ONNX and TensorFlow graphs are written from.
 *
 * Images are (B, H, W, C) here.  Only batch and length may be unknown (-1).
 */
#ifndef XCH_FLOW_H
#define XCH_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xch_op {
    XCH_INPUT,
    XCH_WEIGHT,    /* floats */
    XCH_INTEGERS,  /* int64: rank 0 or 1 */
    XCH_ADD,       /* a + b, … with the usual broadcasting from the last axis */
    XCH_SUB,       /* a - b */
    XCH_MUL,       /* a b */
    XCH_DIV,       /* a / b */
    XCH_RELU,      /* max(x, 0) */
    XCH_SIGMOID,   /* 1 / (1 + exp(-x)) */
    XCH_SQRT,      /* element by element, as the others without an axis */
    XCH_SIN,       /* of radians */
    XCH_COS,       /* likewise */
    XCH_MATMUL,    /* a b over the last two axes; transposed: a b^T */
    XCH_SOFTMAX,   /* over the last axis */
    XCH_MEAN,      /* over the axes; keep: they stay, as 1 */
    XCH_GATHER,    /* rows of a by integers b */
    XCH_RESHAPE,   /* to the dims: a leading 0 keeps what is there, one -1 is what is left */
    XCH_TRANSPOSE, /* axes */
    XCH_CONCAT,    /* a and b along the last axis */
    XCH_COUNT,     /* integers 0 .. n - 1, n the size of the axis of x */
    XCH_TO_FLOAT,  /* of integers */
    XCH_NONZERO,   /* of integers: 1.0 where one is not 0, else 0.0 */
    XCH_NOT_LESS,  /* of integers: 1.0 where a >= b, else 0.0 */
    XCH_SHIFT,     /* integers (B, L) one place to the right, 0 in front */
    XCH_CONV,      /* x (B,H,W,C), kernel (kh,kw,C,N) */
    XCH_DEPTHWISE, /* x (B,H,W,C), kernel (kh,kw,C,M) */
    XCH_MAX_POOL,  /* padding is smaller than anything */
    XCH_AVG_POOL,  /* padding does not count */
    XCH_BATCH_NORM /* x (…,C), gamma, beta, mean, variance (C) */
};

enum xch_type { XCH_FLOAT, XCH_INT64 };

enum { XCH_FLOW_RANK = 5, XCH_FLOW_INPUTS = 5 };

/* A window over H and W. */
struct xch_window {
    int64_t size[2], stride, dilation;
    int64_t before[2], after[2]; /* padding */
    int64_t in[2], out[2];       /* H and W of x and of the result */
};

struct xch_value {
    enum xch_op op;
    enum xch_type type;
    int rank;
    int64_t dims[XCH_FLOW_RANK]; /* of inputs and weights */
    const char *name;            /* of inputs and weights, else NULL; owned */
    int n_inputs, inputs[XCH_FLOW_INPUTS];
    bool transposed, keep;
    int n_numbers; /* axes, or dims */
    int64_t numbers[XCH_FLOW_RANK];
    struct xch_window window;
    double epsilon;
    float *floats;     /* of weights; owned */
    int64_t *integers; /* owned */
    bool of_targets;   /* depends on the input "targets" */
};

struct xch_flow {
    struct xch_value *values; /* in an order in which they can be computed */
    int n, capacity;
    int logits; /* the result; (B, L, V), or of images (B, classes) */
};

void xch_flow_release(struct xch_flow *f);

/* Each returns the index of the new value.  Numbers are copied, unless it says otherwise. */
int xch_flow_input(struct xch_flow *f, const char *name, enum xch_type type, int rank,
                   const int64_t *dims);
/* Takes ownership of floats.  One of the same name and dims is not added again; of other dims it
 * gets another name. */
int xch_flow_weight(struct xch_flow *f, const char *name, int rank, const int64_t *dims,
                    float *floats);
int xch_flow_number(struct xch_flow *f, double number);
int xch_flow_integer(struct xch_flow *f, int64_t number);
int xch_flow_unary(struct xch_flow *f, enum xch_op op, int x);
int xch_flow_binary(struct xch_flow *f, enum xch_op op, int a, int b);
int xch_flow_matmul(struct xch_flow *f, int a, int b, bool transposed);
/* With dims or axes: XCH_RESHAPE, XCH_TRANSPOSE, XCH_MEAN, XCH_COUNT. */
int xch_flow_shaped(struct xch_flow *f, enum xch_op op, int x, int n, const int64_t *numbers,
                    bool keep);
int xch_flow_window(struct xch_flow *f, enum xch_op op, int x, int kernel,
                    const struct xch_window *w); /* kernel -1: none */
int xch_flow_batch_norm(struct xch_flow *f, const int inputs[5], double epsilon);

/* Elements of a weight or a list of integers. */
int64_t xch_flow_count(const struct xch_value *v);

#endif
