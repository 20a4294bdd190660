/*
 * datagen/problems/page_histories.h - pages with all their revisions, out of a dump of Wikipedia's
 * page histories (pages-meta-history*.xml, packed by 7z, bzip2, gzip, xz, or plain), read as a
 * stream.
 *
 * The marks are those of the dumps, each on its own line with its blanks: "  <page>", "
 * <revision>".
 */
#ifndef DG_PAGE_HISTORIES_H
#define DG_PAGE_HISTORIES_H

#include "base/text.h"
#include "datagen/source/drop_report.h"

struct dg_histories;

/* Borrowed until the next call. */
struct dg_page_history {
    struct t2_slice title, id;
    const struct t2_slice *revisions; /* what is between <revision> and its end; oldest first */
    size_t n_revisions;
    uint64_t offset; /* of the page in the unpacked text */
};

/*
 * Opens a dump.  max_page_bytes: larger pages (of so many bytes or more between their marks) are
 * left out, and no more is ever held in memory.  max_unpacked: more is T2_EFORMAT; 0: no limit.
 * There is no limit to how well a dump was packed: a history repeats itself.  drops, if not NULL,
 * gets what is left out; borrowed.
 */
T2_MUST_CHECK enum t2_status dg_histories_open(const char *path, uint64_t max_page_bytes,
                                               uint64_t max_unpacked, struct dg_drops *drops,
                                               struct dg_histories **h, struct t2_err *err);
/* The same over text that is open and not packed; takes ownership of in.  name is for messages. */
struct dg_histories *dg_histories_of(struct t2_in *in, const char *name, uint64_t max_page_bytes,
                                     struct dg_drops *drops);
void dg_histories_free(struct dg_histories *h); /* NULL is allowed */

/*
 * The next page whose title has no ':' (a talk page, a category); T2_EOF behind the last.
 * T2_EFORMAT names file and offset: a page without title, number (id) or the end of a revision; a
 * file that is no such dump.
 */
T2_MUST_CHECK enum t2_status dg_histories_next(struct dg_histories *h, struct dg_page_history *page,
                                               struct t2_err *err);

#endif
