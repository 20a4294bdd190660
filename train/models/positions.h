/*
 * train/models/positions.h - the timing signal, in tables that the graphs of a model share.
 *
 * A table never moves and never grows: graphs, and recordings of them, hold its address.  Where a
 * graph is longer than every table there is, another one is made beside them; sizes are powers of
 * two, so that together they are no more than twice the longest.  A run that knows its longest
 * shape before the first has one.
 */
#ifndef MDL_POSITIONS_H
#define MDL_POSITIONS_H

#include <stdint.h>

#include "base/err.h"
#include "train/device/device.h"
#include "train/models/kind.h"

enum { MDL_MAX_TABLES = 40 };

/* What a table has of a position. */
struct mdl_timing {
    int64_t depth;      /* hidden size */
    int64_t columns;    /* above 0: positions are those of a grid, row by row */
    int64_t timescales; /* above 0: so many sines, and cosines; 0: as many as fit into depth */
};

struct mdl_positions {
    struct dev *dev; /* borrowed */
    struct mdl_timing timing;
    struct mdl_tables tables[MDL_MAX_TABLES]; /* there, or planned */
    int n_tables;
};

void mdl_positions_init(struct mdl_positions *p, struct dev *dev, const struct mdl_timing *timing);
void mdl_positions_release(struct mdl_positions *p);
/* What a graph of up to n positions is built with: takes no memory.  Valid as long as p. */
const struct mdl_tables *mdl_positions_plan(struct mdl_positions *p, int64_t n);
/* Makes it, if it is not there, before a graph with it is bound.  T2_ENOMEM. */
T2_MUST_CHECK enum t2_status mdl_positions_make(struct mdl_positions *p,
                                                const struct mdl_tables *planned,
                                                struct t2_err *err);
/* Bytes of all that there are, and of the one that n positions would need beside them. */
uint64_t mdl_positions_bytes(const struct mdl_positions *p, int64_t n);

#endif
