/*
 * tfrecord/tensor.c - TensorProto: shape and values.
 *
 * TensorProto (tensor.proto): dtype 1, tensor_shape 2, tensor_content 4 (raw little-endian
 * values), or one repeated field per type.  Which field that is, and the width in tensor_content,
 * is the table.  Values are given as doubles, for display.
 */
#include <math.h>
#include <string.h>

#include "base/protobuf.h"
#include "tfrecord/event.h"

/*
 * The repeated field of each type and the layout of a value in tensor_content.  Several types share
 * a field: int_val (7) holds all integers up to 32 bits, half_val (13) the bits of float16 and
 * bfloat16, both as varints.
 */
enum code { NO_NUMBER, FLOATS, DOUBLES, SIGNED, UNSIGNED, HALVES, BFLOATS };

static const struct {
    const char *name;
    enum code code;
    int n_bytes; /* in tensor_content */
    int field;   /* of TensorProto */
} types[] = {
    [0] = {"unknown", NO_NUMBER, 0, 0},
    [1] = {"float32", FLOATS, 4, 5},
    [2] = {"float64", DOUBLES, 8, 6},
    [3] = {"int32", SIGNED, 4, 7},
    [4] = {"uint8", UNSIGNED, 1, 7},
    [5] = {"int16", SIGNED, 2, 7},
    [6] = {"int8", SIGNED, 1, 7},
    [7] = {"string", NO_NUMBER, 0, 8},
    [8] = {"complex64", NO_NUMBER, 8, 9},
    [9] = {"int64", SIGNED, 8, 10},
    [10] = {"bool", UNSIGNED, 1, 11},
    [11] = {"qint8", SIGNED, 1, 7},
    [12] = {"quint8", UNSIGNED, 1, 7},
    [13] = {"qint32", SIGNED, 4, 7},
    [14] = {"bfloat16", BFLOATS, 2, 13},
    [15] = {"qint16", SIGNED, 2, 7},
    [16] = {"quint16", UNSIGNED, 2, 7},
    [17] = {"uint16", UNSIGNED, 2, 7},
    [18] = {"complex128", NO_NUMBER, 16, 12},
    [19] = {"float16", HALVES, 2, 13},
    [20] = {"resource", NO_NUMBER, 0, 0},
    [21] = {"variant", NO_NUMBER, 0, 0},
    [22] = {"uint32", UNSIGNED, 4, 16},
    [23] = {"uint64", UNSIGNED, 8, 17},
};

static int known(int dtype)
{
    return dtype > 0 && dtype < (int) (sizeof types / sizeof *types) ? dtype : 0;
}

const char *tfr_tensor_type_name(int dtype)
{
    return types[known(dtype)].name;
}

bool tfr_tensor_is_whole(int dtype)
{
    return types[known(dtype)].code == SIGNED || types[known(dtype)].code == UNSIGNED;
}

static enum t2_status fail(struct t2_err *err, const char *what)
{
    return t2_fail(err, T2_EFORMAT, "not a tensor: %s", what);
}

static enum t2_status parse_shape(struct t2_slice shape, struct tfr_tensor *t, struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(shape);
    struct t2_slice dim;
    uint32_t tag;

    t->n_dims = 0;
    while (t2_wire_more(&w)) {
        uint64_t size = 0;
        if (!t2_wire_tag(&w, &tag))
            return fail(err, "its shape is damaged");
        if (tag != T2_TAG(2, T2_WIRE_BYTES)) {
            if (!t2_wire_skip(&w, tag, 0))
                return fail(err, "its shape is damaged");
            continue;
        }
        if (!t2_wire_bytes(&w, &dim))
            return fail(err, "its shape is damaged");
        if (t->n_dims == TFR_TENSOR_MAX_DIMS)
            return fail(err, "it has more than 8 dimensions");
        (void) tfr_field_varint(dim, 1, &size);
        t->dims[t->n_dims++] = (int64_t) size;
    }
    return T2_OK;
}

enum t2_status tfr_tensor_parse(struct t2_slice message, struct tfr_tensor *t, struct t2_err *err)
{
    struct t2_slice shape;
    uint64_t dtype = 0;

    *t = (struct tfr_tensor){.message = message};
    if (tfr_field_varint(message, 1, &dtype))
        t->dtype = dtype > INT32_MAX ? 0 : (int) dtype;
    (void) tfr_field_bytes(message, 4, &t->content);
    if (tfr_field_bytes(message, 2, &shape))
        return parse_shape(shape, t, err);
    return T2_OK;
}

/* ---- values ---- */

/* IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction bits; exponent 0 is subnormal. */
static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f;
    double fraction = bits & 0x3ff;
    double v;

    if (exponent == 0)
        v = ldexp(fraction, -24);
    else if (exponent == 0x1f)
        v = fraction == 0 ? (double) INFINITY : (double) NAN;
    else
        v = ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -v : v;
}

static double float_value(uint32_t bits)
{
    float v;

    memcpy(&v, &bits, sizeof v);
    return (double) v;
}

/* A value from its little-endian bytes. */
static double value_of(enum code code, int n_bytes, uint64_t bits)
{
    double v;

    switch (code) {
    case FLOATS:
        return float_value((uint32_t) bits);
    case DOUBLES:
        memcpy(&v, &bits, sizeof v);
        return v;
    case HALVES:
        return half_value((uint16_t) bits);
    case BFLOATS:
        return float_value((uint32_t) bits << 16);
    case SIGNED:
        if (n_bytes < 8 && bits >> (8 * n_bytes - 1) != 0)
            bits |= ~UINT64_C(0) << (8 * n_bytes);
        return (double) (int64_t) bits;
    default:
        return (double) bits;
    }
}

static uint64_t load(const uint8_t *p, int n_bytes)
{
    uint64_t v = 0;

    for (int i = n_bytes; i > 0; i--)
        v = v << 8 | p[i - 1];
    return v;
}

struct taken {
    double *out;
    size_t n, max;
};

static void take(struct taken *t, double v)
{
    if (t->n < t->max)
        t->out[t->n] = v;
    t->n++;
}

/* A packed run: of fixed width, or numbers. */
static void take_run(struct taken *t, enum code code, struct t2_slice run)
{
    struct t2_wire w = t2_wire_of(run);
    uint64_t v;

    if (code == FLOATS || code == DOUBLES) {
        int width = code == FLOATS ? 4 : 8;
        for (size_t i = 0; i + (size_t) width <= run.len_bytes; i += (size_t) width)
            take(t, value_of(code, width, load(run.data + i, width)));
        return;
    }
    while (t2_wire_more(&w) && t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v))
        take(t, value_of(code, 8, v));
}

static void take_lists(struct taken *t, enum code code, uint32_t field, struct t2_slice message)
{
    struct t2_wire w = t2_wire_of(message);
    struct t2_slice run;
    uint32_t tag;
    uint64_t v;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        const uint8_t *at = w.p;
        bool is_run = tag == T2_TAG(field, T2_WIRE_BYTES);
        if (is_run ? !t2_wire_bytes(&w, &run) : !t2_wire_skip(&w, tag, 0))
            return;
        if (is_run)
            take_run(t, code, run);
        else if (tag == T2_TAG(field, T2_WIRE_FIXED32) && code == FLOATS)
            take(t, value_of(code, 4, load(at, 4)));
        else if (tag == T2_TAG(field, T2_WIRE_FIXED64) && code == DOUBLES)
            take(t, value_of(code, 8, load(at, 8)));
        else if (tag == T2_TAG(field, T2_WIRE_VARINT)) {
            struct t2_wire one = {at, w.p};
            if (t2_wire_varint(&one, T2_VARINT_MAX_BYTES, &v))
                take(t, value_of(code, 8, v));
        }
    }
}

size_t tfr_tensor_numbers(const struct tfr_tensor *t, double *out, size_t max)
{
    int dtype = known(t->dtype);
    enum code code = types[dtype].code;
    struct taken taken = {out, 0, max};

    if (code == NO_NUMBER)
        return 0;
    if (t->content.len_bytes == 0) {
        take_lists(&taken, code, (uint32_t) types[dtype].field, t->message);
        return taken.n;
    }
    size_t width = (size_t) types[dtype].n_bytes;
    size_t n = t->content.len_bytes / width;
    for (size_t i = 0; i < n && i < max; i++)
        out[i] = value_of(code, (int) width, load(t->content.data + i * width, (int) width));
    return n;
}

size_t tfr_tensor_strings(const struct tfr_tensor *t, struct t2_slice *out, size_t max)
{
    struct t2_wire w = t2_wire_of(t->message);
    struct t2_slice s;
    uint32_t tag;
    size_t n = 0;

    if (t->dtype != TFR_DT_STRING)
        return 0;
    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag != T2_TAG(8, T2_WIRE_BYTES)) {
            if (!t2_wire_skip(&w, tag, 0))
                break;
            continue;
        }
        if (!t2_wire_bytes(&w, &s))
            break;
        if (n < max)
            out[n] = s;
        n++;
    }
    return n;
}
