/*
 * datagen/problems/wiki_pages.h - the articles in a piece of Wikipedia's XML dump, nearly plain
 * (T2T's wiki.py).
 */
#ifndef DG_WIKI_PAGES_H
#define DG_WIKI_PAGES_H

#include "base/buf.h"
#include "base/err.h"

/*
 * Appends 'title: "Price of Tea in China" length: 12345', the text and a line end for each whole
 * page of the dump: without references; of [[a|b]] what follows the bar; ''' left out.  Passed
 * over: titles with ':', texts of 140 characters or fewer.  What follows a mark that is not closed
 * is lost, as in the original.
 *
 * T2_EFORMAT: a page without a title or a text.
 */
T2_MUST_CHECK enum t2_status dg_wiki_articles(struct t2_slice dump, struct t2_buf *text,
                                              struct t2_err *err);

#endif
