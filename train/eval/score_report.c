/*
 * train/eval/score_report.c - see the header.
 */
#include "train/eval/score_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "train/eval/python_text.h"
#include "train/eval/text_grid.h"

#define MEAN "\u03bc"
#define PLUS_MINUS "\u00b1"

static bool is_paired(const struct ev_test_plan *plan)
{
    return plan->test == EV_TEST_PAIRED_BOOTSTRAP || plan->test == EV_TEST_PAIRED_AR;
}

/* sacreBLEU says nothing about a mean of 0. */
static bool shows_estimate(const struct ev_cell *cell)
{
    return cell->has_estimate && cell->estimate.mean > 0;
}

static void put_estimate(const struct ev_cell *cell, int width, struct t2_buf *out)
{
    t2_buf_printf(out, MEAN " = %.*f " PLUS_MINUS " %.*f", width, cell->estimate.mean, width,
                  cell->estimate.interval);
}

void ev_report_score(const struct ev_cell *cell, int width, struct t2_buf *out)
{
    t2_buf_printf(out, "%.*f", width, cell->score);
    if (shows_estimate(cell)) {
        t2_buf_puts(out, " (");
        put_estimate(cell, width, out);
        t2_buf_push(out, ')');
    }
}

void ev_report_line(const struct ev_metric *m, const struct ev_cell *cell, int n_references,
                    const struct ev_test_plan *plan, const struct ev_report_style *style,
                    struct t2_buf *out)
{
    if (!style->score_only) {
        m->kind->name(m, out);
        t2_buf_push(out, '|');
        ev_signature(m, n_references, plan, style->short_signature, out);
        t2_buf_puts(out, " = ");
    }
    ev_report_score(cell, style->width, out);
    if (!style->score_only && m->kind->verbose) {
        t2_buf_push(out, ' ');
        m->kind->verbose(m, cell->sums, out);
    }
}

/* ---- one system as JSON ---- */

/* A number with the decimals that are shown, as a number. */
static void put_shown(struct t2_buf *out, const char *key, double v, int width)
{
    char text[400];

    snprintf(text, sizeof text, "%.*f", width, v);
    t2_buf_printf(out, ",\n \"%s\": ", key);
    ev_python_repr(strtod(text, NULL), out);
}

static void put_text(struct t2_buf *out, const char *key, const char *text)
{
    t2_buf_printf(out, ",\n \"%s\": \"%s\"", key, text);
}

/* Names, signatures and numbers only: nothing in them needs quoting. */
static void put_object(const struct ev_score_table *t, size_t metric, int width, struct t2_buf *out)
{
    const struct ev_metric *m = t->metrics[metric];
    const struct ev_cell *cell = ev_cell(t, 0, metric);
    struct t2_buf text = {NULL, 0, 0};
    struct t2_strs parts = {NULL, 0, 0};

    t2_buf_puts(out, "{\n \"name\": \"");
    m->kind->name(m, out);
    t2_buf_push(out, '"');
    put_shown(out, "score", cell->score, width);
    ev_signature(m, t->n_references, t->plan, false, &text);
    put_text(out, "signature", t2_buf_cstr(&text));
    t2_strs_split(&parts, t2_buf_cstr(&text), '|');
    if (shows_estimate(cell)) {
        put_shown(out, "confidence_mean", cell->estimate.mean, width);
        put_shown(out, "confidence_var", cell->estimate.interval, width);
        t2_buf_clear(&text);
        put_estimate(cell, width, &text);
        put_text(out, "confidence", t2_buf_cstr(&text));
    }
    if (m->kind->verbose) {
        t2_buf_clear(&text);
        m->kind->verbose(m, cell->sums, &text);
        put_text(out, "verbose_score", t2_buf_cstr(&text));
    }
    for (size_t i = 0; i < parts.n; i++) {
        char *colon = strchr(parts.items[i], ':');

        *colon = '\0';
        put_text(out, parts.items[i], colon + 1);
    }
    t2_buf_puts(out, "\n}");
    t2_strs_release(&parts);
    t2_buf_release(&text);
}

/* Scores under each other: the equals signs in one column. */
static void put_aligned(const struct ev_score_table *t, const struct ev_report_style *style,
                        struct t2_buf *out)
{
    struct t2_buf line = {NULL, 0, 0};
    size_t widest = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < t->n_metrics; i++) {
            size_t left;

            t2_buf_clear(&line);
            ev_report_line(t->metrics[i], ev_cell(t, 0, i), t->n_references, t->plan, style, &line);
            left = style->score_only ? 0 : strcspn(t2_buf_cstr(&line), "=");
            widest = left > widest ? left : widest;
            if (pass == 1)
                t2_buf_printf(out, "%*s%s\n", (int) (widest - left), "", t2_buf_cstr(&line));
        }
    }
    t2_buf_release(&line);
}

void ev_report_single(const struct ev_score_table *t, const struct ev_report_style *style,
                      struct t2_buf *out)
{
    if (style->form != EV_REPORT_JSON) {
        put_aligned(t, style, out);
        return;
    }
    t2_buf_puts(out, t->n_metrics > 1 ? "[\n" : "");
    for (size_t i = 0; i < t->n_metrics; i++) {
        t2_buf_puts(out, i > 0 ? ",\n" : "");
        if (style->score_only)
            ev_report_score(ev_cell(t, 0, i), style->width, out);
        else
            put_object(t, i, style->width, out);
    }
    t2_buf_puts(out, t->n_metrics > 1 ? "\n]\n" : "\n");
}

/* ---- several systems ---- */

static void put_system_name(const struct ev_score_table *t, size_t system, struct t2_buf *out)
{
    t2_buf_clear(out);
    t2_buf_printf(out, "%s%s", system == 0 && is_paired(t->plan) ? "Baseline: " : "",
                  t->systems[system].name);
}

static void put_or_null(struct t2_buf *out, const char *key, bool has, double v)
{
    t2_buf_printf(out, ",\n            \"%s\": ", key);
    if (has)
        ev_python_repr(v, out);
    else
        t2_buf_puts(out, "null");
}

static void put_systems_json(const struct ev_score_table *t, int width, struct t2_buf *out)
{
    struct t2_buf name = {NULL, 0, 0};

    t2_buf_puts(out, "[");
    for (size_t s = 0; s < t->n_systems; s++) {
        put_system_name(t, s, &name);
        t2_buf_puts(out, s ? ",\n    {\n        \"system\": " : "\n    {\n        \"system\": ");
        ev_python_json_string(t2_buf_cstr(&name), out);
        for (size_t i = 0; i < t->n_metrics; i++) {
            const struct ev_cell *cell = ev_cell(t, s, i);

            t2_buf_puts(out, ",\n        \"");
            t->metrics[i]->kind->name(t->metrics[i], out);
            if (!is_paired(t->plan)) {
                t2_buf_printf(out, "\": \"%.*f\"", width, cell->score);
                continue;
            }
            t2_buf_puts(out, "\": {\n            \"score\": ");
            ev_python_repr(cell->score, out);
            put_or_null(out, "p_value", cell->has_p, cell->p);
            put_or_null(out, "mean", cell->has_estimate, cell->estimate.mean);
            put_or_null(out, "ci", cell->has_estimate, cell->estimate.interval);
            t2_buf_puts(out, "\n        }");
        }
        t2_buf_puts(out, "\n    }");
    }
    t2_buf_puts(out, "\n]\n");
    t2_buf_release(&name);
}

static void put_systems_grid(const struct ev_score_table *t, const struct ev_report_style *style,
                             struct t2_buf *out)
{
    bool latex = style->form == EV_REPORT_LATEX;
    struct ev_grid grid = {{NULL, 0, 0}, t->n_metrics + 1};
    struct t2_buf text = {NULL, 0, 0};

    t2_strs_push(&grid.cells, "System");
    for (size_t i = 0; i < t->n_metrics; i++) {
        t2_buf_clear(&text);
        t->metrics[i]->kind->name(t->metrics[i], &text);
        if (ev_cell(t, 0, 0)->has_estimate)
            t2_buf_puts(&text, " (" MEAN " " PLUS_MINUS " 95% CI)");
        t2_strs_push(&grid.cells, t2_buf_cstr(&text));
    }
    for (size_t s = 0; s < t->n_systems; s++) {
        put_system_name(t, s, &text);
        t2_strs_push(&grid.cells, t2_buf_cstr(&text));
        for (size_t i = 0; i < t->n_metrics; i++) {
            const struct ev_cell *cell = ev_cell(t, s, i);

            t2_buf_clear(&text);
            t2_buf_printf(&text, "%.*f", style->width, cell->score);
            if (cell->has_estimate)
                t2_buf_printf(&text, " (%.*f " PLUS_MINUS " %.*f)", style->width,
                              cell->estimate.mean, style->width, cell->estimate.interval);
            if (cell->has_p)
                t2_buf_printf(&text, "%c(p = %.4f)%s", latex ? ' ' : '\n', cell->p,
                              cell->p > 0.05 ? "" : "*");
            t2_strs_push(&grid.cells, t2_buf_cstr(&text));
        }
    }
    ev_grid_draw(&grid, latex, out);
    t2_strs_release(&grid.cells);
    t2_buf_release(&text);
}

static void put_framed(struct t2_buf *out, const char *title)
{
    int n = (int) strlen(title);

    for (int i = 0; i < n; i++)
        t2_buf_push(out, '-');
    t2_buf_printf(out, "\n%s\n", title);
    for (int i = 0; i < n; i++)
        t2_buf_push(out, '-');
    t2_buf_push(out, '\n');
}

/* What the numbers of a paired test mean. */
static void put_test(const struct ev_score_table *t, struct t2_buf *out)
{
    bool bootstrap = t->plan->test == EV_TEST_PAIRED_BOOTSTRAP;
    char title[128];

    snprintf(title, sizeof title, "Paired %s test with %zu %strials",
             bootstrap ? "bootstrap resampling" : "approximate randomization", t->plan->n_samples,
             bootstrap ? "resampling " : "");
    put_framed(out, title);
    t2_buf_printf(out, " - Every system is compared with the baseline, %s.\n", t->systems[0].name);
    if (bootstrap)
        t2_buf_puts(out, " - A score is followed by the mean over the resampled corpora and half "
                         "the width\n   of the interval that holds 95% of them.\n");
    t2_buf_puts(out, " - p: how often a difference of scores at least as large would come about by "
                     "chance,\n   were both translations equally good. Where it is at most 0.05 "
                     "(marked *), the two\n   systems differ significantly; p does not say which "
                     "of them is better.\n\n");
}

void ev_report_systems(const struct ev_score_table *t, const struct ev_report_style *style,
                       struct t2_buf *out)
{
    struct t2_buf name = {NULL, 0, 0};

    if (style->form == EV_REPORT_JSON) {
        put_systems_json(t, style->width, out);
        return;
    }
    put_systems_grid(t, style, out);
    t2_buf_push(out, '\n');
    if (is_paired(t->plan))
        put_test(t, out);
    put_framed(out, "Metric signatures");
    for (size_t i = 0; i < t->n_metrics; i++) {
        t2_buf_clear(&name);
        t->metrics[i]->kind->name(t->metrics[i], &name);
        t2_buf_printf(out, " - %-10s ", t2_buf_cstr(&name));
        ev_signature(t->metrics[i], t->n_references, t->plan, style->short_signature, out);
        t2_buf_push(out, '\n');
    }
    t2_buf_release(&name);
}
