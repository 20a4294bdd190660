/*
 * tests/fuzz/fuzz_row_json.c - rows of JSON: any text is refused or becomes a record whose rows, of
 * both shapes, become the same bytes again; any bytes are refused or become a row that is read
 * again.
 */
#include <stdint.h>
#include <string.h>

#include "tfrec/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rec_row row;
static struct t2_buf record, line, again, second;
static struct t2_err err;

/* What parsing accepted comes back byte for byte. */
static void check_text(const uint8_t *data, size_t size)
{
    struct rec_row_options o = {.bytes = REC_BYTES_BASE64};

    t2_buf_clear(&record);
    if (rec_row_parse("input", 1, (struct t2_slice){data, size}, &record, &err) != T2_OK) {
        T2_ASSERT(record.len_bytes == 0);
        return;
    }
    for (int shape = REC_SHORT; shape <= REC_PROTO; shape++) {
        o.shape = (enum rec_shape) shape;
        t2_buf_clear(&line);
        t2_buf_clear(&again);
        T2_ASSERT(rec_row_print(&o, &row, 0, t2_buf_slice(&record), &line, &err) == T2_OK);
        T2_ASSERT(rec_row_parse("again", 1, t2_buf_slice(&line), &again, &err) == T2_OK);
        T2_ASSERT(t2_slice_eq(t2_buf_slice(&record), t2_buf_slice(&again)));
    }
}

/* A record of another writer: what it means comes back.  Names with NUL are refused on the way. */
static void check_record(const uint8_t *data, size_t size)
{
    struct rec_row_options o = {.bytes = REC_BYTES_BASE64};

    for (int bytes = REC_BYTES_AUTO; bytes <= REC_BYTES_BASE64; bytes++) {
        o.bytes = (enum rec_bytes) bytes;
        t2_buf_clear(&line);
        if (rec_row_print(&o, &row, 0, (struct t2_slice){data, size}, &line, &err) != T2_OK) {
            T2_ASSERT(line.len_bytes == 0);
            return;
        }
    }
    t2_buf_clear(&again);
    if (rec_row_parse("line", 1, t2_buf_slice(&line), &again, &err) != T2_OK) {
        T2_ASSERT(strstr(err.message, "a name with a NUL character"));
        return;
    }
    t2_buf_clear(&second);
    T2_ASSERT(rec_row_print(&o, &row, 0, t2_buf_slice(&again), &second, &err) == T2_OK);
    T2_ASSERT(t2_slice_eq(t2_buf_slice(&line), t2_buf_slice(&second)));
    o.shape = REC_PROTO;
    t2_buf_clear(&line);
    T2_ASSERT(rec_row_print(&o, &row, 0, (struct t2_slice){data, size}, &line, &err) == T2_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_text(data, size);
    check_record(data, size);
    return 0;
}
