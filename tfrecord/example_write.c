/*
 * tfrecord/example_write.c - views back into bytes.
 */
#include "tfrecord/example_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/protobuf.h"
#include "tfrecord/example_lists.h"

static int by_name(const void *a, const void *b)
{
    const struct tfr_named_view *x = a;
    const struct tfr_named_view *y = b;

    return t2_slice_cmp(x->name, y->name);
}

bool tfr_named_views_sort(struct tfr_named_view *features, size_t n, size_t *at)
{
    if (n > 1)
        qsort(features, n, sizeof *features, by_name);
    for (size_t i = 1; i < n; i++) {
        if (t2_slice_eq(features[i - 1].name, features[i].name)) {
            *at = i;
            return false;
        }
    }
    return true;
}

static void put_head(struct t2_buf *out, uint8_t tag, size_t len_bytes)
{
    uint8_t head[1 + T2_VARINT_MAX_BYTES];
    uint8_t *end;

    head[0] = tag;
    end = t2_put_varint(head + 1, len_bytes);
    t2_buf_append(out, head, (size_t) (end - head));
}

static size_t delimited(size_t len_bytes)
{
    return 1 + t2_varint_bytes(len_bytes) + len_bytes;
}

/* ---- lists ---- */

static void *room(struct t2_buf *scratch, size_t n, size_t size)
{
    scratch->len_bytes = 0;
    return t2_buf_reserve(scratch, n * size); /* n values lie in a record: no overflow */
}

static void put_ints(struct t2_buf *out, struct t2_buf *scratch, const struct tfr_view *v)
{
    int64_t *ints = room(scratch, v->n, sizeof *ints);
    size_t packed = 0;

    tfr_view_ints(v, ints);
    for (size_t i = 0; i < v->n; i++)
        packed += t2_varint_bytes((uint64_t) ints[i]);
    put_head(out, TFR_TAG_1, packed);
    uint8_t *p = t2_buf_reserve(out, packed);
    for (size_t i = 0; i < v->n; i++)
        p = t2_put_varint(p, (uint64_t) ints[i]);
    out->len_bytes += packed;
}

static void put_floats(struct t2_buf *out, struct t2_buf *scratch, const struct tfr_view *v)
{
    float *floats = room(scratch, v->n, sizeof *floats);

    tfr_view_floats(v, floats);
    put_head(out, TFR_TAG_1, v->n * sizeof *floats);
    uint8_t *p = t2_buf_reserve(out, v->n * sizeof *floats);
    for (size_t i = 0; i < v->n; i++) {
        uint32_t bits;
        memcpy(&bits, &floats[i], sizeof bits);
        for (int k = 0; k < 4; k++)
            *p++ = (uint8_t) (bits >> (8 * k));
    }
    out->len_bytes += v->n * sizeof *floats;
}

static void put_bytes(struct t2_buf *out, struct t2_buf *scratch, const struct tfr_view *v)
{
    struct t2_slice *bytes = room(scratch, v->n, sizeof *bytes);

    tfr_view_bytes(v, bytes);
    for (size_t i = 0; i < v->n; i++) {
        put_head(out, TFR_TAG_1, bytes[i].len_bytes);
        t2_buf_append(out, bytes[i].data, bytes[i].len_bytes);
    }
}

/* Body of the BytesList, FloatList or Int64List. */
static void put_list(struct t2_buf *out, struct t2_buf *scratch, const struct tfr_view *v)
{
    if (v->n == 0)
        return;
    if (v->kind == TFR_INT64)
        put_ints(out, scratch, v);
    else if (v->kind == TFR_FLOAT)
        put_floats(out, scratch, v);
    else
        put_bytes(out, scratch, v);
}

/* ---- whole ---- */

static void put_entry(struct t2_buf *out, const struct tfr_named_view *f, struct t2_slice list)
{
    size_t feature_bytes = f->view->kind == TFR_NONE ? 0 : delimited(list.len_bytes);

    put_head(out, TFR_TAG_1, delimited(f->name.len_bytes) + delimited(feature_bytes));
    put_head(out, TFR_TAG_1, f->name.len_bytes);
    t2_buf_append(out, f->name.data, f->name.len_bytes);
    put_head(out, TFR_TAG_2, feature_bytes);
    if (f->view->kind == TFR_NONE)
        return;
    /* The list's field number is its kind: 1 bytes, 2 floats, 3 ints. */
    put_head(out, (uint8_t) T2_TAG(f->view->kind, T2_WIRE_BYTES), list.len_bytes);
    t2_buf_append(out, list.data, list.len_bytes);
}

void tfr_example_write(struct t2_buf *out, struct t2_buf *scratch,
                       const struct tfr_named_view *features, size_t n)
{
    struct t2_buf list = {NULL, 0, 0};
    struct t2_buf body = {NULL, 0, 0};

    for (size_t i = 0; i < n; i++) {
        t2_buf_clear(&list);
        put_list(&list, scratch, features[i].view);
        put_entry(&body, &features[i], t2_buf_slice(&list));
    }
    put_head(out, TFR_TAG_1, body.len_bytes);
    t2_buf_append(out, body.data, body.len_bytes);
    t2_buf_release(&body);
    t2_buf_release(&list);
}

void tfr_example_canonical(struct t2_buf *out, struct t2_buf *scratch,
                           const struct tfr_example *example)
{
    struct tfr_named_view *features = t2_alloc(example->n, sizeof *features);
    bool unique;
    size_t at;

    for (size_t i = 0; i < example->n; i++)
        features[i] = (struct tfr_named_view){example->views[i].name, &example->views[i]};
    unique = tfr_named_views_sort(features, example->n, &at);
    T2_ASSERT(unique); /* parsing leaves each name once */
    tfr_example_write(out, scratch, features, example->n);
    t2_free(features);
}
