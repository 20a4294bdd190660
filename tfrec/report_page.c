/*
 * tfrec/report_page.c - the frame of the page: head, summary, warnings, files.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tfrec/html.h"
#include "tfrec/report_page.h"
#include "tfrec/schema_formats.h"

enum { FILES_SHOWN = 12, NAME_CHARACTERS = 120 };

/* ---- title ---- */

/* What the names of all files begin with, without shard numbers; the folder's name when that is
 * nothing. */
static void find_title(const struct rec_report *r, struct t2_buf *title)
{
    const char *first = r->in->n > 0 ? t2_path_base(r->in->files[0].path) : "";
    size_t n = strlen(first);
    size_t whole = n;

    if (r->title && r->title[0]) {
        t2_buf_puts(title, r->title);
        return;
    }
    for (size_t i = 1; i < r->in->n; i++) {
        const char *name = t2_path_base(r->in->files[i].path);
        size_t same = 0;
        while (same < n && name[same] == first[same])
            same++;
        n = same;
    }
    while (n < whole && n > 0 &&
           (isdigit((unsigned char) first[n - 1]) || strchr("-_.", first[n - 1])))
        n--;
    if (n > 0) {
        t2_buf_append(title, first, n);
    } else {
        char *dir = r->in->n > 0 ? t2_path_dir(r->in->files[0].path) : t2_strdup("");
        t2_buf_puts(title, strcmp(dir, ".") == 0 ? "Records" : t2_path_base(dir));
        t2_free(dir);
    }
}

/* ---- summary ---- */

static void fact(const char *name, const char *value, const char *note, struct t2_buf *out)
{
    t2_buf_printf(out, "<div><dt>%s</dt><dd>%s</dd>", name, value);
    if (note[0])
        t2_buf_printf(out, "<dd class=\"note\">%s</dd>", note);
    t2_buf_puts(out, "</div>\n");
}

static void count_fact(const char *name, uint64_t n, const char *note, struct t2_buf *out)
{
    struct t2_buf value = {NULL, 0, 0};

    rec_html_count(n, &value);
    fact(name, t2_buf_cstr(&value), note, out);
    t2_buf_release(&value);
}

static void duplicate_fact(const struct rec_stats *s, struct t2_buf *out)
{
    struct t2_buf note = {NULL, 0, 0};

    if (s->n_duplicates > 0 && s->schema->n_records > 0)
        t2_buf_printf(&note, "%.2g&nbsp;%% of records%s",
                      100.0 * (double) s->n_duplicates / (double) s->schema->n_records,
                      s->duplicates_exact ? "" : ", estimated");
    count_fact("Duplicates", s->n_duplicates, t2_buf_cstr(&note), out);
    t2_buf_release(&note);
}

void rec_report_summary(const struct rec_report *r, struct t2_buf *out)
{
    const struct rec_histogram *h = &r->stats->record_bytes;
    char size[32], mean[32], note[96];
    uint64_t disk = r->in->bytes;

    t2_buf_puts(out, "<dl class=\"facts\">\n");
    count_fact("Records", r->stats->schema->n_records, "", out);
    (void) t2_human_bytes(disk, size, sizeof size);
    snprintf(note, sizeof note, "%s on disk", size);
    count_fact(r->in->n == 1 ? "File" : "Files", r->in->n, note, out);
    fact("Payload", t2_human_bytes(h->sum, size, sizeof size), "", out);
    if (h->n > 0) {
        snprintf(note, sizeof note, "largest %s", t2_human_bytes(h->max, size, sizeof size));
        fact("Mean record",
             t2_human_bytes((uint64_t) (rec_histogram_mean(h) + 0.5), mean, sizeof mean), note,
             out);
    }
    count_fact("Features", r->stats->n_features, "", out);
    duplicate_fact(r->stats, out);
    t2_buf_puts(out, "</dl>\n");
}

/* ---- warnings ---- */

static void warning(const char *kind, const char *text, struct t2_buf *out)
{
    t2_buf_printf(out, "<p class=\"%s\">", kind);
    rec_html_puts(text, out);
    t2_buf_puts(out, "</p>\n");
}

static void warn_of_ids(const struct rec_report *r, struct t2_buf *out)
{
    for (size_t i = 0; r->vocab && i < r->stats->n_features; i++) {
        const struct rec_field *f = &r->stats->schema->fields[i];
        uint64_t n = r->stats->features[i].use.n_out_of_range;
        struct t2_buf text = {NULL, 0, 0};
        if (n == 0 || !rec_stats_is_ids(f))
            continue;
        t2_buf_printf(&text, "%" PRIu64 " ids of feature '%.*s' are not in the vocabulary: is it ",
                      n, NAME_CHARACTERS, f->name);
        t2_buf_puts(&text, "the one the records were made with?");
        warning("warning", t2_buf_cstr(&text), out);
        t2_buf_release(&text);
    }
}

void rec_report_warnings(const struct rec_report *r, struct t2_buf *out)
{
    const struct rec_stats *s = r->stats;
    struct t2_buf text = {NULL, 0, 0};
    struct t2_strs lines = {NULL, 0, 0};

    if (s->damage.status != T2_OK) {
        t2_buf_printf(&text,
                      "Reading ended early: %s. What follows is about the %" PRIu64
                      " record%s before that; `tfrec verify` looks for more damage.",
                      s->damage.message, s->schema->n_records,
                      s->schema->n_records == 1 ? "" : "s");
        warning("damage", t2_buf_cstr(&text), out);
        t2_buf_clear(&text);
    }
    if (s->schema->n_records == 0 && s->damage.status == T2_OK)
        warning("warning", "There are no records.", out);
    else if (s->n_features == 0 && s->schema->n_records > 0 && s->schema->n_sequences == 0)
        warning("warning",
                "No record has a feature: is this tf.train.Example? `tfrec raw` shows "
                "other payloads.",
                out);
    rec_schema_print_disagreements(s->schema, r->in, &text);
    t2_strs_split(&lines, t2_buf_cstr(&text), '\n');
    for (size_t i = 0; i < lines.n; i++) {
        if (lines.items[i][0])
            warning("warning", lines.items[i], out);
    }
    warn_of_ids(r, out);
    t2_strs_release(&lines);
    t2_buf_release(&text);
}

/* ---- files ---- */

static void file_row(const struct rec_report *r, size_t i, struct t2_buf *out)
{
    const struct tfr_input_file *f = &r->in->files[i];
    const char *path = strcmp(f->path, "-") == 0 ? "standard input" : f->path;

    t2_buf_puts(out, "<tr><th scope=\"row\">");
    rec_html_puts(path, out);
    t2_buf_puts(out, "</th><td>");
    rec_html_puts(f->split, out);
    t2_buf_puts(out, "</td><td class=\"n\">");
    rec_html_count(r->file_records[i], out);
    t2_buf_puts(out, "</td><td class=\"n\">");
    rec_html_count(f->bytes, out);
    t2_buf_puts(out, "</td></tr>\n");
}

void rec_report_files(const struct rec_report *r, struct t2_buf *out)
{
    size_t n = r->in->n < FILES_SHOWN ? r->in->n : FILES_SHOWN;

    t2_buf_puts(out, "<section><h2>Files</h2>\n<div class=\"scroll\"><table>\n"
                     "<thead><tr><th>File</th><th>Split</th><th class=\"n\">Records</th>"
                     "<th class=\"n\">Bytes</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < n; i++)
        file_row(r, i, out);
    t2_buf_puts(out, "</tbody></table></div>\n");
    if (r->in->n > n) {
        t2_buf_puts(out, "<p class=\"note\">and ");
        rec_html_count(r->in->n - n, out);
        t2_buf_puts(out, " more files</p>\n");
    }
    t2_buf_puts(out, "</section>\n");
}

/* ---- the page ---- */

static void head(const char *title, struct t2_buf *out)
{
    t2_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<meta name=\"color-scheme\" content=\"light dark\">\n"
                     "<meta name=\"referrer\" content=\"no-referrer\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "img-src data:; style-src 'unsafe-inline'\">\n<title>");
    rec_html_text(title, strlen(title), NAME_CHARACTERS, out);
    t2_buf_puts(out, "</title>\n<style>\n");
    rec_report_style(out);
    t2_buf_puts(out, "</style>\n</head>\n<body>\n<main>\n");
}

enum t2_status rec_report_print(const struct rec_report *r, struct t2_buf *out, struct t2_err *err)
{
    struct t2_buf title = {NULL, 0, 0};
    enum t2_status st;

    find_title(r, &title);
    head(t2_buf_cstr(&title), out);
    t2_buf_puts(out, "<header><p class=\"kicker\">Record set</p><h1>");
    rec_html_text(title.data, title.len_bytes, NAME_CHARACTERS, out);
    t2_buf_puts(out, "</h1></header>\n");
    rec_report_warnings(r, out);
    rec_report_summary(r, out);
    rec_report_schema(r, out);
    st = rec_report_rows(r, out, err);
    rec_report_lengths(r, out);
    rec_report_labels(r, out);
    rec_report_vocab(r, out);
    rec_report_files(r, out);
    t2_buf_puts(out, "</main>\n<footer><p>Written by <code>tfrec report</code>. This file is "
                     "complete: no scripts, nothing is loaded from elsewhere.</p></footer>\n"
                     "</body>\n</html>\n");
    t2_buf_release(&title);
    return st;
}
