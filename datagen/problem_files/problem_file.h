/*
 * datagen/problem_files/problem_file.h - problems that a YAML file describes, for --t2t_usr_dir.
 *
 * The keys are the flags of text of one's own (problem_own_text.h), and name, summary, licence, and
 * sources that are downloaded.  docs/problem-files.md tells them all.
 */
#ifndef DG_PROBLEM_FILE_H
#define DG_PROBLEM_FILE_H

#include "base/err.h"
#include "datagen/problem.h"

/* Registers the problem of one file; it lives until the process ends.  T2_EFORMAT and T2_EUSAGE
 * name the file and the key. */
T2_MUST_CHECK enum t2_status dg_problem_file_register(const char *path, struct t2_err *err);

/* Registers all *.yaml and *.yml files of a folder, and what its *.so files register (plugin.h), in
 * the order of their names.  T2_ENOTFOUND when there is no such folder, or nothing of these in it.
 */
T2_MUST_CHECK enum t2_status dg_usr_dir_register(const char *dir, struct t2_err *err);

#endif
