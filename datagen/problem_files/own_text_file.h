/*
 * datagen/problem_files/own_text_file.h - text of one's own, with the sources that a file
 * downloads.
 */
#ifndef DG_PROBLEM_FILES_OWN_TEXT_FILE_H
#define DG_PROBLEM_FILES_OWN_TEXT_FILE_H

#include "datagen/problem_files/problem_kinds.h"

/* T2_EFORMAT and T2_EUSAGE name the file.  *p is owned by the caller (dg_own_text_free). */
T2_MUST_CHECK enum t2_status dg_own_text_file_new(const struct dg_file_context *c,
                                                  const struct dg_draft *d, const char *name,
                                                  struct dg_problem **p, struct t2_err *err);

#endif
