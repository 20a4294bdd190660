/*
 * base/remote/upload_parts.h - a local file on its way out, in parts.
 */
#ifndef T2_BASE_REMOTE_UPLOAD_PARTS_H
#define T2_BASE_REMOTE_UPLOAD_PARTS_H

#include "base/remote/store.h"

/* At most 16 MiB go as one request. */
bool t2_upload_is_one_request(const struct t2_upload *u);
/* 16 MiB, and more where that would give more than 10,000 parts. */
uint64_t t2_upload_part_bytes(uint64_t bytes);

/* Waits until n bytes of memory may be used to send a file: however many uploads run at once, all
 * together have 512 MiB, or one has more.  Who has some must not ask again. */
void t2_upload_take_room(uint64_t n);
void t2_upload_give_room(uint64_t n);

/* n bytes of the file; T2_EIO when it has become shorter. */
T2_MUST_CHECK enum t2_status t2_upload_read(const struct t2_upload *u, uint64_t from, void *to,
                                            size_t n, struct t2_err *err);

/* Calls put for part 0 .. n - 1, several at once; after a failure no further ones.  The error is
 * that of the first part that failed. */
typedef enum t2_status (*t2_upload_put)(void *context, uint64_t part, struct t2_err *err);
T2_MUST_CHECK enum t2_status t2_upload_in_parts(uint64_t n, t2_upload_put put, void *context,
                                                struct t2_err *err);

#endif
