/*
 * base/budget.h - work on foreign bytes, bounded by their number.
 *
 * A few hundred hostile bytes can name gigabytes of work: links to links, pages that form a graph,
 * thousands of scans of one image.  Every reader of foreign bytes therefore counts its work (bytes
 * produced, nodes visited, pixels touched; the unit is the reader's) and stops at a stated multiple
 * of the input's size.  The same call checks for Ctrl-C, so that no such loop ignores it.
 */
#ifndef T2_BASE_BUDGET_H
#define T2_BASE_BUDGET_H

#include <stdint.h>

#include "base/err.h"

/* A struct of the caller's; nothing to release.  One thread. */
struct t2_budget {
    const char *what; /* "the hard links of 'x.tar'"; borrowed while the budget is used */
    const char *unit; /* "steps", "bytes", "pixels" */
    uint64_t limit;
    uint64_t spent;
};

/* Allows base + per_byte * input_bytes units (saturating). */
void t2_budget_init(struct t2_budget *b, const char *what, const char *unit, uint64_t base,
                    uint64_t per_byte, uint64_t input_bytes);
/*
 * Spends n units before they are worked off.  T2_EFORMAT "<what>: more than <limit> <unit> of work,
 * ..." when there are not so many left (and for every n > 0 after that), T2_EINTERRUPTED once a
 * signal asked for a stop.
 */
T2_MUST_CHECK enum t2_status t2_budget_spend(struct t2_budget *b, uint64_t n, struct t2_err *err);

#endif
