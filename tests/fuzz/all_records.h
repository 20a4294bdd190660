/*
 * tests/fuzz/all_records.h - reads what a converter makes of some bytes.
 */
#ifndef T2_TESTS_FUZZ_ALL_RECORDS_H
#define T2_TESTS_FUZZ_ALL_RECORDS_H

#include <stdlib.h>

#include "base/log.h"
#include "tests/fuzz/memory_file.h"
#include "tfrec/convert/formats.h"

typedef enum t2_status (*t_open_fn)(const struct rec_convert *c, const char *path,
                                    struct rec_reader **r, struct t2_err *err);

/* Aborts on a record that is no tf.train.Example.  mend: makes checksums right, or nothing would
 * come past them. */
static inline void t_all_records(const char *from, t_open_fn open_fn, const uint8_t *data,
                                 size_t size, void (*mend)(uint8_t *data, size_t size))
{
    enum { ENOUGH_RECORDS = 1000 };
    const struct rec_convert c = {.from = from};
    char path[T_PATH_BYTES];
    struct t2_buf mended = {NULL, 0, 0};
    struct tfr_example example = {NULL, 0, 0, NULL, 0};
    struct t2_buf record = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct rec_reader *r;
    uint64_t place;
    int fd;

    t2_buf_append(&mended, data, size);
    mend(mended.data, size);
    fd = t_memory_file(mended.data, size, path);
    t2_buf_release(&mended);
    t2_log_set_level(T2_LOG_ERROR);
    if (open_fn(&c, path, &r, &err) == T2_OK) {
        for (int i = 0; i < ENOUGH_RECORDS && r->next(r, &record, &place, &err) == T2_OK; i++) {
            if (tfr_example_parse(&example, t2_buf_slice(&record), &err) != T2_OK)
                abort();
            t2_buf_clear(&record);
        }
        r->free(r);
    }
    tfr_example_release(&example);
    t2_buf_release(&record);
    t_memory_file_close(fd);
}

#endif
