/*
 * small_lmdb.h - a data.mdb of one leaf, for tests: values of more than 100 bytes lie in pages of
 * their own.
 */
#ifndef SMALL_LMDB_H
#define SMALL_LMDB_H

#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"

enum { SL_PAGE = 512, SL_LONG = 100, SL_LEAF = 2 };

static inline void sl_put(uint8_t *p, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        p[i] = (uint8_t) (value >> 8 * i);
}

static inline uint8_t *sl_page(struct t2_buf *file, uint64_t number)
{
    while (file->len_bytes < (number + 1) * SL_PAGE)
        t2_buf_push(file, 0);
    return file->data + number * SL_PAGE;
}

/* Keys are "a", "b", ...; the meta page with the larger transaction is the second, which counts. */
static inline void sl_make(const struct t2_slice *values, size_t n, struct t2_buf *file)
{
    size_t top = SL_PAGE, next = SL_LEAF + 1;
    uint8_t *p;

    t2_buf_clear(file);
    for (uint64_t i = 0; i < 2; i++) {
        p = sl_page(file, i);
        sl_put(p + 10, 8, 2);
        sl_put(p + 16, 0xBEEFC0DE, 4);
        sl_put(p + 20, 1, 4);
        sl_put(p + 16 + 24, SL_PAGE, 4);
        sl_put(p + 16 + 104, i ? n : 1000, 8);
        sl_put(p + 16 + 112, i && n ? SL_LEAF : UINT64_MAX, 8);
        sl_put(p + 16 + 128, i + 5, 8);
    }
    for (size_t i = 0; i < n; i++) {
        bool is_long = values[i].len_bytes > SL_LONG;
        size_t here = is_long ? 8 : values[i].len_bytes;
        top -= (8 + 1 + here + 1) & ~(size_t) 1;
        p = sl_page(file, SL_LEAF) + top;
        sl_put(p, values[i].len_bytes, 4);
        sl_put(p + 4, is_long, 2);
        sl_put(p + 6, 1, 2);
        p[8] = (uint8_t) ('a' + i);
        if (is_long) {
            size_t n_pages = (16 + values[i].len_bytes + SL_PAGE - 1) / SL_PAGE;
            sl_put(p + 9, next, 8);
            (void) sl_page(file, next + n_pages - 1);
            p = sl_page(file, next);
            sl_put(p + 10, 4, 2);
            sl_put(p + 12, n_pages, 4);
            memcpy(p + 16, values[i].data, values[i].len_bytes);
            next += n_pages;
        } else {
            memcpy(p + 9, values[i].data, here);
        }
        p = sl_page(file, SL_LEAF);
        sl_put(p + 16 + 2 * i, top, 2);
        sl_put(p + 10, 2, 2);
        sl_put(p + 12, 16 + 2 * (i + 1), 2);
        sl_put(p + 14, top, 2);
    }
}

#endif
