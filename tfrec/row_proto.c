/*
 * tfrec/row_proto.c - a feature in protobuf's JSON mapping: {"int64List":{"value":["3","1"]}}.
 */
#include <math.h>

#include "tfrec/row_json.h"
#include "tfrec/row_print.h"

static void put_value(const struct tfr_view *v, const void *values, size_t i, struct t2_buf *out)
{
    if (v->kind == TFR_FLOAT) {
        float f = ((const float *) values)[i];
        if (isfinite(f))
            rec_put_float(out, f, REC_DIGITS_PROTO);
        else
            rec_put_nonfinite(out, f);
        return;
    }
    t2_buf_push(out, '"');
    if (v->kind == TFR_INT64)
        rec_put_i64(out, ((const int64_t *) values)[i]);
    else
        t2_base64_encode(((const struct t2_slice *) values)[i], out);
    t2_buf_push(out, '"');
}

void rec_proto_feature(struct rec_row *r, const struct tfr_view *v, struct t2_buf *out)
{
    static const char *const names[] = {NULL, "bytesList", "floatList", "int64List"};
    const void *values;

    if (v->kind == TFR_NONE) {
        t2_buf_puts(out, "{}");
        return;
    }
    t2_buf_printf(out, "{\"%s\":{", names[v->kind]);
    if (v->n > 0) {
        values = v->kind == TFR_BYTES   ? (const void *) rec_view_bytes(r, v)
                 : v->kind == TFR_FLOAT ? (const void *) rec_view_floats(r, v)
                                        : (const void *) rec_view_ints(r, v);
        t2_buf_puts(out, "\"value\":[");
        for (size_t i = 0; i < v->n; i++) {
            if (i > 0)
                t2_buf_push(out, ',');
            put_value(v, values, i, out);
        }
        t2_buf_push(out, ']');
    }
    t2_buf_puts(out, "}}");
}
