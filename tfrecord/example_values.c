/*
 * tfrecord/example_values.c - copying values out of the lists of an Example.
 *
 * What the parser has accepted is not checked again; the counts at the end of each function are a
 * second look.
 */
#include "tfrecord/example.h"

#include <string.h>

#include "base/err.h"
#include "tfrecord/example_lists.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Where values go: one of the four. */
struct sink {
    int64_t *ints;
    int32_t *ids;
    float *floats;
    struct t2_slice *bytes;
    uint64_t beyond; /* not 0 when a number did not fit into ids */
};

typedef void list_fn(struct t2_slice list, struct sink *to);

/* ---- walking the lists of a view ---- */

/* Calls f for the lists of a joined view from number `from` on, when f is set.  A list of another kind
 * makes an end of what came before: `start` is the number of the first list that counts. */
struct walk {
    list_fn *f;
    struct sink *to;
    size_t from;
    size_t n;
    size_t start;
    uint32_t kind;
};

static void walk_feature(struct walk *k, struct t2_slice feature)
{
    struct tfr_wire w = tfr_wire_of(feature);
    struct t2_slice list;
    uint32_t tag;

    while (tfr_wire_more(&w) && tfr_wire_tag(&w, &tag)) {
        if (tag != TFR_TAG_1 && tag != TFR_TAG_2 && tag != TFR_TAG_3) {
            if (!tfr_wire_skip(&w, tag, TFR_IN_FEATURE))
                return;
            continue;
        }
        if (!tfr_wire_bytes(&w, &list))
            return;
        if (tag != k->kind)
            k->start = k->n;
        k->kind = tag;
        if (k->f != NULL && k->n >= k->from)
            k->f(list, k->to);
        k->n++;
    }
}

static void walk_entry(struct walk *k, struct t2_slice entry)
{
    struct tfr_wire w = tfr_wire_of(entry);
    struct t2_slice value;
    uint32_t tag;

    while (tfr_wire_more(&w) && tfr_wire_tag(&w, &tag)) {
        if (tag != TFR_TAG_2) {
            if (!tfr_wire_skip(&w, tag, TFR_IN_ENTRY))
                return;
        } else if (tfr_wire_bytes(&w, &value)) {
            walk_feature(k, value);
        }
    }
}

static void each_list(const struct tfr_view *v, list_fn *f, struct sink *to)
{
    struct walk find = {0};

    if (!v->joined) {
        f(v->list, to);
        return;
    }
    walk_entry(&find, v->list);
    struct walk copy = {.f = f, .to = to, .from = find.start};
    walk_entry(&copy, v->list);
}

/* ---- numbers ---- */

/* Seven bits out of each byte of a word that holds one number of at most eight bytes. */
static inline uint64_t squeeze(uint64_t w)
{
    w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
    w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The loops below exist twice, for int64_t and for int32_t: `narrow` is a constant in each. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void put_number(struct sink *to, uint64_t v, bool narrow)
{
    if (narrow) {
        to->beyond |= (v + (UINT64_C(1) << 31)) >> 32;
        *to->ids++ = (int32_t) (uint32_t) v;
    } else {
        *to->ints++ = (int64_t) v;
    }
}

ALWAYS_INLINE void copy_packed(struct t2_slice run, struct sink *sink, bool narrow)
{
    struct tfr_wire w = tfr_wire_of(run);
    struct sink to = *sink; /* in registers */
    uint64_t v = 0;

    while (w.end - w.p >= TFR_WORD_BYTES) {
        uint64_t word = tfr_load_word(w.p);
        uint64_t ends = ~word & HIGH_BITS;
        if (ends == HIGH_BITS) { /* eight numbers of one byte */
            for (int i = 0; i < TFR_WORD_BYTES; i++)
                put_number(&to, w.p[i], narrow);
            w.p += TFR_WORD_BYTES;
        } else if (ends == 0) { /* one of nine or ten bytes */
            if (!tfr_wire_varint(&w, TFR_VARINT_MAX_BYTES, &v))
                break;
            put_number(&to, v, narrow);
        } else {
            uint64_t of_first = ends ^ (ends - 1); /* all bits up to its last one */
            put_number(&to, squeeze(word & of_first), narrow);
            w.p += (__builtin_ctzll(ends) >> 3) + 1;
        }
    }
    while (tfr_wire_more(&w) && tfr_wire_varint(&w, TFR_VARINT_MAX_BYTES, &v))
        put_number(&to, v, narrow);
    *sink = to;
}

ALWAYS_INLINE void copy_numbers(struct t2_slice list, struct sink *to, bool narrow)
{
    struct tfr_wire w = tfr_wire_of(list);
    struct t2_slice run;
    uint32_t tag;
    uint64_t v;

    while (tfr_wire_more(&w) && tfr_wire_tag(&w, &tag)) {
        if (tag == TFR_TAG_1) {
            if (!tfr_wire_bytes(&w, &run))
                return;
            copy_packed(run, to, narrow);
        } else if (tag == TFR_TAG_1_VARINT) {
            if (!tfr_wire_varint(&w, TFR_VARINT_MAX_BYTES, &v))
                return;
            put_number(to, v, narrow);
        } else if (!tfr_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
    }
}

static void copy_ints(struct t2_slice list, struct sink *to)
{
    copy_numbers(list, to, false);
}

static void copy_ids(struct t2_slice list, struct sink *to)
{
    copy_numbers(list, to, true);
}

/* ---- floats, bytes ---- */

static void put_floats(const uint8_t *from, size_t n, float *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (n > 0)
        memcpy(out, from, 4 * n);
#else
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, from + 4 * i, 4);
        bits = __builtin_bswap32(bits);
        memcpy(out + i, &bits, 4);
    }
#endif
}

static void copy_floats(struct t2_slice list, struct sink *to)
{
    struct tfr_wire w = tfr_wire_of(list);
    struct t2_slice run;
    uint32_t tag;

    while (tfr_wire_more(&w) && tfr_wire_tag(&w, &tag)) {
        if (tag == TFR_TAG_1) {
            if (!tfr_wire_bytes(&w, &run))
                return;
            put_floats(run.data, run.len_bytes / 4, to->floats);
            to->floats += run.len_bytes / 4;
        } else if (tag == TFR_TAG_1_FIXED32) {
            put_floats(w.p, 1, to->floats++);
            if (!tfr_wire_fixed(&w, 4))
                return;
        } else if (!tfr_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
    }
}

static void copy_bytes(struct t2_slice list, struct sink *to)
{
    struct tfr_wire w = tfr_wire_of(list);
    uint32_t tag;

    while (tfr_wire_more(&w) && tfr_wire_tag(&w, &tag)) {
        if (tag == TFR_TAG_1) {
            if (!tfr_wire_bytes(&w, to->bytes++))
                return;
        } else if (!tfr_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
    }
}

/* ---- what callers see ---- */

void tfr_view_ints(const struct tfr_view *v, int64_t *out)
{
    struct sink to = {.ints = out};

    T2_ASSERT(v->kind == TFR_INT64);
    each_list(v, copy_ints, &to);
    T2_ASSERT(to.ints == out + v->n);
}

bool tfr_view_ids(const struct tfr_view *v, int32_t *out)
{
    struct sink to = {.ids = out};

    T2_ASSERT(v->kind == TFR_INT64);
    each_list(v, copy_ids, &to);
    T2_ASSERT(to.ids == out + v->n);
    return to.beyond == 0;
}

void tfr_view_floats(const struct tfr_view *v, float *out)
{
    struct sink to = {.floats = out};

    T2_ASSERT(v->kind == TFR_FLOAT);
    each_list(v, copy_floats, &to);
    T2_ASSERT(to.floats == out + v->n);
}

void tfr_view_bytes(const struct tfr_view *v, struct t2_slice *out)
{
    struct sink to = {.bytes = out};

    T2_ASSERT(v->kind == TFR_BYTES);
    each_list(v, copy_bytes, &to);
    T2_ASSERT(to.bytes == out + v->n);
}
