/*
 * base/mt19937.h - the Mersenne Twister as CPython's `random` uses it (spec t2t-datagen.md §11).
 */
#ifndef T2_BASE_MT19937_H
#define T2_BASE_MT19937_H

#include <stdint.h>

struct t2_mt {
    uint32_t state[624];
    unsigned next;
};

void t2_mt_seed_python(struct t2_mt *mt, uint64_t seed); /* random.seed(int) */
void t2_mt_seed_numpy(struct t2_mt *mt, uint32_t seed);  /* numpy.random.seed(int) */
uint32_t t2_mt_u32(struct t2_mt *mt);
uint64_t t2_mt_below(struct t2_mt *mt, uint64_t n); /* random._randbelow, n > 0 */
double t2_mt_random(struct t2_mt *mt);              /* random.random() */
/* random.shuffle on an index array. */
void t2_mt_shuffle_u32(struct t2_mt *mt, uint32_t *items, uint64_t n);
void t2_mt_shuffle_u64(struct t2_mt *mt, uint64_t *items, uint64_t n);
void t2_mt_skip_shuffle(struct t2_mt *mt, uint64_t n); /* draws as for a list of n items */

#endif
