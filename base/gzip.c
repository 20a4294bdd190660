/*
 * base/gzip.c - compression and decompression by zlib, which no other file of base/ includes; gzip
 * members by ISA-L where it is installed.
 *
 * Three containers around the same deflate data (RFC 1951), chosen by zlib's window bits:
 *
 *   windowBits = 15 + 16   gzip, RFC 1952: 10-byte header, names, data, CRC-32, length mod 2^32
 *   windowBits = 15        zlib, RFC 1950: 2-byte header, data, Adler-32
 *   windowBits = -15       raw deflate, as members of ZIP archives and blocks of BGZF have it
 *
 * A step works on what it is given and reports how much it used and made, so callers keep their
 * own buffers.  zlib counts in unsigned int; a step of more than 4 GiB is cut, and the caller's
 * loop comes back with the rest.
 */
#include "base/gzip.h"

#include <limits.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/isal.h"

struct t2_inflater {
    z_stream stream;
    struct t2_isal *isal; /* decompresses in place of zlib; NULL: zlib does */
};

static void *library_alloc(void *unused, unsigned n, unsigned size)
{
    (void) unused;
    return t2_library_calloc(n, size);
}

static void library_free(void *unused, void *p)
{
    (void) unused;
    t2_free(p);
}

/* Allocation failure ends the program inside of zlib, too, instead of becoming an error of data. */
static void give_memory(z_stream *s)
{
    s->zalloc = library_alloc;
    s->zfree = library_free;
}

/* Nothing but memory can be missing where the arguments are right. */
static void check_memory(int rc)
{
    if (rc == Z_MEM_ERROR)
        t2_out_of_memory("zlib has none");
    T2_ASSERT(rc == Z_OK);
}

struct t2_inflater *t2_inflater_new(bool is_gzip)
{
    struct t2_inflater *z = t2_alloc(1, sizeof *z);
    int rc;

    give_memory(&z->stream);
    rc = inflateInit2(&z->stream, is_gzip ? MAX_WBITS + 16 : MAX_WBITS);
    check_memory(rc);
    return z;
}

struct t2_inflater *t2_inflater_new_fast(void)
{
    struct t2_isal *isal = t2_isal_new();
    struct t2_inflater *z;

    if (!isal)
        return t2_inflater_new(true);
    z = t2_alloc(1, sizeof *z);
    z->isal = isal;
    return z;
}

struct t2_inflater *t2_inflater_new_raw(void)
{
    struct t2_inflater *z = t2_alloc(1, sizeof *z);

    give_memory(&z->stream);
    check_memory(inflateInit2(&z->stream, -MAX_WBITS));
    return z;
}

void t2_inflater_free(struct t2_inflater *z)
{
    if (!z)
        return;
    if (z->isal)
        t2_isal_free(z->isal);
    else
        inflateEnd(&z->stream);
    t2_free(z);
}

void t2_inflater_reset(struct t2_inflater *z)
{
    int rc;

    if (z->isal) {
        t2_isal_reset(z->isal);
        return;
    }
    rc = inflateReset(&z->stream);
    T2_ASSERT(rc == Z_OK);
}

const char *t2_inflater_step(struct t2_inflater *z, const uint8_t *in, size_t in_bytes,
                             uint8_t *out, size_t out_bytes, size_t *n_used, size_t *n_made,
                             bool *member_ended)
{
    z_stream *s = &z->stream;
    uInt n_in = in_bytes < UINT_MAX ? (uInt) in_bytes : UINT_MAX;
    uInt n_out = out_bytes < UINT_MAX ? (uInt) out_bytes : UINT_MAX;
    int rc;

    if (z->isal)
        return t2_isal_step(z->isal, in, in_bytes, out, out_bytes, n_used, n_made, member_ended);
    s->next_in = in;
    s->avail_in = n_in;
    s->next_out = out;
    s->avail_out = n_out;
    rc = inflate(s, Z_NO_FLUSH);
    *n_used = n_in - s->avail_in;
    *n_made = n_out - s->avail_out;
    *member_ended = rc == Z_STREAM_END;
    switch (rc) {
    case Z_OK:
    case Z_STREAM_END:
    case Z_BUF_ERROR: /* no progress was possible: needs more input */
        return NULL;
    case Z_NEED_DICT:
        return "needs a preset dictionary";
    case Z_MEM_ERROR:
        t2_out_of_memory("zlib has none");
    default:
        return s->msg ? s->msg : "invalid data";
    }
}

struct t2_deflater {
    z_stream stream;
};

/* As TensorFlow's ZlibCompressionOptions have it, so that level 6 gives its bytes. */
enum { MEMORY_LEVEL = 9 };

struct t2_deflater *t2_deflater_new(enum t2_deflate_kind kind, int level)
{
    static const int window_bits[] = {MAX_WBITS + 16, MAX_WBITS, -MAX_WBITS};
    struct t2_deflater *z = t2_alloc(1, sizeof *z);
    int rc;

    give_memory(&z->stream);
    rc = deflateInit2(&z->stream, level, Z_DEFLATED, window_bits[kind], MEMORY_LEVEL,
                      Z_DEFAULT_STRATEGY);
    check_memory(rc);
    return z;
}

void t2_deflater_free(struct t2_deflater *z)
{
    if (!z)
        return;
    deflateEnd(&z->stream);
    t2_free(z);
}

void t2_deflater_reset(struct t2_deflater *z)
{
    int rc = deflateReset(&z->stream);

    T2_ASSERT(rc == Z_OK);
}

void t2_deflater_step(struct t2_deflater *z, const uint8_t *in, size_t in_bytes, bool finish,
                      uint8_t *out, size_t out_bytes, size_t *n_used, size_t *n_made, bool *ended)
{
    z_stream *s = &z->stream;
    uInt n_in = in_bytes < UINT_MAX ? (uInt) in_bytes : UINT_MAX;
    uInt n_out = out_bytes < UINT_MAX ? (uInt) out_bytes : UINT_MAX;
    int rc;

    s->next_in = in;
    s->avail_in = n_in;
    s->next_out = out;
    s->avail_out = n_out;
    rc = deflate(s, finish && n_in == in_bytes ? Z_FINISH : Z_NO_FLUSH);
    T2_ASSERT(rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR);
    *n_used = n_in - s->avail_in;
    *n_made = n_out - s->avail_out;
    *ended = rc == Z_STREAM_END;
}

uint32_t t2_crc32(uint32_t crc, const void *data, size_t len_bytes)
{
    return (uint32_t) crc32_z(crc, data, len_bytes);
}
