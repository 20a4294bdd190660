/*
 * tests/fuzz/fuzz_json_items.c - datagen/source/json_items.c: no crash on any text; of a document that is JSON as a whole
 * it gives the items that are in it.
 */
#include <stdlib.h>
#include <string.h>

#include "datagen/source/json_items.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many items, -1: refused. */
static int64_t count_items(const char *path)
{
    struct dg_source_text text = {.path = (char[]){"fuzz"}};
    const struct t2_json_value *v;
    struct t2_err err = T2_ERR_INIT;
    struct dg_json_items *it;
    enum t2_status st;
    int64_t n = 0;

    if (t2_in_new(path, &text.in, &err) != T2_OK)
        abort();
    it = dg_json_items_new(&text, "k", 1 << 20);
    while ((st = dg_json_items_next(it, &v, &err)) == T2_OK)
        ++n;
    if (st != T2_EOF && err.message[0] == '\0')
        abort();
    dg_json_items_free(it);
    t2_in_free(text.in);
    return st == T2_EOF ? n : -1;
}

/* Of what both must understand alike: {"k": [objects and arrays]}, "k" once, nothing escaped. */
static int64_t count_parsed(const char *text, size_t len_bytes)
{
    const struct t2_json_value *k;
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const char *first = strstr(text, "\"k\"");
    int64_t n = -1;
    size_t i;

    if (strlen(text) != len_bytes || strchr(text, '\\') || !first || strstr(first + 1, "\"k\"") ||
        t2_json_parse(text, len_bytes, "fuzz", &doc, &err) != T2_OK)
        return -1;
    k = t2_json_get(t2_json_root(doc), "k");
    if (t2_json_type(k) == T2_JSON_ARRAY)
        n = (int64_t) t2_json_size(k);
    for (i = 0; n >= 0 && i < (size_t) n; ++i) {
        enum t2_json_type type = t2_json_type(t2_json_item(k, i));
        if (type != T2_JSON_OBJECT && type != T2_JSON_ARRAY)
            n = -1;
    }
    t2_json_free(doc);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);
    int64_t expected, n;

    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    expected = count_parsed(text, size);
    n = count_items(path);
    if (expected >= 0 && n != expected && size < 10000)
        abort();
    t_memory_file_close(fd);
    free(text);
    return 0;
}
