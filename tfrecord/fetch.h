/*
 * tfrecord/fetch.h - one record of a plain TFRecord file, at an offset that is known.
 *
 * For readers that jump: the trainer reads records in its own order.  Files are read with pread(2),
 * not mapped, so that a file which shrinks under us is an error and not a signal.
 */
#ifndef TFR_FETCH_H
#define TFR_FETCH_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Reads and checks the record whose header starts at offset (as tfr_reader_offset gave it) of the
 * open file fd.  guess_bytes is the expected size of the payload: with a good guess one system call
 * is enough.
 *
 * *rec is borrowed from buf until buf changes.  T2_EFORMAT (no record here, checksum, cut short)
 * names path and offset.
 */
T2_MUST_CHECK enum t2_status tfr_fetch(int fd, const char *path, uint64_t offset,
                                       size_t guess_bytes, struct t2_buf *buf, struct t2_slice *rec,
                                       struct t2_err *err);

#endif
