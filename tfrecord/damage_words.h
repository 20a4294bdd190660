/*
 * tfrecord/damage_words.h - finds the damaged field of a record and formats the message.
 *
 * Between damage.c, which goes through the file, and its reader.  Only tfrecord/ includes it.
 */
#ifndef TFR_DAMAGE_WORDS_H
#define TFR_DAMAGE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tfrecord/damage.h"

/* The header's CRC is wrong.  Tries what one wrong bit explains: true when it does, *field says in
 * which field it is and *length what the length was. */
bool tfr_mend_header(const uint8_t *header, enum tfr_field *field, uint64_t *length);
/* Does the header's CRC, as it is stored, belong to this length? */
bool tfr_header_fits(const uint8_t *header, uint64_t length);

T2_PRINTF(2, 3) void tfr_say(struct tfr_damage *d, const char *format, ...);

/* "length CRC mismatch: stored ..., computed ..." */
void tfr_say_header(struct tfr_damage *d, const uint8_t *header);
void tfr_say_mended(struct tfr_damage *d, const uint8_t *header, uint64_t length, bool saved);
/* Also chooses between data and their CRC: one wrong bit in the CRC. */
void tfr_say_data(struct tfr_damage *d, struct t2_slice data);
/* n of the bytes of a record are there, the header says length (known when n >= 12). */
void tfr_say_cut(struct tfr_damage *d, uint64_t n, uint64_t length);
/* data: the first bytes of a file of size bytes (UINT64_MAX: unknown) in which no record was
 * found. */
void tfr_say_no_records(struct tfr_damage *d, struct t2_slice data, uint64_t size);

#endif
