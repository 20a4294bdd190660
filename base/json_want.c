/*
 * base/json_want.c - members that a document must have.
 */
#include "base/json_want.h"

#include <string.h>

#include "base/alloc.h"

void t2_json_complain(struct t2_json_want *w, const char *key, const char *wanted)
{
    if (w->status == T2_OK)
        w->status = t2_fail(w->err, T2_EFORMAT, "'%s': \"%s\" is not %s", w->origin, key, wanted);
}

char *t2_json_want_string(struct t2_json_want *w, const struct t2_json_value *object,
                          const char *key)
{
    const char *s = t2_json_as_string(t2_json_get(object, key), NULL);

    if (!s)
        t2_json_complain(w, key, "a string");
    return t2_strdup(s ? s : "");
}

char *t2_json_want_file(struct t2_json_want *w, const struct t2_json_value *object, const char *key)
{
    char *s = t2_json_want_string(w, object, key);

    if (w->status == T2_OK &&
        (*s == '\0' || strchr(s, '/') || strcmp(s, ".") == 0 || strcmp(s, "..") == 0))
        t2_json_complain(w, key, "a plain file name");
    return s;
}

int64_t t2_json_want_i64(struct t2_json_want *w, const struct t2_json_value *object,
                         const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    if (t2_json_type(v) != T2_JSON_INT)
        t2_json_complain(w, key, "an integer");
    return t2_json_as_i64(v, 0);
}

uint64_t t2_json_want_u64(struct t2_json_want *w, const struct t2_json_value *object,
                          const char *key)
{
    int64_t v = t2_json_want_i64(w, object, key);

    if (v < 0)
        t2_json_complain(w, key, "a count");
    return v < 0 ? 0 : (uint64_t) v;
}

bool t2_json_want_bool(struct t2_json_want *w, const struct t2_json_value *object, const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    if (t2_json_type(v) != T2_JSON_BOOL)
        t2_json_complain(w, key, "true or false");
    return t2_json_as_bool(v, false);
}

void t2_json_want_sha256(struct t2_json_want *w, const struct t2_json_value *object,
                         const char *key, char hex[T2_SHA256_HEX])
{
    const char *s = t2_json_as_string(t2_json_get(object, key), "");

    memset(hex, 0, T2_SHA256_HEX);
    if (strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64)
        memcpy(hex, s, 64);
    else
        t2_json_complain(w, key, "a SHA-256 in hex");
}
