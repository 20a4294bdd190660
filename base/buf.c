/*
 * base/buf.c - borrowed byte ranges and growable byte buffers.
 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

struct t2_slice t2_slice_of(const char *s)
{
    return (struct t2_slice){(const uint8_t *) s, strlen(s)};
}

bool t2_slice_eq(struct t2_slice a, struct t2_slice b)
{
    return a.len_bytes == b.len_bytes &&
           (a.len_bytes == 0 || memcmp(a.data, b.data, a.len_bytes) == 0);
}

int t2_slice_cmp(struct t2_slice a, struct t2_slice b)
{
    size_t n = a.len_bytes < b.len_bytes ? a.len_bytes : b.len_bytes;
    int order = n == 0 ? 0 : memcmp(a.data, b.data, n);

    if (order != 0)
        return order < 0 ? -1 : 1;
    return (a.len_bytes > b.len_bytes) - (a.len_bytes < b.len_bytes);
}

void t2_buf_init(struct t2_buf *b)
{
    *b = (struct t2_buf){0};
}

void t2_buf_release(struct t2_buf *b)
{
    if (!b)
        return;
    t2_free(b->data);
    *b = (struct t2_buf){0};
}

void t2_buf_clear(struct t2_buf *b)
{
    b->len_bytes = 0;
    if (b->data)
        b->data[0] = 0;
}

/* capacity_bytes does not count the byte for the final NUL. */
uint8_t *t2_buf_reserve(struct t2_buf *b, size_t extra_bytes)
{
    size_t need;
    bool fits = t2_add_size(b->len_bytes, extra_bytes, &need) && need < SIZE_MAX / 2;

    T2_ASSERT(fits);
    if (need > b->capacity_bytes || !b->data) {
        size_t capacity = b->capacity_bytes + b->capacity_bytes / 2;

        if (capacity < 31)
            capacity = 31;
        if (capacity < need)
            capacity = need;
        b->data = t2_realloc(b->data, capacity + 1, 1);
        b->capacity_bytes = capacity;
        b->data[b->len_bytes] = 0;
    }
    return b->data + b->len_bytes;
}

void t2_buf_append(struct t2_buf *b, const void *data, size_t len_bytes)
{
    uint8_t *to = t2_buf_reserve(b, len_bytes);

    if (len_bytes > 0)
        memcpy(to, data, len_bytes);
    b->len_bytes += len_bytes;
    b->data[b->len_bytes] = 0;
}

void t2_buf_push(struct t2_buf *b, uint8_t byte)
{
    t2_buf_append(b, &byte, 1);
}

void t2_buf_puts(struct t2_buf *b, const char *s)
{
    t2_buf_append(b, s, strlen(s));
}

void t2_buf_printf(struct t2_buf *b, const char *format, ...)
{
    size_t room = 128;

    /* Most texts fit at the first try; otherwise the first try says how much room is needed. */
    for (;;) {
        uint8_t *to = t2_buf_reserve(b, room);
        va_list args;
        int n;

        va_start(args, format);
        n = vsnprintf((char *) to, room, format, args);
        va_end(args);
        T2_ASSERT(n >= 0);
        if ((size_t) n < room) {
            b->len_bytes += (size_t) n;
            return;
        }
        room = (size_t) n + 1;
    }
}

const char *t2_buf_cstr(const struct t2_buf *b)
{
    return b->data ? (const char *) b->data : "";
}

char *t2_buf_detach(struct t2_buf *b)
{
    char *s = b->data ? (char *) b->data : t2_strdup("");

    *b = (struct t2_buf){0};
    return s;
}

struct t2_slice t2_buf_slice(const struct t2_buf *b)
{
    return (struct t2_slice){b->data, b->len_bytes};
}
