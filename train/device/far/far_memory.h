/*
 * train/device/far/far_memory.h - device memory that the host cannot touch.
 *
 * Two ranges of addresses of the same size lie one behind the other.  Pointers that the program
 * gets are of the first, which can be neither read nor written: the program ends with SIGSEGV where
 * it tries.  The queue's thread works with the same place of the second range, the near one.
 */
#ifndef DEV_FAR_MEMORY_H
#define DEV_FAR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A free piece of the range; sorted, neighbours joined. */
struct far_hole {
    uint64_t at, bytes;
};

struct far_memory {
    char *base;
    uint64_t range_bytes;
    struct far_hole *holes;
    size_t n_holes, holes_capacity;
    struct far_hole *pieces; /* that are given out, sorted */
    size_t n_pieces, pieces_capacity;
    uint64_t used_bytes, limit_bytes;
};

T2_MUST_CHECK enum t2_status dev_far_memory_open(struct far_memory *m, uint64_t limit_bytes,
                                                 struct t2_err *err);
void dev_far_memory_close(struct far_memory *m);

/* A far pointer, aligned to DEV_ALIGN_BYTES; NULL beyond the limit. */
void *dev_far_memory_take(struct far_memory *m, size_t bytes);
/* Gives a piece back; returns its size.  p must be one. */
size_t dev_far_memory_give(struct far_memory *m, void *p);

/* Replaces every aligned word of a struct of arguments that is a far pointer by the near one, where
 * the queue's thread reads and writes; other words stay. */
void dev_far_near_all(const struct far_memory *m, void *arguments, size_t bytes);

#endif
