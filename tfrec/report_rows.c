/*
 * tfrec/report_rows.c - records drawn at random: their features as text, their images.
 *
 * An image is embedded once, as a data: URI, while the allowance lasts.
 *
 * A record is an <article>: images at the left, then a <dl> of name and value in order of names.
 * Values are written to a buffer first, as their length decides the layout (put_feature). Ids of a
 * vocabulary are shown decoded and as numbers. Everything from a record goes through
 * rec_html_text(), which escapes and cuts at the limits below; so a page cannot be broken, or made
 * large, by its data.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/text.h"
#include "tfrec/html.h"
#include "tfrec/image_type.h"
#include "tfrec/open_vocab.h"
#include "tfrec/report_page.h"
#include "tfrec/row_json.h"
#include "tfrec/rows.h"
#include "tokenizer/encoder.h"

enum {
    NUMBERS_SHOWN = 32,
    IDS_SHOWN = 400,
    TEXTS_SHOWN = 6,
    TEXT_CHARACTERS = 600,
    CAPTION_CHARACTERS = 40,
    CAPTION_LABELS = 2,
    NAME_CHARACTERS = 80,
    FEATURES_SHOWN = 60,
    SHORT_BYTES = 40, /* of text */
    INLINE_IMAGES = 4,
    TINY_WIDTH = 96,
    ONE_IMAGE_BYTES = 2 << 20
};

/* What is carried through the section. */
struct rows {
    const struct rec_report *r;
    struct tfr_example example;
    struct rec_values values;
    uint64_t image_bytes; /* embedded so far */
    size_t n_left_out;    /* images */
    struct t2_buf *out;
    enum t2_status st; /* the first failure; then *err */
    struct t2_err *err;
};

/* The values of a feature; false: there is no memory for them, which ends the page. */
static bool load(struct rows *w, const struct tfr_view *view)
{
    if (w->st == T2_OK)
        w->st = rec_values_load(&w->values, view, w->err);
    return w->st == T2_OK;
}

/* ---- images ---- */

static bool is_shown_by_browsers(enum rec_image type)
{
    return type != REC_NO_IMAGE && type != REC_TIFF;
}

/* "JPEG 500x375, 110.2 kB" */
static void put_summary(struct t2_slice value, struct t2_buf *out)
{
    struct t2_buf text = {NULL, 0, 0};
    const char *s;
    size_t n;

    rec_bytes_summary(value, &text);
    s = t2_buf_cstr(&text);
    n = text.len_bytes;
    if (n > 2 && s[0] == '<' && s[n - 1] == '>') {
        s++;
        n -= 2;
    }
    rec_html_text(s, n, 0, out);
    t2_buf_release(&text);
}

/* Enlarged when shown? */
static bool is_tiny(struct t2_slice value)
{
    uint32_t width, height;

    return rec_image_size(value, &width, &height) && width <= TINY_WIDTH;
}

/* false: the allowance is used up. */
static bool put_image(struct rows *w, struct t2_slice value)
{
    enum rec_image type = rec_image_type(value);

    if (!is_shown_by_browsers(type) || value.len_bytes > ONE_IMAGE_BYTES ||
        value.len_bytes > w->r->image_bytes - w->image_bytes) {
        w->n_left_out++;
        return false;
    }
    w->image_bytes += value.len_bytes;
    t2_buf_printf(w->out, "<img%s alt=\"", is_tiny(value) ? " class=\"tiny\"" : "");
    put_summary(value, w->out);
    t2_buf_printf(w->out, "\" src=\"data:%s;base64,", rec_image_mime(type));
    t2_base64_encode(value, w->out);
    t2_buf_puts(w->out, "\">");
    return true;
}

/* ---- values ---- */

static void put_more(size_t shown, size_t n, struct t2_buf *out)
{
    if (n <= shown)
        return;
    t2_buf_puts(out, " <span class=\"none\">\xe2\x80\xa6 ");
    rec_html_count(n, out);
    t2_buf_puts(out, " in all</span>");
}

static void put_ints(struct rows *w, const char *class_name, size_t limit)
{
    size_t n = w->values.n < limit ? w->values.n : limit;

    t2_buf_printf(w->out, "<span class=\"%s\">", class_name);
    for (size_t i = 0; i < n; i++)
        t2_buf_printf(w->out, "%s%" PRId64, i > 0 ? " " : "", w->values.ints[i]);
    put_more(n, w->values.n, w->out);
    t2_buf_puts(w->out, "</span>");
}

static void put_class(struct rows *w, struct t2_slice feature)
{
    t2_buf_puts(w->out, "<span class=\"num\">");
    rec_report_class(w->r, feature, w->values.ints[0], w->out);
    t2_buf_puts(w->out, "</span>");
}

static void put_floats(struct rows *w)
{
    size_t n = w->values.n < NUMBERS_SHOWN ? w->values.n : NUMBERS_SHOWN;

    t2_buf_puts(w->out, "<span class=\"num\">");
    for (size_t i = 0; i < n; i++)
        t2_buf_printf(w->out, "%s%.6g", i > 0 ? "  " : "", (double) w->values.floats[i]);
    put_more(n, w->values.n, w->out);
    t2_buf_puts(w->out, "</span>");
}

/* Up to the first pad or EOS at the end. */
static void put_decoded(struct rows *w)
{
    int32_t ids[IDS_SHOWN];
    size_t n = 0, end = w->values.n;
    struct t2_buf text = {NULL, 0, 0};
    int64_t pad, eos;

    rec_vocab_ends(w->r->vocab, &pad, &eos);
    while (end > 0 && (w->values.ints[end - 1] == eos || w->values.ints[end - 1] == pad))
        end--;
    for (size_t i = 0; i < end && n < IDS_SHOWN; i++) {
        if (w->values.ints[i] >= 0 && w->values.ints[i] < tok_size(w->r->vocab))
            ids[n++] = (int32_t) w->values.ints[i];
    }
    tok_decode(w->r->vocab, ids, n, &text);
    rec_html_text(text.data, text.len_bytes, TEXT_CHARACTERS, w->out);
    t2_buf_release(&text);
    put_ints(w, "ids", NUMBERS_SHOWN);
}

static void put_bytes(struct rows *w)
{
    size_t n = w->values.n < TEXTS_SHOWN ? w->values.n : TEXTS_SHOWN;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice v = w->values.bytes[i];
        if (i > 0)
            t2_buf_push(w->out, '\n');
        if (rec_image_type(v) != REC_NO_IMAGE) {
            t2_buf_puts(w->out, "<span class=\"none\">");
            put_summary(v, w->out);
            t2_buf_puts(w->out, "</span>");
        } else if (v.len_bytes == 0) {
            t2_buf_puts(w->out, "<span class=\"none\">empty</span>");
        } else if (rec_is_text(v)) {
            rec_html_text(v.data, v.len_bytes, TEXT_CHARACTERS, w->out);
        } else {
            t2_buf_puts(w->out, "<span class=\"none\">");
            put_summary(v, w->out);
            t2_buf_puts(w->out, "</span>");
        }
    }
    put_more(n, w->values.n, w->out);
}

static const struct rec_field *field_of(const struct rows *w, const struct tfr_view *view)
{
    return rec_schema_find(w->r->stats->schema, view->name);
}

static void put_value(struct rows *w, const struct tfr_view *view)
{
    const struct rec_field *f = field_of(w, view);

    if (view->kind == TFR_NONE)
        t2_buf_puts(w->out, "<span class=\"none\">no list</span>");
    else if (!load(w, view))
        return;
    else if (view->n == 0)
        t2_buf_puts(w->out, "<span class=\"none\">empty</span>");
    else if (view->kind == TFR_BYTES)
        put_bytes(w);
    else if (view->kind == TFR_FLOAT)
        put_floats(w);
    else if (w->r->vocab && f && rec_stats_is_ids(f))
        put_decoded(w);
    else if (view->n == 1 && rec_class_name(w->r->names, view->name, w->values.ints[0]))
        put_class(w, view->name);
    else
        put_ints(w, "num", NUMBERS_SHOWN);
}

/* Long names are broken at slashes and underscores first. */
static void put_name(struct t2_slice name, struct t2_buf *out)
{
    struct t2_buf text = {NULL, 0, 0};

    rec_html_text(name.data, name.len_bytes, NAME_CHARACTERS, &text);
    for (size_t i = 0; i < text.len_bytes; i++) {
        t2_buf_push(out, text.data[i]);
        if (text.data[i] == '/' || text.data[i] == '_')
            t2_buf_puts(out, "<wbr>");
    }
    t2_buf_release(&text);
}

/* What is outside of tags. */
static size_t text_bytes(const struct t2_buf *html)
{
    bool in_tag = false;
    size_t n = 0;

    for (size_t i = 0; i < html->len_bytes; i++) {
        if (html->data[i] == '<')
            in_tag = true;
        n += !in_tag;
        if (html->data[i] == '>')
            in_tag = false;
    }
    return n;
}

/* Short values stand side by side, long ones have a line of their own. */
static void put_feature(struct rows *w, const struct tfr_view *view)
{
    struct t2_buf value = {NULL, 0, 0};
    struct t2_buf *page = w->out;
    bool is_long;

    w->out = &value;
    put_value(w, view);
    w->out = page;
    is_long = text_bytes(&value) > SHORT_BYTES;
    t2_buf_puts(page, is_long ? "<div class=\"long\"><dt>" : "<div><dt>");
    put_name(view->name, page);
    t2_buf_puts(page, "</dt><dd>");
    t2_buf_append(page, value.data, value.len_bytes);
    t2_buf_puts(page, "</dd></div>\n");
    t2_buf_release(&value);
}

/* ---- records ---- */

static int by_name(const void *a, const void *b)
{
    return t2_slice_cmp(((const struct tfr_view *) a)->name, ((const struct tfr_view *) b)->name);
}

/* Views in the order of their names; false: not there, or no Example. */
static bool parse(struct rows *w, const struct rec_drawn *d)
{
    if (!d->payload || !tfr_is_example(&w->example, (struct t2_slice){d->payload, d->bytes}))
        return false;
    if (w->example.n > 1)
        qsort(w->example.views, w->example.n, sizeof *w->example.views, by_name);
    return true;
}

/* Beside the values. */
static void put_record_images(struct rows *w)
{
    size_t n = 0;

    for (size_t i = 0; i < w->example.n; i++) {
        const struct tfr_view *view = &w->example.views[i];

        if (view->kind != TFR_BYTES || !load(w, view))
            continue;
        for (size_t k = 0; k < view->n && n < INLINE_IMAGES; k++) {
            if (rec_image_type(w->values.bytes[k]) == REC_NO_IMAGE)
                continue;
            if (n++ == 0)
                t2_buf_puts(w->out, "<div class=\"shown\">");
            (void) put_image(w, w->values.bytes[k]);
        }
    }
    if (n > 0)
        t2_buf_puts(w->out, "</div>\n");
}

static void put_record(struct rows *w, const struct rec_drawn *d)
{
    char size[32];

    t2_buf_puts(w->out, "<article class=\"record\"><h3>Record <b>");
    rec_html_count(d->number, w->out);
    t2_buf_printf(w->out, "</b> \xc2\xb7 %s", t2_human_bytes(d->bytes, size, sizeof size));
    if (w->r->in->n > 1) {
        t2_buf_puts(w->out, " \xc2\xb7 ");
        rec_html_count(d->in_file, w->out);
        t2_buf_puts(w->out, " of ");
        rec_html_puts(w->r->in->files[d->file].path, w->out);
    }
    t2_buf_puts(w->out, "</h3>\n");
    if (!parse(w, d)) {
        t2_buf_puts(w->out,
                    "<p class=\"none\" style=\"margin:8px 16px\">too large to be shown</p>");
    } else {
        t2_buf_puts(w->out, "<div class=\"body\">");
        put_record_images(w);
        t2_buf_puts(w->out, "<dl>\n");
        for (size_t i = 0; i < w->example.n && i < FEATURES_SHOWN; i++)
            put_feature(w, &w->example.views[i]);
        t2_buf_puts(w->out, "</dl></div>\n");
        if (w->example.n > FEATURES_SHOWN)
            t2_buf_printf(w->out,
                          "<p class=\"none\" style=\"margin:8px 16px\">and %zu more features</p>",
                          w->example.n - (size_t) FEATURES_SHOWN);
    }
    t2_buf_puts(w->out, "</article>\n");
}

/* ---- more images ---- */

static bool tells_apart(const struct rec_field *f, const struct rec_feature_stats *s)
{
    bool exact;

    return rec_stats_is_label(f, s) && rec_distinct_count(&s->distinct, &exact) > 1;
}

/* Values of up to CAPTION_LABELS labels of the record; texts rather than numbers. */
static void put_caption(struct rows *w)
{
    int n = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < w->example.n && n < CAPTION_LABELS; i++) {
            const struct tfr_view *view = &w->example.views[i];
            const struct rec_field *f = field_of(w, view);

            if (!f || view->n != 1 || view->kind != (pass == 0 ? TFR_BYTES : TFR_INT64) ||
                !tells_apart(f, &w->r->stats->features[f - w->r->stats->schema->fields]) ||
                !load(w, view))
                continue;
            t2_buf_puts(w->out, "<span>");
            if (pass == 0)
                rec_html_text(w->values.bytes[0].data, w->values.bytes[0].len_bytes,
                              CAPTION_CHARACTERS, w->out);
            else {
                rec_html_text(view->name.data, view->name.len_bytes, CAPTION_CHARACTERS, w->out);
                t2_buf_push(w->out, ' ');
                rec_report_class(w->r, view->name, w->values.ints[0], w->out);
            }
            t2_buf_puts(w->out, "</span>");
            n++;
        }
    }
}

static void put_record_image(struct rows *w, const struct rec_drawn *d)
{
    if (!parse(w, d))
        return;
    for (size_t i = 0; i < w->example.n; i++) {
        const struct tfr_view *view = &w->example.views[i];
        size_t before = w->out->len_bytes;
        struct t2_slice v;

        if (view->kind != TFR_BYTES || view->n == 0 || !load(w, view))
            continue;
        v = w->values.bytes[0];
        if (rec_image_type(v) == REC_NO_IMAGE)
            continue;
        t2_buf_puts(w->out, "<figure>");
        if (!put_image(w, v)) {
            w->out->len_bytes = before;
            continue;
        }
        t2_buf_puts(w->out, "<figcaption>Record ");
        rec_html_count(d->number, w->out);
        t2_buf_puts(w->out, "<span>");
        put_summary(v, w->out);
        t2_buf_puts(w->out, "</span>");
        put_caption(w);
        t2_buf_puts(w->out, "</figcaption></figure>\n");
        return;
    }
}

static bool has_images(const struct rec_report *r)
{
    for (size_t i = 0; i < r->stats->n_features; i++) {
        if (r->stats->schema->fields[i].n_images > 0)
            return true;
    }
    return false;
}

static void put_images(struct rows *w, size_t from)
{
    char size[32];

    size_t before = w->out->len_bytes, begin;

    t2_buf_puts(w->out, "<section><h2>More images</h2>\n<div class=\"images\">\n");
    begin = w->out->len_bytes;
    for (size_t i = from; i < w->r->sample->n; i++)
        put_record_image(w, &w->r->sample->items[i]);
    if (w->out->len_bytes > begin)
        t2_buf_puts(w->out, "</div></section>\n");
    else
        w->out->len_bytes = before;
    if (w->n_left_out > 0) {
        t2_buf_puts(w->out, "<p class=\"note\">");
        rec_html_count(w->n_left_out, w->out);
        t2_buf_printf(w->out,
                      " images of the records drawn are not in this page: too large, of a type "
                      "browsers do not show, or beyond %s in all (--picture_bytes).</p>\n",
                      t2_human_bytes(w->r->image_bytes, size, sizeof size));
    }
}

enum t2_status rec_report_rows(const struct rec_report *r, struct t2_buf *out, struct t2_err *err)
{
    struct rows w = {.r = r, .out = out, .err = err};
    size_t n = r->sample->n < r->n_rows ? r->sample->n : r->n_rows;

    if (n > 0) {
        t2_buf_puts(out,
                    "<section><h2>Sample records</h2>\n<p class=\"lead\">Drawn at random.</p>\n");
        for (size_t i = 0; i < n; i++)
            put_record(&w, &r->sample->items[i]);
        t2_buf_puts(out, "</section>\n");
    }
    if (has_images(r))
        put_images(&w, n);
    tfr_example_release(&w.example);
    rec_values_release(&w.values);
    return w.st;
}
