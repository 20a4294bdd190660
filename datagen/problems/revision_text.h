/*
 * datagen/problems/revision_text.h - the prose of one revision of a page, and which revisions are
 * looked at (T2T's wiki_revision_utils.py).
 */
#ifndef DG_REVISION_TEXT_H
#define DG_REVISION_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Is revision n (from 0) of a page one of those that are compared, when their numbers shall grow by
 * skip_factor? 1 or less: all are.  (The last one of a page always is: its caller's business.)
 * include_revision
 */
bool dg_revision_counts(uint64_t n, double skip_factor);

/* Zero-initialise; dg_revision_scratch_release. */
struct dg_revision_scratch {
    struct t2_buf a, b;
};
void dg_revision_scratch_release(struct dg_revision_scratch *s);

/*
 * The text of a revision (what is between "<revision>" and its end), nearly plain, to *text
 * (replaced): without what is in braces, references, marks of links and bold; only lines that begin
 * with a letter, a quote or one of [ \ ] ^ _ `. Escapes (&amp;) stay as they are.  What braces,
 * links or references leave open is lost.  get_text, strip_text
 *
 * T2_EFORMAT: there is no text.
 */
T2_MUST_CHECK enum t2_status dg_revision_text(struct t2_slice revision,
                                              struct dg_revision_scratch *scratch,
                                              struct t2_buf *text, struct t2_err *err);

#endif
