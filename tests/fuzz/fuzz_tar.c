/*
 * tests/fuzz/fuzz_tar.c - base/tar_read.c and webdataset_in.c: no crash on any bytes; records that
 * are made are sound.
 */
#include "tests/fuzz/all_records.h"
#include "tests/fuzz/tar_sums.h"
#include "tfrec/convert/webdataset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    t_all_records("webdataset", rec_webdataset_open, data, size, t_mend_tar);
    return 0;
}
