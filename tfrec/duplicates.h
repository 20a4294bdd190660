/*
 * tfrec/duplicates.h - how many records have been there before.
 *
 * Payloads are compared by 128 bits of hash.  While they fit into the memory allowed the number is
 * exact; beyond that only payloads whose hash begins with some zero bits stay, a fair sample, and
 * the number is an estimate.  One table for all threads: workers hash, one at a time inserts.
 */
#ifndef REC_DUPLICATES_H
#define REC_DUPLICATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct rec_hash128 {
    uint64_t a, b;
};
struct rec_hash128 rec_hash128(struct t2_slice payload);

struct rec_duplicates;
/* Below 64 KiB counts as that. */
struct rec_duplicates *rec_duplicates_new(uint64_t memory_bytes);
void rec_duplicates_free(struct rec_duplicates *d);
void rec_duplicates_add(struct rec_duplicates *d, const struct rec_hash128 *hashes, size_t n);

/* Records that equal one before them; how often the most frequent payload (of the sample)
 * occurs. */
uint64_t rec_duplicates_count(const struct rec_duplicates *d, bool *is_exact, uint64_t *most);

#endif
