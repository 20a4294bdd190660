/*
 * tfrecord/varint.c - runs of varints, for any machine; varint_choose.c chooses.
 */
#include "tfrecord/varint.h"

#include <string.h>

#include "base/protobuf.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* 1 byte each, one more at 2^7, 2^14, 2^21 and 2^28, and ten for negative ones (5 + 5). */
static size_t ids_bytes_plain(const int32_t *ids, size_t n)
{
    size_t sum = n;

    /* Written so that compilers vectorise it. */
    for (size_t i = 0; i < n; i++) {
        uint32_t v = (uint32_t) ids[i];
        sum += (size_t) (v > 0x7f) + (v > 0x3fff) + (v > 0x1fffff) + (v > 0xfffffff) +
               5 * (size_t) (v > INT32_MAX);
    }
    return sum;
}

static uint8_t *put_ids_plain(uint8_t *p, const int32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p = t2_put_number(p, (uint64_t) (int64_t) ids[i]);
    return p;
}

/*
 * Seven bits out of each byte of a word that holds one number of at most eight bytes.
 *
 * Pairs of 7 bits become 14, pairs of these 28, and these 56: three steps for any length.
 */
static inline uint64_t squeeze(uint64_t w)
{
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The next number; w->p moves behind it. */
static inline uint64_t next_number(struct t2_wire *w)
{
    uint64_t v = 0;

    if (w->end - w->p >= T2_WORD_BYTES) {
        uint64_t word = t2_load_word(w->p);
        uint64_t ends = ~word & HIGH_BITS;
        if (ends != 0) {
            w->p += (__builtin_ctzll(ends) >> 3) + 1;
            return squeeze(word & (ends ^ (ends - 1))); /* all bits up to its last one */
        }
    }
    (void) t2_wire_varint(w, T2_VARINT_MAX_BYTES, &v);
    return v;
}

static void get_ints_plain(const uint8_t *run, size_t len_bytes, int64_t *out, size_t n)
{
    struct t2_wire w = {run, run + len_bytes};

    for (size_t i = 0; i < n; i++)
        out[i] = (int64_t) next_number(&w);
}

static bool get_ids_plain(const uint8_t *run, size_t len_bytes, int32_t *out, size_t n)
{
    struct t2_wire w = {run, run + len_bytes};
    uint64_t beyond = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t v = next_number(&w);
        beyond |= (v + (UINT64_C(1) << 31)) >> 32;
        out[i] = (int32_t) (uint32_t) v;
    }
    return beyond == 0;
}

static size_t read_ints_plain(const uint8_t *run, size_t len_bytes, int64_t *out)
{
    struct t2_wire w = {run, run + len_bytes};
    const int64_t *first = out;
    uint64_t v;

    while (w.end - w.p >= T2_WORD_BYTES) {
        uint64_t word = t2_load_word(w.p);
        uint64_t ends = ~word & HIGH_BITS;
        if (ends == 0) {
            if (!t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v))
                return SIZE_MAX;
            *out++ = (int64_t) v;
            continue;
        }
        w.p += (__builtin_ctzll(ends) >> 3) + 1;
        *out++ = (int64_t) squeeze(word & (ends ^ (ends - 1)));
    }
    while (t2_wire_more(&w)) {
        if (!t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v))
            return SIZE_MAX;
        *out++ = (int64_t) v;
    }
    return (size_t) (out - first);
}

const struct tfr_varint_ops tfr_varint_plain = {ids_bytes_plain, put_ids_plain, get_ints_plain,
                                                get_ids_plain, read_ints_plain};
