/*
 * tests/fuzz/fuzz_json.c - base/json.c: no crash on any text; what is accepted can be walked, and
 * written and read again, with the same result.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/json_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every member is found by its name. */
static void walk(const struct t2_json_value *v)
{
    for (size_t i = 0; i < t2_json_size(v); i++) {
        const struct t2_json_value *item = t2_json_item(v, i);

        if (t2_json_type(v) == T2_JSON_OBJECT) {
            const char *key = t2_json_member(v, i, &item);

            if (t2_json_get(v, key) != item)
                abort();
        }
        walk(item);
    }
}

/* False when it nests deeper than the writer can. */
static bool write_doc(const struct t2_json_doc *doc, struct t2_buf *out)
{
    struct t2_err none = T2_ERR_INIT;
    struct t2_json j;

    t2_json_init(&j, out, 1);
    return t2_json_copy(&j, t2_json_root(doc), &none) == T2_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_json_doc *doc = NULL, *again = NULL;
    struct t2_buf first = {0}, second = {0};
    struct t2_err err = T2_ERR_INIT;

    if (t2_json_parse((const char *) data, size, "input", &doc, &err) != T2_OK)
        return 0;
    walk(t2_json_root(doc));
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
