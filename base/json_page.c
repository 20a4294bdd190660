/*
 * base/json_page.c - see the header.
 */
#include "base/json_page.h"

#include <string.h>

#include "base/err.h"

/* In a script, "</" and "<!--" mean something. */
static void put_json(struct t2_slice json, struct t2_buf *html)
{
    for (size_t i = 0; i < json.len_bytes; i++) {
        if (json.data[i] == '<')
            t2_buf_puts(html, "\\u003c");
        else
            t2_buf_push(html, json.data[i]);
    }
}

void t2_put_json_page(struct t2_slice page, const char *mark, struct t2_slice json,
                      struct t2_buf *html)
{
    const uint8_t *at = memmem(page.data, page.len_bytes, mark, strlen(mark));
    size_t before;

    T2_ASSERT(at);
    before = (size_t) (at - page.data);
    t2_buf_append(html, page.data, before);
    put_json(json, html);
    before += strlen(mark);
    t2_buf_append(html, page.data + before, page.len_bytes - before);
}
