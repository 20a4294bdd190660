/*
 * tfrec/event_json.c - contents of events as JSON Lines.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "tfrec/event_values.h"
#include "tfrec/row_json.h"
#include "tfrec/rows.h"

enum { TENSOR_VALUES = 64, HISTO_FIELDS = 3, STRINGS_ON_STACK = 64 };

static void put_key(const char *key, struct t2_buf *out)
{
    t2_buf_printf(out, ",\"%s\":", key);
}

static void put_text(const char *key, struct t2_slice text, struct t2_buf *out)
{
    put_key(key, out);
    rec_put_string(out, text);
}

static void put_number(const char *key, double v, struct t2_buf *out)
{
    put_key(key, out);
    rec_put_event_number((struct rec_number){v, false, false}, true, out);
}

static void put_count(const char *key, uint64_t v, struct t2_buf *out)
{
    t2_buf_printf(out, ",\"%s\":%" PRIu64, key, v);
}

static void put_kind(const char *kind, struct t2_buf *out)
{
    t2_buf_printf(out, ",\"kind\":\"%s\"", kind);
}

/* ---- values ---- */

/*
 * [[left, right, count], ...], the rows of rec_event_histogram; "sum" and "sum_squares" are fields
 * 4 and 5 of a HistogramProto.
 */
static void put_histogram(const struct tfr_summary_value *v, struct t2_buf *out)
{
    static const char *const stats[] = {"sum", "sum_squares"};
    struct rec_histogram h;
    double d;

    if (!rec_event_histogram(v, &h))
        return;
    put_number("min", h.min, out);
    put_number("max", h.max, out);
    put_number("num", h.num, out);
    for (uint32_t i = 0; i < 2 && v->form == TFR_VALUE_HISTO; i++) {
        if (tfr_field_double(v->body, 4 + i, &d))
            put_number(stats[i], d, out);
    }
    put_key("buckets", out);
    for (size_t i = 0; i < h.n * HISTO_FIELDS; i++) {
        t2_buf_puts(out, i == 0 ? "[[" : i % HISTO_FIELDS == 0 ? "],[" : ",");
        rec_put_event_number((struct rec_number){h.rows[i], false, false}, true, out);
    }
    t2_buf_puts(out, h.n == 0 ? "[]" : "]]");
    t2_free(h.rows);
}

static void put_image(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct rec_event_image p;

    rec_event_image(v, &p);
    put_count("width", p.width, out);
    put_count("height", p.height, out);
    put_count("images", p.n, out);
    put_count("bytes", p.first.len_bytes, out);
}

static void put_audio(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct t2_slice s;
    uint64_t n;
    float rate;

    if (v->form != TFR_VALUE_AUDIO)
        return;
    if (tfr_field_float(v->body, 1, &rate))
        put_number("sample_rate", (double) rate, out);
    if (tfr_field_varint(v->body, 2, &n))
        put_count("channels", n, out);
    if (tfr_field_varint(v->body, 3, &n))
        put_count("frames", n, out);
    if (tfr_field_bytes(v->body, 4, &s))
        put_count("bytes", s.len_bytes, out);
    if (tfr_field_bytes(v->body, 5, &s))
        put_text("content_type", s, out);
}

static void put_strings(const struct tfr_tensor *t, struct t2_buf *out)
{
    struct t2_slice strings[STRINGS_ON_STACK];
    size_t n = tfr_tensor_strings(t, strings, STRINGS_ON_STACK);

    put_key("value", out);
    if (t->n_dims > 0)
        t2_buf_push(out, '[');
    for (size_t i = 0; i < n && i < STRINGS_ON_STACK; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        struct t2_buf shown = {0};
        rec_bytes_summary(strings[i], &shown);
        rec_put_string(out, t2_buf_slice(&shown));
        t2_buf_release(&shown);
        if (t->n_dims == 0)
            break;
    }
    if (n == 0 && t->n_dims == 0)
        t2_buf_puts(out, "null");
    if (t->n_dims > 0)
        t2_buf_push(out, ']');
    if (n > STRINGS_ON_STACK)
        put_count("values_left_out", n - STRINGS_ON_STACK, out);
}

static void put_numbers(const struct tfr_tensor *t, struct t2_buf *out)
{
    double values[TENSOR_VALUES];
    size_t n = tfr_tensor_numbers(t, values, TENSOR_VALUES);
    struct rec_number number = {0, t->dtype == TFR_DT_FLOAT, tfr_tensor_is_whole(t->dtype)};

    put_key("value", out);
    t2_buf_push(out, '[');
    for (size_t i = 0; i < n && i < TENSOR_VALUES; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        number.v = values[i];
        rec_put_event_number(number, true, out);
    }
    t2_buf_push(out, ']');
    if (n > TENSOR_VALUES)
        put_count("values_left_out", n - TENSOR_VALUES, out);
}

static void put_tensor(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_tensor t;

    if (v->form != TFR_VALUE_TENSOR)
        return;
    if (tfr_tensor_parse(v->body, &t, &err) != T2_OK) {
        put_text("error", t2_slice_of(err.message), out);
        return;
    }
    t2_buf_printf(out, ",\"dtype\":\"%s\",\"shape\":[", tfr_tensor_type_name(t.dtype));
    for (int i = 0; i < t.n_dims; i++)
        t2_buf_printf(out, "%s%" PRId64, i > 0 ? "," : "", t.dims[i]);
    t2_buf_push(out, ']');
    if (t.dtype == TFR_DT_STRING)
        put_strings(&t, out);
    else
        put_numbers(&t, out);
}

/* HParamsPluginData.session_start_info.hparams: map<string, google.protobuf.Value>. */
static void put_hparams(const struct tfr_summary_value *v, struct t2_buf *out)
{
    struct t2_slice info, rest, name, value, text;
    bool first = true;
    double d;
    uint64_t b;

    put_key("content", out);
    t2_buf_push(out, '"');
    t2_base64_encode(v->content, out);
    t2_buf_push(out, '"');
    if (!tfr_field_bytes(v->content, 3, &info))
        return;
    put_key("hparams", out);
    t2_buf_push(out, '{');
    rest = info;
    for (struct t2_slice entry; tfr_field_next_bytes(&rest, 1, &entry);) {
        if (!tfr_field_bytes(entry, 1, &name) || !tfr_field_bytes(entry, 2, &value))
            continue;
        if (!first)
            t2_buf_push(out, ',');
        first = false;
        rec_put_string(out, name);
        t2_buf_push(out, ':');
        if (tfr_field_double(value, 2, &d))
            rec_put_event_number((struct rec_number){d, false, false}, true, out);
        else if (tfr_field_bytes(value, 3, &text))
            rec_put_string(out, text);
        else if (tfr_field_varint(value, 4, &b))
            t2_buf_puts(out, b ? "true" : "false");
        else
            t2_buf_puts(out, "null");
    }
    t2_buf_push(out, '}');
}

static void put_value(const struct rec_event_row *row, struct t2_buf *out)
{
    static const char *const names[] = {
        [REC_SCALAR] = "scalar", [REC_HISTOGRAM] = "histogram", [REC_EVENT_IMAGE] = "image",
        [REC_AUDIO] = "audio",   [REC_EVENT_TEXT] = "text",     [REC_HPARAMS] = "hparams",
        [REC_TENSOR] = "tensor", [REC_NO_DATA] = "no_data",
    };
    const struct tfr_summary_value *v = row->value;
    enum rec_event_kind kind = rec_event_kind(v, row->plugin);
    struct rec_number n;

    put_text("tag", v->tag, out);
    put_kind(names[kind], out);
    if (row->plugin.len_bytes > 0)
        put_text("plugin", row->plugin, out);
    if (v->description.len_bytes > 0)
        put_text("description", v->description, out);
    switch (kind) {
    case REC_SCALAR:
        put_key("value", out);
        if (rec_event_scalar(v, &n))
            rec_put_event_number(n, true, out);
        else
            t2_buf_puts(out, "null");
        break;
    case REC_HISTOGRAM:
        put_histogram(v, out);
        break;
    case REC_EVENT_IMAGE:
        put_image(v, out);
        break;
    case REC_AUDIO:
        put_audio(v, out);
        break;
    case REC_HPARAMS:
        put_hparams(v, out);
        break;
    case REC_EVENT_TEXT:
    case REC_TENSOR:
        put_tensor(v, out);
        break;
    case REC_NO_DATA:
        break;
    }
}

/* ---- other contents ---- */

static void put_session(struct t2_slice body, struct t2_buf *out)
{
    static const char *const status[] = {"STATUS_UNSPECIFIED", "START", "STOP", "CHECKPOINT"};
    struct t2_slice text;
    uint64_t n = 0;

    (void) tfr_field_varint(body, 1, &n);
    put_text("value", t2_slice_of(n < 4 ? status[n] : "unknown"), out);
    if (tfr_field_bytes(body, 2, &text))
        put_text("checkpoint_path", text, out);
    if (tfr_field_bytes(body, 3, &text))
        put_text("message", text, out);
}

static void put_other(const struct tfr_event *e, struct t2_buf *out)
{
    static const char *const names[] = {
        [TFR_EVENT_EMPTY] = "empty",
        [TFR_EVENT_FILE_VERSION] = "file_version",
        [TFR_EVENT_GRAPH] = "graph",
        [TFR_EVENT_SUMMARY] = "summary", /* without values */
        [TFR_EVENT_LOG] = "log_message",
        [TFR_EVENT_SESSION] = "session_log",
        [TFR_EVENT_RUN_METADATA] = "run_metadata",
        [TFR_EVENT_META_GRAPH] = "meta_graph",
    };
    struct t2_slice text;

    put_kind(names[e->kind], out);
    if (e->kind == TFR_EVENT_FILE_VERSION)
        put_text("value", e->body, out);
    else if (e->kind == TFR_EVENT_LOG && tfr_field_bytes(e->body, 2, &text))
        put_text("value", text, out);
    else if (e->kind == TFR_EVENT_SESSION)
        put_session(e->body, out);
    else if (e->kind == TFR_EVENT_RUN_METADATA && tfr_field_bytes(e->body, 1, &text))
        put_text("tag", text, out);
    if (e->kind == TFR_EVENT_GRAPH || e->kind == TFR_EVENT_META_GRAPH ||
        e->kind == TFR_EVENT_RUN_METADATA)
        put_count("bytes", e->body.len_bytes, out);
}

void rec_event_json(const struct rec_event_row *row, struct t2_buf *out)
{
    t2_buf_puts(out, "{\"file\":");
    rec_put_string(out, t2_slice_of(row->file));
    put_count("record", row->record, out);
    t2_buf_printf(out, ",\"step\":%" PRId64, row->event->step);
    put_number("wall_time", row->event->wall_time, out);
    if (row->value)
        put_value(row, out);
    else
        put_other(row->event, out);
    t2_buf_puts(out, "}\n");
}
