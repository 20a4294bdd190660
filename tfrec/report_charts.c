/*
 * tfrec/report_charts.c - histograms as SVG, labels as bars.
 *
 * A histogram is an SVG of 360 x 110 units: at most 36 bars between y = 8 and 92, the axis at 92,
 * its ends as text at 106; the transparent rectangle of each bar (class t) carries the tooltip
 * over the full height. Bins have a whole width, so that a bar is a range of whole sizes. Beyond
 * 1.25 times the distance from least to 99 % the tail is left out and counted in a line below.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tfrec/html.h"
#include "tfrec/report_page.h"

enum {
    BINS = 36,
    WIDTH = 360,
    HEIGHT = 110,
    BOTTOM = 92, /* of the bars */
    CHARTS_SHOWN = 24,
    LABELS_SHOWN = 24,
    BARS_SHOWN = 12,
    VALUE_CHARACTERS = 60
};

/* ---- histograms ---- */

/* Where the image ends: a long tail would leave no room for the rest. */
static uint64_t cut(const struct rec_histogram *h)
{
    uint64_t p99 = rec_histogram_quantile(h, 0.99);
    uint64_t reach = p99 + (p99 - h->min) / 4;

    return h->max <= reach + (p99 - h->min) / 4 || reach >= h->max ? h->max : reach;
}

static void put_number(uint64_t n, const char *unit, struct t2_buf *out)
{
    char text[32];

    if (strcmp(unit, "bytes") == 0 && n >= 10000)
        t2_buf_puts(out, t2_human_bytes(n, text, sizeof text));
    else
        rec_html_count(n, out);
}

static void bar(const struct rec_histogram *h, size_t i, uint64_t width, uint64_t count,
                uint64_t most, double step, struct t2_buf *out)
{
    uint64_t from = h->min + i * width;
    double height = (double) (BOTTOM - 8) * (double) count / (double) most;
    double x = step * (double) i;

    if (count == 0)
        return;
    if (height < 0.8)
        height = 0.8;
    t2_buf_printf(out, "<g><rect class=\"t\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"/>", x,
                  step, (int) BOTTOM);
    t2_buf_printf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/><title>",
                  x + 0.5, BOTTOM - height, step > 2 ? step - 1 : step, height);
    rec_html_count(from, out);
    if (width > 1) {
        t2_buf_puts(out, "\xe2\x80\x93");
        rec_html_count(from + width - 1, out);
    }
    t2_buf_puts(out, ": ");
    rec_html_count(count, out);
    t2_buf_puts(out, "</title></g>\n");
}

static void mark(const struct rec_histogram *h, double q, uint64_t width, double step,
                 struct t2_buf *out)
{
    uint64_t at = rec_histogram_quantile(h, q);
    double x = step * ((double) (at - h->min) + 0.5) / (double) width;

    t2_buf_printf(out, "<line class=\"m\" x1=\"%.1f\" y1=\"2\" x2=\"%.1f\" y2=\"%d\"/>", x, x,
                  (int) BOTTOM);
}

static void quantiles(const struct rec_histogram *h, const char *unit, struct t2_buf *out)
{
    static const char *const names[] = {"median", "99&nbsp;%"};
    static const double shares[] = {0.5, 0.99};

    t2_buf_puts(out, "<p class=\"quant\">mean <b>");
    if (strcmp(unit, "bytes") == 0 && rec_histogram_mean(h) >= 10000)
        put_number((uint64_t) rec_histogram_mean(h), unit, out);
    else
        t2_buf_printf(out, "%.4g", rec_histogram_mean(h));
    t2_buf_puts(out, "</b>");
    for (int i = 0; i < 2; i++) {
        t2_buf_printf(out, " \xc2\xb7 %s <b>", names[i]);
        put_number(rec_histogram_quantile(h, shares[i]), unit, out);
        t2_buf_puts(out, "</b>");
    }
    t2_buf_puts(out, " \xc2\xb7 longest <b>");
    put_number(h->max, unit, out);
    t2_buf_puts(out, "</b></p>\n");
}

void rec_report_histogram(const struct rec_histogram *h, const char *caption, const char *unit,
                          struct t2_buf *out)
{
    uint64_t bins[BINS], width, most = 1, drawn = 0;
    uint64_t upto = cut(h);
    size_t n = rec_histogram_bins(h, upto, bins, BINS, &width);
    double step = (double) WIDTH / (double) n;

    for (size_t i = 0; i < n; i++) {
        most = bins[i] > most ? bins[i] : most;
        drawn += bins[i];
    }
    t2_buf_printf(out,
                  "<figure class=\"card\"><figcaption>%s</figcaption>\n"
                  "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"histogram\">\n",
                  caption, (int) WIDTH, (int) HEIGHT);
    for (size_t i = 0; i < n; i++)
        bar(h, i, width, bins[i], most, step, out);
    mark(h, 0.5, width, step, out);
    mark(h, 0.99, width, step, out);
    t2_buf_printf(out, "<line x1=\"0\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/><text x=\"0\" y=\"%d\">",
                  (int) BOTTOM, (int) WIDTH, (int) BOTTOM, HEIGHT - 4);
    put_number(h->min, unit, out);
    t2_buf_printf(out, "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">", (int) WIDTH,
                  HEIGHT - 4);
    put_number(upto, unit, out);
    t2_buf_printf(out, " %s</text></svg>\n",
                  strcmp(unit, "bytes") == 0 && upto >= 10000 ? "" : unit);
    quantiles(h, unit, out);
    if (drawn < h->n) {
        t2_buf_puts(out, "<p class=\"quant\">");
        rec_html_count(h->n - drawn, out);
        t2_buf_puts(out, " longer ones are not drawn</p>\n");
    }
    t2_buf_puts(out, "</figure>\n");
}

static void feature_histogram(const struct rec_field *f, const struct rec_histogram *h,
                              const char *what, const char *unit, struct t2_buf *out)
{
    struct t2_buf caption = {NULL, 0, 0};

    rec_html_text(f->name, f->name_bytes, VALUE_CHARACTERS, &caption);
    t2_buf_printf(&caption, " <span class=\"note\">%s</span>", what);
    rec_report_histogram(h, t2_buf_cstr(&caption), unit, out);
    t2_buf_release(&caption);
}

static bool varies(const struct rec_histogram *h)
{
    return h->n > 1 && h->min < h->max;
}

void rec_report_lengths(const struct rec_report *r, struct t2_buf *out)
{
    size_t n = 0, left_out = 0;

    t2_buf_puts(out, "<section><h2>Sizes</h2>\n<p class=\"lead\">What differs from record to "
                     "record. Dashed lines: median and 99&nbsp;%.</p>\n<div class=\"grid\">\n");
    if (varies(&r->stats->record_bytes))
        rec_report_histogram(&r->stats->record_bytes,
                             "record <span class=\"note\">bytes of payload</span>", "bytes", out);
    for (size_t i = 0; i < r->stats->n_features; i++) {
        const struct rec_feature_stats *s = &r->stats->features[i];
        const struct rec_field *f = &r->stats->schema->fields[i];
        for (int which = 0; which < 2; which++) {
            const struct rec_histogram *h = which == 0 ? &s->lengths : &s->sizes;
            if (!varies(h))
                continue;
            if (n++ >= CHARTS_SHOWN)
                left_out++;
            else
                feature_histogram(f, h, which == 0 ? "values per record" : "bytes per value",
                                  which == 0 ? "values" : "bytes", out);
        }
    }
    t2_buf_puts(out, "</div>\n");
    if (n == 0 && !varies(&r->stats->record_bytes))
        t2_buf_puts(out, "<p class=\"none\">All records are alike in size.</p>\n");
    if (left_out > 0)
        t2_buf_printf(out, "<p class=\"note\">%zu more are not drawn.</p>\n", left_out);
    t2_buf_puts(out, "</section>\n");
}

/* ---- labels ---- */

static void put_bar(const char *kind, uint64_t count, uint64_t most, uint64_t all,
                    struct t2_buf *out)
{
    double width = 100.0 * (double) count / (double) most;

    t2_buf_printf(out,
                  "<span class=\"b%s\"><i style=\"width:%.1f%%\"></i></span><span class=\"n\">",
                  kind, width > 100 ? 100 : width);
    rec_html_count(count, out);
    t2_buf_printf(out, "</span><span class=\"s\">%.1f&nbsp;%%</span>\n",
                  floor(1000.0 * (double) count / (double) all) / 10);
}

static void put_value(const struct rec_report *r, const struct rec_field *f,
                      const struct rec_top *t, struct t2_buf *out)
{
    t2_buf_puts(out, "<span class=\"v\">");
    if (rec_field_kind(f) == TFR_INT64)
        rec_report_class(r, (struct t2_slice){(const uint8_t *) f->name, f->name_bytes},
                         t->int_value, out);
    else if (t->text.len_bytes == 0)
        t2_buf_puts(out, "<em>empty</em>");
    else
        rec_html_text(t->text.data, t->text.len_bytes, VALUE_CHARACTERS, out);
    t2_buf_puts(out, "</span>");
}

void rec_report_class(const struct rec_report *r, struct t2_slice feature, int64_t value,
                      struct t2_buf *out)
{
    const char *name = rec_class_name(r->names, feature, value);

    t2_buf_printf(out, "%" PRId64, value);
    if (!name)
        return;
    t2_buf_push(out, ' ');
    rec_html_text((const uint8_t *) name, strlen(name), VALUE_CHARACTERS, out);
}

static void label_card(const struct rec_report *r, const struct rec_field *f,
                       const struct rec_feature_stats *s, struct t2_buf *out)
{
    struct rec_top top[BARS_SHOWN];
    size_t n = rec_stats_top(f, s, top, BARS_SHOWN);
    bool exact;
    uint64_t distinct = rec_distinct_count(&s->distinct, &exact);
    uint64_t rest = f->n_values;

    t2_buf_puts(out, "<div class=\"card\"><h3>");
    rec_html_text(f->name, f->name_bytes, VALUE_CHARACTERS, out);
    t2_buf_puts(out, " <span class=\"note\">");
    rec_html_count(distinct, out);
    t2_buf_printf(out, " value%s</span></h3>\n<div class=\"bars\">\n", distinct == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++) {
        rest -= top[i].count;
        put_value(r, f, &top[i], out);
        put_bar("", top[i].count, top[0].count, f->n_values, out);
    }
    if (distinct > n && n > 0) {
        t2_buf_puts(out, "<span class=\"v rest\">");
        rec_html_count(distinct - n, out);
        t2_buf_puts(out, " more</span>");
        put_bar(" rest", rest, rest > top[0].count ? rest : top[0].count, f->n_values, out);
    }
    t2_buf_puts(out, "</div></div>\n");
}

void rec_report_labels(const struct rec_report *r, struct t2_buf *out)
{
    size_t n = 0;

    for (size_t i = 0; i < r->stats->n_features; i++) {
        const struct rec_field *f = &r->stats->schema->fields[i];
        const struct rec_feature_stats *s = &r->stats->features[i];
        if (!rec_stats_is_label(f, s))
            continue;
        if (n == 0)
            t2_buf_puts(out, "<section><h2>Labels</h2>\n<p class=\"lead\">Features with one value "
                             "a record and few different ones, most frequent first.</p>\n"
                             "<div class=\"grid\">\n");
        if (n++ < LABELS_SHOWN)
            label_card(r, f, s, out);
    }
    if (n == 0)
        return;
    t2_buf_puts(out, "</div>\n");
    if (n > LABELS_SHOWN)
        t2_buf_printf(out, "<p class=\"note\">%zu more are not shown.</p>\n",
                      n - (size_t) LABELS_SHOWN);
    t2_buf_puts(out, "</section>\n");
}
