/*
 * datagen/problem_files/problem_set.h - the problems that a YAML text describes.
 *
 * A text is one problem, or `files`, `problems` and keys that hold for all of these; docs/
 * problem-files.md has all keys.
 */
#ifndef DG_PROBLEM_FILES_PROBLEM_SET_H
#define DG_PROBLEM_FILES_PROBLEM_SET_H

#include "base/err.h"
#include "datagen/problem.h"

struct dg_problem_set;

/*
 * path is for messages, and files are beside it.  T2_EFORMAT and T2_EUSAGE name the file and the
 * key.  *set is owned by the caller; its problems live as long.  Nothing is read but the text.
 */
T2_MUST_CHECK enum t2_status dg_problem_set_parse(const char *text, size_t len_bytes,
                                                  const char *path, struct dg_problem_set **set,
                                                  struct t2_err *err);
void dg_problem_set_free(struct dg_problem_set *set);

size_t dg_problem_set_count(const struct dg_problem_set *set);
const struct dg_problem *dg_problem_set_at(const struct dg_problem_set *set, size_t i);
/* Family i: neighbours that name the same `family`; NULL behind the last.  Problems that name none
 * are in none. */
const struct dg_family *dg_problem_set_family(const struct dg_problem_set *set, size_t i);

#endif
