/*
 * tfrecord/example_build.c - writing tf.train.Example.
 *
 * Messages are preceded by their length, so sizes are computed first, then bytes are written once.
 */
#include "tfrecord/example.h"

#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "tfrecord/varint.h"

/* Tags of one byte: field 1, 2, 3 with a length-delimited body. */
enum { TAG_1 = 0x0a, TAG_2 = 0x12 };

enum {
    ON_STACK = 32 /* features whose sizes and order need no memory of their own */
};

/* What the size pass finds out about a feature. */
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

/* Insertion sort: few features, often in order already. */
static void sort_plans(struct plan *plans, size_t n)
{
    for (size_t i = 1; i < n; i++) {
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
    *p = 0; /* as base/buf.h wants it */
    if (plans != on_stack)
        t2_free(plans);
}

/* ---- the usual text record ---- */

/* Sizes of the messages around a run, the innermost first. */
struct ids_plan {
    const char *name;
    size_t name_bytes, packed_bytes, list_bytes, feature_bytes, entry_bytes;
};

static void plan_ids(struct ids_plan *plan, size_t packed_bytes)
{
    plan->packed_bytes = packed_bytes;
    plan->list_bytes = packed_bytes == 0 ? 0 : delimited(packed_bytes);
    plan->feature_bytes = delimited(plan->list_bytes);
    plan->entry_bytes = delimited(plan->name_bytes) + delimited(plan->feature_bytes);
}

/* All but the run. */
static uint8_t *put_ids_heads(uint8_t *p, const struct ids_plan *plan)
{
    p = put_head(p, TAG_1, plan->entry_bytes);
    p = put_head(p, TAG_1, plan->name_bytes);
    memcpy(p, plan->name, plan->name_bytes);
    p = put_head(p + plan->name_bytes, TAG_2, plan->feature_bytes);
    p = put_head(p, (uint8_t) T2_TAG(TFR_INT64, T2_WIRE_BYTES), plan->list_bytes);
    return plan->packed_bytes == 0 ? p : put_head(p, TAG_1, plan->packed_bytes);
}

void tfr_example_build_ids(struct t2_buf *out, size_t n_features, const char *const *names,
                           const int32_t *const *ids, const size_t *n_ids)
{
    const struct tfr_varint_ops *ops = tfr_varint_ops();
    struct ids_plan plans[ON_STACK];
    size_t room = 2 * T2_VARINT_MAX_BYTES; /* for all of it, at most */
    size_t body_bytes = 0;

    T2_ASSERT(n_features <= ON_STACK);
    for (size_t i = 0; i < n_features; i++) {
        T2_DASSERT(i == 0 || strcmp(names[i - 1], names[i]) < 0);
        __builtin_prefetch(ids[i]); /* all lists come from memory together */
        __builtin_prefetch(ids[i] + 16);
        plans[i].name = names[i];
        plans[i].name_bytes = strlen(names[i]);
        room += 6 * T2_VARINT_MAX_BYTES + plans[i].name_bytes + T2_VARINT_MAX_BYTES * n_ids[i];
    }
    /* The runs are written behind and moved: that is cheaper than to find out their sizes before. */
    uint8_t *start = t2_buf_reserve(out, 2 * room + TFR_PUT_SLACK_BYTES);
    const uint8_t *run = start + room;
    uint8_t *end = start + room;
    for (size_t i = 0; i < n_features; i++) {
        uint8_t *begin = end;
        end = ops->put_ids(end, ids[i], n_ids[i]);
        plan_ids(&plans[i], (size_t) (end - begin));
        body_bytes += delimited(plans[i].entry_bytes);
    }

    uint8_t *p = put_head(start, TAG_1, body_bytes);
    for (size_t i = 0; i < n_features; i++) {
        size_t n = plans[i].packed_bytes;
        p = put_ids_heads(p, &plans[i]);
        memcpy(p, run, n);
        p += n;
        run += n;
    }
    T2_DASSERT(p == start + delimited(body_bytes));
    out->len_bytes += (size_t) (p - start);
    *p = 0; /* as base/buf.h wants it */
}
