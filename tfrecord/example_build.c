/*
 * tfrecord/example_build.c - writing tf.train.Example.
 *
 * Messages are preceded by their length, so sizes are computed first, then bytes are written once.
 */
#include "tfrecord/example.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "tfrecord/framing.h"
#include "tfrecord/varint.h"

/* Tags of one byte: field 1, 2, 3 with a length-delimited body. */
enum { TAG_1 = 0x0a, TAG_2 = 0x12 };

enum {
    ON_STACK = 32 /* features whose sizes and order need no memory of their own */
};

/* The sizes of a feature's messages, from the first pass. */
struct plan {
    const struct tfr_feature *feature;
    size_t name_bytes;
    size_t packed_bytes; /* ints and floats: the packed run */
    size_t list_bytes;   /* body of the list message */
};

static size_t delimited(size_t body_bytes)
{
    return 1 + t2_varint_bytes(body_bytes) + body_bytes;
}

static uint8_t *put_head(uint8_t *p, uint8_t tag, size_t body_bytes)
{
    *p++ = tag;
    return t2_put_varint(p, body_bytes);
}

static size_t feature_bytes(const struct plan *plan)
{
    return plan->feature->kind == TFR_NONE ? 0 : delimited(plan->list_bytes);
}

static size_t entry_bytes(const struct plan *plan)
{
    return delimited(plan->name_bytes) + delimited(feature_bytes(plan));
}

/* ---- sizes ---- */

static size_t packed_bytes_of(const struct tfr_feature *f)
{
    size_t sum = 0;

    if (f->kind == TFR_FLOAT)
        return 4 * f->n;
    for (size_t i = 0; i < f->n; i++)
        sum += t2_varint_bytes((uint64_t) f->ints[i]);
    return sum;
}

static void plan_feature(struct plan *plan, const struct tfr_feature *f)
{
    plan->feature = f;
    plan->name_bytes = strlen(f->name);
    plan->packed_bytes = 0;
    plan->list_bytes = 0;
    switch (f->kind) {
    case TFR_NONE:
        break;
    case TFR_BYTES:
        for (size_t i = 0; i < f->n; i++)
            plan->list_bytes += delimited(f->bytes[i].len_bytes);
        break;
    case TFR_FLOAT:
    case TFR_INT64:
        plan->packed_bytes = packed_bytes_of(f);
        plan->list_bytes = f->n == 0 ? 0 : delimited(plan->packed_bytes);
        break;
    }
}

/* ---- values ---- */

static uint8_t *put_floats(uint8_t *p, const float *values, size_t n)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, values, 4 * n);
#else
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, 4);
        bits = __builtin_bswap32(bits);
        memcpy(p + 4 * i, &bits, 4);
    }
#endif
    return p + 4 * n;
}

static uint8_t *put_list(uint8_t *p, const struct plan *plan)
{
    const struct tfr_feature *f = plan->feature;

    if (f->n == 0)
        return p;
    if (f->kind == TFR_BYTES) {
        for (size_t i = 0; i < f->n; i++) {
            p = put_head(p, TAG_1, f->bytes[i].len_bytes);
            if (f->bytes[i].len_bytes > 0)
                memcpy(p, f->bytes[i].data, f->bytes[i].len_bytes);
            p += f->bytes[i].len_bytes;
        }
        return p;
    }
    p = put_head(p, TAG_1, plan->packed_bytes);
    if (f->kind == TFR_FLOAT)
        return put_floats(p, f->floats, f->n);
    for (size_t i = 0; i < f->n; i++)
        p = t2_put_number(p, (uint64_t) f->ints[i]);
    return p;
}

static uint8_t *put_entry(uint8_t *p, const struct plan *plan)
{
    p = put_head(p, TAG_1, entry_bytes(plan));
    p = put_head(p, TAG_1, plan->name_bytes);
    memcpy(p, plan->feature->name, plan->name_bytes);
    p = put_head(p + plan->name_bytes, TAG_2, feature_bytes(plan));
    if (plan->feature->kind == TFR_NONE)
        return p;
    /* The list's field number is its kind: 1 bytes, 2 floats, 3 ints. */
    p = put_head(p, (uint8_t) T2_TAG(plan->feature->kind, T2_WIRE_BYTES), plan->list_bytes);
    return put_list(p, plan);
}

/* ---- whole ---- */

static int compare_plans(const void *a, const void *b)
{
    return strcmp(((const struct plan *) a)->feature->name,
                  ((const struct plan *) b)->feature->name);
}

/* Insertion sort: few features, often in order already.  Foreign records may have any number. */
static void sort_plans(struct plan *plans, size_t n)
{
    if (n > ON_STACK)
        qsort(plans, n, sizeof *plans, compare_plans);
    for (size_t i = 1; i < n && n <= ON_STACK; i++) {
        struct plan moved = plans[i];
        size_t j = i;
        for (; j > 0 && strcmp(plans[j - 1].feature->name, moved.feature->name) > 0; j--)
            plans[j] = plans[j - 1];
        plans[j] = moved;
    }
    for (size_t i = 1; i < n; i++)
        T2_ASSERT(strcmp(plans[i - 1].feature->name, plans[i].feature->name) < 0);
}

void tfr_example_build(struct t2_buf *out, const struct tfr_feature *features, size_t n_features)
{
    struct plan on_stack[ON_STACK];
    struct plan *plans = on_stack;
    size_t body_bytes = 0;

    if (n_features > ON_STACK)
        plans = t2_alloc(n_features, sizeof *plans);
    for (size_t i = 0; i < n_features; i++) {
        plan_feature(&plans[i], &features[i]);
        body_bytes += delimited(entry_bytes(&plans[i]));
    }
    sort_plans(plans, n_features);

    uint8_t *start = t2_buf_reserve(out, delimited(body_bytes) + TFR_PUT_SLACK_BYTES);
    uint8_t *p = put_head(start, TAG_1, body_bytes);
    for (size_t i = 0; i < n_features; i++)
        p = put_entry(p, &plans[i]);
    T2_DASSERT(p == start + delimited(body_bytes));
    out->len_bytes += (size_t) (p - start);
    *p = 0; /* a t2_buf ends with NUL */
    if (plans != on_stack)
        t2_free(plans);
}

/* ---- the usual text record ---- */

/*
 * Most of the time here would go into the lengths of the five messages around each run:
 *
 *   0a entry { 0a name "inputs" 12 feature { 1a list { 0a run { varints } } } }
 *
 * When the whole record is below 16 KiB a length has one or two bytes, which are found and written
 * without a branch; `is_short` is a constant in each caller, so that the other form costs nothing.
 *
 *   out: | heads and runs in their final places | room | runs as written, one after the other |
 *
 * The size of a run is known only when it is written, and the lengths in front of it need that
 * size. Computing sizes first and writing runs in place was 7 % slower than writing runs behind and
 * copying them (bench/results/2026-11-21-tfrecord-notes.md): copies are 64 bytes at a time.
 */
enum { SHORT_BYTES = 1 << 14, COPY_BYTES = 64 };

/* Sizes of the messages around a run, the innermost first. */
struct ids_plan {
    const char *name;
    size_t name_bytes, packed_bytes, list_bytes, feature_bytes, entry_bytes;
};

static inline size_t ids_delimited(size_t body_bytes, bool is_short)
{
    return is_short ? 2 + (size_t) (body_bytes > 0x7f) + body_bytes : delimited(body_bytes);
}

/* Compilers do not always make one move of four bytes. */
static inline void store_le32(uint8_t *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(p, &v, sizeof v);
#else
    tfr_put_le32(p, v);
#endif
}

/* Writes up to two bytes too many. */
static inline uint8_t *put_ids_head(uint8_t *p, uint8_t tag, size_t body_bytes, bool is_short)
{
    if (!is_short)
        return put_head(p, tag, body_bytes);
    uint32_t two = body_bytes > 0x7f;
    uint32_t v = (uint32_t) body_bytes;

    store_le32(p, tag | (v & 0x7f) << 8 | two << 15 | v >> 7 << 16);
    return p + 2 + two;
}

static inline void plan_ids(struct ids_plan *plan, size_t packed_bytes, bool is_short)
{
    plan->packed_bytes = packed_bytes;
    plan->list_bytes = packed_bytes == 0 ? 0 : ids_delimited(packed_bytes, is_short);
    plan->feature_bytes = ids_delimited(plan->list_bytes, is_short);
    plan->entry_bytes =
        ids_delimited(plan->name_bytes, is_short) + ids_delimited(plan->feature_bytes, is_short);
}

static inline uint8_t *put_name(uint8_t *p, const char *name, size_t n)
{
    if (n >= 4 && n <= 8) { /* the usual ones: two moves that overlap */
        memcpy(p, name, 4);
        memcpy(p + n - 4, name + n - 4, 4);
    } else {
        memcpy(p, name, n);
    }
    return p + n;
}

/* All but the run. */
__attribute__((always_inline)) static inline uint8_t *put_ids_heads(uint8_t *p,
                                                                    const struct ids_plan *plan,
                                                                    bool is_short)
{
    p = put_ids_head(p, TAG_1, plan->entry_bytes, is_short);
    p = put_ids_head(p, TAG_1, plan->name_bytes, is_short);
    p = put_name(p, plan->name, plan->name_bytes);
    p = put_ids_head(p, TAG_2, plan->feature_bytes, is_short);
    p = put_ids_head(p, (uint8_t) T2_TAG(TFR_INT64, T2_WIRE_BYTES), plan->list_bytes, is_short);
    return plan->packed_bytes == 0 ? p : put_ids_head(p, TAG_1, plan->packed_bytes, is_short);
}

/* Copies n bytes and up to COPY_BYTES - 1 that follow them; `to` lies at least COPY_BYTES in front
 * of `from`, so nothing is overwritten before it is read. */
static inline void copy_run(uint8_t *to, const uint8_t *from, size_t n)
{
    for (size_t i = 0; i < n; i += COPY_BYTES)
        memcpy(to + i, from + i, COPY_BYTES);
}

/* The names are in plans; room: for all of it, at most. */
__attribute__((always_inline)) static inline void build_ids(struct t2_buf *out, size_t n_features,
                                                            struct ids_plan *plans,
                                                            const int32_t *const *ids,
                                                            const size_t *n_ids, size_t room,
                                                            bool is_short)
{
    const struct tfr_varint_ops *ops = tfr_varint_ops();
    size_t need_bytes = 2 * room + COPY_BYTES + TFR_PUT_SLACK_BYTES;
    size_t body_bytes = 0;

    /* The runs are written behind and moved: that is cheaper than to find out their sizes
     * before. */
    bool fits = out->capacity_bytes - out->len_bytes >= need_bytes;
    uint8_t *start = fits ? out->data + out->len_bytes : t2_buf_reserve(out, need_bytes);
    const uint8_t *run = start + room + COPY_BYTES;
    uint8_t *end = start + room + COPY_BYTES;
    for (size_t i = 0; i < n_features; i++) {
        uint8_t *begin = end;
        end = ops->put_ids(end, ids[i], n_ids[i]);
        plan_ids(&plans[i], (size_t) (end - begin), is_short);
        body_bytes += ids_delimited(plans[i].entry_bytes, is_short);
    }

    uint8_t *p = put_ids_head(start, TAG_1, body_bytes, is_short);
    for (size_t i = 0; i < n_features; i++) {
        p = put_ids_heads(p, &plans[i], is_short);
        copy_run(p, run, plans[i].packed_bytes);
        p += plans[i].packed_bytes;
        run += plans[i].packed_bytes;
    }
    T2_DASSERT(p == start + ids_delimited(body_bytes, is_short));
    out->len_bytes += (size_t) (p - start);
    *p = 0; /* a t2_buf ends with NUL */
}

void tfr_example_build_ids(struct t2_buf *out, size_t n_features, const char *const *names,
                           const int32_t *const *ids, const size_t *n_ids)
{
    struct ids_plan plans[ON_STACK];
    size_t room = 2 * T2_VARINT_MAX_BYTES;

    T2_ASSERT(n_features <= ON_STACK);
    for (size_t i = 0; i < n_features; i++) {
        T2_DASSERT(i == 0 || strcmp(names[i - 1], names[i]) < 0);
        __builtin_prefetch(ids[i]); /* all lists come from memory together */
        __builtin_prefetch(ids[i] + 16);
        __builtin_prefetch(ids[i] + 32);
        plans[i].name = names[i];
        plans[i].name_bytes = strlen(names[i]);
        room += 6 * T2_VARINT_MAX_BYTES + plans[i].name_bytes + T2_VARINT_MAX_BYTES * n_ids[i];
    }
    if (room < SHORT_BYTES)
        build_ids(out, n_features, plans, ids, n_ids, room, true);
    else
        build_ids(out, n_features, plans, ids, n_ids, room, false);
}
