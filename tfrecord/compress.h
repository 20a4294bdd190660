/*
 * tfrecord/compress.h - the ways a record file can be compressed as a whole.
 *
 * When reading, the kind is found by content (source.h).  Block gzip is in
 * bgzip.h.
 */
#ifndef TFR_COMPRESS_H
#define TFR_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum tfr_compression {
    TFR_PLAIN, /* "none" */
    TFR_GZIP,  /* "gzip": one member, as TensorFlow's GZIP */
    TFR_ZLIB,  /* "zlib": as TensorFlow's ZLIB */
    TFR_BGZIP  /* "bgzip": gzip members of at most 64 KiB; anything that reads gzip reads it */
};

const char *tfr_compression_name(enum tfr_compression c);
/* false: unknown name.  "" and "none" are TFR_PLAIN; upper case is fine. */
bool tfr_compression_parse(const char *name, enum tfr_compression *c);
/* By the first bytes of the file. */
T2_MUST_CHECK enum t2_status tfr_compression_of(const char *path, enum tfr_compression *c,
                                                struct t2_err *err);
/* The same of a file of `size` bytes whose first n (32 are enough) are at hand. */
enum tfr_compression tfr_compression_of_bytes(const uint8_t *head, size_t n, uint64_t size);

#endif
