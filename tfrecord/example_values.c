/*
 * tfrecord/example_values.c - copying values out of the lists of an Example.
 *
 * The parser has checked every byte, so nothing is checked here; the assertions on counts at the
 * end of each function would find a disagreement between the two.
 */
#include "tfrecord/example.h"

#include <string.h>

#include "base/err.h"
#include "tfrecord/example_lists.h"
#include "tfrecord/varint.h"

/* Where values go: one of the four. */
struct sink {
    int64_t *ints;
    int32_t *ids;
    float *floats;
    struct t2_slice *bytes;
    bool fit; /* all numbers so far fitted into ids */
};

typedef void list_fn(struct t2_slice list, struct sink *to);

/* ---- walking the lists of a view ---- */

/* Calls f for the lists of a joined view from number `from` on, when f is set.  A list of another
 * kind makes an end of what came before: `start` is the number of the first list that counts. */
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
    struct t2_wire w = t2_wire_of(feature);
    struct t2_slice list;
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag != TFR_TAG_1 && tag != TFR_TAG_2 && tag != TFR_TAG_3) {
            if (!t2_wire_skip(&w, tag, TFR_IN_FEATURE))
                return;
            continue;
        }
        if (!t2_wire_bytes(&w, &list))
            return;
        if (tag != k->kind)
            k->start = k->n;
        k->kind = tag;
        if (k->f && k->n >= k->from)
            k->f(list, k->to);
        k->n++;
    }
}

static void walk_entry(struct walk *k, struct t2_slice entry)
{
    struct t2_wire w = t2_wire_of(entry);
    struct t2_slice value;
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag != TFR_TAG_2) {
            if (!t2_wire_skip(&w, tag, TFR_IN_ENTRY))
                return;
        } else if (t2_wire_bytes(&w, &value)) {
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
    void (*walk)(struct walk *, struct t2_slice) = v->bare ? walk_feature : walk_entry;
    walk(&find, v->list);
    struct walk copy = {.f = f, .to = to, .from = find.start};
    walk(&copy, v->list);
}

/* ---- numbers ---- */

static void put_run(struct t2_slice run, size_t n, struct sink *to)
{
    const struct tfr_varint_ops *ops = tfr_varint_ops();

    if (to->ids) {
        to->fit &= ops->get_ids(run.data, run.len_bytes, to->ids, n);
        to->ids += n;
    } else {
        ops->get_ints(run.data, run.len_bytes, to->ints, n);
        to->ints += n;
    }
}

static void copy_numbers(struct t2_slice list, struct sink *to)
{
    struct t2_wire w = t2_wire_of(list);
    struct tfr_trouble none = {0};
    struct t2_slice run;
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        size_t n = 0;
        uint64_t v;
        run.data = w.p;
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, &run) || !tfr_packed_count(run, &n, &none))
                return;
        } else if (tag == TFR_TAG_1_VARINT) {
            if (!t2_wire_varint(&w, T2_VARINT_MAX_BYTES, &v))
                return;
            run.len_bytes = (size_t) (w.p - run.data);
            n = 1;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
        put_run(run, n, to);
    }
}

/* Whether the list is one packed run that fills it, the form of nearly every writer. */
static bool is_one_run(const struct tfr_view *v, struct t2_slice *run)
{
    struct t2_wire w = t2_wire_of(v->list);
    uint32_t tag;

    return !v->joined && t2_wire_more(&w) && t2_wire_tag(&w, &tag) && tag == TFR_TAG_1 &&
           t2_wire_bytes(&w, run) && !t2_wire_more(&w);
}

static void copy_all_numbers(const struct tfr_view *v, struct sink *to)
{
    struct t2_slice run;

    if (is_one_run(v, &run))
        put_run(run, v->n, to);
    else
        each_list(v, copy_numbers, to);
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
    struct t2_wire w = t2_wire_of(list);
    struct t2_slice run;
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, &run))
                return;
            put_floats(run.data, run.len_bytes / 4, to->floats);
            to->floats += run.len_bytes / 4;
        } else if (tag == TFR_TAG_1_FIXED32) {
            put_floats(w.p, 1, to->floats++);
            if (!t2_wire_fixed(&w, 4))
                return;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
    }
}

static void copy_bytes(struct t2_slice list, struct sink *to)
{
    struct t2_wire w = t2_wire_of(list);
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, to->bytes++))
                return;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_LIST)) {
            return;
        }
    }
}

/* ---- what callers see ---- */

void tfr_view_ints(const struct tfr_view *v, int64_t *out)
{
    struct sink to = {.ints = out};

    T2_ASSERT(v->kind == TFR_INT64);
    copy_all_numbers(v, &to);
    T2_ASSERT(to.ints == out + v->n);
}

bool tfr_view_ids(const struct tfr_view *v, int32_t *out)
{
    struct sink to = {.ids = out, .fit = true};

    T2_ASSERT(v->kind == TFR_INT64);
    copy_all_numbers(v, &to);
    T2_ASSERT(to.ids == out + v->n);
    return to.fit;
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
