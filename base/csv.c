/*
 * base/csv.c - rows of comma-separated files, quoting of fields.
 *
 * Grammar (RFC 4180, with what files in the wild need beyond it):
 *
 *   file  = [BOM] row { EOL row } [EOL]          EOL = "\n" | "\r\n"
 *   row   = field { separator field }
 *   field = quoted | plain
 *   quoted = '"' { any byte but '"' | '""' } '"'   may hold line ends; such a row has more lines
 *   plain  = { any byte but separator, CR, LF }    a quote inside is a byte like any other
 *
 * A row is read line by line from t2_in, so a file of any size needs the memory of one row. The
 * fields are copied, without their quotes, one behind the other into `text`; only their ends are
 * kept, because `text` moves while it grows.  Slices are cut from it when the row is complete.
 */
#include "base/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { MAX_ROW_BYTES = 256 << 20 };

struct t2_csv {
    struct t2_in *in;
    char separator;
    bool quotes;
    uint64_t line;         /* where the row began */
    uint64_t row_offset;   /* and at which byte */
    struct t2_buf text;    /* the fields without their quotes, one behind the other */
    size_t *ends;          /* of the fields in text */
    size_t n, capacity;    /* of ends */
    struct t2_slice *cuts; /* what the caller gets */
    size_t cuts_capacity;
};

enum t2_status t2_csv_new(const char *path, char separator, bool quotes, struct t2_csv **c,
                          struct t2_err *err)
{
    struct t2_in *in;

    T2_TRY(t2_in_new(path, &in, err));
    *c = t2_csv_new_from(in, separator, quotes);
    return T2_OK;
}

struct t2_csv *t2_csv_new_from(struct t2_in *in, char separator, bool quotes)
{
    struct t2_csv *c = t2_alloc(1, sizeof *c);

    c->in = in;
    c->separator = separator;
    c->quotes = quotes;
    return c;
}

void t2_csv_limit_line(struct t2_csv *c, uint64_t max_memory)
{
    t2_in_limit_line(c->in, max_memory);
}

void t2_csv_free(struct t2_csv *c)
{
    if (!c)
        return;
    t2_in_free(c->in);
    t2_buf_release(&c->text);
    t2_free(c->ends);
    t2_free(c->cuts);
    t2_free(c);
}

uint64_t t2_csv_line(const struct t2_csv *c)
{
    return c->line;
}

static void end_field(struct t2_csv *c)
{
    if (c->n == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 16;
        c->ends = t2_realloc(c->ends, c->capacity, sizeof *c->ends);
    }
    c->ends[c->n++] = c->text.len_bytes;
}

static enum t2_status fail(const struct t2_csv *c, uint64_t line, const char *what,
                           struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ": %s", t2_in_path(c->in), line, what);
}

/* The first line: its byte order mark. */
static enum t2_status skip_mark(const struct t2_csv *c, struct t2_slice *line, struct t2_err *err)
{
    if (line->len_bytes >= 3 && memcmp(line->data, "\xef\xbb\xbf", 3) == 0) {
        line->data += 3;
        line->len_bytes -= 3;
    } else if (line->len_bytes >= 2 &&
               (memcmp(line->data, "\xff\xfe", 2) == 0 || memcmp(line->data, "\xfe\xff", 2) == 0)) {
        return fail(c, 1, "the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8", err);
    }
    return T2_OK;
}

static enum t2_status next_line(struct t2_csv *c, struct t2_slice *line, struct t2_err *err)
{
    T2_TRY(t2_in_line(c->in, line, err));
    if (t2_in_line_number(c->in) == 1)
        T2_TRY(skip_mark(c, line, err));
    T2_TRY(t2_in_check_line(c->in, c->line ? c->line : 1, c->row_offset,
                            c->text.len_bytes + line->len_bytes, err)); /* a row is one, too */
    if (line->len_bytes > MAX_ROW_BYTES - c->text.len_bytes)
        return fail(c, c->line ? c->line : 1,
                    "the row has more than 256 MiB (a quote that is never closed?)", err);
    return T2_OK;
}

/* From behind an opening quote; goes on to the next lines when the quote does.  *p is then behind
 * the closing quote. */
static enum t2_status quoted(struct t2_csv *c, const uint8_t **p, const uint8_t **end,
                             struct t2_err *err)
{
    for (;;) {
        const uint8_t *q = *p < *end ? memchr(*p, '"', (size_t) (*end - *p)) : NULL;
        struct t2_slice line;
        enum t2_status st;

        t2_buf_append(&c->text, *p, (size_t) ((q ? q : *end) - *p));
        if (q) {
            *p = q + 1;
            if (*p == *end || **p != '"')
                return T2_OK;
            t2_buf_push(&c->text, '"');
            ++*p;
            continue;
        }
        t2_buf_push(&c->text, '\n');
        st = next_line(c, &line, err);
        if (st == T2_EOF)
            return fail(c, c->line, "a quote is opened in this row and never closed", err);
        T2_TRY(st);
        *p = line.data;
        *end = line.data + line.len_bytes;
    }
}

static bool at_line_end(const uint8_t *p, const uint8_t *end)
{
    return p == end || (p + 1 == end && *p == '\r');
}

/*
 * At the start of a field; leaves *p at the separator or at the end of the line behind it.  A CR
 * is part of the line end only as the last byte of the line; anywhere else it is a file of old
 * Macintosh line ends, whose rows would silently become one.
 */
static enum t2_status one_field(struct t2_csv *c, const uint8_t **p, const uint8_t **end,
                                struct t2_err *err)
{
    const uint8_t *q;

    if (c->quotes && *p < *end && **p == '"') {
        ++*p;
        T2_TRY(quoted(c, p, end, err));
        if (!at_line_end(*p, *end) && **p != (uint8_t) c->separator)
            return fail(c, t2_in_line_number(c->in), "text follows a closing quote", err);
        return T2_OK;
    }
    q = *p < *end ? memchr(*p, c->separator, (size_t) (*end - *p)) : NULL;
    if (!q)
        q = *end > *p && (*end)[-1] == '\r' ? *end - 1 : *end;
    if (q > *p && memchr(*p, '\r', (size_t) (q - *p)))
        return fail(c, t2_in_line_number(c->in),
                    "a carriage return ends no line (line ends of CR alone? tr '\\r' '\\n')", err);
    t2_buf_append(&c->text, *p, (size_t) (q - *p));
    *p = q;
    return T2_OK;
}

static void cut(struct t2_csv *c)
{
    size_t at = 0;

    if (c->cuts_capacity < c->n) {
        c->cuts = t2_realloc(c->cuts, c->capacity, sizeof *c->cuts);
        c->cuts_capacity = c->capacity;
    }
    for (size_t i = 0; i < c->n; i++) {
        c->cuts[i] =
            (struct t2_slice){(const uint8_t *) t2_buf_cstr(&c->text) + at, c->ends[i] - at};
        at = c->ends[i];
    }
}

enum t2_status t2_csv_next(struct t2_csv *c, const struct t2_slice **fields, size_t *n_fields,
                           struct t2_err *err)
{
    struct t2_slice line;
    const uint8_t *p, *end;

    t2_buf_clear(&c->text);
    c->n = 0;
    c->row_offset = t2_in_next_offset(c->in);
    T2_TRY(next_line(c, &line, err));
    c->line = t2_in_line_number(c->in);
    p = line.data;
    end = line.data + line.len_bytes;
    for (;;) {
        T2_TRY(one_field(c, &p, &end, err));
        end_field(c);
        if (at_line_end(p, end))
            break;
        p++; /* the separator */
    }
    cut(c);
    *fields = c->cuts;
    *n_fields = c->n;
    return T2_OK;
}

/* As the first field of a file it would be taken for a byte order mark, gzip or zlib. */
static bool begins_oddly(struct t2_slice f)
{
    return f.data[0] == 0xef || f.data[0] == 0xff || f.data[0] == 0xfe || f.data[0] == 0x1f ||
           (f.data[0] == 'x' && f.len_bytes > 1 && memchr("\x01^\x9c\xda", f.data[1], 4));
}

/*
 * An empty field stays empty: "" and nothing are the same field to every reader.  Blanks at either
 * end are kept by quotes, because some readers strip them.
 */
static bool needs_quotes(struct t2_slice f, char separator)
{
    if (f.len_bytes == 0)
        return false;
    if (f.data[0] == ' ' || f.data[f.len_bytes - 1] == ' ' || begins_oddly(f))
        return true;
    for (size_t i = 0; i < f.len_bytes; i++) {
        uint8_t b = f.data[i];
        if (b == (uint8_t) separator || b == '"' || b == '\r' || b == '\n')
            return true;
    }
    return false;
}

void t2_csv_put(struct t2_buf *out, struct t2_slice field, char separator)
{
    if (!needs_quotes(field, separator)) {
        t2_buf_append(out, field.data, field.len_bytes);
        return;
    }
    t2_buf_push(out, '"');
    for (size_t i = 0; i < field.len_bytes; i++) {
        if (field.data[i] == '"')
            t2_buf_push(out, '"');
        t2_buf_push(out, field.data[i]);
    }
    t2_buf_push(out, '"');
}
