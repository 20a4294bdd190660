/*
 * datagen/fetch/part_state.h - "<name>.part.json": what the bytes in "<name>.part" are the begin
 * of.
 */
#ifndef DG_PART_STATE_H
#define DG_PART_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct dg_part_state {
    char *url;      /* as asked for, before redirects */
    char etag[256]; /* "" when the server gave none that is strong */
    char last_modified[64];
    char content_encoding[32]; /* "" or "gzip": the bytes in the part are encoded so */
    uint64_t total_bytes;      /* of the whole file; 0: unknown */
};

/* T2_EFORMAT when the text is not one: the part is then of no use.  *s is owned by the caller
 * (dg_part_state_release, also on failure). */
T2_MUST_CHECK enum t2_status dg_part_state_parse(const char *text, size_t len_bytes,
                                                 const char *origin, struct dg_part_state *s,
                                                 struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_part_state_write(const char *path, const struct dg_part_state *s,
                                                 struct t2_err *err);
void dg_part_state_release(struct dg_part_state *s);

#endif
