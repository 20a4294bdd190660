/*
 * train/eval/score_lines.h - the lines of files that are compared line by line.
 */
#ifndef EV_SCORE_LINES_H
#define EV_SCORE_LINES_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Bytes of the longest line that is compared. */
enum { EV_MAX_LINE_BYTES = 1 << 22 };

/* All lines of a file, or one field of each, without white space at their ends. */
struct ev_lines {
    const char *name; /* of the file; borrowed */
    struct t2_buf text;
    size_t *ends; /* in text */
    size_t n, capacity;
};
void ev_lines_release(struct ev_lines *l);

static inline struct t2_slice ev_line(const struct ev_lines *l, size_t i)
{
    size_t begin = i ? l->ends[i - 1] : 0;

    return (struct t2_slice){l->text.data + begin, l->ends[i] - begin};
}

/*
 * Reads a file, plain or gzip, or "-": lines end at LF only, a last line without one counts.  The
 * n_fields parts of a line stand apart by tabs, which only the last one may hold; lists[i], zeroed
 * by the caller, gets the i-th.
 *
 * T2_EFORMAT: a line is not UTF-8 (file, line and byte), longer than EV_MAX_LINE_BYTES, or has too
 * few fields.
 */
T2_MUST_CHECK enum t2_status ev_lines_read(const char *path, int n_fields, struct ev_lines *lists,
                                           struct t2_err *err);
/* T2_EFORMAT names both numbers of lines, both files, and the first line without a partner. */
T2_MUST_CHECK enum t2_status ev_lines_match(const struct ev_lines *a, const struct ev_lines *b,
                                            struct t2_err *err);

#endif
