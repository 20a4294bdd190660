/*
 * tests/fuzz/fuzz_tar.c - base/tar_read.c and webdataset_in.c: no crash on any bytes; records that are made are sound.
 */
#include <stdlib.h>

#include "base/log.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/tar_sums.h"
#include "tfrec/convert/webdataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENOUGH_RECORDS = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rec_convert c = {.from = "webdataset"};
    char path[T_PATH_BYTES];
    struct t2_buf mended = {NULL, 0, 0};
    int fd;
    struct tfr_example example = {NULL, 0, 0, NULL, 0};
    struct t2_buf record = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct rec_reader *r;
    uint64_t place;

    t2_buf_append(&mended, data, size);
    t_mend_tar(mended.data, size);
    fd = t_memory_file(mended.data, size, path);
    t2_buf_release(&mended);
    t2_log_set_level(T2_LOG_ERROR);
    if (rec_webdataset_open(&c, path, &r, &err) == T2_OK) {
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
    return 0;
}
