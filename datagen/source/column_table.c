/*
 * datagen/source/column_table.c - texts out of tables: tab-separated, CSV (base/csv.h), JSON lines.
 *
 * A column is a number from 1, a name of the first row, or, of JSON lines, a path of members
 * ("translation.en").  TSV has no quoting: a cell is what stands between two tabs.
 */
#include "datagen/source/column_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/text.h"

struct dg_table {
    const struct dg_columns *columns;
    const char *path;
    struct t2_in *in;   /* TSV and JSON lines */
    struct t2_csv *csv; /* CSV */
    uint64_t offset;    /* of the next line */
    uint64_t rows;
    size_t *at; /* (columns->n): from 0 */
    struct t2_json_doc *doc;
    struct t2_buf sides[DG_N_SIDES];  /* of lists: the cells, with tabs between */
    size_t n_cells[DG_N_SIDES];       /* in them */
    struct t2_buf values[DG_N_SIDES]; /* numbers of JSON as text */
    struct t2_strs *path_parts;       /* (columns->n) */
    bool *has_member;                 /* (columns->n): any line, until now */
};

/* ---- which columns ---- */

static enum t2_status check_columns(const char *flag, const char *value, struct dg_columns *c,
                                    struct t2_err *err)
{
    size_t n_numbers = 0;

    for (size_t i = 0; i < c->n; i++) {
        int64_t number;
        if (c->names[i][0] == '\0')
            return t2_fail(err, T2_EUSAGE, "--%s='%s': empty name of a column", flag, value);
        if (c->format == DG_FORMAT_JSONL || !t2_parse_i64(c->names[i], &number))
            continue;
        if (number < 1 || number > 1000000)
            return t2_fail(err, T2_EUSAGE, "--%s='%s': columns are numbered from 1", flag, value);
        c->numbers[i] = (size_t) number - 1;
        n_numbers++;
    }
    if (n_numbers && n_numbers != c->n)
        return t2_fail(err, T2_EUSAGE,
                       "--%s='%s': give numbers for all columns, or for all the names that the "
                       "first row has",
                       flag, value);
    c->by_number = n_numbers > 0;
    return T2_OK;
}

void dg_columns_add(struct dg_columns *c, const char *name, size_t number)
{
    c->names = t2_realloc(c->names, c->n + 1, sizeof *c->names);
    c->numbers = t2_realloc(c->numbers, c->n + 1, sizeof *c->numbers);
    c->names[c->n] = t2_strdup(name);
    c->numbers[c->n++] = number;
}

enum t2_status dg_columns_parse(const char *flag, const char *value, enum dg_format format,
                                size_t n, struct dg_columns *c, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    T2_ASSERT(n >= 1 && n <= DG_N_SIDES);
    *c = (struct dg_columns){.format = format, .n_inputs = n - 1};
    t2_strs_split(&names, value, ',');
    if (names.n != n)
        st = t2_fail(err, T2_EUSAGE, "--%s='%s': %s", flag, value,
                     n == 1 ? "name one column: that of the text"
                            : "name two columns, that of the inputs and that of the targets");
    for (size_t i = 0; i < n && st == T2_OK; i++)
        dg_columns_add(c, names.items[i], 0);
    t2_strs_release(&names);
    return st == T2_OK ? check_columns(flag, value, c, err) : st;
}

/* "3-5" of a table is 3, 4, 5; anything else is a name. */
static bool parse_range(const char *item, int64_t *first, int64_t *last)
{
    const char *dash = strchr(item, '-');
    char *begin = dash ? t2_strndup(item, (size_t) (dash - item)) : NULL;
    bool is_range = begin && t2_parse_i64(begin, first) && t2_parse_i64(dash + 1, last) &&
                    *first >= 1 && *last >= *first && *last <= DG_MOST_COLUMNS;

    t2_free(begin);
    return is_range;
}

static enum t2_status add_items(struct dg_columns *c, const char *text, struct t2_err *err)
{
    struct t2_strs items = {0};

    t2_strs_split(&items, text, ',');
    for (size_t i = 0; i < items.n; i++) {
        int64_t first, last;

        if (c->format == DG_FORMAT_JSONL || !parse_range(items.items[i], &first, &last)) {
            dg_columns_add(c, items.items[i], 0);
            continue;
        }
        for (int64_t k = first; k <= last && c->n <= DG_MOST_COLUMNS; k++) {
            char *name = t2_asprintf("%" PRId64, k);

            dg_columns_add(c, name, 0);
            t2_free(name);
        }
    }
    t2_strs_release(&items);
    return c->n <= DG_MOST_COLUMNS
               ? T2_OK
               : t2_fail(err, T2_EUSAGE, "more than %d columns are wanted", DG_MOST_COLUMNS);
}

enum t2_status dg_columns_parse_lists(const char *flag, const char *value, enum dg_format format,
                                      struct dg_columns *c, struct t2_err *err)
{
    const char *colon = strrchr(value, ':');
    char *inputs;
    enum t2_status st;

    *c = (struct dg_columns){.format = format, .lists = true};
    if (!colon || strchr(value, ':') != colon)
        return t2_fail(err, T2_EUSAGE,
                       "--%s='%s': name the columns of the inputs, a colon, and those of the "
                       "targets: '1-3:4', 'width,height:price'",
                       flag, value);
    inputs = t2_strndup(value, (size_t) (colon - value));
    st = add_items(c, inputs, err);
    t2_free(inputs);
    c->n_inputs = c->n;
    if (st == T2_OK)
        st = add_items(c, colon + 1, err);
    return st == T2_OK ? check_columns(flag, value, c, err) : st;
}

void dg_columns_copy(const struct dg_columns *from, struct dg_columns *to)
{
    *to = *from;
    to->names = NULL;
    to->numbers = NULL;
    to->n = 0;
    for (size_t i = 0; i < from->n; i++)
        dg_columns_add(to, from->names[i], from->numbers[i]);
}

void dg_columns_release(struct dg_columns *c)
{
    for (size_t i = 0; i < c->n; i++)
        t2_free(c->names[i]);
    t2_free(c->names);
    t2_free(c->numbers);
    *c = (struct dg_columns){0};
}

/* ---- rows of cells ---- */

/* The next line; the byte order mark of the first one is skipped. */
static enum t2_status next_line(struct dg_table *t, struct t2_slice *line, struct dg_origin *origin,
                                struct t2_err *err)
{
    T2_TRY(t2_in_line(t->in, line, err));
    origin->path = t->path;
    origin->line = t2_in_line_number(t->in);
    origin->offset = t->offset;
    t->offset += line->len_bytes + 1;
    if (origin->line == 1 && line->len_bytes >= 3 && memcmp(line->data, "\xef\xbb\xbf", 3) == 0) {
        line->data += 3;
        line->len_bytes -= 3;
        origin->offset += 3;
    }
    return T2_OK;
}

/* Column k of a line; false when there are fewer. */
static bool cell_of_line(struct t2_slice line, size_t k, struct t2_slice *cell)
{
    const uint8_t *end = line.data + line.len_bytes, *tab;

    for (; k > 0; k--) {
        tab = line.len_bytes ? memchr(line.data, '\t', line.len_bytes) : NULL;
        if (!tab)
            return false;
        line.data = tab + 1;
        line.len_bytes = (size_t) (end - line.data);
    }
    tab = line.len_bytes ? memchr(line.data, '\t', line.len_bytes) : NULL;
    *cell = (struct t2_slice){line.data, tab ? (size_t) (tab - line.data) : line.len_bytes};
    return true;
}

/* Where a column of a line begins, so that columns in ascending order cost one pass. */
struct line_place {
    struct t2_slice rest;
    size_t column;
};

/* cell_of_line by a place, from it on if the column is not in front of it. */
static bool cell_from(struct line_place *place, struct t2_slice line, size_t k,
                      struct t2_slice *cell)
{
    const uint8_t *end = line.data + line.len_bytes;

    if (k < place->column || !place->rest.data)
        *place = (struct line_place){line, 0};
    if (!cell_of_line(place->rest, k - place->column, cell))
        return false;
    *place = (struct line_place){{cell->data, (size_t) (end - cell->data)}, k};
    return true;
}

static int side_of(const struct dg_columns *c, size_t i)
{
    return i < c->n_inputs ? DG_INPUTS : DG_TARGETS;
}

/* A cell of column i: the text of its side, or a part of it. */
static void put_cell(struct dg_table *t, struct dg_sample *sample, size_t i, struct t2_slice cell)
{
    int side = side_of(t->columns, i);

    if (!t->columns->lists) {
        *(side == DG_INPUTS ? &sample->inputs : &sample->targets) = cell;
        return;
    }
    if (t->n_cells[side]++ > 0)
        t2_buf_push(&t->sides[side], '\t');
    t2_buf_append(&t->sides[side], cell.data, cell.len_bytes);
}

static void begin_row(struct dg_table *t)
{
    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_buf_clear(&t->sides[side]);
        t->n_cells[side] = 0;
    }
}

static void end_row(struct dg_table *t, struct dg_sample *sample)
{
    if (!t->columns->lists)
        return;
    sample->inputs = t2_buf_slice(&t->sides[DG_INPUTS]);
    sample->targets = t2_buf_slice(&t->sides[DG_TARGETS]);
}

static enum t2_status next_tsv(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    struct line_place place = {{NULL, 0}, 0};
    struct t2_slice line, cell;

    T2_TRY(next_line(t, &line, &sample->inputs_origin, err));
    if (line.len_bytes && line.data[line.len_bytes - 1] == '\r')
        line.len_bytes--;
    for (size_t i = 0; i < t->columns->n; i++) {
        if (cell_from(&place, line, t->at[i], &cell))
            put_cell(t, sample, i, cell);
        else
            sample->drop = "too few columns";
    }
    return T2_OK;
}

static enum t2_status next_csv(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    const struct t2_slice *fields;
    size_t n;

    T2_TRY(t2_csv_next(t->csv, &fields, &n, err));
    sample->inputs_origin = (struct dg_origin){t->path, t2_csv_line(t->csv), 0};
    for (size_t i = 0; i < t->columns->n; i++) {
        if (t->at[i] < n)
            put_cell(t, sample, i, fields[t->at[i]]);
        else
            sample->drop = "too few columns";
    }
    return T2_OK;
}

/* ---- rows of JSON ---- */

/*
 * A string or an integer (a label) is a text, of lists any number; anything else is none.
 */
static bool text_of(struct dg_table *t, const struct t2_json_value *v, struct t2_buf *number,
                    struct t2_slice *text)
{
    t2_buf_clear(number);
    switch (t2_json_type(v)) {
    case T2_JSON_STRING:
        *text = t2_slice_of(t2_json_as_string(v, ""));
        return true;
    case T2_JSON_INT: /* labels */
        t2_buf_printf(number, "%" PRId64, t2_json_as_i64(v, 0));
        break;
    case T2_JSON_REAL:
        if (!t->columns->lists)
            return false;
        t2_buf_printf(number, "%.17g", t2_json_as_double(v, 0.0));
        break;
    case T2_JSON_NULL:
    case T2_JSON_BOOL:
    case T2_JSON_ARRAY:
    case T2_JSON_OBJECT:
        return false;
    }
    *text = t2_buf_slice(number);
    return true;
}

/* Follows the path of members from the root of the line; of lists an array is its items. */
static bool put_member(struct dg_table *t, struct dg_sample *sample, size_t i)
{
    const struct t2_json_value *v = t2_json_root(t->doc);
    struct t2_buf *number = &t->values[side_of(t->columns, i)];
    struct t2_slice text;

    for (size_t k = 0; k < t->path_parts[i].n; k++)
        v = t2_json_get(v, t->path_parts[i].items[k]);
    if (!t->columns->lists || t2_json_type(v) != T2_JSON_ARRAY) {
        if (!text_of(t, v, number, &text))
            return false;
        put_cell(t, sample, i, text);
        return true;
    }
    for (size_t k = 0; k < t2_json_size(v); k++) {
        if (!text_of(t, t2_json_item(v, k), number, &text))
            return false;
        put_cell(t, sample, i, text);
    }
    return true;
}

static bool is_blank(struct t2_slice line)
{
    for (size_t i = 0; i < line.len_bytes; i++) {
        if (!strchr(" \t\r", line.data[i]) || line.data[i] == '\0')
            return false;
    }
    return true;
}

/* Names are shown as long as there is room. */
static bool put_name(struct t2_buf *there, struct t2_slice name)
{
    enum { ROOM_BYTES = 300, NAME_BYTES = 60 };
    size_t n = name.len_bytes < NAME_BYTES ? name.len_bytes : NAME_BYTES;

    if (there->len_bytes > ROOM_BYTES) {
        t2_buf_puts(there, ", ...");
        return false;
    }
    t2_buf_printf(there, "%s'%.*s'", there->len_bytes > 0 ? ", " : "", (int) n,
                  (const char *) name.data);
    return true;
}

/* Lists the members of the object in which the path's member is missing, for the message. */
static void put_members(const struct dg_table *t, size_t i, struct t2_buf *there)
{
    const struct t2_json_value *v = t2_json_root(t->doc), *next;

    for (size_t k = 0; k + 1 < t->path_parts[i].n; k++) {
        next = t2_json_get(v, t->path_parts[i].items[k]);
        if (t2_json_type(next) != T2_JSON_OBJECT)
            break;
        v = next;
    }
    if (t2_json_type(v) != T2_JSON_OBJECT)
        return;
    for (size_t k = 0; k < t2_json_size(v); k++) {
        if (!put_name(there, t2_slice_of(t2_json_member(v, k, &next))))
            break;
    }
}

/* Lines without a member are left out one by one; where no line has it the name is wrong. */
static enum t2_status check_members(const struct dg_table *t, struct t2_err *err)
{
    for (size_t i = 0; i < t->columns->n; i++) {
        struct t2_buf there = {0};

        if (t->rows == 0 || t->has_member[i])
            continue;
        put_members(t, i, &there);
        (void) t2_fail(err, T2_EFORMAT,
                       "'%s': not one of its %" PRIu64
                       " lines has a text '%s'%s%s; --jsonl=MEMBERS "
                       "says what is wanted",
                       t->path, t->rows, t->columns->names[i],
                       there.len_bytes > 0 ? "; the last has " : "", t2_buf_cstr(&there));
        t2_buf_release(&there);
        return err->status;
    }
    return T2_OK;
}

static enum t2_status next_json(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    struct t2_slice line;

    do {
        enum t2_status st = next_line(t, &line, &sample->inputs_origin, err);
        if (st == T2_EOF)
            T2_TRY(check_members(t, err));
        T2_TRY(st);
    } while (is_blank(line));
    t2_json_free(t->doc);
    t->doc = NULL;
    if (t2_json_parse((const char *) line.data, line.len_bytes, t->path, &t->doc, err) != T2_OK)
        return t2_wrap(err, "'%s': line %" PRIu64 " is not a JSON object", t->path,
                       sample->inputs_origin.line);
    for (size_t i = 0; i < t->columns->n; i++) {
        if (put_member(t, sample, i))
            t->has_member[i] = true;
        else
            sample->drop = "no such member, or not a text";
    }
    return T2_OK;
}

/* ---- the table ---- */

static enum t2_status no_column(const struct dg_table *t, const char *name,
                                const struct t2_slice *fields, size_t n, struct t2_slice line,
                                struct t2_err *err)
{
    struct t2_buf there = {0};
    struct t2_slice cell;
    enum t2_status st;

    for (size_t k = 0; t->csv ? k < n : cell_of_line(line, k, &cell); k++) {
        if (!put_name(&there, t->csv ? fields[k] : cell))
            break;
    }
    st = t2_fail(err, T2_EFORMAT,
                 "'%s': the first row has no column '%s' but %s; name one that it has, or number "
                 "the columns from 1",
                 t->path, name, t2_buf_cstr(&there));
    t2_buf_release(&there);
    return st;
}

/* Finds the named columns in the first row. */
static enum t2_status read_header(struct dg_table *t, struct t2_err *err)
{
    const struct t2_slice *fields = NULL;
    struct dg_origin origin;
    struct t2_slice line = {0}, cell;
    size_t n = 0, k;
    enum t2_status st;

    st = t->csv ? t2_csv_next(t->csv, &fields, &n, err) : next_line(t, &line, &origin, err);
    if (st == T2_EOF)
        return T2_OK; /* no row at all: the caller reports it */
    if (st != T2_OK)
        return st;
    if (!t->csv && line.len_bytes && line.data[line.len_bytes - 1] == '\r')
        line.len_bytes--;
    for (size_t i = 0; i < t->columns->n; i++) {
        const char *name = t->columns->names[i];
        for (k = 0; t->csv ? k < n : cell_of_line(line, k, &cell); k++) {
            if (t->csv)
                cell = fields[k];
            if (t2_slice_eq(cell, t2_slice_of(name)))
                break;
        }
        if (t->csv ? k == n : !cell_of_line(line, k, &cell))
            return no_column(t, name, fields, n, line, err);
        t->at[i] = k;
    }
    return T2_OK;
}

enum t2_status dg_table_open(const char *path, const struct dg_columns *columns,
                             uint64_t max_memory, struct dg_table **table, struct t2_err *err)
{
    struct dg_table *t = t2_alloc(1, sizeof *t);
    enum t2_status st;

    t->columns = columns;
    t->path = path;
    t->at = t2_alloc(columns->n, sizeof *t->at);
    t->path_parts = t2_alloc(columns->n, sizeof *t->path_parts);
    t->has_member = t2_alloc(columns->n, sizeof *t->has_member);
    for (size_t i = 0; i < columns->n; i++) {
        t->at[i] = columns->numbers[i];
        if (columns->format == DG_FORMAT_JSONL)
            t2_strs_split(&t->path_parts[i], columns->names[i], '.');
    }
    st = columns->format == DG_FORMAT_CSV ? t2_csv_new(path, ',', true, &t->csv, err)
                                          : t2_in_new(path, &t->in, err);
    if (st == T2_OK && t->csv)
        t2_csv_limit_line(t->csv, max_memory);
    else if (st == T2_OK)
        t2_in_limit_line(t->in, max_memory);
    if (st == T2_OK && columns->format != DG_FORMAT_JSONL && !columns->by_number)
        st = read_header(t, err);
    *table = t;
    if (st != T2_OK) {
        dg_table_free(t);
        *table = NULL;
    }
    return st;
}

void dg_table_free(struct dg_table *t)
{
    if (!t)
        return;
    t2_in_free(t->in);
    t2_csv_free(t->csv);
    t2_json_free(t->doc);
    for (size_t i = 0; i < DG_N_SIDES; i++) {
        t2_buf_release(&t->values[i]);
        t2_buf_release(&t->sides[i]);
    }
    for (size_t i = 0; i < t->columns->n; i++)
        t2_strs_release(&t->path_parts[i]);
    t2_free(t->path_parts);
    t2_free(t->has_member);
    t2_free(t->at);
    t2_free(t);
}

enum t2_status dg_table_next(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    enum t2_status st;

    begin_row(t);
    switch (t->columns->format) {
    case DG_FORMAT_CSV:
        st = next_csv(t, sample, err);
        break;
    case DG_FORMAT_JSONL:
        st = next_json(t, sample, err);
        break;
    case DG_FORMAT_TSV:
    case DG_FORMAT_LINES:
    default:
        st = next_tsv(t, sample, err);
        break;
    }
    sample->targets_origin = sample->inputs_origin;
    end_row(t, sample);
    if (st == T2_OK)
        t->rows++;
    return st;
}

uint64_t dg_table_rows(const struct dg_table *t)
{
    return t->rows;
}
