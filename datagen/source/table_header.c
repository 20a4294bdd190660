/*
 * datagen/source/table_header.c - distinguishes names of columns from a first row of text.
 */
#include "datagen/source/table_header.h"

#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"

enum { MOST_CELLS = 64, NAME_BYTES = 32, SHOWN_BYTES = 40 };

/* The cells of a row, copied; at most MOST_CELLS. */
static enum t2_status read_row(struct t2_csv *csv, struct t2_strs *cells, struct t2_err *err)
{
    const struct t2_slice *fields;
    size_t n;

    T2_TRY(t2_csv_next(csv, &fields, &n, err));
    for (size_t i = 0; i < n && i < MOST_CELLS; i++) {
        size_t length = fields[i].len_bytes < SHOWN_BYTES ? fields[i].len_bytes : SHOWN_BYTES;

        t2_strs_take(cells, t2_bytes_dup(fields[i].data, length));
    }
    return T2_OK;
}

static bool is_word(const char *cell)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    size_t n = strlen(cell);

    return n > 0 && n <= NAME_BYTES && strspn(cell, word) == n && strspn(cell, "0123456789.-") < n;
}

static bool all_words(const struct t2_strs *cells)
{
    for (size_t i = 0; i < cells->n; i++) {
        if (!is_word(cells->items[i]))
            return false;
    }
    return cells->n > 0;
}

/* What columns of text are called. */
static bool is_usual_name(const char *cell)
{
    static const char *const names[] = {"inputs", "targets",  "input",  "target",   "source", "src",
                                        "tgt",    "trg",      "text",   "label",    "class",  "id",
                                        "en",     "de",       "fr",     "es",       "ru",     "zh",
                                        "cs",     "question", "answer", "sentence", "summary"};
    char lower[NAME_BYTES + 1];
    size_t n = strlen(cell);

    if (n > NAME_BYTES)
        return false;
    for (size_t i = 0; i <= n; i++)
        lower[i] = (char) (cell[i] >= 'A' && cell[i] <= 'Z' ? cell[i] + 'a' - 'A' : cell[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(lower, names[i]) == 0)
            return true;
    }
    return false;
}

static bool all_usual(const struct t2_strs *cells)
{
    for (size_t i = 0; i < cells->n; i++) {
        if (!is_usual_name(cells->items[i]))
            return false;
    }
    return cells->n > 0;
}

/* More than a word. */
static bool any_text(const struct t2_strs *cells)
{
    for (size_t i = 0; i < cells->n; i++) {
        if (strchr(cells->items[i], ' '))
            return true;
    }
    return false;
}

static void put_row(const struct t2_strs *cells, size_t n, struct t2_buf *text)
{
    for (size_t i = 0; i < cells->n && i < n; i++)
        t2_buf_printf(text, "%s%s", i > 0 ? "," : "", cells->items[i]);
}

/* "--csv=en,de", with names in place of numbers where the row has them. */
static enum t2_status refuse(const char *path, enum dg_format format, const struct t2_strs *row,
                             size_t n_wanted, bool is_header, struct t2_err *err)
{
    const char *flag = format == DG_FORMAT_CSV ? "csv" : "tsv";
    const char *numbers = n_wanted == 1 ? "1" : "1,2";
    struct t2_buf all = {0}, some = {0};
    enum t2_status st;

    put_row(row, row->n, &all);
    put_row(row, n_wanted, &some);
    if (is_header)
        st = t2_fail(err, T2_EUSAGE,
                     "'%s': its first row (%s) seems to name the columns: say which are wanted, "
                     "--%s=%s; --%s=%s takes that row as text, too",
                     path, t2_buf_cstr(&all), flag, t2_buf_cstr(&some), flag, numbers);
    else
        st = t2_fail(err, T2_EUSAGE,
                     "'%s' has %zu%s column%s (the first row: %s), %zu %s wanted: say which, by "
                     "their numbers, --%s=%s, or by names that are in the first row",
                     path, row->n, row->n == MOST_CELLS ? " or more" : "", row->n == 1 ? "" : "s",
                     t2_buf_cstr(&all), n_wanted, n_wanted == 1 ? "is" : "are", flag, numbers);
    t2_buf_release(&all);
    t2_buf_release(&some);
    return st;
}

enum t2_status dg_check_table_header(const char *path, enum dg_format format, size_t n_wanted,
                                     uint64_t max_memory, struct t2_err *err)
{
    struct t2_strs first = {0}, second = {0};
    struct t2_csv *csv = NULL;
    enum t2_status st;
    bool is_csv = format == DG_FORMAT_CSV, is_header;

    T2_TRY(t2_csv_new(path, is_csv ? ',' : '\t', is_csv, &csv, err));
    t2_csv_limit_line(csv, max_memory);
    st = read_row(csv, &first, err);
    if (st == T2_OK)
        st = read_row(csv, &second, err);
    t2_csv_free(csv);
    if (st == T2_EOF) /* one row is a sample, none is for the caller */
        st = T2_OK;
    is_header = second.n > 0 && first.n >= n_wanted &&
                (all_usual(&first) || (is_csv && all_words(&first) && any_text(&second)));
    if (st == T2_OK && is_header)
        st = refuse(path, format, &first, n_wanted, true, err);
    else if (st == T2_OK && is_csv && first.n > 0 && first.n != n_wanted)
        st = refuse(path, format, &first, n_wanted, false, err);
    t2_strs_release(&first);
    t2_strs_release(&second);
    return st;
}
