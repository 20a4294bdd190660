/*
 * tfrec/raw_message.c - protobuf messages without their description.
 *
 * Mirrors UnknownFieldSet and TextFormat of protobuf C++, with their limits: groups of a record
 * nest at most 100 deep, messages guessed inside it and their groups ten.
 *
 * Without the description a length-delimited field may be text, bytes or a message.  It is taken
 * as a message when all of it parses as fields (is_message); text that happens to parse shows as
 * one, as protoc --decode_raw does.  Checking each level again costs depth times the bytes, hence
 * the ten levels.
 */
#include "tfrec/raw_message.h"

#include <inttypes.h>

#include "base/protobuf.h"
#include "tfrec/row_json.h"
#include "tfrec/rows.h"

enum { GUESS_DEPTH = 10, BLANKS_PER_LEVEL = 2 };

/* A field as found; of a group, body is what is between its tags. */
struct field {
    uint32_t number;
    int type;
    uint64_t value;
    struct t2_slice body;
};

/* ---- reading ---- */

/* In a message that is only guessed protobuf takes longer tags, and drops their high bits. */
static bool read_tag(struct t2_wire *w, bool guessed, uint32_t *tag)
{
    struct t2_wire ahead = *w;
    uint64_t v;

    if (!guessed)
        return t2_wire_tag(w, tag);
    if (!t2_wire_varint(&ahead, T2_VARINT_MAX_BYTES, &v))
        return false;
    *tag = (uint32_t) v;
    if (*tag >> 3 == 0 || (*tag & 7) > T2_WIRE_FIXED32)
        return false;
    *w = ahead;
    return true;
}

static bool read_bytes(struct t2_wire *w, bool guessed, struct t2_slice *body)
{
    struct t2_wire ahead = *w;
    uint64_t n;

    if (!guessed)
        return t2_wire_bytes(w, body);
    if (!t2_wire_varint(&ahead, T2_VARINT_MAX_BYTES, &n))
        return false;
    n = (uint32_t) n;
    if (n > (uint64_t) (ahead.end - ahead.p))
        return false;
    *body = (struct t2_slice){ahead.p, (size_t) n};
    w->p = ahead.p + n;
    return true;
}

static uint64_t load(const uint8_t *p, int n_bytes)
{
    uint64_t v = 0;

    for (int i = n_bytes; i > 0; i--)
        v = v << 8 | p[i - 1];
    return v;
}

static bool read_field(struct t2_wire *w, bool guessed, int budget, struct field *f);

/* The fields of a group up to its end tag. */
static bool read_group(struct t2_wire *w, bool guessed, int budget, struct field *f)
{
    const uint8_t *start = w->p;
    struct field inner;

    if (budget <= 0)
        return false;
    for (;;) {
        const uint8_t *at = w->p;
        if (!t2_wire_more(w) || !read_field(w, guessed, budget - 1, &inner))
            return false;
        if (inner.type != T2_WIRE_GROUP_END)
            continue;
        f->body = (struct t2_slice){start, (size_t) (at - start)};
        if (inner.number == f->number)
            return true;
        w->p = at;
        return false;
    }
}

/* One field, or the end of a group.  On failure w->p is near the trouble. */
static bool read_field(struct t2_wire *w, bool guessed, int budget, struct field *f)
{
    uint32_t tag;

    if (!read_tag(w, guessed, &tag))
        return false;
    *f = (struct field){.number = tag >> 3, .type = (int) (tag & 7)};
    switch (f->type) {
    case T2_WIRE_VARINT:
        return t2_wire_varint(w, T2_VARINT_MAX_BYTES, &f->value);
    case T2_WIRE_FIXED64:
    case T2_WIRE_FIXED32: {
        int n_bytes = f->type == T2_WIRE_FIXED64 ? 8 : 4;
        if (!t2_wire_fixed(w, (size_t) n_bytes))
            return false;
        f->value = load(w->p - n_bytes, n_bytes);
        return true;
    }
    case T2_WIRE_BYTES:
        return read_bytes(w, guessed, &f->body);
    case T2_WIRE_GROUP:
        return read_group(w, guessed, budget, f);
    default:
        return true;
    }
}

/* Whether all of it is fields; *at: where it is not. */
static bool is_message(struct t2_slice message, bool guessed, int budget, const uint8_t **at)
{
    struct t2_wire w = t2_wire_of(message);
    struct field f;

    while (t2_wire_more(&w)) {
        *at = w.p;
        if (!read_field(&w, guessed, budget, &f)) {
            *at = w.p;
            return false;
        }
        if (f.type == T2_WIRE_GROUP_END)
            return false;
    }
    return true;
}

/* ---- text ---- */

static void indent(struct t2_buf *out, int level)
{
    for (int i = 0; i < level * BLANKS_PER_LEVEL; i++)
        t2_buf_push(out, ' ');
}

static void put_c_string(struct t2_buf *out, struct t2_slice s)
{
    t2_buf_push(out, '"');
    for (size_t i = 0; i < s.len_bytes; i++) {
        uint8_t c = s.data[i];
        if (c == '\n')
            t2_buf_puts(out, "\\n");
        else if (c == '\r')
            t2_buf_puts(out, "\\r");
        else if (c == '\t')
            t2_buf_puts(out, "\\t");
        else if (c == '"' || c == '\'' || c == '\\')
            t2_buf_append(out, (const uint8_t[]){'\\', c}, 2);
        else if (c < 0x20 || c >= 0x7f)
            t2_buf_printf(out, "\\%03o", c);
        else
            t2_buf_push(out, c);
    }
    t2_buf_push(out, '"');
}

static bool is_inner_message(struct t2_slice body, int budget)
{
    const uint8_t *at;

    return body.len_bytes > 0 && budget > 0 && is_message(body, true, budget, &at);
}

/* budget: levels of messages that may still be guessed. */
static void put_text(struct t2_slice message, bool guessed, int level, int budget,
                     struct t2_buf *out)
{
    struct t2_wire w = t2_wire_of(message);
    struct field f;

    while (t2_wire_more(&w) && read_field(&w, guessed, T2_WIRE_MAX_DEPTH, &f)) {
        indent(out, level);
        t2_buf_printf(out, "%" PRIu32, f.number);
        if (f.type == T2_WIRE_VARINT) {
            t2_buf_printf(out, ": %" PRIu64 "\n", f.value);
        } else if (f.type == T2_WIRE_FIXED32) {
            t2_buf_printf(out, ": 0x%08" PRIx64 "\n", f.value);
        } else if (f.type == T2_WIRE_FIXED64) {
            t2_buf_printf(out, ": 0x%016" PRIx64 "\n", f.value);
        } else if (f.type == T2_WIRE_GROUP || is_inner_message(f.body, budget)) {
            t2_buf_puts(out, " {\n");
            put_text(f.body, guessed || f.type == T2_WIRE_BYTES, level + 1, budget - 1, out);
            indent(out, level);
            t2_buf_puts(out, "}\n");
        } else {
            t2_buf_puts(out, ": ");
            put_c_string(out, f.body);
            t2_buf_push(out, '\n');
        }
    }
}

/* ---- JSON ---- */

static void put_json(struct t2_slice message, bool guessed, int budget, struct t2_buf *out)
{
    static const char *const types[] = {"varint", "fixed64", "bytes", "group", "", "fixed32"};
    struct t2_wire w = t2_wire_of(message);
    struct field f;
    bool first = true;

    t2_buf_push(out, '[');
    while (t2_wire_more(&w) && read_field(&w, guessed, T2_WIRE_MAX_DEPTH, &f)) {
        bool inner = f.type == T2_WIRE_BYTES && is_inner_message(f.body, budget);
        t2_buf_printf(out, "%s{\"field\":%" PRIu32 ",\"type\":\"%s\",", first ? "" : ",", f.number,
                      inner ? "message" : types[f.type]);
        first = false;
        if (inner || f.type == T2_WIRE_GROUP) {
            t2_buf_puts(out, "\"fields\":");
            put_json(f.body, guessed || inner, budget - 1, out);
        } else if (f.type != T2_WIRE_BYTES) {
            t2_buf_printf(out, "\"value\":%" PRIu64, f.value);
        } else if (rec_is_text(f.body)) {
            t2_buf_puts(out, "\"text\":");
            rec_put_string(out, f.body);
        } else {
            t2_buf_puts(out, "\"base64\":\"");
            t2_base64_encode(f.body, out);
            t2_buf_push(out, '"');
        }
        t2_buf_push(out, '}');
    }
    t2_buf_push(out, ']');
}

/* ---- whole ---- */

static enum t2_status check(struct t2_slice message, struct t2_err *err)
{
    const uint8_t *at = message.data;

    if (is_message(message, false, T2_WIRE_MAX_DEPTH, &at))
        return T2_OK;
    return t2_fail(
        err, T2_EFORMAT,
        "not a protobuf message: byte %zu of %zu is no field; `tfrec cat --raw` gives the "
        "bytes",
        (size_t) (at - message.data), message.len_bytes);
}

enum t2_status rec_raw_text(struct t2_slice message, struct t2_buf *out, struct t2_err *err)
{
    T2_TRY(check(message, err));
    put_text(message, false, 0, GUESS_DEPTH, out);
    return T2_OK;
}

enum t2_status rec_raw_json(struct t2_slice message, struct t2_buf *out, struct t2_err *err)
{
    T2_TRY(check(message, err));
    put_json(message, false, GUESS_DEPTH, out);
    return T2_OK;
}
