/*
 * tfrecord/sequence.c - the feature lists of a tf.train.SequenceExample, found and written.
 *
 *   SequenceExample { Features context = 1; FeatureLists feature_lists = 2 }
 *   FeatureLists    { map<string, FeatureList> = 1 }     FeatureList { repeated Feature = 1 }
 *
 * The context is parsed as an Example, which has the same field 1.
 */
#include "tfrecord/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "tfrecord/example_lists.h"

enum { FIRST_CAPACITY = 8 };

/* ---- finding ---- */

/* Room for one more of n items of size bytes. */
static bool grow(void **items, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return true;

    size_t more = *capacity == 0 ? FIRST_CAPACITY : 2 * *capacity;
    void *moved = t2_try_alloc(more, size);
    if (!moved)
        return false;
    if (n > 0)
        memcpy(moved, *items, n * size);
    t2_free(*items);
    *items = moved;
    *capacity = more;
    return true;
}

static bool add_step(struct tfr_sequence *s, struct t2_slice body, struct tfr_trouble *t)
{
    void *steps = s->steps;
    struct tfr_view v = {.bare = true};

    if (!tfr_feature_parse(&v, body, t))
        return false;
    if (v.joined)
        v.list = body;
    if (!grow(&steps, s->n_steps, &s->n_steps_capacity, sizeof v))
        return false;
    s->steps = steps;
    s->steps[s->n_steps++] = v;
    return true;
}

static bool malformed(struct tfr_trouble *t, const struct t2_wire *w)
{
    if (!t->what)
        *t = (struct tfr_trouble){"no FeatureLists", w->p};
    return false;
}

static bool parse_list(struct tfr_sequence *s, struct t2_slice body, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice feature;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return malformed(t, &w);
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, &feature))
                return malformed(t, &w);
            if (!add_step(s, feature, t))
                return false;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_FEATURE)) {
            return malformed(t, &w);
        }
    }
    return true;
}

static bool parse_entry(struct tfr_sequence *s, struct t2_slice body, struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct tfr_feature_list list = {.name = {body.data, 0}, .first = s->n_steps, .order = s->n};
    void *lists = s->lists;
    struct t2_slice value;
    uint32_t tag;

    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return malformed(t, &w);
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, &list.name) ||
                t2_utf8_invalid_at(list.name.data, list.name.len_bytes) < list.name.len_bytes)
                return malformed(t, &w);
        } else if (tag == TFR_TAG_2) {
            if (!t2_wire_bytes(&w, &value))
                return malformed(t, &w);
            if (!parse_list(s, value, t))
                return false;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_ENTRY)) {
            return malformed(t, &w);
        }
    }
    list.n = s->n_steps - list.first;
    if (!grow(&lists, s->n, &s->n_lists_capacity, sizeof list))
        return false;
    s->lists = lists;
    s->lists[s->n++] = list;
    return true;
}

static bool parse_lists(struct tfr_sequence *s, struct t2_slice body, bool *found,
                        struct tfr_trouble *t)
{
    struct t2_wire w = t2_wire_of(body);
    struct t2_slice entry;
    uint32_t tag;

    *found |= body.len_bytes == 0;
    while (t2_wire_more(&w)) {
        if (!t2_wire_tag(&w, &tag))
            return malformed(t, &w);
        if (tag == TFR_TAG_1) {
            if (!t2_wire_bytes(&w, &entry))
                return malformed(t, &w);
            if (!parse_entry(s, entry, t))
                return false;
            *found = true;
        } else if (!t2_wire_skip(&w, tag, TFR_IN_FEATURES)) {
            return malformed(t, &w);
        }
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    const struct tfr_feature_list *x = a, *y = b;
    int c = t2_slice_cmp(x->name, y->name);

    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

static void keep_last_of_equals(struct tfr_sequence *s)
{
    size_t n = 0;

    if (s->n == 0)
        return;
    qsort(s->lists, s->n, sizeof *s->lists, by_name);
    for (size_t i = 0; i < s->n; i++) {
        if (i + 1 == s->n || !t2_slice_eq(s->lists[i].name, s->lists[i + 1].name))
            s->lists[n++] = s->lists[i];
    }
    s->n = n;
}

enum t2_status tfr_sequence_parse(struct tfr_sequence *s, struct t2_slice record, bool *found,
                                  struct t2_err *err)
{
    struct t2_wire w = t2_wire_of(record);
    struct tfr_trouble t = {0};
    struct t2_slice body;
    uint32_t tag;
    bool sound = true;

    *found = s->has_context = false;
    s->n = s->n_steps = 0;
    while (sound && t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        s->has_context |= tag == TFR_TAG_1;
        if (tag == TFR_TAG_2)
            sound = t2_wire_bytes(&w, &body) && parse_lists(s, body, found, &t);
        else if (!t2_wire_skip(&w, tag, TFR_IN_EXAMPLE))
            break;
    }
    if (!sound && !t.what)
        return t2_fail(err, T2_ENOMEM, "no memory for the feature lists (%zu bytes in all)",
                       record.len_bytes);
    *found &= sound;
    if (!*found)
        s->n = s->n_steps = 0;
    keep_last_of_equals(s);
    return T2_OK;
}

void tfr_sequence_release(struct tfr_sequence *s)
{
    if (!s)
        return;
    t2_free(s->lists);
    t2_free(s->steps);
    *s = (struct tfr_sequence){0};
}

/* ---- writing ---- */

static void put_delimited(struct t2_buf *out, uint8_t tag, const void *body, size_t len_bytes)
{
    uint8_t head[1 + T2_VARINT_MAX_BYTES];

    head[0] = tag;
    t2_buf_append(out, head, (size_t) (t2_put_varint(head + 1, len_bytes) - head));
    t2_buf_append(out, body, len_bytes);
}

/* The body of the message that is inside a message made of one field. */
static struct t2_slice inside(struct t2_slice message, uint32_t wanted)
{
    struct t2_wire w = t2_wire_of(message);
    struct t2_slice body = {NULL, 0};
    uint32_t tag;

    while (t2_wire_more(&w) && t2_wire_tag(&w, &tag)) {
        if (!t2_wire_bytes(&w, &body) || tag == wanted)
            break;
    }
    return body;
}

/* A Feature is written by making an Example of it: one way to write a list. */
static void put_step(struct t2_buf *out, struct t2_buf *scratch, const struct tfr_feature *f)
{
    struct tfr_feature nameless = *f;

    nameless.name = "";
    t2_buf_clear(scratch);
    tfr_example_build(scratch, &nameless, 1);
    struct t2_slice entry = inside(inside(t2_buf_slice(scratch), TFR_TAG_1), TFR_TAG_1);
    struct t2_slice feature = inside(entry, TFR_TAG_2);
    put_delimited(out, TFR_TAG_1, feature.data, feature.len_bytes);
}

void tfr_sequence_build(struct t2_buf *out, const struct tfr_feature *context, size_t n_context,
                        const struct tfr_steps *lists, size_t n_lists)
{
    struct t2_buf all = {0}, entry = {0}, steps = {0}, scratch = {0};

    if (context)
        tfr_example_build(out, context, n_context);
    for (size_t i = 0; i < n_lists; i++) {
        T2_ASSERT(i == 0 || strcmp(lists[i - 1].name, lists[i].name) < 0);
        t2_buf_clear(&steps);
        t2_buf_clear(&entry);
        for (size_t k = 0; k < lists[i].n; k++)
            put_step(&steps, &scratch, &lists[i].steps[k]);
        put_delimited(&entry, TFR_TAG_1, lists[i].name, strlen(lists[i].name));
        put_delimited(&entry, TFR_TAG_2, steps.data, steps.len_bytes);
        put_delimited(&all, TFR_TAG_1, entry.data, entry.len_bytes);
    }
    put_delimited(out, TFR_TAG_2, all.data, all.len_bytes);
    t2_buf_release(&all);
    t2_buf_release(&entry);
    t2_buf_release(&steps);
    t2_buf_release(&scratch);
}
