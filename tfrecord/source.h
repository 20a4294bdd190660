/*
 * tfrecord/source.h - the bytes of a record file, mapped or streamed; only tfrecord/ includes it.
 *
 * Both look the same: base[pos .. ready) can be read, fill makes more ready.  Framing is not known
 * here, except to distinguish a plain file from a compressed one.
 */
#ifndef TFR_SOURCE_H
#define TFR_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct t2_in;
struct t2_mapping;

struct tfr_source {
    char *path;
    const uint8_t *base;
    uint64_t pos;    /* of the next byte, from base */
    uint64_t ready;  /* end of what may be read, from base */
    uint64_t size;   /* of all bytes from base, UINT64_MAX while unknown */
    uint64_t let_go; /* of a mapped file: pages before it do not count as memory any more */
    uint64_t origin; /* offset of base in the (uncompressed) stream */
    int fd;          /* of the mapped file, -1 when streamed */
    struct t2_mapping *mapping; /* NULL when streamed or empty */
    struct t2_in *in;
    uint8_t *buffer; /* streamed bytes: base points here */
    size_t capacity_bytes;
};

/*
 * Opens a plain file (mapped), a gzip or zlib file, "-" or anything else that can be read
 * (streamed). A file whose first 12 bytes are a sound record header is plain, whatever they look
 * like.
 */
T2_MUST_CHECK enum t2_status tfr_source_open(const char *path, struct tfr_source *s,
                                             struct t2_err *err);
void tfr_source_close(struct tfr_source *s);

/*
 * Makes n_bytes from pos ready, or all there are when the source ends before.  What was ready
 * before moves when streamed.  A mapped file that has become shorter is T2_EFORMAT.
 */
T2_MUST_CHECK enum t2_status tfr_source_fill(struct tfr_source *s, uint64_t n_bytes,
                                             struct t2_err *err);
/* T2_EFORMAT when a mapped file has become shorter: what was given so far is in doubt. */
T2_MUST_CHECK enum t2_status tfr_source_check(const struct tfr_source *s, struct t2_err *err);
/* Moves pos forward n_bytes; beyond the end: to the end, *missing says how many bytes too far.
 * Bytes of a mapped file are not touched. */
T2_MUST_CHECK enum t2_status tfr_source_skip(struct tfr_source *s, uint64_t n_bytes,
                                             uint64_t *missing, struct t2_err *err);

static inline uint64_t tfr_source_available(const struct tfr_source *s)
{
    return s->ready - s->pos;
}

static inline uint64_t tfr_source_offset(const struct tfr_source *s)
{
    return s->origin + s->pos;
}

#endif
