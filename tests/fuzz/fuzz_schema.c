/*
 * fuzz_schema.c - any bytes as a schema of tfrec: a schema or a message, never a crash; what was
 * accepted is written in every format, and as JSON accepted again, the same.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tfrec/schema_formats.h"
#include "tfrec/schema_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* false: refused. */
static bool write_again(const uint8_t *data, size_t size, struct t2_buf *out)
{
    static const struct tfr_inputs none;
    struct rec_schema *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = rec_schema_parse((const char *) data, size, "input", &s, &err);

    if ((st == T2_OK) != (s != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    if (st != T2_OK)
        return false;
    rec_schema_print_table(s, &none, out);
    rec_schema_print_pbtxt(s, out);
    rec_schema_print_tfds(s, out);
    if (rec_schema_print_parsing_spec(s, &none, out, &err) != T2_OK)
        abort();
    t2_buf_clear(out);
    rec_schema_print_json(s, NULL, out);
    rec_schema_free(s);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf first = {NULL, 0, 0}, second = {NULL, 0, 0};

    if (write_again(data, size, &first) &&
        (!write_again(first.data, first.len_bytes, &second) ||
         !t2_slice_eq(t2_buf_slice(&first), t2_buf_slice(&second))))
        abort();
    t2_buf_release(&first);
    t2_buf_release(&second);
    return 0;
}
