/*
 * base/rng.h - counter-based random streams: Philox 4x32-10.
 *
 * A stream is named by (seed, purpose, step, index), never by the order in which code runs, so any
 * thread or device can draw element i of a stream directly (Salmon et al. 2011, "Parallel random
 * numbers: as easy as 1, 2, 3").
 */
#ifndef T2_BASE_RNG_H
#define T2_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* What a stream is for; values are part of the reproducibility contract: append only. */
enum t2_purpose {
    T2_RNG_INIT = 1, /* initial values of variables */
    T2_RNG_DROPOUT = 2,
    T2_RNG_ORDER = 3,  /* sample order */
    T2_RNG_SAMPLE = 4, /* sampling while decoding */
    T2_RNG_AUGMENT = 5,
    T2_RNG_DATA = 6, /* synthetic data */
    T2_RNG_NOISE = 7,
    T2_RNG_TEST = 8,
    T2_RNG_SYMBOL = 9,  /* hparam symbol_dropout; index 0 inputs, 1 targets */
    T2_RNG_BRANCH = 10, /* how branches of an image model are mixed */
    T2_RNG_MIX = 11,    /* images of a batch mixed of two */
    T2_RNG_SEARCH = 12, /* hparams of the trials of a search */
    T2_RNG_TASK = 13    /* which problem of several a sample is of, and their orders */
};

struct t2_rng {
    uint32_t key[2];     /* from seed and purpose */
    uint32_t counter[4]; /* [0]: block, [1..3]: from step and index; see rng.c */
    uint32_t block[4];
    unsigned used; /* words of block already given; 4 = none left */
};

/* The raw function: 4 words for a counter and a key, 10 rounds. */
void t2_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Key for (seed, purpose). */
void t2_rng_key(uint64_t seed, enum t2_purpose purpose, uint32_t key[2]);

void t2_rng_init(struct t2_rng *r, uint64_t seed, enum t2_purpose purpose, uint64_t step,
                 uint64_t index);
uint32_t t2_rng_u32(struct t2_rng *r);
uint64_t t2_rng_u64(struct t2_rng *r);
uint64_t t2_rng_below(struct t2_rng *r, uint64_t n); /* uniform in [0, n), unbiased; n > 0 */
float t2_rng_uniform(struct t2_rng *r);              /* [0, 1), 24 bits */
double t2_rng_uniform_double(struct t2_rng *r);      /* [0, 1), 53 bits */
double t2_rng_normal(struct t2_rng *r);              /* Box-Muller */
/* x (n): the next n numbers, those of n calls of the functions above, at a few times their speed.
 */
void t2_rng_uniform_doubles(struct t2_rng *r, double *x, size_t n);
void t2_rng_normals(struct t2_rng *r, double *x, size_t n);
/* Goes on as if n numbers of two words each (double, normal, u64) had been drawn from a new stream;
 * n below 2^33. */
void t2_rng_seek(struct t2_rng *r, uint64_t n);

/* A pseudo-random permutation of [0, n) as a function: no table, element by element (a Feistel
 * network over the next power of four with cycle walking). */
struct t2_perm {
    uint64_t n;
    uint32_t key[2];
    unsigned half_bits;
};
void t2_perm_init(struct t2_perm *p, uint64_t n, uint64_t seed, enum t2_purpose purpose,
                  uint64_t step);
uint64_t t2_perm_at(const struct t2_perm *p, uint64_t i);

#endif
