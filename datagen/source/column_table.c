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
    size_t at[DG_N_SIDES]; /* columns of inputs and targets, from 0 */
    struct t2_json_doc *doc;
    struct t2_buf values[DG_N_SIDES]; /* numbers of JSON as text */
    struct t2_strs path_parts[DG_N_SIDES];
    bool has_member[DG_N_SIDES]; /* any line, until now */
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

enum t2_status dg_columns_parse(const char *flag, const char *value, enum dg_format format,
                                size_t n, struct dg_columns *c, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = T2_OK;

    T2_ASSERT(n >= 1 && n <= DG_N_SIDES);
    *c = (struct dg_columns){.format = format};
    t2_strs_split(&names, value, ',');
    if (names.n != n)
        st = t2_fail(err, T2_EUSAGE, "--%s='%s': %s", flag, value,
                     n == 1 ? "name one column: that of the text"
                            : "name two columns, that of the inputs and that of the targets");
    for (size_t i = 0; i < n && st == T2_OK; i++)
        c->names[c->n++] = t2_strdup(names.items[i]);
    t2_strs_release(&names);
    return st == T2_OK ? check_columns(flag, value, c, err) : st;
}

void dg_columns_copy(const struct dg_columns *from, struct dg_columns *to)
{
    *to = *from;
    for (size_t i = 0; i < from->n; i++)
        to->names[i] = t2_strdup(from->names[i]);
}

void dg_columns_release(struct dg_columns *c)
{
    for (size_t i = 0; i < c->n; i++)
        t2_free(c->names[i]);
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

static struct t2_slice *side_of(struct dg_sample *sample, const struct dg_columns *c, size_t i)
{
    return c->n == 1 || i == 1 ? &sample->targets : &sample->inputs;
}

static enum t2_status next_tsv(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    struct t2_slice line;

    T2_TRY(next_line(t, &line, &sample->inputs_origin, err));
    if (line.len_bytes && line.data[line.len_bytes - 1] == '\r')
        line.len_bytes--;
    for (size_t i = 0; i < t->columns->n; i++) {
        if (!cell_of_line(line, t->at[i], side_of(sample, t->columns, i)))
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
            *side_of(sample, t->columns, i) = fields[t->at[i]];
        else
            sample->drop = "too few columns";
    }
    return T2_OK;
}

/* ---- rows of JSON ---- */

/*
 * Follows the path of members from the root of the line; a string or an integer (a label) is a
 * text, anything else is none.
 */
static bool value_of(struct dg_table *t, size_t i, struct t2_slice *text)
{
    const struct t2_json_value *v = t2_json_root(t->doc);

    for (size_t k = 0; k < t->path_parts[i].n; k++)
        v = t2_json_get(v, t->path_parts[i].items[k]);
    switch (t2_json_type(v)) {
    case T2_JSON_STRING:
        *text = t2_slice_of(t2_json_as_string(v, ""));
        return true;
    case T2_JSON_INT: /* labels */
        t2_buf_clear(&t->values[i]);
        t2_buf_printf(&t->values[i], "%" PRId64, t2_json_as_i64(v, 0));
        *text = t2_buf_slice(&t->values[i]);
        return true;
    case T2_JSON_NULL:
    case T2_JSON_BOOL:
    case T2_JSON_REAL:
    case T2_JSON_ARRAY:
    case T2_JSON_OBJECT:
        break;
    }
    return false;
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
        if (value_of(t, i, side_of(sample, t->columns, i)))
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
        t2_strs_release(&t->path_parts[i]);
    }
    t2_free(t);
}

enum t2_status dg_table_next(struct dg_table *t, struct dg_sample *sample, struct t2_err *err)
{
    enum t2_status st;

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
    if (st == T2_OK)
        t->rows++;
    return st;
}

uint64_t dg_table_rows(const struct dg_table *t)
{
    return t->rows;
}
