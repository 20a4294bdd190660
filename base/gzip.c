/*
 * base/gzip.c - streaming decompression by zlib; no other file of base/ includes it.
 */
#include "base/gzip.h"

#include <limits.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/alloc.h"
#include "base/err.h"

struct t2_inflater {
    z_stream stream;
};

struct t2_inflater *t2_inflater_new(bool is_gzip)
{
    struct t2_inflater *z = t2_alloc(1, sizeof *z);
    int rc = inflateInit2(&z->stream, is_gzip ? MAX_WBITS + 16 : MAX_WBITS);

    T2_ASSERT(rc == Z_OK); /* else memory is out, as for t2_alloc */
    return z;
}

void t2_inflater_free(struct t2_inflater *z)
{
    if (!z)
        return;
    inflateEnd(&z->stream);
    t2_free(z);
}

void t2_inflater_reset(struct t2_inflater *z)
{
    int rc = inflateReset(&z->stream);

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
        return "out of memory";
    default:
        return s->msg ? s->msg : "invalid data";
    }
}
