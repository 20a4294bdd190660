/*
 * datagen/problems/wiki_marks.c - taking marks out of Wikipedia's text.
 */
#include "datagen/problems/wiki_marks.h"

#include <string.h>

size_t dg_wiki_find(struct t2_slice s, const char *mark, size_t from)
{
    const uint8_t *at;

    if (from >= s.len_bytes)
        return s.len_bytes;
    at = memmem(s.data + from, s.len_bytes - from, mark, strlen(mark));
    return at ? (size_t) (at - s.data) : s.len_bytes;
}

struct t2_slice dg_wiki_part(struct t2_slice s, size_t from, size_t to)
{
    if (to <= from)
        return (struct t2_slice){s.data, 0};
    return (struct t2_slice){s.data + from, to - from};
}

/* The replacement of the text between two marks. */
typedef struct t2_slice replace_fn(struct t2_slice between);

static struct t2_slice nothing(struct t2_slice between)
{
    return dg_wiki_part(between, 0, 0);
}

static struct t2_slice the_same(struct t2_slice between)
{
    return between;
}

/* Links to categories and the like go; of others what is shown stays. */
static struct t2_slice link_text(struct t2_slice between)
{
    size_t bar;

    if (between.len_bytes && memchr(between.data, ':', between.len_bytes))
        return nothing(between);
    bar = dg_wiki_find(between, "|", 0);
    return bar < between.len_bytes ? dg_wiki_part(between, bar + 1, between.len_bytes) : between;
}

static void replace(struct t2_slice text, const char *start_mark, const char *end_mark,
                    replace_fn *fn, struct t2_buf *out)
{
    size_t at = 0;

    t2_buf_clear(out);
    while (at < text.len_bytes) {
        size_t start = dg_wiki_find(text, start_mark, at), end;
        struct t2_slice new_text;
        t2_buf_append(out, text.data + at, start - at);
        if (start == text.len_bytes)
            return;
        start += strlen(start_mark);
        end = dg_wiki_find(text, end_mark, start);
        if (end == text.len_bytes)
            return;
        new_text = fn(dg_wiki_part(text, start, end));
        t2_buf_append(out, new_text.data, new_text.len_bytes);
        at = end + strlen(end_mark);
    }
}

void dg_wiki_drop_references(struct t2_slice text, struct t2_buf *out)
{
    replace(text, "&lt;ref", "&lt;/ref&gt;", nothing, out);
}

void dg_wiki_open_links(struct t2_slice text, struct t2_buf *out)
{
    replace(text, "[[", "]]", link_text, out);
}

void dg_wiki_drop_quotes(struct t2_slice text, struct t2_buf *out)
{
    replace(text, "'''", "'''", the_same, out);
}
