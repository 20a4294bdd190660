/*
 * train/input/shard_reader.h - the records of one shard in order; damaged ones end it, or are
 * passed over and noted, up to a limit.
 *
 * What is passed over: a record whose checksums are wrong, a stretch of the shard in which no sound
 * record is found (tfrecord/damage.h; as many records as its size says), and what the caller
 * refuses.  Which they are follows from the shard alone, so that every reading of it gives the same
 * samples.
 */
#ifndef IN_SHARD_READER_H
#define IN_SHARD_READER_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* What was passed over.  Zero-initialise, release. */
struct in_corrupt {
    struct t2_strs places; /* "'x-train-00001-of-00002': record 17 at offset 4711: ..." */
    uint64_t n_records;    /* of all places; an estimate where several were lost at once */
    uint32_t crc;          /* CRC-32C of where they are; 0: nowhere */
};
void in_corrupt_release(struct in_corrupt *c);

struct in_shard_record {
    struct t2_slice data;    /* borrowed until the next call */
    uint64_t number, offset; /* number: behind a lost stretch estimated */
};

struct in_shard_reader;

/*
 * max_corrupt 0: the first damage is T2_EFORMAT.  Else damage is added to *corrupt (borrowed; NULL:
 * not noted) until it has more than max_corrupt records, which ends the shard: the caller compares.
 * A file without any sound record is T2_EFORMAT all the same, a compressed one T2_EUNSUPPORTED.
 */
T2_MUST_CHECK enum t2_status in_shard_reader_new(const char *path, uint64_t max_corrupt,
                                                 struct in_corrupt *corrupt,
                                                 struct in_shard_reader **r, struct t2_err *err);
void in_shard_reader_free(struct in_shard_reader *r);

/* T2_EOF at the end. */
T2_MUST_CHECK enum t2_status in_shard_reader_next(struct in_shard_reader *r,
                                                  struct in_shard_record *record,
                                                  struct t2_err *err);
/* The record that was given is no sample, for what is in *err: T2_OK when it is passed over, else
 * T2_EFORMAT with the place in front. */
T2_MUST_CHECK enum t2_status in_shard_reader_refuse(struct in_shard_reader *r,
                                                    const struct in_shard_record *record,
                                                    struct t2_err *err);
/* Bytes of the file that were read. */
uint64_t in_shard_reader_bytes(const struct in_shard_reader *r);

#endif
