/*
 * base/base64.h - bytes as text and back (RFC 4648).
 */
#ifndef T2_BASE_BASE64_H
#define T2_BASE_BASE64_H

#include <stdbool.h>

#include "base/buf.h"

/* Appends the base64 of s, with padding. */
void t2_base64_encode(struct t2_slice s, struct t2_buf *out);
/* Of a checksum of 32 bits, its highest byte first, as object stores have it. */
void t2_base64_encode_u32(uint32_t checksum, struct t2_buf *out);
/* Appends the bytes; '-' and '_' are read as '+' and '/', padding may be left out.  false: text is
 * no base64, and out is as it was. */
bool t2_base64_decode(struct t2_slice text, struct t2_buf *out);

#endif
