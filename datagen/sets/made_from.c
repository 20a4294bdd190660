/*
 * datagen/sets/made_from.c - what decides the bytes of a data set.
 */
#include "datagen/sets/made_from.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"

enum { DIFFERENCES_SHOWN = 3 };

void dg_made_from_release(struct dg_made_from *m)
{
    t2_strs_release(&m->keys);
    t2_strs_release(&m->values);
}

void dg_made_from_add(struct dg_made_from *m, const char *key, const char *format, ...)
{
    char value[512];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    t2_strs_push(&m->keys, key);
    t2_strs_push(&m->values, value);
}

const char *dg_made_from_get(const struct dg_made_from *m, const char *key)
{
    for (size_t i = 0; i < m->keys.n; i++) {
        if (strcmp(m->keys.items[i], key) == 0)
            return m->values.items[i];
    }
    return NULL;
}

static void describe(struct t2_buf *text, size_t n, const char *key, const char *there,
                     const char *here)
{
    if (n < DIFFERENCES_SHOWN)
        t2_buf_printf(text, "%s%s: %s there, %s here", n ? "; " : "", key, there ? there : "none",
                      here ? here : "none");
    else if (n == DIFFERENCES_SHOWN)
        t2_buf_puts(text, "; and more");
}

size_t dg_made_from_compare(const struct dg_made_from *there, const struct dg_made_from *here,
                            struct t2_buf *text)
{
    size_t n = 0;

    for (size_t i = 0; i < here->keys.n; i++) {
        const char *value = dg_made_from_get(there, here->keys.items[i]);
        if (!value || strcmp(value, here->values.items[i]) != 0)
            describe(text, n++, here->keys.items[i], value, here->values.items[i]);
    }
    for (size_t i = 0; i < there->keys.n; i++) {
        if (!dg_made_from_get(here, there->keys.items[i]))
            describe(text, n++, there->keys.items[i], there->values.items[i], NULL);
    }
    return n;
}

enum t2_status dg_made_from_load(const char *path, const char *key, struct dg_made_from *m,
                                 struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    const struct t2_json_value *object, *value;

    T2_TRY(t2_json_load(path, &doc, err));
    object = t2_json_get(t2_json_root(doc), key);
    if (t2_json_type(object) != T2_JSON_OBJECT) {
        t2_json_free(doc);
        return t2_fail(err, T2_EFORMAT, "'%s' has no object \"%s\"", path, key);
    }
    for (size_t i = 0; i < t2_json_size(object); i++) {
        const char *name = t2_json_member(object, i, &value);
        dg_made_from_add(m, name, "%s", t2_json_as_string(value, ""));
    }
    t2_json_free(doc);
    return T2_OK;
}

void dg_made_from_write(const struct dg_made_from *m, const char *key, struct t2_json *json)
{
    t2_json_key(json, key);
    t2_json_object(json);
    for (size_t i = 0; i < m->keys.n; i++)
        t2_json_kv_string(json, m->keys.items[i], m->values.items[i]);
    t2_json_end_object(json);
}
