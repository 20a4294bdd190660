/*
 * base/yaml.c - YAML into the values of json.h, by way of JSON text.
 */
#include "base/yaml.h"

#include "base/buf.h"
#include "base/file.h"

enum { MAX_FILE_BYTES = 16 << 20 };

#ifdef T2_HAVE_YAML
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/json_writer.h"
#include "base/str.h"

enum { MAX_DEPTH = 60, MAX_KEYS = 10000 };

struct reading {
    yaml_parser_t parser;
    const char *origin;
    struct t2_json json;
    int depth;
    struct t2_err *err;
};

static enum t2_status fail_at(const struct reading *r, yaml_mark_t at, const char *what)
{
    return t2_fail(r->err, T2_EFORMAT, "'%s': line %zu, column %zu: %s", r->origin, at.line + 1,
                   at.column + 1, what);
}

/* The next event, which the caller deletes. */
static enum t2_status next_event(struct reading *r, yaml_event_t *e)
{
    if (yaml_parser_parse(&r->parser, e))
        return T2_OK;
    return fail_at(r, r->parser.problem_mark, r->parser.problem ? r->parser.problem : "no YAML");
}

static bool is_one_of(const char *s, const char *const *words)
{
    for (; *words; ++words) {
        if (strcmp(s, *words) == 0)
            return true;
    }
    return false;
}

/* Does it look like a number, and not like "nan", "infinity" or hexadecimal floats? */
static bool parse_number(const char *s, double *value)
{
    char *end;

    if (strspn(s, "+-.0123456789eE_") != strlen(s) || !strpbrk(s, "0123456789") || strchr(s, '_'))
        return false;
    *value = strtod(s, &end);
    return *end == '\0' && isfinite(*value);
}

static bool parse_hex(const char *s, int64_t *value)
{
    char *end;

    if (s[0] != '0' || (s[1] != 'x' && s[1] != 'o') || s[2] == '\0' || strlen(s) > 17)
        return false;
    *value = (int64_t) strtoull(s + 2, &end, s[1] == 'x' ? 16 : 8);
    return *end == '\0' && *value >= 0;
}

static void put_plain(struct t2_json *json, const char *s)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes",
                                      "YES",  "on",   "On",   "ON",  NULL};
    static const char *const no[] = {"false", "False", "FALSE", "no",  "No",
                                     "NO",    "off",   "Off",   "OFF", NULL};
    int64_t integer;
    double number;

    if (is_one_of(s, nulls))
        t2_json_null(json);
    else if (is_one_of(s, yes) || is_one_of(s, no))
        t2_json_bool(json, is_one_of(s, yes));
    else if (t2_parse_i64(s[0] == '+' ? s + 1 : s, &integer) || parse_hex(s, &integer))
        t2_json_i64(json, integer);
    else if (parse_number(s, &number))
        t2_json_double(json, number);
    else
        t2_json_string(json, s);
}

static enum t2_status put_scalar(struct reading *r, const yaml_event_t *e)
{
    const char *s = (const char *) e->data.scalar.value;

    if (e->data.scalar.tag)
        return fail_at(r, e->start_mark, "tags are not understood here");
    if (strlen(s) != e->data.scalar.length)
        return fail_at(r, e->start_mark, "a text with a NUL character");
    if (e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        put_plain(&r->json, s);
    else
        t2_json_string(&r->json, s);
    return T2_OK;
}

static enum t2_status put_event(struct reading *r, const yaml_event_t *e);

/* Items up to the end of a list. */
static enum t2_status put_list(struct reading *r)
{
    enum t2_status st = T2_OK;
    bool more = true;

    t2_json_array(&r->json);
    while (st == T2_OK && more) {
        yaml_event_t e;
        T2_TRY(next_event(r, &e));
        more = e.type != YAML_SEQUENCE_END_EVENT;
        if (more)
            st = put_event(r, &e);
        yaml_event_delete(&e);
    }
    if (st == T2_OK)
        t2_json_end_array(&r->json);
    return st;
}

/* One key and its value; *more is false at the end of the mapping. */
static enum t2_status put_member(struct reading *r, struct t2_strs *keys, bool *more)
{
    yaml_event_t key, value;
    enum t2_status st = T2_OK;
    size_t i;

    T2_TRY(next_event(r, &key));
    *more = key.type != YAML_MAPPING_END_EVENT;
    if (*more && key.type != YAML_SCALAR_EVENT)
        st = fail_at(r, key.start_mark, "a key that is not a word");
    for (i = 0; i < keys->n && *more && st == T2_OK; ++i) {
        if (strcmp(keys->items[i], (const char *) key.data.scalar.value) == 0)
            st = fail_at(r, key.start_mark, "this key is there twice");
    }
    if (*more && st == T2_OK && keys->n == MAX_KEYS)
        st = fail_at(r, key.start_mark, "too many keys");
    if (*more && st == T2_OK) {
        t2_strs_push(keys, (const char *) key.data.scalar.value);
        t2_json_key(&r->json, (const char *) key.data.scalar.value);
        st = next_event(r, &value);
        if (st == T2_OK) {
            st = put_event(r, &value);
            yaml_event_delete(&value);
        }
    }
    yaml_event_delete(&key);
    return st;
}

static enum t2_status put_mapping(struct reading *r)
{
    struct t2_strs keys = {0};
    enum t2_status st = T2_OK;
    bool more = true;

    t2_json_object(&r->json);
    while (st == T2_OK && more)
        st = put_member(r, &keys, &more);
    if (st == T2_OK)
        t2_json_end_object(&r->json);
    t2_strs_release(&keys);
    return st;
}

/* A value that begins with e. */
static enum t2_status put_event(struct reading *r, const yaml_event_t *e)
{
    enum t2_status st = T2_OK;

    if (++r->depth > MAX_DEPTH)
        return fail_at(r, e->start_mark, "nested too deeply");
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        st = put_scalar(r, e);
        break;
    case YAML_SEQUENCE_START_EVENT:
        st = put_list(r);
        break;
    case YAML_MAPPING_START_EVENT:
        st = put_mapping(r);
        break;
    case YAML_ALIAS_EVENT:
        st = fail_at(r, e->start_mark, "aliases (*name) are not understood here");
        break;
    default:
        st = fail_at(r, e->start_mark, "a value was expected");
        break;
    }
    --r->depth;
    return st;
}

/* The one document; an empty text has none and is null. */
static enum t2_status put_documents(struct reading *r)
{
    bool more = true, any = false;
    enum t2_status st = T2_OK;

    while (st == T2_OK && more) {
        yaml_event_t e;
        T2_TRY(next_event(r, &e));
        more = e.type != YAML_STREAM_END_EVENT;
        if (e.type == YAML_DOCUMENT_START_EVENT && any)
            st = fail_at(r, e.start_mark, "more than one document");
        any = any || e.type == YAML_DOCUMENT_START_EVENT;
        if (e.type == YAML_SCALAR_EVENT || e.type == YAML_SEQUENCE_START_EVENT ||
            e.type == YAML_MAPPING_START_EVENT || e.type == YAML_ALIAS_EVENT)
            st = put_event(r, &e);
        yaml_event_delete(&e);
    }
    if (st == T2_OK && !any)
        t2_json_null(&r->json);
    return st;
}

enum t2_status t2_yaml_parse(const char *text, size_t len_bytes, const char *origin,
                             struct t2_json_doc **doc, struct t2_err *err)
{
    struct reading r = {.origin = origin, .err = err};
    struct t2_buf out = {0};
    enum t2_status st;

    *doc = NULL;
    if (!yaml_parser_initialize(&r.parser))
        return t2_fail(err, T2_ENOMEM, "'%s': no memory to read it", origin);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *) text, len_bytes);
    t2_json_init(&r.json, &out, 0);
    st = put_documents(&r);
    yaml_parser_delete(&r.parser);
    if (st == T2_OK)
        st = t2_json_parse(t2_buf_cstr(&out), out.len_bytes, origin, doc, err);
    t2_buf_release(&out);
    return st;
}

#else

enum t2_status t2_yaml_parse(const char *text, size_t len_bytes, const char *origin,
                             struct t2_json_doc **doc, struct t2_err *err)
{
    (void) text;
    (void) len_bytes;
    *doc = NULL;
    return t2_fail(
        err, T2_EUNSUPPORTED,
        "'%s': this program was built without libyaml: apt-get install libyaml-dev, make", origin);
}

#endif

enum t2_status t2_yaml_load(const char *path, struct t2_json_doc **doc, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st;

    *doc = NULL;
    st = t2_read_file(path, MAX_FILE_BYTES, &text, err);
    if (st == T2_OK)
        st = t2_yaml_parse(t2_buf_cstr(&text), text.len_bytes, path, doc, err);
    t2_buf_release(&text);
    return st;
}
