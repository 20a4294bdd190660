/*
 * datagen/problems/wiki_pages.c - the articles in a piece of Wikipedia's XML dump.
 */
#include "datagen/problems/wiki_pages.h"

#include <string.h>

#include "datagen/problems/line_stream.h"

enum { SHORTEST = 140 };

/* Where the mark is in s, from `from` on; s.len_bytes when it is nowhere. */
static size_t find(struct t2_slice s, const char *mark, size_t from)
{
    const uint8_t *at;

    if (from >= s.len_bytes)
        return s.len_bytes;
    at = memmem(s.data + from, s.len_bytes - from, mark, strlen(mark));
    return at ? (size_t) (at - s.data) : s.len_bytes;
}

static struct t2_slice part(struct t2_slice s, size_t from, size_t to)
{
    return (struct t2_slice){s.data + from, to > from ? to - from : 0};
}

/* What the text between two marks becomes. */
typedef struct t2_slice replace_fn(struct t2_slice between);

static struct t2_slice nothing(struct t2_slice between)
{
    return part(between, 0, 0);
}

static struct t2_slice the_same(struct t2_slice between)
{
    return between;
}

/* Links to categories and the like go; of others what is shown stays. */
static struct t2_slice link_text(struct t2_slice between)
{
    size_t bar;

    if (memchr(between.data, ':', between.len_bytes))
        return nothing(between);
    bar = find(between, "|", 0);
    return bar < between.len_bytes ? part(between, bar + 1, between.len_bytes) : between;
}

static void replace(struct t2_slice text, const char *start_mark, const char *end_mark,
                    replace_fn *fn, struct t2_buf *out)
{
    size_t at = 0;

    t2_buf_clear(out);
    while (at < text.len_bytes) {
        size_t start = find(text, start_mark, at), end;
        struct t2_slice new_text;
        t2_buf_append(out, text.data + at, start - at);
        if (start == text.len_bytes)
            return;
        start += strlen(start_mark);
        end = find(text, end_mark, start);
        if (end == text.len_bytes)
            return;
        new_text = fn(part(text, start, end));
        t2_buf_append(out, new_text.data, new_text.len_bytes);
        at = end + strlen(end_mark);
    }
}

static void clean(struct t2_slice text, struct t2_buf *a, struct t2_buf *b)
{
    replace(text, "&lt;ref", "&lt;/ref&gt;", nothing, a);
    replace(t2_buf_slice(a), "[[", "]]", link_text, b);
    replace(t2_buf_slice(b), "'''", "'''", the_same, a);
}

static enum t2_status find_title(struct t2_slice page, struct t2_slice *title, struct t2_err *err)
{
    size_t start = find(page, "<title>", 0), end = find(page, "</title>", 0);

    if (start == page.len_bytes || end == page.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a page of the dump has no title");
    *title = part(page, start + strlen("<title>"), end);
    return T2_OK;
}

static enum t2_status find_text(struct t2_slice page, struct t2_slice *text, struct t2_err *err)
{
    size_t start = find(page, "<text", 0), close = find(page, ">", start);
    size_t end = find(page, "</text>", 0);

    if (start == page.len_bytes || close == page.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a page of the dump has no text");
    *text = end == page.len_bytes ? part(page, 0, 0) : part(page, close + 1, end);
    return T2_OK;
}

static enum t2_status add_page(struct t2_slice page, struct t2_buf *a, struct t2_buf *b,
                               struct t2_buf *out, struct t2_err *err)
{
    struct t2_slice title = {NULL, 0}, text = {NULL, 0};
    size_t n;

    T2_TRY(find_title(page, &title, err));
    T2_TRY(find_text(page, &text, err));
    clean(text, a, b);
    n = dg_count_chars(t2_buf_slice(a));
    if (n <= SHORTEST || memchr(title.data, ':', title.len_bytes))
        return T2_OK;
    t2_buf_puts(out, "title: \"");
    t2_buf_append(out, title.data, title.len_bytes);
    t2_buf_printf(out, "\" length: %zu\n", n);
    t2_buf_append(out, a->data, a->len_bytes);
    t2_buf_push(out, '\n');
    return T2_OK;
}

enum t2_status dg_wiki_articles(struct t2_slice dump, struct t2_buf *text, struct t2_err *err)
{
    static const char start_tag[] = "<page>\n", end_tag[] = "</page>\n";
    struct t2_buf a = {0}, b = {0};
    enum t2_status st = T2_OK;
    size_t at = 0;

    while (st == T2_OK) {
        size_t start = find(dump, start_tag, at), end;
        if (start == dump.len_bytes)
            break;
        start += strlen(start_tag);
        end = find(dump, end_tag, start);
        if (end == dump.len_bytes)
            break;
        st = add_page(part(dump, start, end), &a, &b, text, err);
        at = end + strlen(end_tag);
    }
    t2_buf_release(&a);
    t2_buf_release(&b);
    return st;
}
