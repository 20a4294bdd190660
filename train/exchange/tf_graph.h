/*
 * train/exchange/tf_graph.h - nodes of TensorFlow's graphs, and a flow as such nodes.
 *
 * A reference is how another node of the same graph names a tensor: in a GraphDef "node", in a
 * function "node:output:0", or an argument of the function.
 */
#ifndef XCH_TF_GRAPH_H
#define XCH_TF_GRAPH_H

#include "base/buf.h"
#include "base/str.h"
#include "train/exchange/flow.h"

enum xch_tf_type {
    XCH_TF_FLOAT = 1,
    XCH_TF_INT32 = 3,
    XCH_TF_UINT8 = 4,
    XCH_TF_STRING = 7,
    XCH_TF_INT64 = 9,
    XCH_TF_BOOL = 10,
    XCH_TF_VARIANT = 21
};

/* Owned; the caller sets f, field, in_function. */
struct xch_tf_graph {
    const struct xch_flow *f;
    uint32_t field;      /* of a node in the message */
    bool in_function;    /* how references look */
    struct t2_buf out;   /* nodes */
    struct t2_strs made; /* references */
    const char **refs;   /* by value of the flow; NULL: not there yet */
};

void xch_tf_release(struct xch_tf_graph *g);

/* ---- attributes, appended to a buffer that the node takes ---- */
void xch_tf_type_attr(struct t2_buf *attrs, const char *name, enum xch_tf_type type);
void xch_tf_int_attr(struct t2_buf *attrs, const char *name, int64_t v);
void xch_tf_bool_attr(struct t2_buf *attrs, const char *name, bool v);
void xch_tf_text_attr(struct t2_buf *attrs, const char *name, const char *v);
void xch_tf_shape_attr(struct t2_buf *attrs, const char *name, int rank, const int64_t *dims);
void xch_tf_ints_attr(struct t2_buf *attrs, const char *name, int n, const int64_t *v);
void xch_tf_types_attr(struct t2_buf *attrs, const char *name, int n, const enum xch_tf_type *v);
/* n shapes of which nothing is known. */
void xch_tf_unknown_shapes_attr(struct t2_buf *attrs, const char *name, int n);
void xch_tf_function_attr(struct t2_buf *attrs, const char *name, const char *function);

/* TensorShapeProto; -1 is unknown. */
void xch_tf_put_shape(struct t2_buf *out, uint32_t field, int rank, const int64_t *dims);

/* ---- nodes; each returns the reference to its first result, owned by g ---- */

/* result: what the operator calls it.  attrs is released; NULL: none. */
const char *xch_tf_node(struct xch_tf_graph *g, const char *op, const char *name,
                        const char *result, struct t2_buf *attrs, int n, const char *const *inputs);
/* With an attribute T alone, of one or two inputs (b NULL). */
const char *xch_tf_simple(struct xch_tf_graph *g, const char *op, const char *name,
                          const char *result, enum xch_tf_type type, const char *a, const char *b);
const char *xch_tf_constant(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                            int rank, const int64_t *dims, const void *data, size_t n_bytes);
/* n int64 numbers, of rank 1 or 0. */
const char *xch_tf_integers(struct xch_tf_graph *g, const char *name, int rank, int n,
                            const int64_t *v);
const char *xch_tf_cast(struct xch_tf_graph *g, const char *name, const char *x,
                        enum xch_tf_type from, enum xch_tf_type to);
const char *xch_tf_concat(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                          const char *a, const char *b, int64_t axis);
/* Shape of x as int64. */
const char *xch_tf_shape(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                         const char *x);
/* Size of one axis of x, int64 scalar. */
const char *xch_tf_size(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                        const char *x, int64_t axis);

/* The part of x from `begin` on of the size: both int64 lists. */
const char *xch_tf_slice(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                         const char *x, const char *begin, const char *size);
/* Rows of x by int64 numbers. */
const char *xch_tf_gather(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                          const char *x, const char *at);
/* What a caller must give, or may where there is `instead` (not NULL); -1 is unknown. */
const char *xch_tf_input(struct xch_tf_graph *g, const char *name, enum xch_tf_type type, int rank,
                         const int64_t *dims, const char *instead);

/* ---- functions (function.proto) ---- */

enum { XCH_TF_OP_NAME = 1, XCH_TF_OP_INPUT = 2, XCH_TF_OP_OUTPUT = 3, XCH_TF_FUNCTION_NODE = 3 };

/* Of a signature `op`: field XCH_TF_OP_INPUT or XCH_TF_OP_OUTPUT. */
void xch_tf_put_argument(struct t2_buf *op, uint32_t field, const char *name,
                         enum xch_tf_type type);
void xch_tf_put_result(struct t2_buf *results, const char *name, const char *ref);
/* A function with g's nodes; op, g and results are released. */
void xch_tf_put_function(struct t2_buf *library, struct t2_buf *op, struct xch_tf_graph *g,
                         struct t2_buf *results);

/* ---- a flow ---- */

enum xch_tf_type xch_tf_type_of(const struct xch_value *v);
/*
 * Writes the nodes that value i needs and that have no reference yet, and returns its reference.
 * Inputs become placeholders where they have none.
 */
const char *xch_tf_value(struct xch_tf_graph *g, int i);

#endif
