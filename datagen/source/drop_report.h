/*
 * datagen/source/drop_report.h - what was left out: how many, why, and the first lines.
 */
#ifndef DG_DROP_REPORT_H
#define DG_DROP_REPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json_writer.h"

enum { DG_DROP_REASONS = 32, DG_DROP_EXAMPLES = 5, DG_EXCERPT_BYTES = 80 /* of a side */ };

struct dg_drop {
    char *reason;
    uint64_t n;
    size_t n_examples;
    struct {
        char *path;
        uint64_t line;
        char *text;               /* an excerpt; NULL: not known */
    } examples[DG_DROP_EXAMPLES]; /* the first ones */
};
/* Zero-initialise; dg_drops_release. */
struct dg_drops {
    struct dg_drop items[DG_DROP_REASONS];
    size_t n;
    uint64_t total;
};
/* Adds one; path NULL: made by a program; text NULL or "": nothing to show.  All are copied. */
void dg_drops_add(struct dg_drops *d, const char *reason, const char *path, uint64_t line,
                  const char *text);
/* Puts the drops of an earlier step in front of those of d; they go from `first`. */
void dg_drops_put_first(struct dg_drops *d, struct dg_drops *first);
/*
 * Adds those of a shard that was made by itself (shard_maker.h), which are given up: reasons
 * sorted, of their examples those with the least paths, so that it does not matter in which order
 * shards and tasks come.
 */
void dg_drops_join(struct dg_drops *d, struct dg_drops *from);
void dg_drops_release(struct dg_drops *d);

/*
 * Appends the begin of one or two texts in one line of printable UTF-8: "a cat ||| eine Katze";
 * '\\' in front of what is a control character or no UTF-8 ("\\x1f", "\\t"), "..." where it was
 * cut.
 */
void dg_excerpt_put(struct t2_slice inputs, struct t2_slice targets, struct t2_buf *out);

/* Items of an array: {"reason", "n", "first": [{"path", "line", "text"}]}; split NULL: without the
 * member "split". */
void dg_drops_json(const struct dg_drops *d, const char *split, struct t2_json *json);
struct t2_json_value;
/* Adds one of these items.  T2_EFORMAT: it is none; origin is for the message. */
T2_MUST_CHECK enum t2_status dg_drops_take(const struct t2_json_value *item, const char *origin,
                                           struct dg_drops *d, struct t2_err *err);
/* A file with these items, and back.  No file: nothing was left out.  T2_EFORMAT names it. */
T2_MUST_CHECK enum t2_status dg_drops_save(const struct dg_drops *d, const char *path,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_drops_load(const char *path, struct dg_drops *d,
                                           struct t2_err *err);

#endif
