/*
 * tfrec/diff_record.c - two Examples side by side.
 *
 * Features are compared in the order of names, by merging two sorted lists; of a list that differs
 * only the first differing value is shown. Payloads that are no Examples, or that differ in bytes
 * only (order of fields, unpacked lists), are compared as bytes.
 */
#include "tfrec/diff_record.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tfrec/rows.h"
#include "tfrecord/example_write.h"
#include "tfrecord/sequence.h"

enum { MOST_SHOWN = 20 };

static const char *const kinds[] = {"no list", "bytes", "float", "int64"};

/* Takes all strings. */
static void add(struct rec_differences *d, char *feature, const char *what, char *at, char *a,
                char *b)
{
    if (d->n == MOST_SHOWN) {
        d->n_more++;
        t2_free(feature);
        t2_free(at);
        t2_free(a);
        t2_free(b);
        return;
    }
    d->items = t2_realloc(d->items, d->n + 1, sizeof *d->items);
    d->items[d->n++] = (struct rec_difference){feature, t2_strdup(what), at, a, b};
}

void rec_differences_release(struct rec_differences *d)
{
    for (size_t i = 0; i < d->n; i++) {
        t2_free(d->items[i].feature);
        t2_free(d->items[i].what);
        t2_free(d->items[i].at);
        t2_free(d->items[i].a);
        t2_free(d->items[i].b);
    }
    t2_free(d->items);
    *d = (struct rec_differences){NULL, 0, 0};
}

/* ---- bytes ---- */

static char *hex_from(struct t2_slice s, size_t at)
{
    enum { SHOWN = 8 };
    struct t2_buf text = {NULL, 0, 0};

    for (size_t i = at; i < s.len_bytes && i < at + SHOWN; i++)
        t2_buf_printf(&text, "%s%02x", i == at ? "" : " ", s.data[i]);
    if (at >= s.len_bytes)
        t2_buf_puts(&text, "end");
    else if (s.len_bytes - at > SHOWN)
        t2_buf_puts(&text, " ...");
    return t2_buf_detach(&text);
}

static size_t first_difference(struct t2_slice a, struct t2_slice b)
{
    size_t n = a.len_bytes < b.len_bytes ? a.len_bytes : b.len_bytes;
    size_t i = 0;

    while (i < n && a.data[i] == b.data[i])
        i++;
    return i;
}

static void diff_bytes(struct t2_slice a, struct t2_slice b, struct rec_differences *d)
{
    size_t at = first_difference(a, b);

    if (a.len_bytes != b.len_bytes)
        add(d, NULL, "length", t2_strdup(""), t2_asprintf("%zu bytes", a.len_bytes),
            t2_asprintf("%zu bytes", b.len_bytes));
    add(d, NULL, "bytes", t2_asprintf("offset %zu", at), hex_from(a, at), hex_from(b, at));
}

/* ---- values ---- */

/* All values of a view, in one of the three. */
struct values {
    int64_t *ints;
    float *floats;
    struct t2_slice *bytes;
};

static struct values values_of(const struct tfr_view *v)
{
    struct values x = {NULL, NULL, NULL};

    if (v->kind == TFR_INT64) {
        x.ints = t2_alloc(v->n, sizeof *x.ints);
        tfr_view_ints(v, x.ints);
    } else if (v->kind == TFR_FLOAT) {
        x.floats = t2_alloc(v->n, sizeof *x.floats);
        tfr_view_floats(v, x.floats);
    } else if (v->kind == TFR_BYTES) {
        x.bytes = t2_alloc(v->n, sizeof *x.bytes);
        tfr_view_bytes(v, x.bytes);
    }
    return x;
}

static void release_values(struct values *x)
{
    t2_free(x->ints);
    t2_free(x->floats);
    t2_free(x->bytes);
}

static bool same_value(const struct values *x, const struct values *y, size_t i)
{
    if (x->ints)
        return x->ints[i] == y->ints[i];
    if (x->floats) /* by bits: NaN is equal to itself, -0 is not 0 */
        return memcmp((const char *) &x->floats[i], (const char *) &y->floats[i],
                      sizeof *x->floats) == 0;
    return t2_slice_eq(x->bytes[i], y->bytes[i]);
}

static char *show_value(const struct values *x, size_t i)
{
    enum { LONGEST = 100 };
    struct t2_buf text = {NULL, 0, 0};
    struct t2_slice s;

    if (x->ints)
        return t2_asprintf("%" PRId64, x->ints[i]);
    if (x->floats)
        return t2_asprintf("%.9g", (double) x->floats[i]);
    s = x->bytes[i];
    if (!rec_is_text(s) || s.len_bytes <= LONGEST) {
        bool quote = rec_is_text(s);
        if (quote)
            t2_buf_push(&text, '"');
        rec_bytes_summary(s, &text);
        if (quote)
            t2_buf_push(&text, '"');
    } else {
        t2_buf_printf(&text, "text of %zu bytes", s.len_bytes);
    }
    return t2_buf_detach(&text);
}

/* Long bytes values: where in them. */
static char *place_in(const struct values *x, const struct values *y, size_t i)
{
    if (!x->bytes || (x->bytes[i].len_bytes <= 20 && y->bytes[i].len_bytes <= 20))
        return t2_asprintf("[%zu]", i);
    return t2_asprintf("[%zu], byte %zu", i, first_difference(x->bytes[i], y->bytes[i]));
}

static char *name_of(const struct tfr_view *v)
{
    return t2_strndup((const char *) v->name.data, v->name.len_bytes);
}

/* Two features of one name. */
static void diff_views(const struct tfr_view *a, const struct tfr_view *b,
                       struct rec_differences *d)
{
    size_t n = a->n < b->n ? a->n : b->n;
    size_t i = 0;
    struct values x, y;

    if (a->kind != b->kind) {
        add(d, name_of(a), "kind", t2_strdup(""), t2_strdup(kinds[a->kind]),
            t2_strdup(kinds[b->kind]));
        return;
    }
    if (a->n != b->n)
        add(d, name_of(a), "length", t2_strdup(""), t2_asprintf("%zu values", a->n),
            t2_asprintf("%zu values", b->n));
    x = values_of(a);
    y = values_of(b);
    while (i < n && same_value(&x, &y, i))
        i++;
    if (i < n)
        add(d, name_of(a), "value", place_in(&x, &y, i), show_value(&x, i), show_value(&y, i));
    release_values(&x);
    release_values(&y);
}

static char *summary(const struct tfr_view *v)
{
    return t2_asprintf("%zu %s value%s", v->n, kinds[v->kind], v->n == 1 ? "" : "s");
}

static struct tfr_named_view *sorted_views(const struct tfr_example *e)
{
    struct tfr_named_view *v = t2_alloc(e->n, sizeof *v);
    bool unique;
    size_t at;

    for (size_t i = 0; i < e->n; i++)
        v[i] = (struct tfr_named_view){e->views[i].name, &e->views[i]};
    unique = tfr_named_views_sort(v, e->n, &at);
    T2_ASSERT(unique); /* parsing leaves each name once */
    return v;
}

static void diff_examples(const struct tfr_example *a, const struct tfr_example *b,
                          struct rec_differences *d)
{
    struct tfr_named_view *x = sorted_views(a);
    struct tfr_named_view *y = sorted_views(b);

    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        int c = i == a->n ? 1 : k == b->n ? -1 : t2_slice_cmp(x[i].name, y[k].name);
        if (c == 0) {
            diff_views(x[i++].view, y[k++].view, d);
        } else if (c < 0) {
            add(d, name_of(x[i].view), "absent", t2_strdup(""), summary(x[i].view),
                t2_strdup("absent"));
            i++;
        } else {
            add(d, name_of(y[k].view), "absent", t2_strdup(""), t2_strdup("absent"),
                summary(y[k].view));
            k++;
        }
    }
    t2_free(x);
    t2_free(y);
}

void rec_diff_records(struct t2_slice a, struct t2_slice b, struct rec_differences *d)
{
    struct tfr_example x = {0}, y = {0};

    *d = (struct rec_differences){NULL, 0, 0};
    if (tfr_is_example(&x, a) && tfr_is_example(&y, b))
        diff_examples(&x, &y, d);
    if (d->n == 0)
        diff_bytes(a, b, d);
    tfr_example_release(&x);
    tfr_example_release(&y);
}
