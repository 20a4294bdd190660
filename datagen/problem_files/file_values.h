/*
 * datagen/problem_files/file_values.h - the values of a problem file, with what they must be.
 *
 * Errors are T2_EFORMAT and name the file and the key.  Texts are borrowed from the document or
 * from the memory.
 */
#ifndef DG_PROBLEM_FILES_FILE_VALUES_H
#define DG_PROBLEM_FILES_FILE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "datagen/problem_files/file_memory.h"

/* A key of a file and its value. */
struct dg_file_value {
    const char *path; /* of the file */
    const char *key;  /* "sources.url" */
    const struct t2_json_value *json;
    struct dg_file_memory *memory;
};

/* "'<path>': <key> must be <wanted>" */
enum t2_status dg_value_wrong(const struct dg_file_value *v, const char *wanted,
                              struct t2_err *err);

T2_MUST_CHECK enum t2_status dg_value_string(const struct dg_file_value *v, const char **text,
                                             struct t2_err *err);
/* A text or a number, or a list of these that is joined by ','. */
T2_MUST_CHECK enum t2_status dg_value_text(const struct dg_file_value *v, const char **text,
                                           struct t2_err *err);
/* A text, or a list of texts, at least one.  *list ends with NULL. */
T2_MUST_CHECK enum t2_status dg_value_list(const struct dg_file_value *v, const char *const **list,
                                           size_t *n, struct t2_err *err);
/* Two texts: a list, or "a.{en,de}" (braces.h). */
T2_MUST_CHECK enum t2_status dg_value_pair(const struct dg_file_value *v, const char *pair[2],
                                           struct t2_err *err);
/* 0 or more. */
T2_MUST_CHECK enum t2_status dg_value_count(const struct dg_file_value *v, uint64_t *count,
                                            struct t2_err *err);
/* The same, at most INT32_MAX. */
T2_MUST_CHECK enum t2_status dg_value_number(const struct dg_file_value *v, int64_t *number,
                                             struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_value_real(const struct dg_file_value *v, double *real,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_value_flag(const struct dg_file_value *v, bool *flag,
                                           struct t2_err *err);

#endif
