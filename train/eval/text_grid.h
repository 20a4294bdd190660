/*
 * train/eval/text_grid.h - a table of texts, drawn with lines or as LaTeX's booktabs, as Python's
 * tabulate draws "fancy_grid" and "latex_booktabs": the first column to the right, others centred.
 */
#ifndef EV_TEXT_GRID_H
#define EV_TEXT_GRID_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct ev_grid {
    struct t2_strs
        cells;        /* the heading's, then row by row; a line feed begins a cell's next line */
    size_t n_columns; /* > 0; cells.n is a multiple */
};

void ev_grid_draw(const struct ev_grid *g, bool latex, struct t2_buf *out);

#endif
