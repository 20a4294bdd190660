/*
 * datagen/source/tab_fields.c - columns of a line.
 */
#include "datagen/source/tab_fields.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tokenizer/unicode.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= 0x09 && c <= 0x0d);
}

struct t2_slice dg_strip_ascii(struct t2_slice s)
{
    while (s.len_bytes && is_blank(s.data[0])) {
        s.data++;
        s.len_bytes--;
    }
    while (s.len_bytes && is_blank(s.data[s.len_bytes - 1]))
        s.len_bytes--;
    return s;
}

struct t2_slice dg_strip(struct t2_slice s)
{
    if (s.len_bytes)
        tok_strip(&s.data, &s.len_bytes);
    return s;
}

void dg_without_cr(struct t2_slice s, struct t2_buf *to)
{
    t2_buf_clear(to);
    while (s.len_bytes) {
        const uint8_t *cr = memchr(s.data, '\r', s.len_bytes);
        size_t n = cr ? (size_t) (cr - s.data) : s.len_bytes;
        t2_buf_append(to, s.data, n);
        n += cr != NULL;
        s.data += n;
        s.len_bytes -= n;
    }
}

static void push(struct dg_fields *c, struct t2_slice column)
{
    if (c->n == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 16;
        c->items = t2_realloc(c->items, c->capacity, sizeof *c->items);
    }
    c->items[c->n++] = column;
}

void dg_fields_cut(struct dg_fields *c, struct t2_slice line)
{
    const uint8_t *tab;
    struct t2_slice rest;

    dg_without_cr(line, &c->line);
    rest = dg_strip_ascii(
        (struct t2_slice){(const uint8_t *) t2_buf_cstr(&c->line), c->line.len_bytes});
    c->n = 0;
    while ((tab = memchr(rest.data, '\t', rest.len_bytes))) {
        size_t n = (size_t) (tab - rest.data);
        push(c, (struct t2_slice){rest.data, n});
        rest.data += n + 1;
        rest.len_bytes -= n + 1;
    }
    push(c, rest);
}

void dg_fields_release(struct dg_fields *c)
{
    t2_free(c->items);
    t2_buf_release(&c->line);
    memset(c, 0, sizeof *c);
}

bool dg_parse_int(struct t2_slice s, int64_t *value)
{
    char text[32];

    s = dg_strip(s);
    if (s.len_bytes == 0 || s.len_bytes >= sizeof text || memchr(s.data, 0, s.len_bytes))
        return false;
    memcpy(text, s.data, s.len_bytes);
    text[s.len_bytes] = '\0';
    return t2_parse_i64(text, value);
}
