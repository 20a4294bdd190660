/*
 * train/eval/score_report.h - scores in the forms of sacreBLEU's command line: its lines, its JSON,
 * its tables in text and LaTeX.
 */
#ifndef EV_SCORE_REPORT_H
#define EV_SCORE_REPORT_H

#include "train/eval/score_table.h"

enum ev_report_form { EV_REPORT_TEXT, EV_REPORT_JSON, EV_REPORT_LATEX };

struct ev_report_style {
    enum ev_report_form form;
    int width; /* decimals of scores */
    bool score_only, short_signature;
};

/* Appends a score: "61.31", or with an estimate "61.31 (μ = 61.31 ± 0.42)". */
void ev_report_score(const struct ev_cell *cell, int width, struct t2_buf *out);
/* Appends "BLEU|nrefs:1|... = 61.31 100.0/73.5/59.0/48.4 (BP = ...)", without a line end. */
void ev_report_line(const struct ev_metric *m, const struct ev_cell *cell, int n_references,
                    const struct ev_test_plan *plan, const struct ev_report_style *style,
                    struct t2_buf *out);
/* Appends all metrics of one system. */
void ev_report_single(const struct ev_score_table *t, const struct ev_report_style *style,
                      struct t2_buf *out);
/* Appends the table of several systems. */
void ev_report_systems(const struct ev_score_table *t, const struct ev_report_style *style,
                       struct t2_buf *out);

#endif
