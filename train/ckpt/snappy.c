/*
 * train/ckpt/snappy.c - snappy's raw format.
 *
 * The length of the unpacked bytes as a varint, then elements, told apart by the two low bits of
 * their first byte T:
 *   00  literal: T >> 2 is its length - 1, or, from 60 on, 1 to 4 bytes that follow are; then bytes
 *   01  copy of 4 + (T >> 2 & 7) bytes; offset T >> 5 << 8 | next byte
 *   10  copy of 1 + (T >> 2) bytes; the offset in 2 bytes, little-endian
 *   11  the same with 4 bytes
 * A copy may overlap what it makes.
 */
#include "train/ckpt/snappy.h"

#include "base/protobuf.h"

/* An element of 3 bytes makes 64 at most, so a block cannot be longer than this many times its
 * packed bytes. */
enum { MAX_RATIO = 64 };

static enum t2_status bad(const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "damaged snappy block: %s", what);
}

static bool little_endian(struct t2_wire *w, size_t n, uint32_t *v)
{
    if ((size_t) (w->end - w->p) < n)
        return false;
    *v = 0;
    for (size_t i = 0; i < n; i++)
        *v |= (uint32_t) w->p[i] << 8 * i;
    w->p += n;
    return true;
}

static enum t2_status literal(struct t2_wire *w, uint8_t tag, size_t n_all, struct t2_buf *out,
                              struct t2_err *err)
{
    uint32_t n = tag >> 2;

    if (n >= 60 && !little_endian(w, n - 59, &n))
        return bad("it ends in a length", err);
    if (n >= (size_t) (w->end - w->p))
        return bad("it ends in a literal", err);
    if (n >= n_all - out->len_bytes)
        return bad("more bytes than it announces", err);
    t2_buf_append(out, w->p, (size_t) n + 1);
    w->p += (size_t) n + 1;
    return T2_OK;
}

static enum t2_status copy(struct t2_wire *w, uint8_t tag, size_t n_all, struct t2_buf *out,
                           struct t2_err *err)
{
    bool is_short = (tag & 3) == 1;
    size_t n = is_short ? 4U + (tag >> 2 & 7U) : 1U + (tag >> 2);
    uint32_t offset;

    if (!little_endian(w, is_short ? 1 : (tag & 3) == 2 ? 2 : 4, &offset))
        return bad("it ends in an offset", err);
    if (is_short)
        offset |= (uint32_t) tag >> 5 << 8;
    if (offset == 0 || offset > out->len_bytes)
        return bad("a copy from before its beginning", err);
    if (n > n_all - out->len_bytes)
        return bad("more bytes than it announces", err);
    for (size_t i = 0; i < n; i++) /* byte by byte: it may copy what it has just made */
        t2_buf_push(out, out->data[out->len_bytes - offset]);
    return T2_OK;
}

enum t2_status ckpt_snappy_unpack(struct t2_slice packed, struct t2_buf *out, struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(packed);
    uint64_t n_all;

    t2_buf_clear(out);
    if (!t2_wire_varint(&w, 5, &n_all) || n_all > packed.len_bytes * (uint64_t) MAX_RATIO)
        return bad("its length", err);
    (void) t2_buf_reserve(out, (size_t) n_all);
    while (t2_wire_more(&w)) {
        uint8_t tag = *w.p++;

        T2_TRY((tag & 3) == 0 ? literal(&w, tag, (size_t) n_all, out, err)
                              : copy(&w, tag, (size_t) n_all, out, err));
    }
    return out->len_bytes == n_all ? T2_OK : bad("fewer bytes than it announces", err);
}
