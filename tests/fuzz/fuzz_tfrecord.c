/*
 * tests/fuzz/fuzz_tfrecord.c - any bytes as a record file: read, counted, framed again.
 *
 * The first byte chooses: 1 puts right CRCs into whatever the lengths make of the rest, so that
 * damage behind the first header is reached.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "tests/fuzz/right_crcs.h"
#include "tfrecord/reader.h"
#include "tfrecord/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT, count_err = T2_ERR_INIT;
    struct tfr_reader *r = NULL;
    struct t2_buf frames = {0};
    struct t2_slice rec;
    enum t2_status st;
    uint64_t counted = 0;
    char path[64];
    int fd = memfd_create("fuzz", 0);

    if (size == 0 || fd < 0) {
        (void) close(fd);
        return 0;
    }
    uint8_t *copy = malloc(size);
    memcpy(copy, data + 1, size - 1);
    if (data[0] == 1)
        put_crcs_right(copy, size - 1);
    T2_ASSERT(write(fd, copy, size - 1) == (ssize_t) (size - 1));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    st = tfr_reader_new(path, &r, &err);
    while (st == T2_OK && (st = tfr_reader_next(r, &rec, &err)) == T2_OK)
        tfr_frame(&frames, rec.data, rec.len_bytes);
    T2_ASSERT(st == T2_EOF || (err.status == st && err.message[0] != '\0'));
    if (tfr_count(path, &counted, &count_err) == T2_OK && st == T2_EOF)
        T2_ASSERT(counted == tfr_reader_count(r));
    /* A plain file's records framed again are the file up to the damage. */
    if (frames.len_bytes > 0 && frames.len_bytes <= size - 1 && tfr_reader_count(r) > 0 &&
        memcmp(copy, frames.data, 12) == 0)
        T2_ASSERT(memcmp(copy, frames.data, frames.len_bytes) == 0);
    tfr_reader_free(r);
    t2_buf_release(&frames);
    free(copy);
    (void) close(fd);
    return 0;
}
