/*
 * train/ckpt/bundle_entry.c - BundleEntryProto and keys of slices, by protobuf's wire format and
 * TensorFlow's ordered code.
 *
 *   BundleEntryProto  dtype 1, shape 2, shard_id 3, offset 4, size 5, crc32c 6 (fixed32), slices 7
 *   TensorShapeProto  dim 2 {size 1}, unknown_rank 3
 *   TensorSliceProto  extent 1 {start 1, length 2}; no length: the whole dimension
 *
 * Ordered code keeps the order of what it encodes: an unsigned number is the count of its bytes and
 * these, big-endian; a text ends with 00 01 and has 00 FF for 00, FF 00 for FF; a signed number has
 * as many leading ones as it has bytes, then its bits (negative ones: all inverted).
 */
#include "train/ckpt/bundle_entry.h"

#include <string.h>

#include "base/protobuf.h"

static const struct {
    uint32_t tf_type;
    enum ckpt_type type;
} types[] = {{1, CKPT_F32},  {2, CKPT_F64},  {3, CKPT_I32},  {4, CKPT_U8},    {5, CKPT_I16},
             {6, CKPT_I8},   {8, CKPT_C64},  {9, CKPT_I64},  {10, CKPT_BOOL}, {14, CKPT_BF16},
             {17, CKPT_U16}, {19, CKPT_F16}, {22, CKPT_U32}, {23, CKPT_U64}};
enum { N_TYPES = sizeof types / sizeof *types };

bool ckpt_bundle_type(uint32_t tf_type, enum ckpt_type *type)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (types[i].tf_type == tf_type) {
            *type = types[i].type;
            return true;
        }
    return false;
}

uint32_t ckpt_bundle_tf_type(enum ckpt_type type)
{
    for (size_t i = 0; i < N_TYPES; i++)
        if (types[i].type == type)
            return types[i].tf_type;
    T2_ASSERT(!"a type that bundles have");
    return 0;
}

/* ---- reading ---- */

/* {size 1, ...} of a dimension; {start 1, length 2} of an extent. */
static bool parse_pair(struct t2_slice bytes, uint64_t *first, uint64_t *second)
{
    struct t2_wire w = t2_wire_of(bytes);
    uint32_t tag;

    while (t2_wire_more(&w)) {
        bool ok;

        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(1, T2_WIRE_VARINT))
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, first);
        else if (tag == T2_TAG(2, T2_WIRE_VARINT))
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, second);
        else
            ok = t2_wire_skip(&w, tag, 2);
        if (!ok)
            return false;
    }
    return true;
}

static bool parse_shape(struct t2_slice bytes, struct ckpt_bundle_entry *e)
{
    struct t2_wire w = t2_wire_of(bytes);
    uint32_t tag;
    struct t2_slice dim;

    e->rank = 0;
    while (t2_wire_more(&w)) {
        uint64_t size = 0, ignored = 0;

        if (!t2_wire_tag(&w, &tag))
            return false;
        if (tag == T2_TAG(3, T2_WIRE_VARINT)) {
            e->rank = -1;
        } else if (tag == T2_TAG(2, T2_WIRE_BYTES)) {
            if (!t2_wire_bytes(&w, &dim) || !parse_pair(dim, &size, &ignored) || size > INT64_MAX)
                return false;
            if (e->rank >= CKPT_MAX_RANK)
                e->rank = -1;
            if (e->rank >= 0)
                e->dims[e->rank++] = (int64_t) size;
            continue;
        }
        if (!t2_wire_skip(&w, tag, 1))
            return false;
    }
    return true;
}

static bool parse_crc(struct t2_wire *w, uint32_t *crc)
{
    if (w->end - w->p < 4)
        return false;
    *crc = (uint32_t) w->p[0] | (uint32_t) w->p[1] << 8 | (uint32_t) w->p[2] << 16 |
           (uint32_t) w->p[3] << 24;
    w->p += 4;
    return true;
}

bool ckpt_bundle_parse_entry(struct t2_slice bytes, struct ckpt_bundle_entry *e)
{
    struct t2_wire w = t2_wire_of(bytes);
    struct t2_slice body;
    uint64_t type;
    uint32_t tag;

    memset(e, 0, sizeof *e);
    while (t2_wire_more(&w)) {
        bool ok;

        if (!t2_wire_tag(&w, &tag))
            return false;
        switch (tag) {
        case T2_TAG(1, T2_WIRE_VARINT):
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &type);
            e->tf_type = ok ? (uint32_t) type : 0;
            break;
        case T2_TAG(2, T2_WIRE_BYTES):
            ok = t2_wire_bytes(&w, &body) && parse_shape(body, e);
            break;
        case T2_TAG(3, T2_WIRE_VARINT):
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &e->shard);
            break;
        case T2_TAG(4, T2_WIRE_VARINT):
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &e->offset);
            break;
        case T2_TAG(5, T2_WIRE_VARINT):
            ok = t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &e->n_bytes);
            break;
        case T2_TAG(6, T2_WIRE_FIXED32):
            ok = parse_crc(&w, &e->masked_crc);
            break;
        default:
            e->has_slices = e->has_slices || tag == T2_TAG(7, T2_WIRE_BYTES);
            ok = t2_wire_skip(&w, tag, 0);
        }
        if (!ok)
            return false;
    }
    return true;
}

/* One TensorSliceProto. */
static enum t2_status parse_slice(struct t2_slice bytes, int rank,
                                  struct ckpt_bundle_extent *extent)
{
    struct t2_wire w = t2_wire_of(bytes);
    struct t2_slice body;
    uint32_t tag;
    int n = 0;

    while (t2_wire_more(&w)) {
        uint64_t start = 0, length = UINT64_MAX; /* as -1 */

        if (!t2_wire_tag(&w, &tag))
            return T2_EFORMAT;
        if (tag != T2_TAG(1, T2_WIRE_BYTES)) {
            if (!t2_wire_skip(&w, tag, 1))
                return T2_EFORMAT;
            continue;
        }
        if (!t2_wire_bytes(&w, &body) || !parse_pair(body, &start, &length) || n == rank)
            return T2_EFORMAT;
        extent->start[n] = (int64_t) start;
        extent->length[n++] = (int64_t) length;
    }
    return n == rank ? T2_OK : T2_EFORMAT;
}

enum t2_status ckpt_bundle_slice_next(struct t2_slice *rest, int rank,
                                      struct ckpt_bundle_extent *extent)
{
    struct t2_wire w = t2_wire_of(*rest);
    struct t2_slice body;
    enum t2_status st = T2_EOF;
    uint32_t tag;

    while (st == T2_EOF && t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return T2_EFORMAT;
        if (tag == T2_TAG(7, T2_WIRE_BYTES))
            st = t2_wire_bytes(&w, &body) ? parse_slice(body, rank, extent) : T2_EFORMAT;
        else if (!t2_wire_skip(&w, tag, 0))
            return T2_EFORMAT;
    }
    *rest = (struct t2_slice){w.p, (size_t) (w.end - w.p)};
    return st;
}

/* ---- writing ---- */

static void put_varint(struct t2_buf *out, uint32_t field, uint64_t v)
{
    uint8_t bytes[2 * T2_VARINT_MAX_BYTES], *p = bytes;

    if (v == 0) /* the default is not written */
        return;
    p = t2_put_varint(p, T2_TAG(field, T2_WIRE_VARINT));
    p = t2_put_varint(p, v);
    t2_buf_append(out, bytes, (size_t) (p - bytes));
}

static void put_bytes(struct t2_buf *out, uint32_t field, const struct t2_buf *body)
{
    uint8_t bytes[2 * T2_VARINT_MAX_BYTES], *p = bytes;

    p = t2_put_varint(p, T2_TAG(field, T2_WIRE_BYTES));
    p = t2_put_varint(p, body->len_bytes);
    t2_buf_append(out, bytes, (size_t) (p - bytes));
    t2_buf_append(out, body->data, body->len_bytes);
}

void ckpt_bundle_put_entry(struct t2_buf *out, const struct ckpt_bundle_entry *e)
{
    struct t2_buf shape = {0}, dim = {0};

    for (int i = 0; i < e->rank; i++) {
        t2_buf_clear(&dim);
        put_varint(&dim, 1, (uint64_t) e->dims[i]);
        put_bytes(&shape, 2, &dim);
    }
    put_varint(out, 1, e->tf_type);
    put_bytes(out, 2, &shape);
    put_varint(out, 3, e->shard);
    put_varint(out, 4, e->offset);
    put_varint(out, 5, e->n_bytes);
    t2_buf_push(out, T2_TAG(6, T2_WIRE_FIXED32));
    for (int i = 0; i < 4; i++)
        t2_buf_push(out, (uint8_t) (e->masked_crc >> 8 * i));
    t2_buf_release(&dim);
    t2_buf_release(&shape);
}

/* ---- keys of slices ---- */

static void put_ordered(struct t2_buf *out, uint64_t v)
{
    int n = 0;

    while (n < 8 && v >> 8 * n != 0)
        n++;
    t2_buf_push(out, (uint8_t) n);
    for (int i = n - 1; i >= 0; i--)
        t2_buf_push(out, (uint8_t) (v >> 8 * i));
}

static void put_ordered_text(struct t2_buf *out, const char *text)
{
    for (const uint8_t *p = (const uint8_t *) text; *p; p++) {
        t2_buf_push(out, *p);
        if (*p == 0xff)
            t2_buf_push(out, 0);
    }
    t2_buf_push(out, 0);
    t2_buf_push(out, 1);
}

/* n bytes have 7 n bits of the number and its sign; the first byte's upper n bits are set (9 and 10
 * bytes: 9 and 10 bits of the first two). */
static void put_ordered_signed(struct t2_buf *out, int64_t v)
{
    uint64_t flip = v < 0 ? UINT64_MAX : 0, bits = (uint64_t) v ^ flip;
    uint8_t bytes[10] = {0};
    int n = 1;

    while (n < 10 && bits >> (7 * n - 1) != 0)
        n++;
    for (int i = 0; i < n && i < 8; i++)
        bytes[n - 1 - i] = (uint8_t) (bits >> 8 * i);
    for (int i = 0; i < n; i++)
        bytes[i / 8] |= (uint8_t) (0x80 >> i % 8);
    for (int i = 0; i < n; i++)
        t2_buf_push(out, (uint8_t) (bytes[i] ^ (uint8_t) flip));
}

void ckpt_bundle_put_slice_key(struct t2_buf *out, const char *name, int rank,
                               const struct ckpt_bundle_extent *extent)
{
    put_ordered(out, 0);
    put_ordered_text(out, name);
    put_ordered(out, (uint64_t) rank);
    for (int i = 0; i < rank; i++) {
        put_ordered_signed(out, extent->start[i]);
        put_ordered_signed(out, extent->length[i]);
    }
}
