/*
 * tests/support/record_writer.h - record files for tests, one record at a time.
 */
#ifndef T2_TESTS_SUPPORT_RECORD_WRITER_H
#define T2_TESTS_SUPPORT_RECORD_WRITER_H

#include <stddef.h>

#include "base/err.h"

struct t_writer;

T2_MUST_CHECK enum t2_status t_writer_new(const char *path, struct t_writer **w,
                                          struct t2_err *err);
/* Adds one record; payload is copied and may be NULL when len_bytes is 0. */
void t_writer_add(struct t_writer *w, const void *payload, size_t len_bytes);
/* The file stands under its name then; releases w, also on failure. */
T2_MUST_CHECK enum t2_status t_writer_commit(struct t_writer *w, struct t2_err *err);

#endif
