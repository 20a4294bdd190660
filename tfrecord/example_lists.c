/*
 * tfrecord/example_lists.c - the values inside the lists of an Example, counted.
 *
 * Counting checks every byte, so that copying (example_values.c) need not.
 */
#include "tfrecord/example_lists.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)
#define LOW_BITS UINT64_C(0x0101010101010101)

static bool trouble(struct tfr_trouble *t, const uint8_t *at, const char *what)
{
    *t = (struct tfr_trouble){what, at};
    return false;
}

/* Numbers in a packed run, byte by byte: also finds what is too long. */
static bool count_packed_slowly(struct t2_slice run, size_t *n, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(run);
    uint64_t v;

    while (t2_wire_more(&w)) {
        if (!t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v))
            return trouble(t, w.p,
                           "a packed list of numbers is cut or has one of more than ten bytes");
        ++*n;
    }
    return true;
}

/*
 * Every number ends with the only byte of it below 0x80.  Four bytes in a row above that are
 * looked at closely: ten make a number too long.
 *
 * Eight bytes at a time: the bytes below 0x80 are moved to bit 0 of each byte and added by one
 * multiplication, whose top byte is the sum.
 */
bool tfr_packed_count(struct t2_slice run, size_t *n, struct tfr_trouble *t)
{
    const uint8_t *p = run.data;
    const uint8_t *end = p + run.len_bytes;
    uint64_t long_ones = 0;
    size_t sum = 0;

    for (; end - p >= T2_WORD_BYTES; p += T2_WORD_BYTES) {
        uint64_t more = t2_load_word(p) & HIGH_BITS;
        long_ones |= more & more >> 8 & more >> 16 & more >> 24;
        sum += (size_t) ((((~more & HIGH_BITS) >> 7) * LOW_BITS) >> 56);
    }
    for (; p < end; p++)
        sum += *p < 0x80;
    if (long_ones != 0 || (run.len_bytes > 0 && end[-1] >= 0x80))
        return count_packed_slowly(run, n, t);
    *n += sum;
    return true;
}

/* One field of a list that is not the packed or delimited form. */
static bool count_single(enum tfr_kind kind, struct t2_wire *w, uint32_t tag, size_t *n,
                         struct tfr_trouble *t)
{
    uint64_t v;

    if (kind == TFR_INT64 && tag == TFR_TAG_1_VARINT) {
        ++*n;
        return t2_wire_varint(w, T2_VARINT_MAX_BYTES, &v) ||
               trouble(t, w->p, "a number that is cut or has more than ten bytes");
    }
    if (kind == TFR_FLOAT && tag == TFR_TAG_1_FIXED32) {
        ++*n;
        return t2_wire_fixed(w, 4) || trouble(t, w->p, "a float that is cut");
    }
    return t2_wire_skip(w, tag, TFR_IN_LIST) ||
           trouble(t, w->p, "an unknown field that is damaged");
}

bool tfr_list_count(enum tfr_kind kind, struct t2_slice list, size_t *n, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(list);
    struct t2_slice body;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return trouble(t, w.p, "not a field tag");
        if (tag != TFR_TAG_1) {
            if (!count_single(kind, &w, tag, n, t))
                return false;
            continue;
        }
        if (!t2_wire_bytes(&w, &body))
            return trouble(t, w.p, "a length that is damaged or larger than what is left");
        if (kind == TFR_BYTES) {
            ++*n;
        } else if (kind == TFR_FLOAT) {
            if (body.len_bytes % 4 != 0)
                return trouble(t, body.data,
                               "a packed list of floats whose length is no multiple of 4");
            *n += body.len_bytes / 4;
        } else if (!tfr_packed_count(body, n, t)) {
            return false;
        }
    }
    return true;
}
