/*
 * base/memory_available.h - how much memory this process may still take, and what it has.
 */
#ifndef T2_BASE_MEMORY_AVAILABLE_H
#define T2_BASE_MEMORY_AVAILABLE_H

#include <stdint.h>

/* Bytes: the kernel's MemAvailable, or less where a cgroup (v2, and all above it) or RLIMIT_AS
 * leaves less.  UINT64_MAX when nothing says. */
uint64_t t2_memory_available(void);

/* Bytes that this process could have if nobody else took any: the machine's, or what a cgroup or
 * RLIMIT_AS allows. */
uint64_t t2_memory_total(void);

/* Bytes of this process in main memory now, its libraries included; 0 when nothing says. */
uint64_t t2_memory_resident(void);
/* The most it ever was. */
uint64_t t2_memory_peak(void);

#endif
