/*
 * vocab/length_histogram.h - how many lines have which length, in bounded memory.
 *
 * Lengths below VOC_EXACT_LENGTHS are counted one by one; longer ones by steps of at most 1/512 of
 * themselves, and a percentile among those is the longest length that was seen in its step.
 */
#ifndef VOC_LENGTH_HISTOGRAM_H
#define VOC_LENGTH_HISTOGRAM_H

#include <stdint.h>

enum { VOC_EXACT_LENGTHS = 1 << 16 };

/* 2 MiB. */
struct voc_lengths;
struct voc_lengths *voc_lengths_new(void);
void voc_lengths_free(struct voc_lengths *h);

void voc_lengths_add(struct voc_lengths *h, uint64_t length);
/* Adds all of `other`: order does not matter. */
void voc_lengths_join(struct voc_lengths *h, const struct voc_lengths *other);

uint64_t voc_lengths_count(const struct voc_lengths *h);

/* The smallest length that at least per_mille / 1000 of all do not exceed; 0 when empty. */
uint64_t voc_lengths_percentile(const struct voc_lengths *h, unsigned per_mille);
/* How many are at most `length`, which must be below VOC_EXACT_LENGTHS. */
uint64_t voc_lengths_at_most(const struct voc_lengths *h, uint64_t length);

#endif
