/*
 * base/gzip.h - streaming decompression of gzip and zlib members; used by text.c.
 */
#ifndef T2_BASE_GZIP_H
#define T2_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct t2_inflater;

struct t2_inflater *t2_inflater_new(bool is_gzip); /* else zlib */
void t2_inflater_free(struct t2_inflater *z);
/* Ready for the next member. */
void t2_inflater_reset(struct t2_inflater *z);

/*
 * Decompresses from in[0 .. in_bytes) into out[0 .. out_bytes); *n_used and *n_made say how far it
 * came, *member_ended whether the member is complete (its checksum was right).  Returns NULL, or
 * what is wrong with the data (a constant string).
 */
const char *t2_inflater_step(struct t2_inflater *z, const uint8_t *in, size_t in_bytes,
                             uint8_t *out, size_t out_bytes, size_t *n_used, size_t *n_made,
                             bool *member_ended);

#endif
