/*
 * base/flags_foreign.h - flags of the originals that a tool has no row for; used inside base/ only.
 */
#ifndef T2_BASE_FLAGS_FOREIGN_H
#define T2_BASE_FLAGS_FOREIGN_H

#include "base/flags.h"

/* The lists of a tool as one; i is below their count. */
size_t t2_foreign_count(const struct t2_tool *tool);
const struct t2_foreign *t2_foreign_at(const struct t2_tool *tool, size_t i);

/* The row of tool->foreign that "name", or "noname" of a boolean, is; NULL: none.  *negated: the
 * second. */
const struct t2_foreign *t2_foreign_find(const struct t2_tool *tool, const char *name, size_t n,
                                         bool *negated);

/* What becomes of one that is on the command line: a warning, nothing for a value that changes
 * nothing, or T2_EUNSUPPORTED with what to do instead. */
T2_MUST_CHECK enum t2_status t2_foreign_judge(const struct t2_foreign *f, const char *value,
                                              struct t2_err *err);

#endif
