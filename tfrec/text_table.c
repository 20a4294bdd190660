/*
 * tfrec/text_table.c - columns for a terminal.
 */
#include "tfrec/text_table.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

enum { GAP = 2 };

/* Bytes of the UTF-8 character at p, of which n bytes are left; 0 when it is none. */
static size_t character_bytes(const uint8_t *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    return len <= n && t2_utf8_invalid_at(p, len) == len ? len : 0;
}

/* C0 and C1 control characters and DEL would move the cursor or worse. */
static bool is_control(const uint8_t *p, size_t len)
{
    return p[0] < 0x20 || p[0] == 0x7f || (len == 2 && p[0] == 0xc2 && p[1] < 0xa0);
}

void rec_visible(const void *text, size_t len_bytes, size_t max_columns, struct t2_buf *out)
{
    const uint8_t *p = text;
    const uint8_t *end = p + len_bytes;
    size_t columns = 0;

    while (p < end) {
        size_t len = character_bytes(p, (size_t) (end - p));
        if (max_columns > 0 && columns >= max_columns - 1 && (size_t) (end - p) > len) {
            t2_buf_puts(out, "\xe2\x80\xa6"); /* an ellipsis */
            return;
        }
        if (len == 0 || is_control(p, len)) {
            for (size_t i = 0; i < (len == 0 ? 1 : len); i++)
                t2_buf_printf(out, "\\x%02x", p[i]);
            columns += 4;
            p += len == 0 ? 1 : len;
            continue;
        }
        t2_buf_append(out, p, len);
        columns++;
        p += len;
    }
}

void rec_table_cell(struct rec_table *t, const void *text, size_t len_bytes)
{
    struct t2_buf cell = {NULL, 0, 0};

    rec_visible(text, len_bytes, REC_CELL_COLUMNS, &cell);
    t2_strs_push(&t->cells, t2_buf_cstr(&cell));
    t2_buf_release(&cell);
}

void rec_table_cellf(struct rec_table *t, const char *format, ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rec_table_cell(t, text, strlen(text));
}

static size_t columns_of(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char) *s & 0xc0) != 0x80;
    return n;
}

static void blanks(struct t2_buf *out, size_t n)
{
    while (n-- > 0)
        t2_buf_push(out, ' ');
}

void rec_table_print(const struct rec_table *t, struct t2_buf *out)
{
    size_t n_columns = strlen(t->columns);
    size_t *widths = t2_alloc(n_columns, sizeof *widths);

    T2_ASSERT(t->cells.n % n_columns == 0);
    for (size_t i = 0; i < t->cells.n; i++) {
        size_t width = columns_of(t->cells.items[i]);
        if (width > widths[i % n_columns])
            widths[i % n_columns] = width;
    }
    for (size_t row = 0; row < t->cells.n; row += n_columns) {
        size_t owed = 0; /* blanks, written only when something follows */
        for (size_t c = 0; c < n_columns; c++) {
            const char *cell = t->cells.items[row + c];
            size_t space = widths[c] - columns_of(cell);
            if (*cell) {
                blanks(out, owed + (t->columns[c] == 'r' ? space : 0));
                t2_buf_puts(out, cell);
                owed = GAP + (t->columns[c] == 'r' ? 0 : space);
            } else {
                owed += widths[c] + GAP;
            }
        }
        t2_buf_push(out, '\n');
    }
    t2_free(widths);
}

void rec_table_release(struct rec_table *t)
{
    t2_strs_release(&t->cells);
}
