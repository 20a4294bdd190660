/*
 * tfrec/rows.c - a record as a line of JSON: which features, in which order, around which shape.
 */
#include "tfrec/rows.h"

#include <stdlib.h>

#include "tfrec/row_json.h"
#include "tfrec/row_print.h"

void rec_row_release(struct rec_row *r)
{
    if (!r)
        return;
    tfr_example_release(&r->example);
    tfr_sequence_release(&r->sequence);
    t2_buf_release(&r->scratch);
    t2_buf_release(&r->order);
    t2_buf_release(&r->text);
}

/* ---- which features ---- */

static int by_name(const void *a, const void *b)
{
    const struct tfr_view *const *x = a, *const *y = b;

    return t2_slice_cmp((*x)->name, (*y)->name);
}

static void add(struct rec_row *r, const struct tfr_view *v)
{
    t2_buf_append(&r->order, &v, sizeof v);
}

/* The features to show, in r->order. */
static const struct tfr_view **choose(const struct rec_row_options *o, struct rec_row *r, size_t *n)
{
    const struct tfr_view **views;
    bool in_order = true;

    t2_buf_clear(&r->order);
    for (size_t i = 0; i < o->fields.n; i++) {
        const struct tfr_view *v = tfr_example_find(&r->example, o->fields.items[i]);
        if (v)
            add(r, v);
    }
    for (size_t i = 0; o->fields.n == 0 && i < r->example.n; i++) {
        add(r, &r->example.views[i]);
        in_order &=
            i == 0 || t2_slice_cmp(r->example.views[i - 1].name, r->example.views[i].name) < 0;
    }
    views = (const struct tfr_view **) (void *) r->order.data;
    *n = r->order.len_bytes / sizeof(const struct tfr_view *);
    if (!in_order)
        qsort(views, *n, sizeof *views, by_name);
    return views;
}

/* "a":..., of the features to show, with braces. */
static void put_features(const struct rec_row_options *o, struct rec_row *r, bool brace,
                         struct t2_buf *out)
{
    size_t n;
    const struct tfr_view **views = choose(o, r, &n);

    if (brace)
        t2_buf_push(out, '{');
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            t2_buf_push(out, ',');
        rec_put_string(out, views[i]->name);
        t2_buf_push(out, ':');
        if (o->shape == REC_SHORT)
            rec_short_feature(o, r, views[i]->name, views[i], out);
        else
            rec_proto_feature(r, views[i], out);
    }
    if (brace)
        t2_buf_push(out, '}');
}

/* The body of a Features message: {"feature":{...}}. */
static void put_proto_features(const struct rec_row_options *o, struct rec_row *r,
                               struct t2_buf *out)
{
    size_t n;

    (void) choose(o, r, &n);
    t2_buf_push(out, '{');
    if (n > 0) {
        t2_buf_puts(out, "\"feature\":");
        put_features(o, r, true, out);
    }
    t2_buf_push(out, '}');
}

/* ---- SequenceExample ---- */

static void put_list(const struct rec_row_options *o, struct rec_row *r,
                     const struct tfr_feature_list *list, struct t2_buf *out)
{
    bool proto = o->shape == REC_PROTO;

    rec_put_string(out, list->name);
    t2_buf_push(out, ':');
    if (proto && list->n == 0) {
        t2_buf_puts(out, "{}");
        return;
    }
    t2_buf_puts(out, proto ? "{\"feature\":[" : "[");
    for (size_t k = 0; k < list->n; k++) {
        if (k > 0)
            t2_buf_push(out, ',');
        if (proto)
            rec_proto_feature(r, &r->sequence.steps[list->first + k], out);
        else
            rec_short_feature(o, r, list->name, &r->sequence.steps[list->first + k], out);
    }
    t2_buf_puts(out, proto ? "]}" : "]");
}

static void put_lists(const struct rec_row_options *o, struct rec_row *r, struct t2_buf *out)
{
    const struct tfr_sequence *s = &r->sequence;
    const char *before = o->shape == REC_PROTO ? "{\"featureList\":{" : "{";
    bool any = false;

    for (size_t f = 0; f < o->fields.n; f++) {
        for (size_t i = 0; i < s->n; i++) {
            if (!t2_slice_eq(s->lists[i].name, t2_slice_of(o->fields.items[f])))
                continue;
            t2_buf_puts(out, any ? "," : before);
            put_list(o, r, &s->lists[i], out);
            any = true;
        }
    }
    for (size_t i = 0; o->fields.n == 0 && i < s->n; i++) {
        t2_buf_puts(out, any ? "," : before);
        put_list(o, r, &s->lists[i], out);
        any = true;
    }
    if (!any)
        t2_buf_puts(out, "{}");
    else
        t2_buf_puts(out, o->shape == REC_PROTO ? "}}" : "}");
}

/* ---- the line ---- */

static void put_sequence(const struct rec_row_options *o, struct rec_row *r, struct t2_buf *out)
{
    bool proto = o->shape == REC_PROTO;

    if (r->sequence.has_context) {
        t2_buf_puts(out, "\"context\":");
        if (proto)
            put_proto_features(o, r, out);
        else
            put_features(o, r, true, out);
        t2_buf_push(out, ',');
    }
    t2_buf_puts(out, proto ? "\"featureLists\":" : "\"feature_lists\":");
    put_lists(o, r, out);
}

enum t2_status rec_row_print(const struct rec_row_options *o, struct rec_row *r, uint64_t number,
                             struct t2_slice record, struct t2_buf *out, struct t2_err *err)
{
    bool is_sequence;
    size_t start;

    T2_TRY(tfr_example_parse(&r->example, record, err));
    T2_TRY(tfr_sequence_parse(&r->sequence, record, &is_sequence, err));
    t2_buf_push(out, '{');
    if (o->number)
        t2_buf_printf(out, "\"record\":%llu,", (unsigned long long) number);
    start = out->len_bytes;
    if (is_sequence) {
        put_sequence(o, r, out);
    } else if (o->shape == REC_SHORT) {
        put_features(o, r, false, out);
    } else if (r->sequence.has_context) {
        t2_buf_puts(out, "\"features\":");
        put_proto_features(o, r, out);
    }
    if (out->len_bytes == start && o->number)
        out->data[--out->len_bytes] = 0; /* the comma */
    t2_buf_puts(out, "}\n");
    return T2_OK;
}
