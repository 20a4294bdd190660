/*
 * base/yaml.c - YAML into the values of json.h, by way of JSON text.
 *
 * Subset: the documents people write as settings.  A plain scalar becomes null, a boolean, an
 * integer or a number by the rules of YAML 1.1 as PyYAML applies them (so `on` and `no` are
 * booleans); a quoted one stays a string.  Tags, anchors and aliases are refused: without aliases
 * a file of a few bytes cannot stand for gigabytes.  By way of JSON text, because callers then
 * have one kind of tree, and the limits of the JSON reader hold.
 */
#include "base/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_writer.h"
#include "base/str.h"
#include "base/yaml_tree.h"

static bool is_one_of(const char *s, const char *const *words)
{
    for (; *words; words++) {
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

/* Tags ask for types that JSON has not. */
static enum t2_status put(struct t2_json *json, const struct t2_yaml_node *node, const char *origin,
                          struct t2_err *err)
{
    if (node->tag)
        return t2_fail(err, T2_EFORMAT, "'%s': line %zu, column %zu: tags are not understood here",
                       origin, node->line, node->column);
    if (node->kind == T2_YAML_SCALAR) {
        if (node->plain)
            put_plain(json, node->text);
        else
            t2_json_string(json, node->text);
        return T2_OK;
    }
    if (node->kind == T2_YAML_LIST)
        t2_json_array(json);
    else
        t2_json_object(json);
    for (size_t i = 0; i < node->n; i++) {
        if (node->kind == T2_YAML_MAPPING)
            t2_json_key(json, node->items[i].key);
        T2_TRY(put(json, &node->items[i], origin, err));
    }
    if (node->kind == T2_YAML_LIST)
        t2_json_end_array(json);
    else
        t2_json_end_object(json);
    return T2_OK;
}

enum t2_status t2_yaml_parse(const char *text, size_t len_bytes, const char *origin,
                             struct t2_json_doc **doc, struct t2_err *err)
{
    struct t2_yaml_node *root = NULL;
    struct t2_buf out = {0};
    struct t2_json json;
    enum t2_status st;

    *doc = NULL;
    T2_TRY(t2_yaml_tree(text, len_bytes, origin, &root, err));
    t2_json_init(&json, &out, 0);
    if (!root) {
        t2_json_null(&json);
        st = T2_OK;
    } else {
        st = put(&json, root, origin, err);
    }
    t2_yaml_free(root);
    if (st == T2_OK)
        st = t2_json_parse(t2_buf_cstr(&out), out.len_bytes, origin, doc, err);
    t2_buf_release(&out);
    return st;
}
