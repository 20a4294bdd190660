/*
 * base/json_page.h - a page with its data in it: HTML that needs nothing else to be shown.
 */
#ifndef T2_BASE_JSON_PAGE_H
#define T2_BASE_JSON_PAGE_H

#include "base/buf.h"

/* Appends `page` with `mark`, which it has once (assertion), replaced by JSON that stands in a
 * <script type="application/json">: no text in it can end the script. */
void t2_put_json_page(struct t2_slice page, const char *mark, struct t2_slice json,
                      struct t2_buf *html);

#endif
