/*
 * datagen/own/own_kinds.c - see the header.
 */
#include "datagen/own/own_kinds.h"

#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"
#include "base/text.h"

static const struct dg_own_kind kinds[] = {
    {"text2text", {DG_OWN_TEXT, DG_OWN_TEXT}},
    {"text2self", {DG_OWN_NONE, DG_OWN_TEXT}},
    {"text2class", {DG_OWN_TEXT, DG_OWN_CLASS}},
    {"text2real", {DG_OWN_TEXT, DG_OWN_NUMBERS}},
    {"text2labels", {DG_OWN_TEXT, DG_OWN_SET}},
    {"table2real", {DG_OWN_NUMBERS, DG_OWN_NUMBERS}},
    {"table2class", {DG_OWN_NUMBERS, DG_OWN_CLASS}},
    {"table2labels", {DG_OWN_NUMBERS, DG_OWN_SET}},
};

enum t2_status dg_own_kind_find(const char *name, const struct dg_own_kind **kind,
                                struct t2_err *err)
{
    const size_t n = sizeof kinds / sizeof *kinds;
    struct t2_buf names = {0};

    for (size_t i = 0; i < n; i++) {
        *kind = &kinds[i];
        if (strcmp(kinds[i].name, name) == 0) {
            t2_buf_release(&names);
            return T2_OK;
        }
        t2_buf_printf(&names, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", kinds[i].name);
    }
    (void) t2_fail(err, T2_EUSAGE, "--kind='%s': must be %s", name, t2_buf_cstr(&names));
    t2_buf_release(&names);
    return T2_EUSAGE;
}

bool dg_own_kind_has_values(const struct dg_own_kind *kind)
{
    return kind->sides[DG_INPUTS] == DG_OWN_NUMBERS || kind->sides[DG_TARGETS] == DG_OWN_NUMBERS ||
           kind->sides[DG_TARGETS] == DG_OWN_SET;
}

/* ---- the columns of a table ---- */

static bool is_number(struct t2_slice cell)
{
    char digits[64];
    double value;

    while (cell.len_bytes > 0 && cell.data[0] == ' ') {
        cell.data++;
        cell.len_bytes--;
    }
    while (cell.len_bytes > 0 && cell.data[cell.len_bytes - 1] == ' ')
        cell.len_bytes--;
    if (cell.len_bytes >= sizeof digits)
        return false;
    if (cell.len_bytes > 0)
        memcpy(digits, cell.data, cell.len_bytes);
    digits[cell.len_bytes] = '\0';
    return t2_parse_double(digits, &value);
}

/* All columns, the last of them the target, by name where the row has names. */
static enum t2_status columns_of_row(const char *path, const struct t2_slice *cells, size_t n,
                                     struct dg_columns *c, struct t2_err *err)
{
    if (n < 2 || n > DG_MOST_COLUMNS)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': its first row has %zu column%s; 2 to %d are wanted, the last of them "
                       "the target",
                       path, n, n == 1 ? "" : "s", DG_MOST_COLUMNS);
    c->by_number = true;
    for (size_t i = 0; i + 1 < n; i++)
        c->by_number = c->by_number && is_number(cells[i]);
    for (size_t i = 0; i < n; i++) {
        char *name = c->by_number ? t2_asprintf("%zu", i + 1)
                                  : t2_strndup((const char *) cells[i].data, cells[i].len_bytes);

        dg_columns_add(c, name, i);
        t2_free(name);
    }
    c->n_inputs = n - 1;
    for (size_t i = 0; i < n && !c->by_number; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(c->names[i], c->names[k]) == 0)
                return t2_fail(err, T2_EFORMAT,
                               "'%s': its first row has no numbers and names '%s' twice; say "
                               "which columns are wanted (--csv=width,height:price)",
                               path, c->names[i]);
    return T2_OK;
}

static enum t2_status columns_of_table(const char *path, uint64_t max_memory, struct dg_columns *c,
                                       struct t2_err *err)
{
    bool is_csv = c->format == DG_FORMAT_CSV;
    const struct t2_slice *cells;
    struct t2_csv *csv = NULL;
    enum t2_status st;
    size_t n = 0;

    T2_TRY(t2_csv_new(path, is_csv ? ',' : '\t', is_csv, &csv, err));
    t2_csv_limit_line(csv, max_memory);
    st = t2_csv_next(csv, &cells, &n, err);
    if (st == T2_EOF)
        st = t2_fail(err, T2_EFORMAT, "'%s' has no rows", path);
    if (st == T2_OK)
        st = columns_of_row(path, cells, n, c, err);
    t2_csv_free(csv);
    return st;
}

enum t2_status dg_own_kind_columns(const struct dg_own_kind *kind,
                                   const struct dg_text_parts *parts, struct dg_columns *columns,
                                   struct t2_err *err)
{
    struct dg_text_parts files = {0};
    enum t2_status st;

    dg_text_parts_copy(parts, NULL, &files);
    st = dg_text_parts_expand(&files, err);
    if (st == T2_OK && files.n > 0 && !files.items[0].targets) {
        const char *path = files.items[0].inputs;
        enum dg_format format = dg_format_of_name(path);

        if (format == DG_FORMAT_JSONL) {
            *columns = (struct dg_columns){.format = format, .lists = true, .n_inputs = 1};
            dg_columns_add(columns, "inputs", 0);
            dg_columns_add(columns, "targets", 1);
        } else if (kind->sides[DG_INPUTS] == DG_OWN_NUMBERS && format != DG_FORMAT_LINES) {
            *columns = (struct dg_columns){.format = format, .lists = true};
            st = columns_of_table(path, parts->max_memory, columns, err);
        }
    }
    dg_text_parts_release(&files);
    return st;
}
