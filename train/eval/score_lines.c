/*
 * train/eval/score_lines.c - see the header.
 */
#include "train/eval/score_lines.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "base/text.h"
#include "tokenizer/unicode.h"

void ev_lines_release(struct ev_lines *l)
{
    t2_buf_release(&l->text);
    t2_free(l->ends);
    l->ends = NULL;
    l->n = l->capacity = 0;
}

static void push(struct ev_lines *l, struct t2_slice line)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 1024;
        l->ends = t2_realloc(l->ends, l->capacity, sizeof *l->ends);
    }
    t2_buf_append(&l->text, line.data, line.len_bytes);
    l->ends[l->n++] = l->text.len_bytes;
}

static enum t2_status push_fields(const struct t2_in *in, struct t2_slice line, int n_fields,
                                  struct ev_lines *lists, struct t2_err *err)
{
    for (int i = 0; i < n_fields; i++) {
        const uint8_t *tab =
            i + 1 < n_fields && line.len_bytes ? memchr(line.data, '\t', line.len_bytes) : NULL;
        struct t2_slice field = line;

        if (tab) {
            field.len_bytes = (size_t) (tab - line.data);
            line = (struct t2_slice){tab + 1, line.len_bytes - field.len_bytes - 1};
        } else if (i + 1 < n_fields) {
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %" PRIu64 " has %d field%s, expected %d with tabs between",
                           t2_in_path(in), t2_in_line_number(in), i + 1, i ? "s" : "", n_fields);
        }
        push(&lists[i], field);
    }
    return T2_OK;
}

static enum t2_status read_lines(struct t2_in *in, int n_fields, struct ev_lines *lists,
                                 struct t2_err *err)
{
    struct t2_slice line;
    enum t2_status st;

    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

        if (bad < line.len_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", byte %zu: not UTF-8 (0x%02x)",
                           t2_in_path(in), t2_in_line_number(in), bad + 1, line.data[bad]);
        if (line.len_bytes > 0)
            tok_strip_end(line.data, &line.len_bytes);
        T2_TRY(push_fields(in, line, n_fields, lists, err));
        if (lists->n % 1024 == 0)
            T2_TRY(t2_check_interrupt(err));
    }
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status ev_lines_read(const char *path, int n_fields, struct ev_lines *lists,
                             struct t2_err *err)
{
    struct t2_in *in;
    enum t2_status st;

    T2_TRY(t2_in_new(path, &in, err));
    t2_in_most_line(in, EV_MAX_LINE_BYTES);
    for (int i = 0; i < n_fields; i++)
        lists[i].name = path;
    st = read_lines(in, n_fields, lists, err);
    t2_in_free(in);
    return st;
}

enum t2_status ev_lines_match(const struct ev_lines *a, const struct ev_lines *b,
                              struct t2_err *err)
{
    const struct ev_lines *longer = a->n > b->n ? a : b, *shorter = a->n > b->n ? b : a;

    if (a->n == b->n)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "'%s' has %zu line%s, '%s' has %zu: line %zu of '%s' is the first without a "
                   "partner",
                   longer->name, longer->n, longer->n == 1 ? "" : "s", shorter->name, shorter->n,
                   shorter->n + 1, longer->name);
}
