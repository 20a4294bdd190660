/*
 * base/numpy_generator.h - NumPy's generator of today, numpy.random.default_rng(seed): PCG64,
 * seeded by a SeedSequence.  The legacy one is in numpy_random.h.
 *
 * A stream of 64-bit words; draws of 32 bits take the low half of a word, then its high half.
 */
#ifndef T2_BASE_NUMPY_GENERATOR_H
#define T2_BASE_NUMPY_GENERATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct t2_generator {
    uint64_t state[2], increment[2]; /* 128 bits each, the low half first */
    bool has_half;
    uint32_t half; /* the high half of a word whose low half was given */
};

void t2_generator_seed(struct t2_generator *g, uint64_t seed); /* default_rng(seed) */
uint64_t t2_generator_u64(struct t2_generator *g);
uint32_t t2_generator_u32(struct t2_generator *g);

/* n draws of Generator.integers(0, bound), which Generator.choice(bound) with replacement makes,
 * too.  bound > 0. */
void t2_generator_integers(struct t2_generator *g, uint32_t bound, uint32_t *out, size_t n);

/* Draws of Generator.integers(2, dtype=bool), a bit each.  What is drawn between two zeroed structs
 * is one call of NumPy's: the bits of a word that are left are dropped. */
struct t2_generator_bits {
    uint32_t word; /* those that are left, the next one lowest */
    int n_left;
};
/* The next n of them, 1 ... 32, the first one lowest. */
static inline uint32_t t2_generator_draw_bits(struct t2_generator *g,
                                              struct t2_generator_bits *bits, int n)
{
    uint32_t drawn = bits->word;
    int more = n - bits->n_left;

    if (more > 0) {
        uint32_t word = t2_generator_u32(g);

        drawn |= word << bits->n_left;
        bits->word = more < 32 ? word >> more : 0;
        bits->n_left = 32 - more;
    } else {
        bits->word = n < 32 ? bits->word >> n : 0;
        bits->n_left -= n;
    }
    return n < 32 ? drawn & ((UINT32_C(1) << n) - 1) : drawn;
}

#endif
