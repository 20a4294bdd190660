/*
 * tfrec/row_short.c - a feature in the short shape: [3,1].
 */
#include <math.h>

#include "base/text.h"
#include "tfrec/row_json.h"
#include "tfrec/row_print.h"

static void put_ints(const int64_t *v, size_t n, struct t2_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        rec_put_i64(out, v[i]);
    }
}

static bool all_finite(const float *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(v[i]))
            return false;
    }
    return true;
}

static void put_floats(const float *v, size_t n, struct t2_buf *out)
{
    bool plain = all_finite(v, n);

    t2_buf_puts(out, plain ? "[" : "{\"float\":[");
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        if (isfinite(v[i]))
            rec_put_float(out, v[i], REC_DIGITS_SHORTEST);
        else
            rec_put_nonfinite(out, v[i]);
    }
    t2_buf_puts(out, plain ? "]" : "]}");
}

static void put_bytes_value(enum rec_bytes how, struct t2_slice v, struct t2_buf *scratch,
                            struct t2_buf *out)
{
    if (how == REC_BYTES_AUTO) {
        t2_buf_clear(scratch);
        rec_bytes_summary(v, scratch);
        rec_put_string(out, t2_buf_slice(scratch));
    } else if (how == REC_BYTES_BASE64 && t2_utf8_invalid_at(v.data, v.len_bytes) < v.len_bytes) {
        t2_buf_puts(out, "{\"base64\":\"");
        t2_base64_encode(v, out);
        t2_buf_puts(out, "\"}");
    } else {
        rec_put_string(out, v);
    }
}

static void put_bytes(const struct rec_row_options *o, struct rec_row *r, const struct tfr_view *v,
                      struct t2_buf *out)
{
    const struct t2_slice *values = rec_view_bytes(r, v);

    t2_buf_push(out, '[');
    for (size_t i = 0; i < v->n; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        put_bytes_value(o->bytes, values[i], &r->text, out);
    }
    t2_buf_push(out, ']');
}

void rec_short_feature(const struct rec_row_options *o, struct rec_row *r, struct t2_slice name,
                       const struct tfr_view *v, struct t2_buf *out)
{
    static const char *const empty[] = {
        [TFR_NONE] = "[]",
        [TFR_BYTES] = "{\"bytes\":[]}",
        [TFR_FLOAT] = "{\"float\":[]}",
        [TFR_INT64] = "{\"int64\":[]}",
    };

    if (v->n == 0) {
        t2_buf_puts(out, empty[v->kind]);
    } else if (v->kind == TFR_BYTES) {
        put_bytes(o, r, v, out);
    } else if (v->kind == TFR_FLOAT) {
        put_floats(rec_view_floats(r, v), v->n, out);
    } else {
        const int64_t *ints = rec_view_ints(r, v);
        if (o->vocab && rec_ids_as_text(o->vocab, name, ints, v->n, &r->text, out))
            return;
        t2_buf_push(out, '[');
        put_ints(ints, v->n, out);
        t2_buf_push(out, ']');
    }
}
