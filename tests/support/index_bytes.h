/*
 * tests/support/index_bytes.h - a binary index from bytes that lie anywhere.
 */
#ifndef T2_TESTS_SUPPORT_INDEX_BYTES_H
#define T2_TESTS_SUPPORT_INDEX_BYTES_H

#include <string.h>

#include "base/alloc.h"
#include "tfrecord/index_format.h"

/* The parser wants them aligned, with nothing behind them; *ix owns the copy. */
static inline enum t2_status t_index_parse(const void *data, size_t len_bytes, const char *origin,
                                           struct tfr_index **ix, struct t2_err *err)
{
    void *copy = t2_alloc(len_bytes, 1); /* aligned for any type */
    enum t2_status st;

    if (len_bytes > 0)
        memcpy(copy, data, len_bytes);
    st = tfr_index_parse_in_place(copy, len_bytes, origin, ix, err);
    if (st == T2_OK)
        (*ix)->private_->owned = copy;
    else
        t2_free(copy);
    return st;
}

#endif
