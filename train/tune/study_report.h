/*
 * train/tune/study_report.h - what a study has found: a table, JSON, a page.
 */
#ifndef TUNE_STUDY_REPORT_H
#define TUNE_STUDY_REPORT_H

#include "train/tune/trials.h"

/* For all three: the log is open (also only to read), and *t has been read from it. */

/* How many trials are where, and who works on which. */
void tune_report_status(const struct tune_trials *t, const struct tune_log *log,
                        struct t2_buf *text);
/* The best n_shown trials, what matters, and the best one's command line. */
void tune_report_text(const struct tune_trials *t, const struct tune_log *log, int64_t n_shown,
                      struct t2_buf *text);
/* One object: study, counts, params with their importance, trials from the best on with their
 * curves, best. T2_EIO when a file of a trial cannot be read. */
T2_MUST_CHECK enum t2_status tune_report_json(const struct tune_trials *t,
                                              const struct tune_log *log, struct t2_buf *text,
                                              struct t2_err *err);
/* The same object in a page that shows it without anything else: parallel coordinates, the
 * objective against steps, importance, table, command line. */
T2_MUST_CHECK enum t2_status tune_report_page(const struct tune_trials *t,
                                              const struct tune_log *log, struct t2_buf *html,
                                              struct t2_err *err);

#endif
