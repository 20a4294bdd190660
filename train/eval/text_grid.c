/*
 * train/eval/text_grid.c - see the header.
 */
#include "train/eval/text_grid.h"

#include <string.h>

#include "base/alloc.h"

enum { HEADING_PADDING = 2 };

/* Code points of a cell's line n, which ends at a line feed; *line is set, NULL when there is none.
 */
static size_t line_of(const char *cell, size_t n, const char **line, size_t *len_bytes)
{
    size_t width = 0;

    for (; n > 0 && cell; n--) {
        cell = strchr(cell, '\n');
        cell = cell ? cell + 1 : NULL;
    }
    *line = cell;
    *len_bytes = cell ? strcspn(cell, "\n") : 0;
    for (size_t i = 0; i < *len_bytes; i++)
        width += ((uint8_t) cell[i] & 0xc0) != 0x80;
    return width;
}

static size_t width_of(const char *cell)
{
    const char *line;
    size_t width = 0, len_bytes;

    for (size_t n = 0;; n++) {
        size_t w = line_of(cell, n, &line, &len_bytes);

        if (!line)
            return width;
        width = w > width ? w : width;
    }
}

static size_t *column_widths(const struct ev_grid *g)
{
    size_t *widths = t2_alloc(g->n_columns, sizeof *widths);

    for (size_t i = 0; i < g->cells.n; i++) {
        size_t w = width_of(g->cells.items[i]) + (i < g->n_columns ? HEADING_PADDING : 0);
        size_t *width = &widths[i % g->n_columns];

        *width = w > *width ? w : *width;
    }
    return widths;
}

static void repeat(struct t2_buf *out, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t2_buf_puts(out, s);
}

static void put_latex(struct t2_buf *out, const char *s, size_t len_bytes)
{
    static const struct {
        char c;
        const char *text;
    } escapes[] = {
        {'&', "\\&"},
        {'%', "\\%"},
        {'$', "\\$"},
        {'#', "\\#"},
        {'_', "\\_"},
        {'{', "\\{"},
        {'}', "\\}"},
        {'^', "\\^{}"},
        {'~', "\\textasciitilde{}"},
        {'\\', "\\textbackslash{}"},
        {'<', "\\ensuremath{<}"},
        {'>', "\\ensuremath{>}"},
    };

    for (size_t i = 0; i < len_bytes; i++) {
        const char *text = NULL;

        for (size_t k = 0; k < sizeof escapes / sizeof *escapes && !text; k++)
            text = escapes[k].c == s[i] ? escapes[k].text : NULL;
        if (text)
            t2_buf_puts(out, text);
        else
            t2_buf_push(out, (uint8_t) s[i]);
    }
}

static void put_cell(const struct ev_grid *g, size_t index, size_t n_line, size_t width, bool latex,
                     struct t2_buf *out)
{
    const char *line;
    size_t len_bytes, w = line_of(g->cells.items[index], n_line, &line, &len_bytes);
    size_t left = index % g->n_columns == 0 ? width - w : (width - w) / 2;

    repeat(out, " ", left + 1);
    if (line && latex)
        put_latex(out, line, len_bytes);
    else if (line)
        t2_buf_append(out, line, len_bytes);
    repeat(out, " ", width - w - left + 1);
}

static void put_row(const struct ev_grid *g, size_t row, const size_t *widths, bool latex,
                    struct t2_buf *out)
{
    size_t n_lines = 1;

    for (size_t c = 0; c < g->n_columns; c++) {
        const char *cell = g->cells.items[row * g->n_columns + c];
        size_t n = 1;

        for (; (cell = strchr(cell, '\n')) != NULL; cell++)
            n++;
        n_lines = n > n_lines ? n : n_lines;
    }
    for (size_t n = 0; n < n_lines; n++) {
        t2_buf_puts(out, latex ? "" : "│");
        for (size_t c = 0; c < g->n_columns; c++) {
            put_cell(g, row * g->n_columns + c, n, widths[c], latex, out);
            t2_buf_puts(out, !latex ? "│" : c + 1 < g->n_columns ? "&" : "\\\\");
        }
        t2_buf_push(out, '\n');
    }
}

/* A line between rows: its left end, what it is made of, where columns meet, its right end. */
static void put_rule(const struct ev_grid *g, const size_t *widths, const char *const parts[4],
                     struct t2_buf *out)
{
    t2_buf_puts(out, parts[0]);
    for (size_t c = 0; c < g->n_columns; c++) {
        repeat(out, parts[1], widths[c] + 2);
        t2_buf_puts(out, c + 1 < g->n_columns ? parts[2] : parts[3]);
    }
    t2_buf_push(out, '\n');
}

void ev_grid_draw(const struct ev_grid *g, bool latex, struct t2_buf *out)
{
    static const char *const top[] = {"╒", "═", "╤", "╕"}, *const heading[] = {"╞", "═", "╪", "╡"};
    static const char *const between[] = {"├", "─", "┼", "┤"};
    static const char *const bottom[] = {"╘", "═", "╧", "╛"};
    size_t *widths = column_widths(g), n_rows = g->cells.n / g->n_columns;

    if (latex) {
        t2_buf_puts(out, "\\begin{tabular}{r");
        repeat(out, "c", g->n_columns - 1);
        t2_buf_puts(out, "}\n\\toprule\n");
    } else {
        put_rule(g, widths, top, out);
    }
    for (size_t row = 0; row < n_rows; row++) {
        put_row(g, row, widths, latex, out);
        if (latex)
            t2_buf_puts(out, row == 0 ? "\\midrule\n" : "");
        else if (row + 1 < n_rows)
            put_rule(g, widths, row == 0 ? heading : between, out);
    }
    if (latex)
        t2_buf_puts(out, "\\bottomrule\n\\end{tabular}\n");
    else
        put_rule(g, widths, bottom, out);
    t2_free(widths);
}
