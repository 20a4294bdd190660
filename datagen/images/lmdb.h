/*
 * datagen/images/lmdb.h - reading a data.mdb of LMDB: the values of its main database, in the order
 * of their keys.
 *
 * Format of LMDB 0.9 as 64-bit little-endian machines write it.  Nothing in the file is trusted: a
 * walk takes at most twice as many bytes of pages and entries as the file has.
 */
#ifndef DG_LMDB_H
#define DG_LMDB_H

#include <stddef.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/buf.h"
#include "base/err.h"

enum { DG_LMDB_DEPTH = 32 };

/* Where a walk is. */
struct dg_lmdb {
    struct t2_slice file;
    const char *origin;
    struct t2_budget budget;
    size_t page_bytes;
    uint64_t n_entries, n_given;
    size_t depth; /* pages of the stack; 0: at the end */
    struct {
        uint64_t page;
        size_t at, n;
    } stack[DG_LMDB_DEPTH];
};

/* file is borrowed as long as *m is used, origin is for messages.  T2_EFORMAT. */
T2_MUST_CHECK enum t2_status dg_lmdb_open(struct t2_slice file, const char *origin,
                                          struct dg_lmdb *m, struct t2_err *err);
/* The next entry, borrowed from the file.  T2_EOF behind the last; T2_EFORMAT names the page. */
T2_MUST_CHECK enum t2_status dg_lmdb_next(struct dg_lmdb *m, struct t2_slice *key,
                                          struct t2_slice *value, struct t2_err *err);

#endif
