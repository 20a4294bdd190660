/*
 * train/runs/run_page.h - `t2t-trainer report`: one or several runs side by side as a page that
 * needs nothing else.
 */
#ifndef TR_RUN_PAGE_H
#define TR_RUN_PAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* main() of the command; argv[0] is its name. */
T2_MUST_CHECK enum t2_status tr_report_main(int argc, char **argv, struct t2_err *err);

/*
 * The page of the runs in these folders: losses, rate, norms, scores, where time went, memory
 * against the plan, samples, hparams that differ, commands, and hashes of the data.  Of a run that
 * goes on, as far as it is.  T2_ENOTFOUND: a folder has no metrics.jsonl.
 */
T2_MUST_CHECK enum t2_status tr_run_page(const struct t2_strs *dirs, struct t2_buf *html,
                                         struct t2_err *err);

#endif
