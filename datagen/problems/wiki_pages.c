/*
 * datagen/problems/wiki_pages.c - the articles in a piece of Wikipedia's XML dump.
 */
#include "datagen/problems/wiki_pages.h"

#include <string.h>

#include "datagen/problems/line_stream.h"
#include "datagen/problems/wiki_marks.h"

enum { SHORTEST = 140 };

static void clean(struct t2_slice text, struct t2_buf *a, struct t2_buf *b)
{
    dg_wiki_drop_references(text, a);
    dg_wiki_open_links(t2_buf_slice(a), b);
    dg_wiki_drop_quotes(t2_buf_slice(b), a);
}

static enum t2_status find_title(struct t2_slice page, struct t2_slice *title, struct t2_err *err)
{
    size_t start = dg_wiki_find(page, "<title>", 0), end = dg_wiki_find(page, "</title>", 0);

    if (start == page.len_bytes || end == page.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a page of the dump has no title");
    *title = dg_wiki_part(page, start + strlen("<title>"), end);
    return T2_OK;
}

static enum t2_status find_text(struct t2_slice page, struct t2_slice *text, struct t2_err *err)
{
    size_t start = dg_wiki_find(page, "<text", 0), close = dg_wiki_find(page, ">", start);
    size_t end = dg_wiki_find(page, "</text>", 0);

    if (start == page.len_bytes || close == page.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a page of the dump has no text");
    *text = end == page.len_bytes ? dg_wiki_part(page, 0, 0) : dg_wiki_part(page, close + 1, end);
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
        size_t start = dg_wiki_find(dump, start_tag, at), end;
        if (start == dump.len_bytes)
            break;
        start += strlen(start_tag);
        end = dg_wiki_find(dump, end_tag, start);
        if (end == dump.len_bytes)
            break;
        st = add_page(dg_wiki_part(dump, start, end), &a, &b, text, err);
        at = end + strlen(end_tag);
    }
    t2_buf_release(&a);
    t2_buf_release(&b);
    return st;
}
