/*
 * datagen/problem_files/file_values.c - the values of a problem file.
 */
#include "datagen/problem_files/file_values.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"
#include "datagen/problem_files/braces.h"

enum t2_status dg_value_wrong(const struct dg_file_value *v, const char *wanted, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': %s must be %s", v->path, v->key, wanted);
}

enum t2_status dg_value_string(const struct dg_file_value *v, const char **text, struct t2_err *err)
{
    *text = t2_json_as_string(v->json, NULL);
    return *text ? T2_OK : dg_value_wrong(v, "a text", err);
}

enum t2_status dg_value_text(const struct dg_file_value *v, const char **text, struct t2_err *err)
{
    struct t2_buf joined = {0};

    if (t2_json_type(v->json) == T2_JSON_STRING) {
        *text = t2_json_as_string(v->json, "");
        return T2_OK;
    }
    if (t2_json_type(v->json) == T2_JSON_INT) { /* columns: 2 */
        *text = dg_file_keep(v->memory, t2_asprintf("%" PRId64, t2_json_as_i64(v->json, 0)));
        return T2_OK;
    }
    if (t2_json_type(v->json) != T2_JSON_ARRAY)
        return dg_value_wrong(v, "a text, or a list of texts", err);
    for (size_t i = 0; i < t2_json_size(v->json); i++) {
        const struct t2_json_value *item = t2_json_item(v->json, i);
        if (i > 0)
            t2_buf_push(&joined, ',');
        if (t2_json_type(item) == T2_JSON_INT)
            t2_buf_printf(&joined, "%" PRId64, t2_json_as_i64(item, 0));
        else
            t2_buf_puts(&joined, t2_json_as_string(item, ""));
    }
    *text = dg_file_keep(v->memory, t2_buf_detach(&joined));
    return T2_OK;
}

enum t2_status dg_value_list(const struct dg_file_value *v, const char *const **list, size_t *n,
                             struct t2_err *err)
{
    size_t n_items = t2_json_type(v->json) == T2_JSON_ARRAY ? t2_json_size(v->json) : 1;
    const char **items = dg_file_alloc(v->memory, n_items + 1, sizeof *items);

    for (size_t i = 0; i < n_items; i++) {
        bool is_list = t2_json_type(v->json) == T2_JSON_ARRAY;
        items[i] = t2_json_as_string(is_list ? t2_json_item(v->json, i) : v->json, NULL);
        if (!items[i])
            return dg_value_wrong(v, "a text, or a list of texts", err);
    }
    if (n_items == 0)
        return dg_value_wrong(v, "a text, or a list of texts", err);
    *list = items;
    *n = n_items;
    return T2_OK;
}

enum t2_status dg_value_pair(const struct dg_file_value *v, const char *pair[2], struct t2_err *err)
{
    const char *text = t2_json_as_string(v->json, NULL);
    struct t2_strs two = {0};

    if (text && dg_expand_braces(text, 2, &two) && two.n == 2) {
        for (size_t i = 0; i < 2; i++)
            pair[i] = dg_file_keep(v->memory, t2_strdup(two.items[i]));
        t2_strs_release(&two);
        return T2_OK;
    }
    t2_strs_release(&two);
    if (t2_json_type(v->json) != T2_JSON_ARRAY || t2_json_size(v->json) != 2)
        return dg_value_wrong(v, "two texts, [a.en, a.de] or \"a.{en,de}\"", err);
    for (size_t i = 0; i < 2; i++) {
        pair[i] = t2_json_as_string(t2_json_item(v->json, i), NULL);
        if (!pair[i])
            return dg_value_wrong(v, "two texts, [a.en, a.de] or \"a.{en,de}\"", err);
    }
    return T2_OK;
}

enum t2_status dg_value_count(const struct dg_file_value *v, uint64_t *count, struct t2_err *err)
{
    if (t2_json_type(v->json) != T2_JSON_INT || t2_json_as_i64(v->json, -1) < 0)
        return dg_value_wrong(v, "a number, 0 or more", err);
    *count = (uint64_t) t2_json_as_i64(v->json, 0);
    return T2_OK;
}

enum t2_status dg_value_number(const struct dg_file_value *v, int64_t *number, struct t2_err *err)
{
    uint64_t count = 0;

    T2_TRY(dg_value_count(v, &count, err));
    *number = (int64_t) count;
    return count <= INT32_MAX ? T2_OK : dg_value_wrong(v, "a smaller number", err);
}

enum t2_status dg_value_real(const struct dg_file_value *v, double *real, struct t2_err *err)
{
    if (t2_json_type(v->json) != T2_JSON_INT && t2_json_type(v->json) != T2_JSON_REAL)
        return dg_value_wrong(v, "a number", err);
    *real = t2_json_as_double(v->json, 0);
    return T2_OK;
}

enum t2_status dg_value_flag(const struct dg_file_value *v, bool *flag, struct t2_err *err)
{
    if (t2_json_type(v->json) != T2_JSON_BOOL)
        return dg_value_wrong(v, "true or false", err);
    *flag = t2_json_as_bool(v->json, false);
    return T2_OK;
}
