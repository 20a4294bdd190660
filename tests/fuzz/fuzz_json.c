/*
 * tests/fuzz/fuzz_json.c - base/json.c: no crash on any text; what is accepted can be walked, and
 * written and read again, with the same result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/json_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WRITER_DEPTH = 60 };

/* Writes v; false when it nests deeper than the writer can. */
static bool write_value(struct t2_json *j, const struct t2_json_value *v, int depth)
{
    if (depth > WRITER_DEPTH)
        return false;
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
        t2_json_double(j, t2_json_as_double(v, 0));
        break;
    case T2_JSON_STRING:
        t2_json_string(j, t2_json_as_string(v, ""));
        break;
    case T2_JSON_ARRAY:
        t2_json_array(j);
        for (size_t i = 0; i < t2_json_size(v); ++i) {
            if (!write_value(j, t2_json_item(v, i), depth + 1))
                return false;
        }
        t2_json_end_array(j);
        break;
    case T2_JSON_OBJECT:
        t2_json_object(j);
        for (size_t i = 0; i < t2_json_size(v); ++i) {
            const struct t2_json_value *member;
            const char *key = t2_json_member(v, i, &member);

            if (t2_json_get(v, key) != member)
                abort();
            t2_json_key(j, key);
            if (!write_value(j, member, depth + 1))
                return false;
        }
        t2_json_end_object(j);
        break;
    }
    return true;
}

static bool write_doc(const struct t2_json_doc *doc, struct t2_buf *out)
{
    struct t2_json j;

    t2_json_init(&j, out, 1);
    return write_value(&j, t2_json_root(doc), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_json_doc *doc = NULL, *again = NULL;
    struct t2_buf first = {0}, second = {0};
    struct t2_err err = T2_ERR_INIT;

    if (t2_json_parse((const char *) data, size, "input", &doc, &err) != T2_OK)
        return 0;
    if (write_doc(doc, &first)) {
        if (t2_json_parse(t2_buf_cstr(&first), first.len_bytes, "first", &again, &err) != T2_OK)
            abort();
        if (!write_doc(again, &second) || strcmp(t2_buf_cstr(&first), t2_buf_cstr(&second)) != 0)
            abort();
    }
    t2_json_free(again);
    t2_json_free(doc);
    t2_buf_release(&first);
    t2_buf_release(&second);
    return 0;
}
