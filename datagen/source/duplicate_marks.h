/*
 * datagen/source/duplicate_marks.h - which of many keys were there before, in little memory.
 *
 * Keys go to scratch files without a name, 64 by their first bits, each of which is looked at by
 * itself; what stays is a bit for each key.
 */
#ifndef DG_DUPLICATE_MARKS_H
#define DG_DUPLICATE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct dg_marks;
/* Scratch files in the folder of `beside`; max_bytes for the keys that are compared at one time. */
T2_MUST_CHECK enum t2_status dg_marks_new(const char *beside, uint64_t max_bytes,
                                          struct dg_marks **m, struct t2_err *err);
void dg_marks_free(struct dg_marks *m); /* NULL is allowed */
/* The next key: 128 bits of a good hash. */
void dg_marks_add(struct dg_marks *m, const uint64_t key[2]);
/* After the last one. */
T2_MUST_CHECK enum t2_status dg_marks_find(struct dg_marks *m, struct t2_err *err);
/* Was key i (from 0) the same as an earlier one?  false of those that were not added. */
bool dg_marks_was_before(const struct dg_marks *m, uint64_t i);

#endif
