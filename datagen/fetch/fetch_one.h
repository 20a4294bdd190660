/*
 * datagen/fetch/fetch_one.h - one file: its lock, its mirrors, retries, verification.
 */
#ifndef DG_FETCH_ONE_H
#define DG_FETCH_ONE_H

#include "datagen/fetch/fetch_attempt.h"

/* Downloads job->file to <tmp_dir>/<name>; job->session, part, url are for its use.  Errors as
 * dg_fetch. */
T2_MUST_CHECK enum t2_status dg_fetch_one(struct dg_fetch_job *job, struct dg_fetch_result *r,
                                          struct t2_err *err);

#endif
