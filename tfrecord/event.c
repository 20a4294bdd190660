/*
 * tfrecord/event.c - Event and Summary messages.
 *
 *   Event           wall_time 1 double, step 2, file_version 3, graph_def 4, summary 5, ...
 *   Summary         value 1 repeated
 *   Summary.Value   tag 1, simple_value 2 float, image 4, histo 5, audio 6, tensor 8, metadata 9
 *   SummaryMetadata plugin_data 1 { name 1, content 2 }, description 3, data_class 4
 *
 * from tensorflow/core/util/event.proto and core/framework/summary.proto.  An Event has one content
 * (a oneof): the last of fields 3 to 9 counts.
 */
#include "tfrecord/event.h"

#include <string.h>

#include "base/protobuf.h"

static double double_at(const uint8_t *p)
{
    uint64_t bits = t2_load_word(p);
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static float float_at(const uint8_t *p)
{
    uint32_t bits =
        (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
    float v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static enum t2_status damaged(struct t2_slice message, const struct t2_wire *w, const char *what,
                              struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "not %s: byte %zu of %zu is damaged", what,
                   (size_t) (w->p - message.data), message.len_bytes);
}

/* ---- Event ---- */

static bool is_content(uint32_t tag)
{
    return (tag & 7) == T2_WIRE_BYTES && tag >> 3 >= TFR_EVENT_FILE_VERSION &&
           tag >> 3 <= TFR_EVENT_META_GRAPH;
}

enum t2_status tfr_event_parse(struct t2_slice record, struct tfr_event *e, struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(record);
    uint32_t tag;
    uint64_t v;
    bool sound = true, has_time = false;

    *e = (struct tfr_event){0};
    while (sound && t2_wire_more(&w)) {
        sound = t2_wire_tag(&w, &tag);
        if (!sound)
            break;
        if (tag == T2_TAG(1, T2_WIRE_FIXED64)) {
            has_time = sound = t2_wire_fixed(&w, 8);
            e->wall_time = sound ? double_at(w.p - 8) : 0;
        } else if (tag == T2_TAG(2, T2_WIRE_VARINT)) {
            sound = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v);
            e->step = sound ? (int64_t) v : 0;
        } else if (is_content(tag)) {
            e->kind = (enum tfr_event_kind)(tag >> 3);
            sound = t2_wire_bytes(&w, &e->body);
        } else {
            sound = t2_wire_skip(&w, tag, 0);
        }
    }
    if (sound && !has_time)
        return t2_fail(err, T2_EFORMAT, "not an Event: it has no wall time");
    return sound ? T2_OK : damaged(record, &w, "an Event", err);
}

/* ---- Summary ---- */

static void read_metadata(struct t2_slice metadata, struct tfr_summary_value *v)
{
    struct t2_slice plugin;
    uint64_t data_class;

    if (tfr_field_bytes(metadata, 1, &plugin)) {
        (void) tfr_field_bytes(plugin, 1, &v->plugin);
        (void) tfr_field_bytes(plugin, 2, &v->content);
    }
    (void) tfr_field_bytes(metadata, 3, &v->description);
    if (tfr_field_varint(metadata, 4, &data_class))
        v->data_class = (int) data_class;
}

static bool read_value_field(struct t2_wire *w, uint32_t tag, struct tfr_summary_value *v)
{
    struct t2_slice body;

    if (tag == T2_TAG(2, T2_WIRE_FIXED32)) {
        if (!t2_wire_fixed(w, 4))
            return false;
        v->form = TFR_VALUE_SIMPLE;
        v->simple = float_at(w->p - 4);
        return true;
    }
    if ((tag & 7) != T2_WIRE_BYTES)
        return t2_wire_skip(w, tag, 0);
    if (!t2_wire_bytes(w, &body))
        return false;
    switch (tag >> 3) {
    case 1:
        v->tag = body;
        break;
    case TFR_VALUE_IMAGE:
    case TFR_VALUE_HISTO:
    case TFR_VALUE_AUDIO:
    case TFR_VALUE_TENSOR:
        v->form = (enum tfr_value_form)(tag >> 3);
        v->body = body;
        break;
    case 9:
        read_metadata(body, v);
        break;
    default:
        break;
    }
    return true;
}

static enum t2_status read_value(struct t2_slice message, struct tfr_summary_value *v,
                                 struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(message);
    uint32_t tag;

    *v = (struct tfr_summary_value){0};
    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag) || !read_value_field(&w, tag, v))
            return damaged(message, &w, "a Summary.Value", err);
    }
    return T2_OK;
}

enum t2_status tfr_summary_next(struct t2_slice *summary, struct tfr_summary_value *v,
                                struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(*summary);
    struct t2_slice body;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return damaged(*summary, &w, "a Summary", err);
        if (tag == T2_TAG(1, T2_WIRE_BYTES)) {
            if (!t2_wire_bytes(&w, &body))
                return damaged(*summary, &w, "a Summary", err);
            *summary = (struct t2_slice){w.p, (size_t) (w.end - w.p)};
            return read_value(body, v, err);
        }
        if (!t2_wire_skip(&w, tag, 0))
            return damaged(*summary, &w, "a Summary", err);
    }
    return T2_EOF;
}

/* ---- single fields ---- */

/* The field as it stands in the message, its last occurrence. */
static bool find(struct t2_slice message, uint32_t tag, struct t2_wire *at)
{
    struct t2_wire w = t2_wire_of(message);
    bool found = false;
    uint32_t t;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &t)) {
        struct t2_wire here = w;
        if (!t2_wire_skip(&w, t, 0))
            break;
        if (t == tag) {
            *at = here;
            found = true;
        }
    }
    return found;
}

bool tfr_field_varint(struct t2_slice message, uint32_t number, uint64_t *v)
{
    struct t2_wire w;

    return find(message, T2_TAG(number, T2_WIRE_VARINT), &w) &&
           t2_wire_varint(&w, T2_VARINT_MAX_BYTES, v);
}

bool tfr_field_double(struct t2_slice message, uint32_t number, double *v)
{
    struct t2_wire w;

    if (!find(message, T2_TAG(number, T2_WIRE_FIXED64), &w))
        return false;
    *v = double_at(w.p);
    return true;
}

bool tfr_field_float(struct t2_slice message, uint32_t number, float *v)
{
    struct t2_wire w;

    if (!find(message, T2_TAG(number, T2_WIRE_FIXED32), &w))
        return false;
    *v = float_at(w.p);
    return true;
}

bool tfr_field_bytes(struct t2_slice message, uint32_t number, struct t2_slice *v)
{
    struct t2_wire w;

    return find(message, T2_TAG(number, T2_WIRE_BYTES), &w) && t2_wire_bytes(&w, v);
}

bool tfr_field_next_bytes(struct t2_slice *rest, uint32_t number, struct t2_slice *v)
{
    struct t2_wire w = t2_wire_of(*rest);
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        bool wanted = tag == T2_TAG(number, T2_WIRE_BYTES);
        if (wanted ? !t2_wire_bytes(&w, v) : !t2_wire_skip(&w, tag, 0))
            return false;
        *rest = (struct t2_slice){w.p, (size_t) (w.end - w.p)};
        if (wanted)
            return true;
    }
    return false;
}

size_t tfr_field_doubles(struct t2_slice message, uint32_t number, double *out, size_t max)
{
    struct t2_wire w = t2_wire_of(message);
    struct t2_slice run;
    size_t n = 0;
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        run = (struct t2_slice){NULL, 0};
        if (tag == T2_TAG(number, T2_WIRE_BYTES)) {
            if (!t2_wire_bytes(&w, &run))
                break;
        } else if (tag == T2_TAG(number, T2_WIRE_FIXED64)) {
            run = (struct t2_slice){w.p, 8};
            if (!t2_wire_fixed(&w, 8))
                break;
        } else if (!t2_wire_skip(&w, tag, 0)) {
            break;
        }
        for (size_t i = 0; i + 8 <= run.len_bytes; i += 8, n++) {
            if (n < max)
                out[n] = double_at(run.data + i);
        }
    }
    return n;
}
