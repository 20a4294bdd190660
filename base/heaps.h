/*
 * base/heaps.h - the heaps of a program whose memory has a limit.
 */
#ifndef T2_BASE_HEAPS_H
#define T2_BASE_HEAPS_H

/* One heap for all threads, and large blocks that are freed go back to the system at once: what is
 * in use is what the program holds.  Called before there are threads. */
void t2_bound_heaps(void);

#endif
