/*
 * base/heaps.c - see heaps.h.
 */
#include "base/heaps.h"

#include <malloc.h>

void t2_bound_heaps(void)
{
    enum { MMAP_FROM_BYTES = 256 << 10 };

    (void) mallopt(M_ARENA_MAX, 1);
    (void) mallopt(M_MMAP_THRESHOLD, MMAP_FROM_BYTES);
    (void) mallopt(M_TRIM_THRESHOLD, MMAP_FROM_BYTES);
}
