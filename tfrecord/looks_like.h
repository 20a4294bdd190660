/*
 * tfrecord/looks_like.h - what a file that is no TFRecord file seems to be, for messages.
 */
#ifndef TFR_LOOKS_LIKE_H
#define TFR_LOOKS_LIKE_H

#include <stddef.h>
#include <stdint.h>

/* "a JPEG image", "text", ...; NULL when the first bytes say nothing. */
const char *tfr_looks_like(const uint8_t *data, size_t len_bytes);

/* The first bytes can be a gzip (RFC 1952) or a zlib (RFC 1950) header. */
int tfr_maybe_gzip(const uint8_t *data, size_t len_bytes);
int tfr_maybe_zlib(const uint8_t *data, size_t len_bytes);

#endif
