/*
 * train/exchange/tf_graph.c - nodes of TensorFlow's graphs (node_def.proto, attr_value.proto,
 * tensor.proto; field numbers are theirs).
 */
#include "train/exchange/tf_graph.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "train/exchange/put_fields.h"

enum { NODE_NAME = 1, NODE_OP = 2, NODE_INPUT = 3, NODE_ATTR = 5 };
enum { ATTR_TEXT = 2, ATTR_INT = 3, ATTR_BOOL = 5, ATTR_TYPE = 6, ATTR_SHAPE = 7, ATTR_TENSOR = 8 };
enum {
    ATTR_LIST = 1,
    ATTR_FUNCTION = 10,
    LIST_INT = 3,
    LIST_TYPE = 6,
    LIST_SHAPE = 7,
    ATTR_FLOAT = 4
};
enum { SHAPE_UNKNOWN = 3 };
enum { FUNCTION_SIGNATURE = 1, FUNCTION_RESULT = 4, ARG_NAME = 1, ARG_TYPE = 3 };
enum { TENSOR_TYPE = 1, TENSOR_SHAPE = 2, TENSOR_CONTENT = 4 };
enum { NAME_BYTES = 320 };

void xch_tf_release(struct xch_tf_graph *g)
{
    t2_buf_release(&g->out);
    t2_strs_release(&g->made);
    t2_free(g->refs);
    *g = (struct xch_tf_graph){0};
}

/* ---- attributes ---- */

/* A map's entry: key, and an AttrValue, which is released. */
static void put_attr(struct t2_buf *attrs, const char *name, struct t2_buf *value)
{
    struct t2_buf entry = {0};

    xch_put_text(&entry, 1, name);
    xch_put_message(&entry, 2, value);
    xch_put_message(attrs, NODE_ATTR, &entry);
}

void xch_tf_type_attr(struct t2_buf *attrs, const char *name, enum xch_tf_type type)
{
    struct t2_buf value = {0};

    xch_put_int(&value, ATTR_TYPE, type);
    put_attr(attrs, name, &value);
}

void xch_tf_int_attr(struct t2_buf *attrs, const char *name, int64_t v)
{
    struct t2_buf value = {0};

    xch_put_int(&value, ATTR_INT, v);
    put_attr(attrs, name, &value);
}

void xch_tf_bool_attr(struct t2_buf *attrs, const char *name, bool v)
{
    struct t2_buf value = {0};

    xch_put_int(&value, ATTR_BOOL, v);
    put_attr(attrs, name, &value);
}

void xch_tf_text_attr(struct t2_buf *attrs, const char *name, const char *v)
{
    struct t2_buf value = {0};

    xch_put_text(&value, ATTR_TEXT, v);
    put_attr(attrs, name, &value);
}

void xch_tf_shape_attr(struct t2_buf *attrs, const char *name, int rank, const int64_t *dims)
{
    struct t2_buf value = {0};

    xch_tf_put_shape(&value, ATTR_SHAPE, rank, dims);
    put_attr(attrs, name, &value);
}

static void float_attr(struct t2_buf *attrs, const char *name, float v)
{
    struct t2_buf value = {0};

    xch_put_float(&value, ATTR_FLOAT, v);
    put_attr(attrs, name, &value);
}

void xch_tf_ints_attr(struct t2_buf *attrs, const char *name, int n, const int64_t *v)
{
    struct t2_buf value = {0}, list = {0};

    for (int i = 0; i < n; i++)
        xch_put_int(&list, LIST_INT, v[i]);
    xch_put_message(&value, ATTR_LIST, &list);
    put_attr(attrs, name, &value);
}

void xch_tf_types_attr(struct t2_buf *attrs, const char *name, int n, const enum xch_tf_type *v)
{
    struct t2_buf value = {0}, list = {0};

    for (int i = 0; i < n; i++)
        xch_put_int(&list, LIST_TYPE, v[i]);
    xch_put_message(&value, ATTR_LIST, &list);
    put_attr(attrs, name, &value);
}

void xch_tf_unknown_shapes_attr(struct t2_buf *attrs, const char *name, int n)
{
    struct t2_buf value = {0}, list = {0};

    for (int i = 0; i < n; i++) {
        struct t2_buf shape = {0};

        xch_put_int(&shape, SHAPE_UNKNOWN, 1);
        xch_put_message(&list, LIST_SHAPE, &shape);
    }
    xch_put_message(&value, ATTR_LIST, &list);
    put_attr(attrs, name, &value);
}

void xch_tf_function_attr(struct t2_buf *attrs, const char *name, const char *function)
{
    struct t2_buf value = {0}, list = {0};

    xch_put_text(&list, 1, function);
    xch_put_message(&value, ATTR_FUNCTION, &list);
    put_attr(attrs, name, &value);
}

void xch_tf_put_shape(struct t2_buf *out, uint32_t field, int rank, const int64_t *dims)
{
    struct t2_buf shape = {0};

    for (int i = 0; i < rank; i++) {
        struct t2_buf dim = {0};

        xch_put_int(&dim, 1, dims[i]);
        xch_put_message(&shape, 2, &dim);
    }
    xch_put_message(out, field, &shape);
}

/* ---- nodes ---- */

const char *xch_tf_node(struct xch_tf_graph *g, const char *op, const char *name,
                        const char *result, struct t2_buf *attrs, int n, const char *const *inputs)
{
    struct t2_buf node = {0};
    char *ref = g->in_function ? t2_asprintf("%s:%s:0", name, result) : t2_strdup(name);

    xch_put_text(&node, NODE_NAME, name);
    xch_put_text(&node, NODE_OP, op);
    for (int i = 0; i < n; i++)
        xch_put_text(&node, NODE_INPUT, inputs[i]);
    if (attrs) {
        t2_buf_append(&node, attrs->data, attrs->len_bytes);
        t2_buf_release(attrs);
    }
    xch_put_message(&g->out, g->field, &node);
    t2_strs_take(&g->made, ref);
    return ref;
}

const char *xch_tf_simple(struct xch_tf_graph *g, const char *op, const char *name,
                          const char *result, enum xch_tf_type type, const char *a, const char *b)
{
    const char *const inputs[] = {a, b};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", type);
    return xch_tf_node(g, op, name, result, &attrs, b ? 2 : 1, inputs);
}

const char *xch_tf_constant(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                            int rank, const int64_t *dims, const void *data, size_t n_bytes)
{
    struct t2_buf attrs = {0}, value = {0}, tensor = {0};

    xch_tf_type_attr(&attrs, "dtype", type);
    xch_put_int(&tensor, TENSOR_TYPE, type);
    xch_tf_put_shape(&tensor, TENSOR_SHAPE, rank, dims);
    xch_put_bytes(&tensor, TENSOR_CONTENT, data, n_bytes);
    xch_put_message(&value, ATTR_TENSOR, &tensor);
    put_attr(&attrs, "value", &value);
    return xch_tf_node(g, "Const", name, "output", &attrs, 0, NULL);
}

const char *xch_tf_integers(struct xch_tf_graph *g, const char *name, int rank, int n,
                            const int64_t *v)
{
    const int64_t dims[] = {n};

    return xch_tf_constant(g, name, XCH_TF_INT64, rank, dims, v, (size_t) n * sizeof *v);
}

const char *xch_tf_cast(struct xch_tf_graph *g, const char *name, const char *x,
                        enum xch_tf_type from, enum xch_tf_type to)
{
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "SrcT", from);
    xch_tf_type_attr(&attrs, "DstT", to);
    return xch_tf_node(g, "Cast", name, "y", &attrs, 1, &x);
}

/* Another node's name: the first one's and what it is for. */
static const char *part(char text[NAME_BYTES], const char *name, const char *what)
{
    snprintf(text, NAME_BYTES, "%.280s/%.30s", name, what);
    return text;
}

const char *xch_tf_concat(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                          const char *a, const char *b, int64_t axis)
{
    char text[NAME_BYTES];
    const char *const inputs[] = {a, b, xch_tf_integers(g, part(text, name, "axis"), 0, 1, &axis)};
    struct t2_buf attrs = {0};

    xch_tf_int_attr(&attrs, "N", 2);
    xch_tf_type_attr(&attrs, "T", type);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    return xch_tf_node(g, "ConcatV2", name, "output", &attrs, 3, inputs);
}

const char *xch_tf_shape(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                         const char *x)
{
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", type);
    xch_tf_type_attr(&attrs, "out_type", XCH_TF_INT64);
    return xch_tf_node(g, "Shape", name, "output", &attrs, 1, &x);
}

const char *xch_tf_gather(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                          const char *x, const char *at)
{
    static const int64_t axis = 0;
    char text[NAME_BYTES];
    const char *const inputs[] = {x, at, xch_tf_integers(g, part(text, name, "axis"), 0, 1, &axis)};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "Tparams", type);
    xch_tf_type_attr(&attrs, "Tindices", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Taxis", XCH_TF_INT64);
    return xch_tf_node(g, "GatherV2", name, "output", &attrs, 3, inputs);
}

const char *xch_tf_size(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                        const char *x, int64_t axis)
{
    char text[NAME_BYTES], number[NAME_BYTES];
    const char *shape = xch_tf_shape(g, part(text, name, "shape"), type, x);

    return xch_tf_gather(g, name, XCH_TF_INT64, shape,
                         xch_tf_integers(g, part(number, name, "at"), 0, 1, &axis));
}

const char *xch_tf_slice(struct xch_tf_graph *g, const char *name, enum xch_tf_type type,
                         const char *x, const char *begin, const char *size)
{
    const char *const inputs[] = {x, begin, size};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", type);
    xch_tf_type_attr(&attrs, "Index", XCH_TF_INT64);
    return xch_tf_node(g, "Slice", name, "output", &attrs, 3, inputs);
}

const char *xch_tf_input(struct xch_tf_graph *g, const char *name, enum xch_tf_type type, int rank,
                         const int64_t *dims, const char *instead)
{
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "dtype", type);
    xch_tf_shape_attr(&attrs, "shape", rank, dims);
    return xch_tf_node(g, instead ? "PlaceholderWithDefault" : "Placeholder", name, "output",
                       &attrs, instead ? 1 : 0, &instead);
}

/* ---- functions ---- */

void xch_tf_put_argument(struct t2_buf *op, uint32_t field, const char *name, enum xch_tf_type type)
{
    struct t2_buf argument = {0};

    xch_put_text(&argument, ARG_NAME, name);
    xch_put_int(&argument, ARG_TYPE, type);
    xch_put_message(op, field, &argument);
}

void xch_tf_put_result(struct t2_buf *results, const char *name, const char *ref)
{
    struct t2_buf entry = {0};

    xch_put_text(&entry, 1, name);
    xch_put_text(&entry, 2, ref);
    xch_put_message(results, FUNCTION_RESULT, &entry);
}

void xch_tf_put_function(struct t2_buf *library, struct t2_buf *op, struct xch_tf_graph *g,
                         struct t2_buf *results)
{
    struct t2_buf function = {0};

    xch_put_message(&function, FUNCTION_SIGNATURE, op);
    t2_buf_append(&function, g->out.data, g->out.len_bytes);
    t2_buf_append(&function, results->data, results->len_bytes);
    xch_put_message(library, 1, &function);
    t2_buf_release(results);
    xch_tf_release(g);
}

/* ---- a flow ---- */

enum xch_tf_type xch_tf_type_of(const struct xch_value *v)
{
    return v->type == XCH_INT64 ? XCH_TF_INT64 : XCH_TF_FLOAT;
}

static const char *put_input(struct xch_tf_graph *g, const struct xch_value *v, const char *name)
{
    return xch_tf_input(g, name, xch_tf_type_of(v), v->rank, v->dims, NULL);
}

static const char *put_matmul(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                              const char *const *in)
{
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_bool_attr(&attrs, "adj_x", false);
    xch_tf_bool_attr(&attrs, "adj_y", v->transposed);
    return xch_tf_node(g, "BatchMatMulV2", name, "output", &attrs, 2, in);
}

static const char *put_mean(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                            const char *x)
{
    char text[NAME_BYTES];
    const char *const inputs[] = {x, xch_tf_integers(g, part(text, name, "axes"), 1, v->n_numbers,
                                                     v->numbers)};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    xch_tf_bool_attr(&attrs, "keep_dims", v->keep);
    return xch_tf_node(g, "Mean", name, "output", &attrs, 2, inputs);
}

/* Leading zeros stand for sizes of x, which are known only when the graph runs. */
static const char *put_reshape(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                               const char *x)
{
    static const int64_t zero = 0;
    enum xch_tf_type type = xch_tf_type_of(v);
    char text[NAME_BYTES];
    struct t2_buf attrs = {0};
    const char *inputs[] = {x, NULL};
    int n_kept = 0;

    while (n_kept < v->n_numbers && v->numbers[n_kept] == 0)
        n_kept++;
    inputs[1] =
        xch_tf_integers(g, part(text, name, "dims"), 1, v->n_numbers - n_kept, v->numbers + n_kept);
    if (n_kept > 0) {
        const char *whole = xch_tf_shape(g, part(text, name, "shape"), type, x);
        const char *begin = xch_tf_integers(g, part(text, name, "begin"), 1, 1, &zero);
        const int64_t n = n_kept;
        const char *size = xch_tf_integers(g, part(text, name, "size"), 1, 1, &n);

        whole = xch_tf_slice(g, part(text, name, "kept"), XCH_TF_INT64, whole, begin, size);
        inputs[1] = xch_tf_concat(g, part(text, name, "all"), XCH_TF_INT64, whole, inputs[1], 0);
    }
    xch_tf_type_attr(&attrs, "T", type);
    xch_tf_type_attr(&attrs, "Tshape", XCH_TF_INT64);
    return xch_tf_node(g, "Reshape", name, "output", &attrs, 2, inputs);
}

static const char *put_transpose(struct xch_tf_graph *g, const struct xch_value *v,
                                 const char *name, const char *x)
{
    char text[NAME_BYTES];
    const char *const inputs[] = {x, xch_tf_integers(g, part(text, name, "order"), 1, v->n_numbers,
                                                     v->numbers)};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", xch_tf_type_of(v));
    xch_tf_type_attr(&attrs, "Tperm", XCH_TF_INT64);
    return xch_tf_node(g, "Transpose", name, "y", &attrs, 2, inputs);
}

static const char *put_count(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                             const char *x, enum xch_tf_type type)
{
    static const int64_t zero = 0, one = 1;
    char text[NAME_BYTES];
    const char *inputs[3];
    struct t2_buf attrs = {0};

    inputs[0] = xch_tf_integers(g, part(text, name, "first"), 0, 1, &zero);
    inputs[1] = xch_tf_size(g, part(text, name, "n"), type, x, v->numbers[0]);
    inputs[2] = xch_tf_integers(g, part(text, name, "step"), 0, 1, &one);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    return xch_tf_node(g, "Range", name, "output", &attrs, 3, inputs);
}

/* A column of zeros in front, and as many columns of that as before. */
static const char *put_shift(struct xch_tf_graph *g, const char *name, const char *x)
{
    static const int64_t pads[] = {0, 0, 1, 0}, zeros[] = {0, 0}, two[] = {2, 2};
    char text[NAME_BYTES];
    const char *inputs[] = {x, xch_tf_constant(g, part(text, name, "zeros"), XCH_TF_INT64, 2, two,
                                               pads, sizeof pads)};
    struct t2_buf attrs = {0};
    const char *longer, *begin;

    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    xch_tf_type_attr(&attrs, "Tpaddings", XCH_TF_INT64);
    longer = xch_tf_node(g, "Pad", part(text, name, "longer"), "output", &attrs, 2, inputs);
    begin = xch_tf_integers(g, part(text, name, "begin"), 1, 2, zeros);
    return xch_tf_slice(g, name, XCH_TF_INT64, longer, begin,
                        xch_tf_shape(g, part(text, name, "shape"), XCH_TF_INT64, x));
}

static const char *put_truth(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                             const char *const *in)
{
    char text[NAME_BYTES];
    const char *truth =
        v->op == XCH_NONZERO
            ? xch_tf_cast(g, part(text, name, "truth"), in[0], XCH_TF_INT64, XCH_TF_BOOL)
            : xch_tf_simple(g, "GreaterEqual", part(text, name, "truth"), "z", XCH_TF_INT64, in[0],
                            in[1]);

    return xch_tf_cast(g, name, truth, XCH_TF_BOOL, XCH_TF_FLOAT);
}

/* ---- images ---- */

/* Is the padding TensorFlow's SAME? */
static bool is_same(const struct xch_window *w)
{
    for (int i = 0; i < 2; i++) {
        int64_t zeros = (w->out[i] - 1) * w->stride + (w->size[i] - 1) * w->dilation + 1 - w->in[i];

        zeros = zeros > 0 ? zeros : 0;
        if (w->out[i] != (w->in[i] + w->stride - 1) / w->stride || w->before[i] != zeros / 2 ||
            w->after[i] != zeros - zeros / 2)
            return false;
    }
    return true;
}

static const char *put_window(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                              const char *const *in)
{
    static const char *const ops[] = {"Conv2D", "DepthwiseConv2dNative", "MaxPool", "AvgPool"};
    const struct xch_window *w = &v->window;
    const int64_t strides[] = {1, w->stride, w->stride, 1};
    const int64_t dilations[] = {1, w->dilation, w->dilation, 1};
    const int64_t size[] = {1, w->size[0], w->size[1], 1};
    const int64_t pads[] = {0, 0, w->before[0], w->after[0], w->before[1], w->after[1], 0, 0};
    bool none = pads[2] + pads[3] + pads[4] + pads[5] == 0, same = is_same(w);
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_ints_attr(&attrs, "strides", 4, strides);
    xch_tf_text_attr(&attrs, "padding", none ? "VALID" : same ? "SAME" : "EXPLICIT");
    if (!none && !same)
        xch_tf_ints_attr(&attrs, "explicit_paddings", 8, pads);
    if (v->op == XCH_CONV || v->op == XCH_DEPTHWISE)
        xch_tf_ints_attr(&attrs, "dilations", 4, dilations);
    else
        xch_tf_ints_attr(&attrs, "ksize", 4, size);
    return xch_tf_node(g, ops[v->op - XCH_CONV], name, "output", &attrs, v->n_inputs, in);
}

static const char *put_batch_norm(struct xch_tf_graph *g, const struct xch_value *v,
                                  const char *name, const char *const *in)
{
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "U", XCH_TF_FLOAT);
    float_attr(&attrs, "epsilon", (float) v->epsilon);
    xch_tf_bool_attr(&attrs, "is_training", false);
    return xch_tf_node(g, "FusedBatchNormV3", name, "y", &attrs, 5, in);
}

/* ---- all ---- */

static const char *put_value(struct xch_tf_graph *g, const struct xch_value *v, const char *name,
                             const char *const *in)
{
    /* of operators with nothing but a type */
    static const struct {
        enum xch_op op;
        const char *name, *result;
    } simple[] = {{XCH_ADD, "AddV2", "z"},
                  {XCH_SUB, "Sub", "z"},
                  {XCH_MUL, "Mul", "z"},
                  {XCH_DIV, "RealDiv", "z"},
                  {XCH_RELU, "Relu", "activations"},
                  {XCH_SIGMOID, "Sigmoid", "y"},
                  {XCH_SQRT, "Sqrt", "y"},
                  {XCH_SIN, "Sin", "y"},
                  {XCH_COS, "Cos", "y"},
                  {XCH_SOFTMAX, "Softmax", "softmax"}};

    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        if (simple[i].op == v->op)
            return xch_tf_simple(g, simple[i].name, name, simple[i].result, XCH_TF_FLOAT, in[0],
                                 v->n_inputs > 1 ? in[1] : NULL);
    switch (v->op) {
    case XCH_INPUT:
        return put_input(g, v, name);
    case XCH_WEIGHT:
        return xch_tf_constant(g, name, XCH_TF_FLOAT, v->rank, v->dims, v->floats,
                               (size_t) xch_flow_count(v) * sizeof *v->floats);
    case XCH_INTEGERS:
        return xch_tf_integers(g, name, v->rank, (int) xch_flow_count(v), v->integers);
    case XCH_MATMUL:
        return put_matmul(g, v, name, in);
    case XCH_MEAN:
        return put_mean(g, v, name, in[0]);
    case XCH_GATHER:
        return xch_tf_gather(g, name, XCH_TF_FLOAT, in[0], in[1]);
    case XCH_RESHAPE:
        return put_reshape(g, v, name, in[0]);
    case XCH_TRANSPOSE:
        return put_transpose(g, v, name, in[0]);
    case XCH_CONCAT:
        return xch_tf_concat(g, name, XCH_TF_FLOAT, in[0], in[1], -1);
    case XCH_COUNT:
        return put_count(g, v, name, in[0], xch_tf_type_of(&g->f->values[v->inputs[0]]));
    case XCH_TO_FLOAT:
        return xch_tf_cast(g, name, in[0], XCH_TF_INT64, XCH_TF_FLOAT);
    case XCH_SHIFT:
        return put_shift(g, name, in[0]);
    case XCH_NONZERO:
    case XCH_NOT_LESS:
        return put_truth(g, v, name, in);
    case XCH_BATCH_NORM:
        return put_batch_norm(g, v, name, in);
    default:
        return put_window(g, v, name, in);
    }
}

const char *xch_tf_value(struct xch_tf_graph *g, int i)
{
    const char *in[XCH_FLOW_INPUTS] = {NULL};
    const struct xch_value *v = &g->f->values[i];
    char name[32];

    if (!g->refs)
        g->refs = t2_alloc((size_t) g->f->n, sizeof *g->refs);
    if (g->refs[i])
        return g->refs[i];
    /* values stand behind those that they need, so none of these calls goes deep when the caller
     * asks in the flow's order */
    for (int k = 0; k < v->n_inputs; k++)
        in[k] = xch_tf_value(g, v->inputs[k]);
    snprintf(name, sizeof name, "v%d", i);
    return g->refs[i] = put_value(g, v, v->name ? v->name : name, in);
}
