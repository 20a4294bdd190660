/*
 * tfrecord/damage.h - reading a record file to its end, whatever is damaged in it.
 *
 * reader.h stops at the first unsound record; this one says what is wrong there, finds the next
 * sound record (its length and data have right CRCs) and goes on.  Damaged gzip is left at the
 * damage and entered again at the next member; of the rest everything that could be decompressed is
 * used.
 *
 * Work and memory stay linear in the size of the file, also for files made to prevent that; memory
 * is bounded by the longest record of a compressed file or pipe (plain files are mapped).
 */
#ifndef TFR_DAMAGE_H
#define TFR_DAMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Which part of a record is damaged. */
enum tfr_field {
    TFR_FIELD_FILE, /* no record anywhere: not a record file */
    TFR_FIELD_LENGTH,
    TFR_FIELD_LENGTH_CRC,
    TFR_FIELD_DATA,
    TFR_FIELD_DATA_CRC,
    TFR_FIELD_COMPRESSION
};
const char *tfr_field_name(enum tfr_field field); /* "length CRC" */

enum { TFR_DAMAGE_WORDS = 384 };

struct tfr_damage {
    enum tfr_field field;
    uint64_t offset;     /* in the uncompressed file; behind a gap: among what could be had of it */
    uint64_t lost_bytes; /* uncompressed bytes from offset on that belong to no sound record */
    uint64_t lost_records; /* an estimate by the mean size so far where it is more than one */
    uint64_t raw_offset;   /* of damaged compression, in the file; else 0 */
    uint64_t raw_lost_bytes;
    char words[TFR_DAMAGE_WORDS];
};

/* What comes next in the file: a sound record, damage, or both: a record whose header is damaged
 * and whose data are right by their own CRC. */
struct tfr_found {
    bool is_record, is_damaged;
    struct t2_slice data; /* borrowed until the next call */
    uint64_t number;      /* from 0; behind damage that took several records: estimated */
    uint64_t offset;
    struct tfr_damage damage;
};

struct tfr_damage_reader;

T2_MUST_CHECK enum t2_status tfr_damage_open(const char *path, struct tfr_damage_reader **r,
                                             struct t2_err *err);
/* The same of bytes in memory, borrowed. */
struct tfr_damage_reader *tfr_damage_open_memory(struct t2_slice bytes);
void tfr_damage_close(struct tfr_damage_reader *r);

/* T2_EOF at the end.  Damage is no failure; T2_EIO, T2_ENOMEM, T2_EINTERRUPTED and a file cut while
 * it is read (T2_EFORMAT) are. */
T2_MUST_CHECK enum t2_status tfr_damage_next(struct tfr_damage_reader *r, struct tfr_found *f,
                                             struct t2_err *err);
/* Right after opening: goes on behind the first `number` records, which are sound and end at offset
 * (as another reader found). */
T2_MUST_CHECK enum t2_status tfr_damage_start_at(struct tfr_damage_reader *r, uint64_t number,
                                                 uint64_t offset, struct t2_err *err);
/* Bytes of the file that were looked at, for progress. */
uint64_t tfr_damage_raw_bytes(const struct tfr_damage_reader *r);

#endif
