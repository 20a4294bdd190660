/*
 * datagen/problem_files/builtin_files.h - the problem files that are part of the program:
 * datagen/problems/<name>.yaml.
 *
 * A file is read when one of its problems is asked for, or all are listed.
 */
#ifndef DG_PROBLEM_FILES_BUILTIN_FILES_H
#define DG_PROBLEM_FILES_BUILTIN_FILES_H

#include "datagen/problem.h"

/* In the order of DG_BUILTIN_FILES. */
enum dg_builtin_file {
    DG_FILE_MIXTURES,
    DG_FILE_PAIRS,
    DG_FILE_TRANSLATE,
    DG_FILE_UNMADE_TEXT,
    DG_FILE_UNMADE_OTHERS,
};
enum { DG_N_BUILTIN_FILES = DG_FILE_UNMADE_OTHERS + 1 };

/* Family i of a file; NULL behind the last.  Reads the file.  May be called by several threads. */
const struct dg_family *dg_builtin_family(enum dg_builtin_file file, size_t i);

/* By name, in any of the files; reads only files that may have it.  NULL when none has. */
const struct dg_problem *dg_builtin_find(const char *name);

/* The family of a problem of a file that was read; NULL when it is in none. */
const struct dg_family *dg_builtin_family_of(const struct dg_problem *p);

/* For tests: how many files were read until now. */
size_t dg_builtin_files_read(void);

#endif
