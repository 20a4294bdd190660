/*
 * tests/fuzz/fuzz_json_items.c - datagen/source/json_items.c, base/json_grammar.c: no crash on any
 * text; the verdict of the grammar is the parser's, and of a document that is JSON the items are
 * those that are in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json_grammar.h"
#include "datagen/source/json_items.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_MEMORY = 1 << 20, SMALL = 4000 /* no name and no item is too long */ };
static const char *const keys[] = {"k", NULL};

/* How many items, -1: refused. */
static int64_t count_items(const char *path, const char *const *wanted)
{
    struct dg_source_text text = {.path = (char[]){"fuzz"}};
    const struct t2_json_value *v;
    struct t2_err err = T2_ERR_INIT;
    struct dg_json_items *it;
    enum t2_status st;
    int64_t n = 0;

    if (t2_in_new(path, &text.in, &err) != T2_OK)
        abort();
    it = dg_json_items_new(&text, wanted, MAX_MEMORY);
    while ((st = dg_json_items_next(it, NULL, &v, &err)) == T2_OK)
        n++;
    if (st != T2_EOF && err.message[0] == '\0')
        abort();
    dg_json_items_free(it);
    t2_in_free(text.in);
    return st == T2_EOF ? n : -1;
}

/* Of {"k": [...]} or of [...]; -1: something else. */
static int64_t count_parsed(const struct t2_json_value *root, const char *const *wanted)
{
    const struct t2_json_value *array = wanted ? t2_json_get(root, *wanted) : root;

    return t2_json_type(array) == T2_JSON_ARRAY ? (int64_t) t2_json_size(array) : -1;
}

static bool is_whole(const uint8_t *data, size_t size)
{
    struct t2_json_grammar g = {.depth = 0};

    for (size_t i = 0; i < size; i++)
        if (t2_json_grammar_step(&g, data[i]))
            return false;
    return t2_json_grammar_is_whole(&g);
}

/* What is no matter of grammar. */
static bool is_of_values(const char *message)
{
    static const char *const reasons[] = {"decode byte", "Unicode",  "\\u0000",  "too big",
                                          "overflow",    "NUL byte", "duplicate"};

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(message, reasons[i]))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    bool has_mark = size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0;
    bool is_small = size < SMALL && !memchr(data, 0, size); /* jansson takes a NUL behind a word */
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);

    if (t2_json_parse_unique((const char *) data, size, "fuzz", &doc, &err) == T2_OK) {
        if (!has_mark && is_small && !is_whole(data, size))
            abort();
        for (int i = 0; i < 2; i++) {
            int64_t expected = count_parsed(t2_json_root(doc), i ? keys : NULL);
            int64_t n = count_items(path, i ? keys : NULL);
            if (is_small && n != expected)
                abort();
        }
    } else {
        if (!has_mark && is_whole(data, size) && !is_of_values(err.message))
            abort();
        (void) count_items(path, keys);
        (void) count_items(path, NULL);
    }
    t2_json_free(doc);
    t_memory_file_close(fd);
    return 0;
}
