/*
 * tests/fuzz/fuzz_yaml.c - base/yaml.c: no crash on any bytes; what is read can be written as JSON.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/json_copy.h"
#include "base/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct t2_json out;

    if (t2_yaml_parse((const char *) data, size, "x.yaml", &doc, &err) == T2_OK) {
        t2_json_init(&out, &text, 0);
        if (t2_json_copy(&out, t2_json_root(doc), &err) != T2_OK || text.len_bytes == 0)
            abort();
    } else if (doc || err.message[0] == '\0') {
        abort();
    }
    t2_json_free(doc);
    t2_buf_release(&text);
    return 0;
}
