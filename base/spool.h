/*
 * base/spool.h - bytes put aside on disk: written once, then read back.
 *
 * For data that must be held until all of it is known but may be larger than memory.  The file has
 * no name, so nothing is left behind however the program ends.
 */
#ifndef T2_BASE_SPOOL_H
#define T2_BASE_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct t2_spool;

/* In the folder of `beside` (where the output will be, so there has to be room anyway); for "-" in
 * TMPDIR or /tmp. */
T2_MUST_CHECK enum t2_status t2_spool_new(const char *beside, struct t2_spool **s,
                                          struct t2_err *err);
void t2_spool_free(struct t2_spool *s); /* NULL is allowed */
/* A failure is remembered; t2_spool_rewind and t2_spool_map report it. */
void t2_spool_write(struct t2_spool *s, const void *data, size_t len_bytes);
uint64_t t2_spool_bytes(const struct t2_spool *s);
/* Reading starts from the first byte; nothing is written after it. */
T2_MUST_CHECK enum t2_status t2_spool_rewind(struct t2_spool *s, struct t2_err *err);
/* The next len_bytes bytes, all of them; fewer are T2_EIO. */
T2_MUST_CHECK enum t2_status t2_spool_read(struct t2_spool *s, void *data, size_t len_bytes,
                                           struct t2_err *err);
/* After a rewind: bytes from an offset on, wherever t2_spool_read is. */
T2_MUST_CHECK enum t2_status t2_spool_read_at(const struct t2_spool *s, uint64_t offset, void *data,
                                              size_t len_bytes, struct t2_err *err);
/* Everything, mapped read-only; borrowed until t2_spool_free. */
T2_MUST_CHECK enum t2_status t2_spool_map(struct t2_spool *s, struct t2_slice *all,
                                          struct t2_err *err);

#endif
