/*
 * tests/fuzz/fuzz_csv.c - base/csv.c and its readers: no crash on any bytes; rows that were read,
 * written and read again are the same, and records made of them are sound.
 */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "tests/fuzz/memory_file.h"
#include "tfrec/convert/csv_columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All rows, each field with its length, and the same as a file; false: refused. */
static bool read_rows(const void *data, size_t size, char separator, struct t2_buf *rows,
                      struct t2_buf *file)
{
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);
    struct t2_err err = T2_ERR_INIT;
    const struct t2_slice *fields;
    enum t2_status st;
    struct t2_csv *c;
    size_t n;

    if (t2_csv_new(path, separator, true, &c, &err) != T2_OK)
        abort();
    while ((st = t2_csv_next(c, &fields, &n, &err)) == T2_OK) {
        t2_buf_append(rows, &n, sizeof n);
        for (size_t i = 0; i < n; i++) {
            t2_buf_append(rows, &fields[i].len_bytes, sizeof fields[i].len_bytes);
            t2_buf_append(rows, fields[i].data, fields[i].len_bytes);
            if (i)
                t2_buf_push(file, (uint8_t) separator);
            t2_csv_put(file, fields[i], separator);
        }
        t2_buf_push(file, '\n');
    }
    t2_csv_free(c);
    t_memory_file_close(fd);
    return st == T2_EOF;
}

static void read_records(const uint8_t *data, size_t size, bool lists)
{
    char path[T_PATH_BYTES], *item = path;
    int fd = t_memory_file(data, size, path);
    struct t2_strs inputs = {&item, 1, 1};
    struct rec_csv_columns columns = {.items = NULL};
    struct rec_convert c = {.from = "csv",
                            .inputs = &inputs,
                            .columns = "",
                            .types = "",
                            .list_separator = lists ? ";" : "",
                            .quotes = true,
                            .csv = &columns};
    struct t2_buf raw = {NULL, 0, 0}, record = {NULL, 0, 0};
    struct tfr_example example = {NULL, 0, 0, NULL, 0};
    struct t2_err err = T2_ERR_INIT;
    struct rec_reader *r;
    uint64_t place;

    if (rec_csv_open(&c, path, &r, &err) == T2_OK) {
        while (r->next(r, &raw, &place, &err) == T2_OK) {
            t2_buf_clear(&record);
            if (r->parse(r, place, t2_buf_slice(&raw), &record, &err) == T2_OK &&
                tfr_example_parse(&example, t2_buf_slice(&record), &err) != T2_OK)
                abort();
            t2_buf_clear(&raw);
        }
        r->free(r);
    }
    tfr_example_release(&example);
    rec_csv_columns_release(&columns);
    t2_buf_release(&raw);
    t2_buf_release(&record);
    t_memory_file_close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_buf rows = {NULL, 0, 0}, again = {NULL, 0, 0}, file = {NULL, 0, 0},
                  twice = {NULL, 0, 0};
    bool is_tsv = size > 0 && data[0] == '\t';

    if (read_rows(data, size, is_tsv ? '\t' : ',', &rows, &file)) {
        if (!read_rows(file.data, file.len_bytes, is_tsv ? '\t' : ',', &again, &twice) ||
            !t2_slice_eq(t2_buf_slice(&rows), t2_buf_slice(&again)))
            abort();
    }
    read_records(data, size, is_tsv);
    t2_buf_release(&rows);
    t2_buf_release(&again);
    t2_buf_release(&file);
    t2_buf_release(&twice);
    return 0;
}
