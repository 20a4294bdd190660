/*
 * tfrec/row_draft.c - collecting the features of a row, and making the message of them.
 *
 * Values of all features of a row lie in four buffers, and lists and names refer to them by
 * offset, as the buffers move while they grow:
 *
 *   text    names with a NUL, then values of bytes, one after the other
 *   ints    int64 each        floats   float each       spans   struct span into text
 *   features  struct drafted {name, list}; a list is (kind, first, n) in ints, floats or spans
 *   steps   struct rec_list, of feature lists; lists   struct drafted_list {name, first step, n}
 *
 * rec_draft_build() turns offsets into pointers, sorts by name and writes the message. One list is
 * open at a time, so turn_to_floats() can take its int64 back from the end of ints.
 */
#include "tfrec/row_draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tfrec/row_json.h"
#include "tfrecord/sequence.h"

enum { NAME_SHOWN = 80 };

struct span {
    size_t at, len_bytes;
};
struct drafted {
    struct rec_name name;
    struct rec_list list;
};
struct drafted_list {
    struct rec_name name;
    size_t first, n; /* steps */
};

void rec_draft_release(struct rec_draft *d)
{
    t2_buf_release(&d->text);
    t2_buf_release(&d->ints);
    t2_buf_release(&d->floats);
    t2_buf_release(&d->spans);
    t2_buf_release(&d->features);
    t2_buf_release(&d->steps);
    t2_buf_release(&d->lists);
}

/* ---- collecting ---- */

enum t2_status rec_draft_name(struct rec_draft *d, const struct rec_json *c, const uint8_t *at,
                              struct t2_slice key, struct rec_name *name, struct t2_err *err)
{
    if (key.len_bytes > 0 && memchr(key.data, 0, key.len_bytes))
        return rec_json_fail(c, at, err, "a name with a NUL character");
    *name = (struct rec_name){d->text.len_bytes, key.len_bytes};
    t2_buf_append(&d->text, key.data, key.len_bytes);
    t2_buf_push(&d->text, 0);
    return T2_OK;
}

struct t2_slice rec_draft_name_of(const struct rec_draft *d, struct rec_name name,
                                  struct t2_buf *scratch)
{
    t2_buf_clear(scratch);
    t2_buf_append(scratch, d->text.data + name.at, name.len_bytes);
    return t2_buf_slice(scratch);
}

void rec_draft_begin(struct rec_draft *d, struct rec_list *l, enum tfr_kind kind)
{
    size_t first = 0;

    if (kind == TFR_INT64)
        first = d->ints.len_bytes / sizeof(int64_t);
    else if (kind == TFR_FLOAT)
        first = d->floats.len_bytes / sizeof(float);
    else
        first = d->spans.len_bytes / sizeof(struct span);
    *l = (struct rec_list){kind, first, 0};
}

static void add_float(struct rec_draft *d, struct rec_list *l, float v)
{
    t2_buf_append(&d->floats, &v, sizeof v);
    l->n++;
}

static void turn_to_floats(struct rec_draft *d, struct rec_list *l)
{
    struct rec_list ints = *l;

    rec_draft_begin(d, l, TFR_FLOAT);
    for (size_t i = 0; i < ints.n; i++) {
        int64_t v;
        memcpy(&v, d->ints.data + (ints.first + i) * sizeof v, sizeof v);
        add_float(d, l, (float) (double) v);
    }
    d->ints.len_bytes = ints.first * sizeof(int64_t);
}

bool rec_draft_number(struct rec_draft *d, struct rec_list *l, const struct rec_json_number *number,
                      bool may_turn)
{
    if (l->kind == TFR_INT64 && number->whole) {
        t2_buf_append(&d->ints, &number->i, sizeof number->i);
        l->n++;
        return true;
    }
    if (l->kind == TFR_INT64) {
        if (!may_turn)
            return false;
        turn_to_floats(d, l);
    }
    /* Beyond FLT_MAX but nearer to it than to the next power of two is rounded down, as
     * everywhere. */
    if (!isfinite((float) number->d))
        return false;
    add_float(d, l, (float) number->d);
    return true;
}

bool rec_draft_nonfinite(struct rec_draft *d, struct rec_list *l, struct t2_slice word)
{
    if (t2_slice_eq(word, t2_slice_of("NaN")))
        add_float(d, l, NAN);
    else if (t2_slice_eq(word, t2_slice_of("Infinity")))
        add_float(d, l, INFINITY);
    else if (t2_slice_eq(word, t2_slice_of("-Infinity")))
        add_float(d, l, -INFINITY);
    else
        return false;
    return true;
}

void rec_draft_bytes(struct rec_draft *d, struct rec_list *l, size_t at)
{
    struct span s = {at, d->text.len_bytes - at};

    t2_buf_append(&d->spans, &s, sizeof s);
    l->n++;
}

bool rec_draft_base64(struct rec_draft *d, struct rec_list *l, struct t2_slice text)
{
    size_t at = d->text.len_bytes;

    if (!t2_base64_decode(text, &d->text))
        return false;
    rec_draft_bytes(d, l, at);
    return true;
}

void rec_draft_feature(struct rec_draft *d, struct rec_name name, struct rec_list list)
{
    struct drafted f = {name, list};

    t2_buf_append(&d->features, &f, sizeof f);
}

void rec_draft_list(struct rec_draft *d, struct rec_name name)
{
    struct drafted_list l = {name, d->steps.len_bytes / sizeof(struct rec_list), 0};

    t2_buf_append(&d->lists, &l, sizeof l);
}

void rec_draft_step(struct rec_draft *d, struct rec_list list)
{
    struct drafted_list *last =
        (struct drafted_list *) (void *) (d->lists.data + d->lists.len_bytes);

    last[-1].n++;
    t2_buf_append(&d->steps, &list, sizeof list);
}

/* ---- making the message ---- */

/* What tfr_example_build is given. */
struct built {
    struct t2_slice *slices;
    struct tfr_feature *features, *steps;
    struct tfr_steps *lists;
    size_t n_features, n_steps, n_lists;
};

static const char *name_at(const struct rec_draft *d, struct rec_name name)
{
    return (const char *) d->text.data + name.at;
}

static struct tfr_feature feature_of(const struct rec_draft *d, const struct built *b,
                                     const struct rec_list *l)
{
    struct tfr_feature f = {.name = "", .kind = l->kind, .n = l->n};

    if (l->n == 0)
        return f;
    if (l->kind == TFR_INT64)
        f.ints = (const int64_t *) (const void *) d->ints.data + l->first;
    else if (l->kind == TFR_FLOAT)
        f.floats = (const float *) (const void *) d->floats.data + l->first;
    else
        f.bytes = b->slices + l->first;
    return f;
}

static int feature_order(const void *a, const void *b)
{
    return strcmp(((const struct tfr_feature *) a)->name, ((const struct tfr_feature *) b)->name);
}

static int list_order(const void *a, const void *b)
{
    return strcmp(((const struct tfr_steps *) a)->name, ((const struct tfr_steps *) b)->name);
}

static void fill(const struct rec_draft *d, struct built *b)
{
    const struct span *spans = (const struct span *) (const void *) d->spans.data;
    const struct drafted *drafted = (const struct drafted *) (const void *) d->features.data;
    const struct rec_list *steps = (const struct rec_list *) (const void *) d->steps.data;
    const struct drafted_list *lists = (const struct drafted_list *) (const void *) d->lists.data;

    b->n_features = d->features.len_bytes / sizeof *drafted;
    b->n_steps = d->steps.len_bytes / sizeof *steps;
    b->n_lists = d->lists.len_bytes / sizeof *lists;
    size_t n_spans = d->spans.len_bytes / sizeof *spans;
    b->slices = t2_alloc(n_spans, sizeof *b->slices);
    b->features = t2_alloc(b->n_features, sizeof *b->features);
    b->steps = t2_alloc(b->n_steps, sizeof *b->steps);
    b->lists = t2_alloc(b->n_lists, sizeof *b->lists);
    for (size_t i = 0; i < n_spans; i++)
        b->slices[i] = (struct t2_slice){d->text.data + spans[i].at, spans[i].len_bytes};
    for (size_t i = 0; i < b->n_features; i++) {
        b->features[i] = feature_of(d, b, &drafted[i].list);
        b->features[i].name = name_at(d, drafted[i].name);
    }
    for (size_t i = 0; i < b->n_steps; i++)
        b->steps[i] = feature_of(d, b, &steps[i]);
    for (size_t i = 0; i < b->n_lists; i++)
        b->lists[i] =
            (struct tfr_steps){name_at(d, lists[i].name), b->steps + lists[i].first, lists[i].n};
    qsort(b->features, b->n_features, sizeof *b->features, feature_order);
    qsort(b->lists, b->n_lists, sizeof *b->lists, list_order);
}

static enum t2_status check_names(const struct rec_json *c, const struct built *b,
                                  struct t2_err *err)
{
    for (size_t i = 1; i < b->n_features; i++) {
        if (strcmp(b->features[i - 1].name, b->features[i].name) == 0)
            return rec_json_fail(c, c->end, err, "the line has feature '%.*s' twice", NAME_SHOWN,
                                 b->features[i].name);
    }
    for (size_t i = 1; i < b->n_lists; i++) {
        if (strcmp(b->lists[i - 1].name, b->lists[i].name) == 0)
            return rec_json_fail(c, c->end, err, "the line has feature list '%.*s' twice",
                                 NAME_SHOWN, b->lists[i].name);
    }
    return T2_OK;
}

enum t2_status rec_draft_build(struct rec_draft *d, const struct rec_json *c, struct t2_buf *out,
                               struct t2_err *err)
{
    struct built b = {0};
    enum t2_status st;

    fill(d, &b);
    st = check_names(c, &b, err);
    if (st == T2_OK && d->is_sequence)
        tfr_sequence_build(out, d->has_context ? b.features : NULL, b.n_features, b.lists,
                           b.n_lists);
    else if (st == T2_OK)
        tfr_example_build(out, b.features, b.n_features);
    t2_free(b.slices);
    t2_free(b.features);
    t2_free(b.steps);
    t2_free(b.lists);
    return st;
}
