/*
 * tfrecord/unpack.h - the uncompressed bytes of a record file, also behind damaged compression.
 *
 * What damage.h stands on; source.h is the one that stops at the first trouble.  Bytes come in
 * segments: inside one they follow each other, between two of them something is lost (a gap).  Of a
 * plain file there is one segment.  Only tfrecord/ includes it.
 */
#ifndef TFR_UNPACK_H
#define TFR_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Trouble with the compression; words is a constant. */
struct tfr_gap {
    uint64_t at;         /* offset in the uncompressed bytes */
    uint64_t raw_offset; /* in the file */
    uint64_t raw_lost;   /* bytes of the file that gave nothing */
    bool is_between;     /* no member is damaged: what follows it does not belong there */
    const char *words;
};

struct tfr_unpack {
    const uint8_t *base; /* base[0 .. ready) can be read */
    size_t ready;
    uint64_t origin; /* offset of base among all uncompressed bytes */
    bool ended;      /* nothing follows base[ready) in this segment */
    bool at_gap;     /* ended by a gap, not by the end of the file */
    struct tfr_unpack_private *private_;
};

/* A file, a pipe, "-".  Plain files are mapped (mapping.h); for others memory grows with what is
 * asked for by more. */
T2_MUST_CHECK enum t2_status tfr_unpack_open(const char *path, struct tfr_unpack *u,
                                             struct t2_err *err);
/* The bytes of a file in memory, borrowed; for tests. */
void tfr_unpack_memory(struct t2_slice bytes, struct tfr_unpack *u);
void tfr_unpack_close(struct tfr_unpack *u);

/* Makes n_bytes from base ready, or all of the segment when it has fewer: then ended is set. */
T2_MUST_CHECK enum t2_status tfr_unpack_more(struct tfr_unpack *u, size_t n_bytes,
                                             struct t2_err *err);
/* Forgets the first n_bytes (<= ready); base may move. */
void tfr_unpack_drop(struct tfr_unpack *u, size_t n_bytes);
/* At a gap, everything dropped: finds the next segment.  When there is none, at_gap is false. */
T2_MUST_CHECK enum t2_status tfr_unpack_cross(struct tfr_unpack *u, struct tfr_gap *gap,
                                              struct t2_err *err);
/* Takes the oldest wrong checksum (bytes on both sides of it follow each other) at or before
 * offset. */
bool tfr_unpack_note(struct tfr_unpack *u, uint64_t offset, struct tfr_gap *note);

bool tfr_unpack_is_mapped(const struct tfr_unpack *u); /* plain, all of it ready */
bool tfr_unpack_is_compressed(const struct tfr_unpack *u);
uint64_t tfr_unpack_raw_bytes(const struct tfr_unpack *u); /* of the file, read so far */
/* T2_EFORMAT when a mapped file was cut while it was read. */
T2_MUST_CHECK enum t2_status tfr_unpack_check(const struct tfr_unpack *u, struct t2_err *err);

#endif
