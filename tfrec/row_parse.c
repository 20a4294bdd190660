/*
 * tfrec/row_parse.c - a line of JSON, of either shape, as a serialised Example or SequenceExample.
 *
 * The shape is seen from the keys: "features", "context" and "feature_lists" with an object that
 * does not name a kind are messages, anything else is a feature of the short shape.
 *
 * A recursive descent over the cursor of json_cursor.h, one function per rule; values go straight
 * into the draft (row_draft.h), without a tree:
 *
 *   row         = {member*}                                   take_row, take_member
 *   member      = "features": {"feature": map}                take_features, take_proto_map
 *               | "context": {"feature": map | short*}
 *               | "feature_lists": {"featureList": {NAME: {"feature": [proto*]}} | NAME: [short*]}
 *               | NAME: short                                 take_lists, take_list, take_steps
 *   map         = {NAME: proto}
 *   proto       = {} | {"int64List": {"value": [value*]}} | floatList | bytesList   take_proto
 *   short       = value | [value*]                            take_short, take_values
 *               | {"base64": TEXT} | {"int64": ...} | {"float": ...} | {"bytes": ...}
 *   value       = number | true | false | TEXT | {"base64": TEXT}                   take_value
 *
 * The first value decides the kind of a short list: text is bytes, numbers are int64 until one
 * with a fraction or exponent turns the list into floats (may_turn).
 */
#include <string.h>

#include "tfrec/json_cursor.h"
#include "tfrec/row_draft.h"
#include "tfrec/rows.h"

/* Two characters make at most ten bytes ("-1" in a list), so the message stays below 2 GiB. */

struct parser {
    struct rec_json in;
    struct rec_draft draft;
    struct t2_buf key;
    struct t2_buf message_key; /* of the levels around features */
    size_t n_short;            /* features at the top */
    size_t n_messages;         /* "features", "context", "feature_lists" at the top */
};

static bool is_key(const struct t2_buf *key, const char *name)
{
    return t2_slice_eq(t2_buf_slice(key), t2_slice_of(name));
}

/* ---- values ---- */

static enum t2_status take_base64(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    struct t2_slice text;
    const uint8_t *at;

    (void) rec_json_peek(&p->in);
    at = p->in.p;
    t2_buf_clear(&p->key);
    T2_TRY(rec_json_string(&p->in, &p->key, err));
    text = t2_buf_slice(&p->key);
    if (!rec_draft_base64(&p->draft, l, text))
        return rec_json_fail(&p->in, at, err, "not base64");
    return T2_OK;
}

/* {"base64":"..."}; a list of bytes. */
static enum t2_status take_base64_object(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    const uint8_t *at = p->in.p;

    T2_TRY(rec_json_expect(&p->in, '{', err));
    if (rec_json_peek(&p->in) != '"')
        return rec_json_fail(&p->in, at, err, "an object in a list must be {\"base64\":\"...\"}");
    T2_TRY(rec_json_key(&p->in, &p->key, err));
    if (!is_key(&p->key, "base64"))
        return rec_json_fail(&p->in, at, err, "an object in a list must be {\"base64\":\"...\"}");
    if (l->kind != TFR_BYTES)
        return rec_json_fail(&p->in, at, err, "bytes in a list of numbers");
    T2_TRY(take_base64(p, l, err));
    return rec_json_expect(&p->in, '}', err);
}

/* A string where numbers are: only what JSON has no number for, and in the proto shape any
 * number. */
static enum t2_status take_quoted_number(struct parser *p, struct rec_list *l, bool proto,
                                         struct t2_err *err)
{
    const uint8_t *at = p->in.p;
    struct rec_json_number number = {0};
    struct rec_json inner;

    t2_buf_clear(&p->key);
    T2_TRY(rec_json_string(&p->in, &p->key, err));
    if (l->kind == TFR_FLOAT && rec_draft_nonfinite(&p->draft, l, t2_buf_slice(&p->key)))
        return T2_OK;
    if (!proto)
        return rec_json_fail(&p->in, at, err, "a string in a list of numbers");
    rec_json_init(&inner, "", 0, t2_buf_slice(&p->key));
    struct t2_err unseen = T2_ERR_INIT;
    if (rec_json_number(&inner, &number, &unseen) != T2_OK || inner.p != inner.end ||
        !rec_draft_number(&p->draft, l, &number, false))
        return rec_json_fail(&p->in, at, err, "'%.40s' is not a number of this kind",
                             t2_buf_cstr(&p->key));
    return T2_OK;
}

static enum t2_status take_number(struct parser *p, struct rec_list *l, bool may_turn,
                                  struct t2_err *err)
{
    struct rec_json_number number = {.whole = true};
    const uint8_t *at = p->in.p;

    if (rec_json_word(&p->in, "true"))
        number.i = 1, number.d = 1;
    else if (!rec_json_word(&p->in, "false"))
        T2_TRY(rec_json_number(&p->in, &number, err));
    if (l->kind == TFR_BYTES)
        return rec_json_fail(&p->in, at, err, "a number in a list of bytes");
    if (!rec_draft_number(&p->draft, l, &number, may_turn))
        return rec_json_fail(&p->in, at, err,
                             l->kind == TFR_INT64 ? "not a whole number"
                                                  : "a number that is too large for a float");
    return T2_OK;
}

/* One value.  kind TFR_NONE in l: the first decides. */
static enum t2_status take_value(struct parser *p, struct rec_list *l, bool may_turn,
                                 struct t2_err *err)
{
    uint8_t c = rec_json_peek(&p->in);

    if (c == '[')
        return rec_json_fail(&p->in, p->in.p, err, "a list inside a list");
    if (c == 'n')
        return rec_json_fail(&p->in, p->in.p, err, "null or NaN is no value of a list");
    if (l->kind == TFR_NONE)
        rec_draft_begin(&p->draft, l, c == '"' || c == '{' ? TFR_BYTES : TFR_INT64);
    if (c == '{')
        return take_base64_object(p, l, err);
    if (c != '"')
        return take_number(p, l, may_turn, err);
    if (l->kind != TFR_BYTES)
        return take_quoted_number(p, l, false, err);
    size_t at = p->draft.text.len_bytes;
    T2_TRY(rec_json_string(&p->in, &p->draft.text, err));
    rec_draft_bytes(&p->draft, l, at);
    return T2_OK;
}

/* [ ... ] or one value. */
static enum t2_status take_values(struct parser *p, struct rec_list *l, bool may_turn,
                                  struct t2_err *err)
{
    size_t n = 0;
    bool more;

    if (rec_json_peek(&p->in) != '[')
        return take_value(p, l, may_turn, err);
    p->in.p++;
    for (;;) {
        T2_TRY(rec_json_next(&p->in, ']', &n, &more, err));
        if (!more)
            return T2_OK;
        T2_TRY(take_value(p, l, may_turn, err));
    }
}

/* ---- features, short ---- */

/* Whether an object that names its kind comes next: {"base64":"..."}, {"int64":[...]} and so on.
 * Looks ahead on a copy of the cursor.  A message may have the same key, but an object after it. */
static bool kind_is_named(const struct parser *p)
{
    static const char *const words[] = {"\"base64\"", "\"bytes\"", "\"float\"", "\"int64\""};
    struct rec_json ahead = p->in;

    if (rec_json_peek(&ahead) != '{')
        return false;
    ahead.p++;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!rec_json_word(&ahead, words[i]))
            continue;
        if (rec_json_peek(&ahead) != ':')
            return false;
        ahead.p++;
        return rec_json_peek(&ahead) != '{';
    }
    return false;
}

/* {"float":["NaN",1.0]} */
static enum t2_status take_named_kind(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    T2_TRY(rec_json_expect(&p->in, '{', err));
    T2_TRY(rec_json_key(&p->in, &p->key, err));
    if (is_key(&p->key, "base64")) {
        rec_draft_begin(&p->draft, l, TFR_BYTES);
        T2_TRY(take_base64(p, l, err));
        return rec_json_expect(&p->in, '}', err);
    }
    rec_draft_begin(&p->draft, l,
                    is_key(&p->key, "bytes")   ? TFR_BYTES
                    : is_key(&p->key, "float") ? TFR_FLOAT
                                               : TFR_INT64);
    T2_TRY(take_values(p, l, false, err));
    return rec_json_expect(&p->in, '}', err);
}

static enum t2_status take_short(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    *l = (struct rec_list){.kind = TFR_NONE};
    if (kind_is_named(p))
        return take_named_kind(p, l, err);
    if (rec_json_peek(&p->in) == '{')
        return rec_json_fail(&p->in, p->in.p, err,
                             "an object must be {\"base64\":\"...\"}, {\"int64\":[...]}, "
                             "{\"float\":[...]} or {\"bytes\":[...]}");
    return take_values(p, l, true, err);
}

/* A feature whose key was read; null leaves it out. */
static enum t2_status take_short_feature(struct parser *p, const uint8_t *at, struct t2_err *err)
{
    struct rec_name name;
    struct rec_list list;

    T2_TRY(rec_draft_name(&p->draft, &p->in, at, t2_buf_slice(&p->key), &name, err));
    p->in.field = rec_draft_name_of(&p->draft, name, &p->message_key);
    if (!rec_json_word(&p->in, "null")) {
        T2_TRY(take_short(p, &list, err));
        rec_draft_feature(&p->draft, name, list);
    }
    p->in.field = (struct t2_slice){NULL, 0};
    return T2_OK;
}

/* ---- features, proto ---- */

/* {"value":[...]} */
static enum t2_status take_proto_list(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    size_t n = 0, k = 0;
    bool more;

    T2_TRY(rec_json_expect(&p->in, '{', err));
    T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
    if (!more)
        return T2_OK;
    T2_TRY(rec_json_key(&p->in, &p->key, err));
    if (!is_key(&p->key, "value"))
        return rec_json_fail(&p->in, p->in.p, err, "a list has \"value\", nothing else");
    if (!rec_json_word(&p->in, "null")) {
        T2_TRY(rec_json_expect(&p->in, '[', err));
        for (;;) {
            T2_TRY(rec_json_next(&p->in, ']', &k, &more, err));
            if (!more)
                break;
            if (l->kind == TFR_BYTES)
                T2_TRY(take_base64(p, l, err));
            else if (rec_json_peek(&p->in) == '"')
                T2_TRY(take_quoted_number(p, l, true, err));
            else
                T2_TRY(take_number(p, l, false, err));
        }
    }
    return rec_json_expect(&p->in, '}', err);
}

static enum tfr_kind kind_of_key(const struct t2_buf *key)
{
    if (is_key(key, "bytesList") || is_key(key, "bytes_list"))
        return TFR_BYTES;
    if (is_key(key, "floatList") || is_key(key, "float_list"))
        return TFR_FLOAT;
    return is_key(key, "int64List") || is_key(key, "int64_list") ? TFR_INT64 : TFR_NONE;
}

/* {"int64List":{"value":["3"]}} or {} */
static enum t2_status take_proto(struct parser *p, struct rec_list *l, struct t2_err *err)
{
    size_t n = 0;
    bool more;

    *l = (struct rec_list){.kind = TFR_NONE};
    T2_TRY(rec_json_expect(&p->in, '{', err));
    for (;;) {
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
        if (!more)
            return T2_OK;
        const uint8_t *at = p->in.p;
        T2_TRY(rec_json_key(&p->in, &p->key, err));
        enum tfr_kind kind = kind_of_key(&p->key);
        if (kind == TFR_NONE)
            return rec_json_fail(&p->in, at, err,
                                 "a Feature has bytesList, floatList or int64List, not '%.40s'",
                                 t2_buf_cstr(&p->key));
        if (rec_json_word(&p->in, "null"))
            continue;
        if (l->kind != TFR_NONE)
            return rec_json_fail(&p->in, at, err, "a Feature has one list only");
        rec_draft_begin(&p->draft, l, kind);
        T2_TRY(take_proto_list(p, l, err));
    }
}

/* The map of a Features message: {"inputs":{...}} */
static enum t2_status take_proto_map(struct parser *p, struct t2_err *err)
{
    size_t n = 0;
    bool more;

    T2_TRY(rec_json_expect(&p->in, '{', err));
    for (;;) {
        struct rec_name name;
        struct rec_list list;
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
        if (!more)
            return T2_OK;
        const uint8_t *at = p->in.p;
        T2_TRY(rec_json_key(&p->in, &p->key, err));
        T2_TRY(rec_draft_name(&p->draft, &p->in, at, t2_buf_slice(&p->key), &name, err));
        p->in.field = rec_draft_name_of(&p->draft, name, &p->message_key);
        T2_TRY(take_proto(p, &list, err));
        rec_draft_feature(&p->draft, name, list);
        p->in.field = (struct t2_slice){NULL, 0};
    }
}

/* ---- messages ---- */

static bool message_follows(struct parser *p)
{
    return rec_json_peek(&p->in) == '{' && !kind_is_named(p);
}

/* "features" or "context": {"feature":{...}}, and of a context also short features. */
static enum t2_status take_features(struct parser *p, bool may_be_short, struct t2_err *err)
{
    size_t n = 0;
    bool more;

    T2_TRY(rec_json_expect(&p->in, '{', err));
    for (;;) {
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
        if (!more)
            return T2_OK;
        const uint8_t *at = p->in.p;
        T2_TRY(rec_json_key(&p->in, &p->key, err));
        if (is_key(&p->key, "feature") && message_follows(p))
            T2_TRY(take_proto_map(p, err));
        else if (may_be_short)
            T2_TRY(take_short_feature(p, at, err));
        else
            return rec_json_fail(&p->in, at, err,
                                 "\"features\" has \"feature\": {...}, not '%.40s'",
                                 t2_buf_cstr(&p->key));
    }
}

/* The steps of a feature list: [[1],[2,3]], or {"feature":[{...}]}. */
static enum t2_status take_steps(struct parser *p, bool proto, struct t2_err *err)
{
    size_t n = 0;
    bool more;

    T2_TRY(rec_json_expect(&p->in, '[', err));
    for (;;) {
        struct rec_list step;
        T2_TRY(rec_json_next(&p->in, ']', &n, &more, err));
        if (!more)
            return T2_OK;
        if (proto)
            T2_TRY(take_proto(p, &step, err));
        else
            T2_TRY(take_short(p, &step, err));
        rec_draft_step(&p->draft, step);
    }
}

static enum t2_status take_list(struct parser *p, const uint8_t *at, bool proto, struct t2_err *err)
{
    struct rec_name name;
    size_t n = 0;
    bool more = true;

    T2_TRY(rec_draft_name(&p->draft, &p->in, at, t2_buf_slice(&p->key), &name, err));
    rec_draft_list(&p->draft, name);
    p->in.field = rec_draft_name_of(&p->draft, name, &p->message_key);
    if (proto) {
        T2_TRY(rec_json_expect(&p->in, '{', err));
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
    }
    if (proto && more) {
        T2_TRY(rec_json_key(&p->in, &p->key, err));
        if (!is_key(&p->key, "feature"))
            return rec_json_fail(&p->in, p->in.p, err, "a FeatureList has \"feature\": [...]");
        T2_TRY(take_steps(p, true, err));
        T2_TRY(rec_json_expect(&p->in, '}', err));
    }
    if (!proto)
        T2_TRY(take_steps(p, false, err));
    p->in.field = (struct t2_slice){NULL, 0};
    return T2_OK;
}

/* {"a":[[1],[2,3]]} or {"featureList":{"a":{"feature":[...]}}} */
static enum t2_status take_lists(struct parser *p, bool proto, struct t2_err *err)
{
    size_t n = 0;
    bool more;

    T2_TRY(rec_json_expect(&p->in, '{', err));
    for (;;) {
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
        if (!more)
            return T2_OK;
        const uint8_t *at = p->in.p;
        T2_TRY(rec_json_key(&p->in, &p->key, err));
        if (proto || rec_json_peek(&p->in) != '{')
            T2_TRY(take_list(p, at, proto, err));
        else if (is_key(&p->key, "featureList") || is_key(&p->key, "feature_list"))
            T2_TRY(take_lists(p, true, err));
        else
            return rec_json_fail(&p->in, p->in.p, err, "a feature list is a list of lists");
    }
}

static enum t2_status take_member(struct parser *p, struct t2_err *err)
{
    const uint8_t *at = p->in.p;

    T2_TRY(rec_json_key(&p->in, &p->key, err));
    if (message_follows(p)) {
        p->n_messages++;
        if (is_key(&p->key, "features"))
            return take_features(p, false, err);
        if (is_key(&p->key, "context")) {
            p->draft.has_context = true;
            return take_features(p, true, err);
        }
        if (is_key(&p->key, "feature_lists") || is_key(&p->key, "featureLists")) {
            p->draft.is_sequence = true;
            return take_lists(p, false, err);
        }
        p->n_messages--;
    }
    p->n_short++;
    return take_short_feature(p, at, err);
}

static enum t2_status take_row(struct parser *p, struct t2_err *err)
{
    const uint8_t *start;
    size_t n = 0;
    bool more;

    if (rec_json_peek(&p->in) != '{')
        return rec_json_fail(&p->in, p->in.p, err, "a record is an object: {\"inputs\":[3,1]}");
    start = p->in.p++;
    for (;;) {
        T2_TRY(rec_json_next(&p->in, '}', &n, &more, err));
        if (!more)
            break;
        T2_TRY(take_member(p, err));
    }
    T2_TRY(rec_json_end(&p->in, err));
    if (p->n_messages > 0 && p->n_short > 0)
        return rec_json_fail(&p->in, start, err,
                             "features stand beside \"features\", \"context\" or "
                             "\"feature_lists\": one shape only");
    return T2_OK;
}

enum t2_status rec_row_parse(const char *origin, uint64_t line, struct t2_slice json,
                             struct t2_buf *out, struct t2_err *err)
{
    struct parser p = {0};
    enum t2_status st;

    rec_json_init(&p.in, origin, line, json);
    if (json.len_bytes > REC_MAX_LINE_BYTES)
        return rec_json_fail(&p.in, p.in.p, err, "a line of more than %d bytes",
                             REC_MAX_LINE_BYTES);
    st = take_row(&p, err);
    if (st == T2_OK)
        st = rec_draft_build(&p.draft, &p.in, out, err);
    rec_draft_release(&p.draft);
    t2_buf_release(&p.key);
    t2_buf_release(&p.message_key);
    return st;
}
