/*
 * tfrec/report_schema.c - tables of the page: features, and what a vocabulary says of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tfrec/html.h"
#include "tfrec/report_page.h"
#include "tfrec/row_json.h"
#include "tokenizer/encoder.h"

enum { FEATURES_SHOWN = 500, NAME_CHARACTERS = 80, TOP_IDS = 40, PIECE_CHARACTERS = 24 };

#define DASH "\xe2\x80\x93"

static void name_cell(const struct rec_field *f, struct t2_buf *out)
{
    t2_buf_puts(out, "<tr><th scope=\"row\">");
    if (f->name_bytes == 0)
        t2_buf_puts(out, "<em>no name</em>");
    rec_html_text(f->name, f->name_bytes, NAME_CHARACTERS, out);
    t2_buf_puts(out, "</th>");
}

static void share_cell(uint64_t part, uint64_t all, struct t2_buf *out)
{
    double percent = all > 0 ? floor(1000.0 * (double) part / (double) all) / 10 : 0;

    t2_buf_puts(out, "<td class=\"n\">");
    rec_html_count(part, out);
    t2_buf_printf(out,
                  "</td><td class=\"n\">%.*f&nbsp;%%<span class=\"share\"><i "
                  "style=\"width:%.1f%%\"></i></span></td>",
                  part == all ? 0 : 1, percent, percent);
}

static void length_cell(const struct rec_field *f, struct t2_buf *out)
{
    t2_buf_puts(out, "<td class=\"n\">");
    if (f->min_length > f->max_length) {
        t2_buf_puts(out, DASH);
    } else {
        rec_html_count(f->min_length, out);
        if (f->min_length < f->max_length) {
            t2_buf_puts(out, "\xe2\x80\xaf" DASH "\xe2\x80\xaf");
            rec_html_count(f->max_length, out);
        }
    }
    t2_buf_puts(out, "</td>");
}

static void put_int(int64_t v, struct t2_buf *out)
{
    if (v < 0)
        t2_buf_puts(out, "\xe2\x88\x92"); /* a minus sign */
    rec_html_count(v < 0 ? 0 - (uint64_t) v : (uint64_t) v, out);
}

static void put_float(double v, struct t2_buf *out)
{
    t2_buf_printf(out, "%s%.6g", signbit(v) && v != 0 ? "\xe2\x88\x92" : "", fabs(v));
}

static void range_cells(const struct rec_field *f, const struct rec_feature_stats *s,
                        struct t2_buf *out)
{
    enum tfr_kind kind = rec_field_kind(f);
    char low[32], mean[32], high[32];

    t2_buf_puts(out, "<td class=\"n\">");
    if (kind == TFR_INT64 && f->min_int <= f->max_int) {
        put_int(f->min_int, out);
        t2_buf_puts(out, "</td><td class=\"n\">");
        if (!isnan(rec_stats_mean(f, s)))
            put_float(rec_stats_mean(f, s), out);
        t2_buf_puts(out, "</td><td class=\"n\">");
        put_int(f->max_int, out);
    } else if (kind == TFR_FLOAT && f->min_float <= f->max_float) {
        put_float((double) f->min_float, out);
        t2_buf_puts(out, "</td><td class=\"n\">");
        if (!isnan(rec_stats_mean(f, s)))
            put_float(rec_stats_mean(f, s), out);
        t2_buf_puts(out, "</td><td class=\"n\">");
        put_float((double) f->max_float, out);
    } else if (kind == TFR_BYTES && s->sizes.n > 0) {
        t2_buf_printf(out, "%s</td><td class=\"n\">%s</td><td class=\"n\">%s",
                      t2_human_bytes(s->sizes.min, low, sizeof low),
                      t2_human_bytes((uint64_t) (rec_histogram_mean(&s->sizes) + 0.5), mean,
                                     sizeof mean),
                      t2_human_bytes(s->sizes.max, high, sizeof high));
    } else {
        t2_buf_puts(out, DASH "</td><td class=\"n\">" DASH "</td><td class=\"n\">" DASH);
    }
    t2_buf_puts(out, "</td>");
}

static void note_cell(const struct rec_field *f, struct t2_buf *out)
{
    t2_buf_puts(out, "<td class=\"note\">");
    if (!rec_field_agrees(f))
        t2_buf_puts(out, "kinds differ");
    else if (rec_field_kind(f) == TFR_NONE)
        t2_buf_puts(out, "never has a list");
    else if (f->n_values == 0)
        t2_buf_puts(out, "always empty");
    else if (rec_field_is_image(f))
        t2_buf_puts(out, "images");
    else if (rec_field_is_text(f))
        t2_buf_puts(out, "UTF-8 text");
    else if (rec_field_kind(f) == TFR_BYTES)
        t2_buf_puts(out, "binary");
    else if (rec_field_kind(f) == TFR_INT64 && !rec_field_is_int32(f))
        t2_buf_puts(out, "beyond 32 bits");
    else if (f->n_not_finite > 0)
        t2_buf_printf(out, "%" PRIu64 " NaN or infinite", f->n_not_finite);
    t2_buf_puts(out, "</td></tr>\n");
}

static void feature_row(const struct rec_report *r, size_t i, struct t2_buf *out)
{
    const struct rec_field *f = &r->stats->schema->fields[i];
    const struct rec_feature_stats *s = &r->stats->features[i];
    const char *kind = rec_kind_name(rec_field_kind(f));
    bool exact;
    uint64_t distinct = rec_distinct_count(&s->distinct, &exact);

    name_cell(f, out);
    t2_buf_printf(out, "<td><span class=\"tag %s\">%s</span></td>", kind, kind);
    share_cell(rec_field_records(f), r->stats->schema->n_records, out);
    length_cell(f, out);
    t2_buf_puts(out, exact ? "<td class=\"n\">" : "<td class=\"n\">\xe2\x89\x88\xe2\x80\xaf");
    rec_html_count(distinct, out);
    t2_buf_puts(out, "</td>");
    range_cells(f, s, out);
    note_cell(f, out);
}

void rec_report_schema(const struct rec_report *r, struct t2_buf *out)
{
    size_t n = r->stats->n_features;
    size_t shown = n < FEATURES_SHOWN ? n : FEATURES_SHOWN;

    if (n == 0)
        return;
    t2_buf_puts(out, "<section><h2>Features</h2>\n<p class=\"lead\">Length: values a record has. "
                     "Least, mean and greatest: of the values; of bytes features their sizes.</p>\n"
                     "<div class=\"scroll\"><table>\n<thead><tr><th>Name</th><th>Kind</th>"
                     "<th class=\"n\">Records</th><th class=\"n\">Share</th>"
                     "<th class=\"n\">Length</th><th class=\"n\">Distinct</th>"
                     "<th class=\"n\">Least</th><th class=\"n\">Mean</th>"
                     "<th class=\"n\">Greatest</th><th></th></tr></thead><tbody>\n");
    for (size_t i = 0; i < shown; i++)
        feature_row(r, i, out);
    t2_buf_puts(out, "</tbody></table></div>\n");
    if (n > shown)
        t2_buf_printf(out, "<p class=\"note\">and %zu more features</p>\n", n - shown);
    t2_buf_puts(out, "</section>\n");
}

/* ---- vocabulary ---- */

static void vocab_row(const struct rec_field *f, const struct rec_feature_stats *s,
                      struct t2_buf *out)
{
    const struct rec_vocab_use *use = &s->use;
    double share = use->n_ids ? 100.0 * (double) use->n_unknown / (double) use->n_ids : 0;

    name_cell(f, out);
    t2_buf_puts(out, "<td class=\"n\">");
    rec_html_count(use->n_ids, out);
    t2_buf_printf(out, "</td><td class=\"n\">%.2f</td><td class=\"n\">",
                  rec_histogram_mean(&s->lengths));
    rec_html_count(use->n_unknown, out);
    t2_buf_printf(out, "</td><td class=\"n\">%.3f&nbsp;%%</td><td class=\"n\">", share);
    rec_html_count(use->n_out_of_range, out);
    t2_buf_puts(out, "</td></tr>\n");
}

/* The most frequent entries as words in a row. */
static void frequent_entries(const struct rec_report *r, size_t i, struct t2_buf *out)
{
    const struct rec_field *f = &r->stats->schema->fields[i];
    struct rec_top top[TOP_IDS];
    size_t n = rec_stats_top(f, &r->stats->features[i], top, TOP_IDS);

    if (n == 0)
        return;
    t2_buf_puts(
        out, "<p class=\"lead\" style=\"margin:12px 0 0;max-width:none\">Most frequent in <code>");
    rec_html_text(f->name, f->name_bytes, NAME_CHARACTERS, out);
    t2_buf_puts(out, "</code>:");
    for (size_t k = 0; k < n; k++) {
        if (top[k].int_value < 0 || top[k].int_value >= tok_size(r->vocab))
            continue;
        struct t2_slice piece = tok_entry(r->vocab, (int32_t) top[k].int_value);
        t2_buf_printf(out, " <span class=\"tag\" title=\"id %" PRId64 ", %" PRIu64 " times\">",
                      top[k].int_value, top[k].count);
        rec_html_text(piece.data, piece.len_bytes, PIECE_CHARACTERS, out);
        t2_buf_puts(out, "</span>");
    }
    t2_buf_puts(out, "</p>\n");
}

void rec_report_vocab(const struct rec_report *r, struct t2_buf *out)
{
    if (!r->vocab)
        return;
    t2_buf_puts(out, "<section><h2>Vocabulary</h2>\n<p class=\"lead\"><code>");
    rec_html_puts(r->vocab_path, out);
    t2_buf_puts(out, "</code>: ");
    rec_html_count((uint64_t) tok_size(r->vocab), out);
    t2_buf_printf(out,
                  " %s</p>\n<div class=\"scroll\"><table><thead><tr><th>Feature</th>"
                  "<th class=\"n\">Ids</th><th class=\"n\">Per record</th>"
                  "<th class=\"n\">Unknown</th><th class=\"n\">Share</th>"
                  "<th class=\"n\">Out of range</th></tr></thead><tbody>\n",
                  tok_kind(r->vocab));
    for (size_t i = 0; i < r->stats->n_features; i++) {
        if (rec_stats_is_ids(&r->stats->schema->fields[i]))
            vocab_row(&r->stats->schema->fields[i], &r->stats->features[i], out);
    }
    t2_buf_puts(out, "</tbody></table></div>\n");
    for (size_t i = 0; i < r->stats->n_features; i++) {
        if (rec_stats_is_ids(&r->stats->schema->fields[i]))
            frequent_entries(r, i, out);
    }
    t2_buf_puts(out, "</section>\n");
}
