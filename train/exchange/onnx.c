/*
 * train/exchange/onnx.c - ONNX: a flow as a ModelProto of operator set 17.
 *
 * Field numbers are those of onnx.proto (IR version 8).  A value of the flow is called by its name,
 * or v<index>.  Convolutions and pools want (B, C, H, W): a value of theirs exists in that order,
 * as <name>_chw, element by element operators keep it, and for everything else it is turned back
 * once.
 */
#include "train/exchange/onnx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/exchange/flow_graph.h"
#include "train/exchange/put_fields.h"

enum { IR_VERSION = 8, OPERATOR_SET = 17 };
enum { MODEL_IR = 1, MODEL_PRODUCER = 2, MODEL_GRAPH = 7, MODEL_OPSET = 8, MODEL_METADATA = 14 };
enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_WEIGHT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_NAME = 3, NODE_OP = 4, NODE_ATTRIBUTE = 5 };
enum { ATTR_NAME = 1, ATTR_FLOAT = 2, ATTR_INT = 3, ATTR_INTS = 8, ATTR_TYPE = 20 };
enum { ATTR_IS_FLOAT = 1, ATTR_IS_INT = 2, ATTR_IS_INTS = 7 };
enum { TENSOR_DIM = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { TYPE_FLOAT = 1, TYPE_INT64 = 7, TYPE_BOOL = 9 };

enum { NAME_BYTES = 32 };
static const uint64_t max_bytes = (UINT64_C(1) << 31) - (1 << 20); /* protobuf's limit */

struct writer {
    const struct xch_flow *f;
    struct t2_buf graph;
    bool *plain, *chw;         /* by value: there in (B, H, W, C), or as it is; in (B, C, H, W) */
    char (*names)[NAME_BYTES]; /* of the values that have no name of their own */
    int n_constants;
    struct t2_strs made; /* other names */
};

/* ---- names ---- */

static const char *name_of(const struct writer *w, int value)
{
    const struct xch_value *v = &w->f->values[value];

    return v->name && v->op != XCH_INTEGERS ? v->name : w->names[value];
}

/* Owned by w. */
static const char *with_suffix(struct writer *w, const char *name, const char *suffix)
{
    char *text = t2_asprintf("%s%s", name, suffix);

    t2_strs_take(&w->made, text);
    return text;
}

/* ---- messages ---- */

static void put_node(struct writer *w, const char *op, const char *output,
                     struct t2_buf *attributes, int n, const char *const *inputs)
{
    struct t2_buf node = {0};

    for (int i = 0; i < n; i++)
        xch_put_text(&node, NODE_INPUT, inputs[i]);
    xch_put_text(&node, NODE_OUTPUT, output);
    xch_put_text(&node, NODE_NAME, output);
    xch_put_text(&node, NODE_OP, op);
    if (attributes) {
        t2_buf_append(&node, attributes->data, attributes->len_bytes);
        t2_buf_release(attributes);
    }
    xch_put_message(&w->graph, GRAPH_NODE, &node);
}

static void put_op(struct writer *w, const char *op, const char *output, struct t2_buf *attributes,
                   const char *a, const char *b)
{
    const char *const inputs[] = {a, b};

    put_node(w, op, output, attributes, b ? 2 : 1, inputs);
}

static void put_attribute(struct t2_buf *out, const char *name, int type, struct t2_buf *value)
{
    struct t2_buf a = {0};

    xch_put_text(&a, ATTR_NAME, name);
    t2_buf_append(&a, value->data, value->len_bytes);
    t2_buf_release(value);
    xch_put_int(&a, ATTR_TYPE, type);
    xch_put_message(out, NODE_ATTRIBUTE, &a);
}

static void put_int(struct t2_buf *out, const char *name, int64_t v)
{
    struct t2_buf value = {0};

    xch_put_int(&value, ATTR_INT, v);
    put_attribute(out, name, ATTR_IS_INT, &value);
}

static void put_number(struct t2_buf *out, const char *name, float v)
{
    struct t2_buf value = {0};

    xch_put_float(&value, ATTR_FLOAT, v);
    put_attribute(out, name, ATTR_IS_FLOAT, &value);
}

static void put_ints(struct t2_buf *out, const char *name, int n, const int64_t *v)
{
    struct t2_buf value = {0};

    for (int i = 0; i < n; i++)
        xch_put_int(&value, ATTR_INTS, v[i]);
    put_attribute(out, name, ATTR_IS_INTS, &value);
}

static void put_tensor(struct writer *w, const char *name, int type, int rank, const int64_t *dims,
                       const void *data, size_t n_bytes)
{
    struct t2_buf t = {0};

    for (int i = 0; i < rank; i++)
        xch_put_int(&t, TENSOR_DIM, dims[i]);
    xch_put_int(&t, TENSOR_TYPE, type);
    xch_put_text(&t, TENSOR_NAME, name);
    xch_put_bytes(&t, TENSOR_RAW, data, n_bytes);
    xch_put_message(&w->graph, GRAPH_WEIGHT, &t);
}

/* A list of integers, or one, as a weight; its name is owned by w. */
static const char *integers(struct writer *w, int rank, int n, const int64_t *v)
{
    const int64_t dims[] = {n};
    char number[NAME_BYTES];
    const char *name;

    snprintf(number, sizeof number, "constant_%d", w->n_constants++);
    name = with_suffix(w, number, "");
    put_tensor(w, name, TYPE_INT64, rank, dims, v, (size_t) n * sizeof *v);
    return name;
}

/* ---- the order of axes ---- */

static const char *chw_name(struct writer *w, int value)
{
    return with_suffix(w, name_of(w, value), "_chw");
}

static void put_transpose(struct writer *w, const char *from, const char *to, int n,
                          const int64_t *order)
{
    struct t2_buf a = {0};

    put_ints(&a, "perm", n, order);
    put_op(w, "Transpose", to, &a, from, NULL);
}

static void put_weight(struct writer *w, int i)
{
    const struct xch_value *v = &w->f->values[i];

    put_tensor(w, name_of(w, i), TYPE_FLOAT, v->rank, v->dims, v->floats,
               (size_t) xch_flow_count(v) * sizeof *v->floats);
}

/* The name of a value in the order of the flow; it is made where it is not there. */
static const char *plain(struct writer *w, int value)
{
    static const int64_t back[] = {0, 2, 3, 1};

    if (!w->plain[value]) {
        if (w->f->values[value].op == XCH_WEIGHT)
            put_weight(w, value);
        else
            put_transpose(w, chw_name(w, value), name_of(w, value), 4, back);
        w->plain[value] = true;
    }
    return name_of(w, value);
}

static const char *chw(struct writer *w, int value)
{
    static const int64_t order[] = {0, 3, 1, 2};

    if (!w->chw[value]) {
        put_transpose(w, plain(w, value), chw_name(w, value), 4, order);
        w->chw[value] = true;
    }
    return chw_name(w, value);
}

/* ---- operators ---- */

/* (kh,kw,C,N) as (N,C,kh,kw); of a depthwise one (kh,kw,C,M) as (C*M,1,kh,kw). */
static const char *put_kernel(struct writer *w, int value, bool depthwise)
{
    const struct xch_value *v = &w->f->values[value];
    int64_t taps = v->dims[0] * v->dims[1], C = v->dims[2], N = v->dims[3];
    const int64_t dims[] = {depthwise ? C * N : N, depthwise ? 1 : C, v->dims[0], v->dims[1]};
    const char *name = with_suffix(w, name_of(w, value), depthwise ? "_depthwise" : "_oihw");
    float *turned = t2_alloc((size_t) (taps * C * N), sizeof *turned);

    for (int64_t t = 0; t < taps; t++)
        for (int64_t c = 0; c < C; c++)
            for (int64_t n = 0; n < N; n++)
                turned[(depthwise ? c * N + n : n * C + c) * taps + t] =
                    v->floats[(t * C + c) * N + n];
    put_tensor(w, name, TYPE_FLOAT, 4, dims, turned, (size_t) (taps * C * N) * sizeof *turned);
    t2_free(turned);
    return name;
}

static void put_window(struct writer *w, const struct xch_value *v, int i)
{
    const struct xch_window *k = &v->window;
    const int64_t strides[] = {k->stride, k->stride}, dilations[] = {k->dilation, k->dilation};
    const int64_t pads[] = {k->before[0], k->before[1], k->after[0], k->after[1]};
    bool convolves = v->op == XCH_CONV || v->op == XCH_DEPTHWISE;
    const char *x = chw(w, v->inputs[0]), *kernel = NULL;
    struct t2_buf a = {0};

    put_ints(&a, "kernel_shape", 2, k->size);
    put_ints(&a, "pads", 4, pads);
    put_ints(&a, "strides", 2, strides);
    if (convolves) {
        kernel = put_kernel(w, v->inputs[1], v->op == XCH_DEPTHWISE);
        put_ints(&a, "dilations", 2, dilations);
    }
    if (v->op == XCH_DEPTHWISE)
        put_int(&a, "group", w->f->values[v->inputs[1]].dims[2]);
    put_op(w,
           convolves               ? "Conv"
           : v->op == XCH_MAX_POOL ? "MaxPool"
                                   : "AveragePool",
           chw_name(w, i), &a, x, kernel);
    w->chw[i] = true;
}

static void put_batch_norm(struct writer *w, const struct xch_value *v, int i)
{
    const char *const inputs[] = {chw(w, v->inputs[0]), plain(w, v->inputs[1]),
                                  plain(w, v->inputs[2]), plain(w, v->inputs[3]),
                                  plain(w, v->inputs[4])};
    struct t2_buf a = {0};

    put_number(&a, "epsilon", (float) v->epsilon);
    put_node(w, "BatchNormalization", chw_name(w, i), &a, 5, inputs);
    w->chw[i] = true;
}

/* Element by element: in (B, C, H, W) where all that has more than one element comes so. */
static bool keeps_chw(const struct writer *w, const struct xch_value *v)
{
    bool any = false;

    for (int i = 0; i < v->n_inputs; i++) {
        const struct xch_value *x = &w->f->values[v->inputs[i]];
        bool one = x->op == XCH_WEIGHT && xch_flow_count(x) == 1;

        if (!one && !w->chw[v->inputs[i]])
            return false;
        any = any || !one;
    }
    return any;
}

static void put_elements(struct writer *w, const struct xch_value *v, int i, const char *op)
{
    const char *inputs[2] = {NULL};
    bool turned = keeps_chw(w, v);

    for (int k = 0; k < v->n_inputs; k++)
        inputs[k] = turned && w->chw[v->inputs[k]] ? chw(w, v->inputs[k]) : plain(w, v->inputs[k]);
    put_op(w, op, turned ? chw_name(w, i) : name_of(w, i), NULL, inputs[0],
           v->n_inputs > 1 ? inputs[1] : NULL);
    w->chw[i] = turned;
    w->plain[i] = !turned;
}

static void put_cast(struct writer *w, const char *from, const char *to, int type)
{
    struct t2_buf a = {0};

    put_int(&a, "to", type);
    put_op(w, "Cast", to, &a, from, NULL);
}

static void put_matmul(struct writer *w, const struct xch_value *v, int i)
{
    static const int64_t order[] = {1, 0};
    const char *b = plain(w, v->inputs[1]);

    if (v->transposed) {
        const char *turned = with_suffix(w, name_of(w, i), "_turned");

        put_transpose(w, b, turned, 2, order);
        b = turned;
    }
    put_op(w, "MatMul", name_of(w, i), NULL, plain(w, v->inputs[0]), b);
}

static void put_mean(struct writer *w, const struct xch_value *v, int i)
{
    bool turned = w->chw[v->inputs[0]];
    const char *x = turned ? chw(w, v->inputs[0]) : plain(w, v->inputs[0]);
    int64_t axes[XCH_FLOW_RANK];
    struct t2_buf a = {0};

    for (int k = 0; k < v->n_numbers; k++)
        axes[k] = v->numbers[k] + (turned ? 1 : 0); /* of H and W */
    put_ints(&a, "axes", v->n_numbers, axes);
    put_int(&a, "keepdims", v->keep);
    put_op(w, "ReduceMean", name_of(w, i), &a, x, NULL);
}

static void put_count(struct writer *w, const struct xch_value *v, int i)
{
    static const int64_t zero = 0, one = 1;
    const char *name = name_of(w, i), *shape = with_suffix(w, name, "_shape");
    const char *n = with_suffix(w, name, "_n"), *range[3];

    put_op(w, "Shape", shape, NULL, plain(w, v->inputs[0]), NULL);
    put_op(w, "Gather", n, NULL, shape, integers(w, 0, 1, v->numbers));
    range[0] = integers(w, 0, 1, &zero);
    range[1] = n;
    range[2] = integers(w, 0, 1, &one);
    put_node(w, "Range", name, NULL, 3, range);
}

static void put_shift(struct writer *w, const struct xch_value *v, int i)
{
    static const int64_t pads[] = {0, 1, 0, 0}, start = 0, end = -1, axis = 1;
    const char *name = name_of(w, i), *longer = with_suffix(w, name, "_longer"), *slice[4];

    put_op(w, "Pad", longer, NULL, plain(w, v->inputs[0]), integers(w, 1, 4, pads));
    slice[0] = longer;
    slice[1] = integers(w, 1, 1, &start);
    slice[2] = integers(w, 1, 1, &end);
    slice[3] = integers(w, 1, 1, &axis);
    put_node(w, "Slice", name, NULL, 4, slice);
}

static void put_softmax(struct writer *w, const struct xch_value *v, int i)
{
    struct t2_buf a = {0};

    put_int(&a, "axis", -1);
    put_op(w, "Softmax", name_of(w, i), &a, plain(w, v->inputs[0]), NULL);
}

/* What is one comparison or one cast, and becomes a number. */
static void put_truth(struct writer *w, const struct xch_value *v, int i)
{
    const char *name = name_of(w, i), *truth = with_suffix(w, name, "_truth");

    if (v->op == XCH_NONZERO)
        put_cast(w, plain(w, v->inputs[0]), truth, TYPE_BOOL);
    else
        put_op(w, "GreaterOrEqual", truth, NULL, plain(w, v->inputs[0]), plain(w, v->inputs[1]));
    put_cast(w, truth, name, TYPE_FLOAT);
}

static void put_concat(struct writer *w, const struct xch_value *v, int i)
{
    struct t2_buf a = {0};

    put_int(&a, "axis", -1);
    put_op(w, "Concat", name_of(w, i), &a, plain(w, v->inputs[0]), plain(w, v->inputs[1]));
}

static const char *element_op(enum xch_op op)
{
    switch (op) {
    case XCH_ADD:
        return "Add";
    case XCH_SUB:
        return "Sub";
    case XCH_MUL:
        return "Mul";
    case XCH_DIV:
        return "Div";
    case XCH_RELU:
        return "Relu";
    case XCH_SIGMOID:
        return "Sigmoid";
    case XCH_SQRT:
        return "Sqrt";
    case XCH_SIN:
        return "Sin";
    case XCH_COS:
        return "Cos";
    default:
        return NULL;
    }
}

static void put_value(struct writer *w, int i)
{
    const struct xch_value *v = &w->f->values[i];

    w->plain[i] = true;
    if (element_op(v->op)) {
        put_elements(w, v, i, element_op(v->op));
        return;
    }
    switch (v->op) {
    case XCH_WEIGHT: /* when it is wanted, and in the order that is wanted */
        w->plain[i] = false;
        return;
    case XCH_INTEGERS:
        put_tensor(w, name_of(w, i), TYPE_INT64, v->rank, v->dims, v->integers,
                   (size_t) xch_flow_count(v) * sizeof *v->integers);
        return;
    case XCH_MATMUL:
        put_matmul(w, v, i);
        return;
    case XCH_SOFTMAX:
        put_softmax(w, v, i);
        return;
    case XCH_MEAN:
        put_mean(w, v, i);
        return;
    case XCH_GATHER:
        put_op(w, "Gather", name_of(w, i), NULL, plain(w, v->inputs[0]), plain(w, v->inputs[1]));
        return;
    case XCH_RESHAPE:
        put_op(w, "Reshape", name_of(w, i), NULL, plain(w, v->inputs[0]),
               integers(w, 1, v->n_numbers, v->numbers));
        return;
    case XCH_TRANSPOSE:
        put_transpose(w, plain(w, v->inputs[0]), name_of(w, i), v->n_numbers, v->numbers);
        return;
    case XCH_CONCAT:
        put_concat(w, v, i);
        return;
    case XCH_COUNT:
        put_count(w, v, i);
        return;
    case XCH_TO_FLOAT:
        put_cast(w, plain(w, v->inputs[0]), name_of(w, i), TYPE_FLOAT);
        return;
    case XCH_NONZERO:
    case XCH_NOT_LESS:
        put_truth(w, v, i);
        return;
    case XCH_SHIFT:
        put_shift(w, v, i);
        return;
    case XCH_BATCH_NORM:
        put_batch_norm(w, v, i);
        w->plain[i] = false;
        return;
    case XCH_CONV:
    case XCH_DEPTHWISE:
    case XCH_MAX_POOL:
    case XCH_AVG_POOL:
        put_window(w, v, i);
        w->plain[i] = false;
        return;
    default: /* inputs are there */
        return;
    }
}

/* ---- the model ---- */

/* ValueInfoProto: name, and a type with one dimension after the other, known or named. */
static void put_end(struct writer *w, uint32_t field, const char *name, int type, int rank,
                    const int64_t *dims, const char *length)
{
    struct t2_buf info = {0}, of = {0}, tensor = {0}, shape = {0};

    for (int i = 0; i < rank; i++) {
        struct t2_buf dim = {0};

        if (dims[i] >= 0)
            xch_put_int(&dim, 1, dims[i]);
        else
            xch_put_text(&dim, 2, i == 0 ? "batch" : length);
        xch_put_message(&shape, 1, &dim);
    }
    xch_put_int(&tensor, 1, type);
    xch_put_message(&tensor, 2, &shape);
    xch_put_message(&of, 1, &tensor);
    xch_put_text(&info, 1, name);
    xch_put_message(&info, 2, &of);
    xch_put_message(&w->graph, field, &info);
}

static void put_ends(struct writer *w, int64_t classes, bool images)
{
    const int64_t dims[] = {-1, images ? classes : -1, classes};

    for (int i = 0; i < w->f->n; i++) {
        const struct xch_value *v = &w->f->values[i];
        char length[NAME_BYTES];

        if (v->op != XCH_INPUT)
            continue;
        snprintf(length, sizeof length, "%.15s_length", v->name);
        put_end(w, GRAPH_INPUT, v->name, v->type == XCH_INT64 ? TYPE_INT64 : TYPE_FLOAT, v->rank,
                v->dims, length);
    }
    put_op(w, "Identity", "logits", NULL, plain(w, w->f->logits), NULL);
    put_end(w, GRAPH_OUTPUT, "logits", TYPE_FLOAT, images ? 2 : 3, dims, "targets_length");
}

static void put_metadata(struct t2_buf *model, const char *key, const char *value)
{
    struct t2_buf entry = {0};

    xch_put_text(&entry, 1, key);
    xch_put_text(&entry, 2, value);
    xch_put_message(model, MODEL_METADATA, &entry);
}

static uint64_t weight_bytes(const struct xch_flow *f)
{
    uint64_t n = 0;

    for (int i = 0; i < f->n; i++)
        if (f->values[i].op == XCH_WEIGHT)
            n += (uint64_t) xch_flow_count(&f->values[i]) * sizeof(float);
    return n;
}

void xch_put_onnx(const struct xch_flow *f, const struct xch_model *m, struct t2_buf *out)
{
    struct writer w = {.f = f};
    struct t2_buf opset = {0};
    int64_t divisor = mdl_hp_has(m->hp, "vocab_divisor") && !m->problem->class_labels
                          ? mdl_hp_int(m->hp, "vocab_divisor")
                          : 1;

    w.plain = t2_alloc((size_t) f->n, sizeof *w.plain);
    w.chw = t2_alloc((size_t) f->n, sizeof *w.chw);
    w.names = t2_alloc((size_t) f->n, sizeof *w.names);
    for (int i = 0; i < f->n; i++)
        snprintf(w.names[i], NAME_BYTES, "v%d", i);
    xch_put_text(&w.graph, GRAPH_NAME, m->state->model);
    for (int i = 0; i < f->n; i++)
        put_value(&w, i);
    put_ends(&w, (m->problem->targets_vocab + divisor - 1) / divisor * divisor,
             m->problem->image.height > 0);
    xch_put_int(out, MODEL_IR, IR_VERSION);
    xch_put_text(out, MODEL_PRODUCER, "t2t.c");
    xch_put_message(out, MODEL_GRAPH, &w.graph);
    xch_put_int(&opset, 2, OPERATOR_SET);
    xch_put_message(out, MODEL_OPSET, &opset);
    put_metadata(out, "model", m->state->model);
    put_metadata(out, "problem", m->state->problem);
    put_metadata(out, "hparams_set", m->state->hparams_set);
    t2_free(w.plain);
    t2_free(w.chw);
    t2_free(w.names);
    t2_strs_release(&w.made);
}

enum t2_status xch_write_onnx(const struct xch_model *m, struct mdl *mdl, const char *dir,
                              struct t2_err *err)
{
    char *path = t2_path_join(dir, "model.onnx");
    struct t2_buf bytes = {0};
    struct xch_flow f;
    enum t2_status st;

    T2_GOTO(st, out, xch_flow_of(m, mdl, &f, err));
    if (weight_bytes(&f) > max_bytes) {
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "the weights take %" PRIu64 " bytes, and an ONNX file has room for 2 GiB",
                     weight_bytes(&f));
        goto out;
    }
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    xch_put_onnx(&f, m, &bytes);
    st = t2_write_file(path, bytes.data, bytes.len_bytes, err);
out:
    xch_flow_release(&f);
    t2_buf_release(&bytes);
    t2_free(path);
    return st;
}
