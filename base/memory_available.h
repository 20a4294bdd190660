/*
 * base/memory_available.h - how much memory this process may still take, and what it has.
 */
#ifndef T2_BASE_MEMORY_AVAILABLE_H
#define T2_BASE_MEMORY_AVAILABLE_H

#include <stdint.h>

/* Bytes: the kernel's MemAvailable, or less where a cgroup (v2, and all above it) or RLIMIT_AS
 * leaves less.  UINT64_MAX when it cannot be determined. */
uint64_t t2_memory_available(void);

/* Bytes that this process could have if no other process used any: the machine's, or the limit of a
 * cgroup or RLIMIT_AS. */
uint64_t t2_memory_total(void);

/* Bytes of this process in main memory now, its libraries included, and what earlier calls saw of
 * files and is away; 0 when it cannot be determined. */
uint64_t t2_memory_resident(void);
/* The most it ever was. */
uint64_t t2_memory_peak(void);

#endif
