/*
 * tests/fuzz/fuzz_part_state.c - any bytes as a .part.json: refused with a message, or values that
 * may go into a request.
 */
#include <stdlib.h>
#include <string.h>

#include "datagen/fetch/part_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_header(const char *value, size_t size)
{
    size_t n = strnlen(value, size);

    if (n == size)
        abort();
    for (size_t i = 0; i < n; i++)
        if ((unsigned char) value[i] < 0x20 || value[i] == 0x7f)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_part_state s;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = dg_part_state_parse((const char *) data, size, "input", &s, &err);

    if (st == T2_OK && !s.url)
        abort();
    if (st != T2_OK && err.message[0] == '\0')
        abort();
    check_header(s.etag, sizeof s.etag);
    check_header(s.last_modified, sizeof s.last_modified);
    check_header(s.content_encoding, sizeof s.content_encoding);
    dg_part_state_release(&s);
    return 0;
}
