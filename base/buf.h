/*
 * base/buf.h - borrowed byte ranges and growable byte buffers.
 */
#ifndef T2_BASE_BUF_H
#define T2_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Borrowed bytes; not terminated by NUL. */
struct t2_slice {
    const uint8_t *data;
    size_t len_bytes;
};

struct t2_slice t2_slice_of(const char *s); /* of a C string, without its NUL */
bool t2_slice_eq(struct t2_slice a, struct t2_slice b);
int t2_slice_cmp(struct t2_slice a, struct t2_slice b); /* memcmp order, shorter first */

/* Zero-initialise or t2_buf_init; t2_buf_release gives memory back.  data is always followed by a
 * NUL byte that does not count, so it can be used as a C string (data may be NULL while empty:
 * use t2_buf_cstr). */
struct t2_buf {
    uint8_t *data;
    size_t len_bytes;
    size_t capacity_bytes;
};

void t2_buf_init(struct t2_buf *b);
void t2_buf_release(struct t2_buf *b);
void t2_buf_clear(struct t2_buf *b); /* keeps the memory */
/* Makes room for extra_bytes more; returns where they go.  Does not change len_bytes. */
uint8_t *t2_buf_reserve(struct t2_buf *b, size_t extra_bytes);
void t2_buf_append(struct t2_buf *b, const void *data, size_t len_bytes);
void t2_buf_push(struct t2_buf *b, uint8_t byte);
void t2_buf_puts(struct t2_buf *b, const char *s);
void t2_buf_printf(struct t2_buf *b, const char *format, ...) T2_PRINTF(2, 3);
const char *t2_buf_cstr(const struct t2_buf *b); /* "" when empty; borrowed until b changes */
/* Hands the NUL-terminated memory to the caller (t2_free) and empties b. */
char *t2_buf_detach(struct t2_buf *b);
struct t2_slice t2_buf_slice(const struct t2_buf *b);

#endif
