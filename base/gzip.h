/*
 * base/gzip.h - streaming compression and decompression of gzip and zlib members.
 *
 * Reading is used by text.c, writing by tfrecord/.
 */
#ifndef T2_BASE_GZIP_H
#define T2_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct t2_inflater;

struct t2_inflater *t2_inflater_new(bool is_gzip); /* else zlib */
/* gzip, by ISA-L where it is installed: faster, but for damaged data its message and offset are
 * less exact, and fewer of the bytes before the damage are given. */
struct t2_inflater *t2_inflater_new_fast(void);
struct t2_inflater *t2_inflater_new_raw(void); /* no header, no checksum: zip members */
void t2_inflater_free(struct t2_inflater *z);
/* Ready for the next member. */
void t2_inflater_reset(struct t2_inflater *z);

/*
 * Decompresses from in[0 .. in_bytes) into out[0 .. out_bytes); *n_used and *n_made are the bytes
 * consumed and produced, *member_ended whether the member is complete (its checksum was right).
 * Returns NULL, or the fault in the data (a constant string).
 */
const char *t2_inflater_step(struct t2_inflater *z, const uint8_t *in, size_t in_bytes,
                             uint8_t *out, size_t out_bytes, size_t *n_used, size_t *n_made,
                             bool *member_ended);

enum t2_deflate_kind {
    T2_DEFLATE_GZIP, /* header without name and time: the same input gives the same bytes */
    T2_DEFLATE_ZLIB,
    T2_DEFLATE_RAW /* no header, no checksum */
};

struct t2_deflater;

/* level 0 (stored) ... 9. */
struct t2_deflater *t2_deflater_new(enum t2_deflate_kind kind, int level);
void t2_deflater_free(struct t2_deflater *z);
void t2_deflater_reset(struct t2_deflater *z);
/*
 * Compresses from in[0 .. in_bytes) into out[0 .. out_bytes); *n_used and *n_made are the bytes
 * consumed and produced.  finish: nothing follows `in`; *ended means that the whole member has been
 * produced (call again with the rest of `in` and more room until then).
 */
void t2_deflater_step(struct t2_deflater *z, const uint8_t *in, size_t in_bytes, bool finish,
                      uint8_t *out, size_t out_bytes, size_t *n_used, size_t *n_made, bool *ended);

/* The CRC-32 of gzip, of more bytes after `crc` (0 to begin). */
uint32_t t2_crc32(uint32_t crc, const void *data, size_t len_bytes);

#endif
