/*
 * base/json_copy.c - a value that was read, written again.
 */
#include "base/json_copy.h"

#include <string.h>

enum { MAX_WRITER_DEPTH = sizeof((struct t2_json *) 0)->first / sizeof(bool) };

/* Levels of arrays and objects; never counts beyond what the writer can do. */
static int depth_of(const struct t2_json_value *v, int limit)
{
    bool is_object = t2_json_type(v) == T2_JSON_OBJECT;
    int deepest = 0;

    if (!is_object && t2_json_type(v) != T2_JSON_ARRAY)
        return 0;
    for (size_t i = 0; i < t2_json_size(v) && deepest < limit; i++) {
        const struct t2_json_value *item = NULL;
        if (is_object)
            (void) t2_json_member(v, i, &item);
        else
            item = t2_json_item(v, i);
        int d = depth_of(item, limit - 1);
        deepest = d > deepest ? d : deepest;
    }
    return 1 + deepest;
}

/* A whole real number needs its point, or it comes back as an integer. */
static void copy_real(struct t2_json *j, double v)
{
    size_t before = j->out->len_bytes;

    t2_json_double(j, v);
    if (!strpbrk((const char *) j->out->data + before, ".en"))
        t2_buf_puts(j->out, ".0");
}

/* depth_of has limited the depth. */
static void copy(struct t2_json *j, const struct t2_json_value *v)
{
    const struct t2_json_value *item = NULL;

    switch (t2_json_type(v)) {
    case T2_JSON_NULL:
        t2_json_null(j);
        break;
    case T2_JSON_BOOL:
        t2_json_bool(j, t2_json_as_bool(v, false));
        break;
    case T2_JSON_INT:
        t2_json_i64(j, t2_json_as_i64(v, 0));
        break;
    case T2_JSON_REAL:
        copy_real(j, t2_json_as_double(v, 0));
        break;
    case T2_JSON_STRING:
        t2_json_string(j, t2_json_as_string(v, ""));
        break;
    case T2_JSON_ARRAY:
        t2_json_array(j);
        for (size_t i = 0; i < t2_json_size(v); i++)
            copy(j, t2_json_item(v, i));
        t2_json_end_array(j);
        break;
    case T2_JSON_OBJECT:
        t2_json_object(j);
        for (size_t i = 0; i < t2_json_size(v); i++) {
            t2_json_key(j, t2_json_member(v, i, &item));
            copy(j, item);
        }
        t2_json_end_object(j);
        break;
    }
}

enum t2_status t2_json_copy(struct t2_json *j, const struct t2_json_value *v, struct t2_err *err)
{
    int limit = MAX_WRITER_DEPTH - j->depth;

    if (depth_of(v, limit) > limit)
        return t2_fail(err, T2_EFORMAT, "JSON is nested more than %d levels deep",
                       (int) MAX_WRITER_DEPTH);
    copy(j, v);
    return T2_OK;
}
