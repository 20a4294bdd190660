/*
 * base/json.c - reading JSON, by jansson.
 *
 * jansson's tree is turned into our own: its objects have no members by number, and walking a
 * vocabulary of 100000 entries by iterator from the start each time is quadratic.  Strings and keys
 * stay in jansson's tree, which lives as long as the document.
 */
#include "base/json.h"

#include <pthread.h>
#include <string.h>

#include <jansson.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/map.h"

/* Objects with more members get a hash map. */
enum { LINEAR_MEMBERS = 8 };

struct t2_json_value {
    enum t2_json_type type;
    union {
        bool boolean;
        int64_t integer;
        double real;
        const char *string;
        size_t n; /* items or members */
    } u;
    struct t2_json_value *items; /* of arrays and objects */
    const char **keys;           /* of objects */
    struct t2_map *index;        /* of big objects: key -> number of the member */
};

struct t2_json_doc {
    json_t *tree;
    struct t2_json_value root;
};

static void convert(struct t2_json_value *v, json_t *from);

static void convert_object(struct t2_json_value *v, json_t *from)
{
    const char *key;
    json_t *item;
    size_t i = 0;

    v->u.n = json_object_size(from);
    v->items = t2_alloc(v->u.n, sizeof *v->items);
    v->keys = t2_alloc(v->u.n, sizeof *v->keys);
    if (v->u.n > LINEAR_MEMBERS)
        v->index = t2_map_new();
    json_object_foreach(from, key, item)
    {
        v->keys[i] = key;
        convert(&v->items[i], item);
        if (v->index)
            *t2_map_at(v->index, key, strlen(key), NULL) = i;
        i++;
    }
}

/* The parser has limited the depth, so recursion is safe. */
static void convert(struct t2_json_value *v, json_t *from)
{
    switch (json_typeof(from)) {
    case JSON_NULL:
        v->type = T2_JSON_NULL;
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        v->type = T2_JSON_BOOL;
        v->u.boolean = json_is_true(from);
        break;
    case JSON_INTEGER:
        v->type = T2_JSON_INT;
        v->u.integer = json_integer_value(from);
        break;
    case JSON_REAL:
        v->type = T2_JSON_REAL;
        v->u.real = json_real_value(from);
        break;
    case JSON_STRING:
        v->type = T2_JSON_STRING;
        v->u.string = json_string_value(from);
        break;
    case JSON_ARRAY:
        v->type = T2_JSON_ARRAY;
        v->u.n = json_array_size(from);
        v->items = t2_alloc(v->u.n, sizeof *v->items);
        for (size_t i = 0; i < v->u.n; i++)
            convert(&v->items[i], json_array_get(from, i));
        break;
    case JSON_OBJECT:
        v->type = T2_JSON_OBJECT;
        convert_object(v, from);
        break;
    }
}

static void release(struct t2_json_value *v)
{
    for (size_t i = 0; v->items && i < v->u.n; i++)
        release(&v->items[i]);
    t2_free(v->items);
    t2_free(v->keys);
    t2_map_free(v->index);
}

/* When an allocation fails, jansson reports good text as damaged: it returns NULL for both, so an
 * allocator that ends the program keeps the two apart. */
static void give_memory(void)
{
    json_set_alloc_funcs(t2_library_malloc, t2_free);
}

static void prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, give_memory);
}

static enum t2_status parse(const char *text, size_t len_bytes, size_t flags, const char *origin,
                            struct t2_json_doc **doc, struct t2_err *err)
{
    json_error_t error;
    json_t *tree;

    /* Editors on Windows put a byte order mark in front. */
    if (len_bytes >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        len_bytes -= 3;
    }
    if (len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "%s:1:1: empty, not JSON", origin);
    prepare();
    tree = json_loadb(text, len_bytes, JSON_DECODE_ANY | flags, &error);
    if (!tree)
        return t2_fail(err, T2_EFORMAT, "%s:%d:%d: %s", origin, error.line, error.column,
                       error.text);
    *doc = t2_alloc(1, sizeof **doc);
    (*doc)->tree = tree;
    convert(&(*doc)->root, tree);
    return T2_OK;
}

enum t2_status t2_json_parse(const char *text, size_t len_bytes, const char *origin,
                             struct t2_json_doc **doc, struct t2_err *err)
{
    return parse(text, len_bytes, 0, origin, doc, err);
}

enum t2_status t2_json_parse_unique(const char *text, size_t len_bytes, const char *origin,
                                    struct t2_json_doc **doc, struct t2_err *err)
{
    return parse(text, len_bytes, JSON_REJECT_DUPLICATES, origin, doc, err);
}

enum t2_status t2_json_load(const char *path, struct t2_json_doc **doc, struct t2_err *err)
{
    struct t2_buf text = {0};
    enum t2_status st = t2_read_file(path, 0, &text, err);

    if (st == T2_OK)
        st = t2_json_parse(t2_buf_cstr(&text), text.len_bytes, path, doc, err);
    t2_buf_release(&text);
    return st;
}

void t2_json_free(struct t2_json_doc *doc)
{
    if (!doc)
        return;
    release(&doc->root);
    json_decref(doc->tree);
    t2_free(doc);
}

const struct t2_json_value *t2_json_root(const struct t2_json_doc *doc)
{
    return &doc->root;
}

enum t2_json_type t2_json_type(const struct t2_json_value *v)
{
    return v ? v->type : T2_JSON_NULL;
}

const struct t2_json_value *t2_json_get(const struct t2_json_value *object, const char *key)
{
    if (t2_json_type(object) != T2_JSON_OBJECT)
        return NULL;
    if (object->index) {
        const uint64_t *i = t2_map_find(object->index, key, strlen(key));

        return i ? &object->items[*i] : NULL;
    }
    for (size_t i = 0; i < object->u.n; i++) {
        if (strcmp(object->keys[i], key) == 0)
            return &object->items[i];
    }
    return NULL;
}

size_t t2_json_size(const struct t2_json_value *v)
{
    return v && v->items ? v->u.n : 0;
}

const struct t2_json_value *t2_json_item(const struct t2_json_value *array, size_t i)
{
    if (t2_json_type(array) != T2_JSON_ARRAY || i >= array->u.n)
        return NULL;
    return &array->items[i];
}

const char *t2_json_member(const struct t2_json_value *object, size_t i,
                           const struct t2_json_value **value)
{
    if (t2_json_type(object) != T2_JSON_OBJECT || i >= object->u.n) {
        if (value)
            *value = NULL;
        return NULL;
    }
    if (value)
        *value = &object->items[i];
    return object->keys[i];
}

const char *t2_json_as_string(const struct t2_json_value *v, const char *otherwise)
{
    return t2_json_type(v) == T2_JSON_STRING ? v->u.string : otherwise;
}

int64_t t2_json_as_i64(const struct t2_json_value *v, int64_t otherwise)
{
    return t2_json_type(v) == T2_JSON_INT ? v->u.integer : otherwise;
}

double t2_json_as_double(const struct t2_json_value *v, double otherwise)
{
    if (t2_json_type(v) == T2_JSON_INT)
        return (double) v->u.integer;
    return t2_json_type(v) == T2_JSON_REAL ? v->u.real : otherwise;
}

bool t2_json_as_bool(const struct t2_json_value *v, bool otherwise)
{
    return t2_json_type(v) == T2_JSON_BOOL ? v->u.boolean : otherwise;
}
