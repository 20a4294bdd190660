/*
 * datagen/problems/wiki_marks.h - taking marks out of Wikipedia's text; shared by wiki_pages.c and
 * revision_text.c.
 */
#ifndef DG_WIKI_MARKS_H
#define DG_WIKI_MARKS_H

#include "base/buf.h"

/* The place of the mark in s, from `from` on; s.len_bytes when it is nowhere. */
size_t dg_wiki_find(struct t2_slice s, const char *mark, size_t from);
/* s[from:to]; empty when to is before from. */
struct t2_slice dg_wiki_part(struct t2_slice s, size_t from, size_t to);

/* `text` to *out (replaced) without what stands between each "&lt;ref" and "&lt;/ref&gt;". */
void dg_wiki_drop_references(struct t2_slice text, struct t2_buf *out);
/* Replaces [[a|b]] by the text behind the first bar, and removes links with a ':'. */
void dg_wiki_open_links(struct t2_slice text, struct t2_buf *out);
/* Without pairs of '''.  What follows a mark that is not closed is lost, here and above, as in
 * T2T. */
void dg_wiki_drop_quotes(struct t2_slice text, struct t2_buf *out);

#endif
