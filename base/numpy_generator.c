/*
 * base/numpy_generator.c - PCG64 (O'Neill 2014, XSL-RR output) and NumPy's SeedSequence, whose
 * streams NumPy has frozen: every draw here takes as many words as NumPy's does.
 */
#include "base/numpy_generator.h"

#include "base/err.h"

__extension__ typedef unsigned __int128 u128;

/* ---- SeedSequence: any entropy becomes four well mixed words, these any number of words ---- */

enum { POOL = 4, SEED_WORDS = 2, STATE_WORDS = 8 };

static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t multiplier)
{
    value ^= *constant;
    *constant *= multiplier;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;

    return r ^ r >> 16;
}

static void seed_sequence(uint64_t seed, uint32_t words[STATE_WORDS])
{
    uint32_t entropy[SEED_WORDS] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
    uint32_t pool[POOL], constant = 0x43b0d7e5u;

    for (int i = 0; i < POOL; i++)
        pool[i] = hash(i < SEED_WORDS ? entropy[i] : 0, &constant, 0x931e8875u);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] = mix(pool[to], hash(pool[from], &constant, 0x931e8875u));
    constant = 0x8b51f9ddu;
    for (int i = 0; i < STATE_WORDS; i++)
        words[i] = hash(pool[i % POOL], &constant, 0x58f38dedu);
}

/* ---- PCG64 ---- */

static u128 join(uint64_t high, uint64_t low)
{
    return (u128) high << 64 | low;
}

static u128 step(u128 state, u128 increment)
{
    return state * join(0x2360ed051fc65da4u, 0x4385df649fccf645u) + increment;
}

static uint64_t output(u128 state)
{
    uint64_t x = (uint64_t) (state >> 64) ^ (uint64_t) state;
    unsigned turn = (unsigned) (state >> 122);

    return x >> turn | x << (-turn & 63);
}

static u128 load(const uint64_t words[2])
{
    return join(words[1], words[0]);
}

static void store(uint64_t words[2], u128 v)
{
    words[0] = (uint64_t) v;
    words[1] = (uint64_t) (v >> 64);
}

void t2_generator_seed(struct t2_generator *g, uint64_t seed)
{
    uint32_t w[STATE_WORDS];
    uint64_t word[STATE_WORDS / 2];
    u128 increment, state;

    seed_sequence(seed, w);
    for (int i = 0; i < STATE_WORDS / 2; i++)
        word[i] = (uint64_t) w[2 * i + 1] << 32 | w[2 * i];
    increment = join(word[2], word[3]) << 1 | 1;
    state = step(0, increment) + join(word[0], word[1]);
    store(g->increment, increment);
    store(g->state, step(state, increment));
    g->has_half = false;
    g->half = 0;
}

uint64_t t2_generator_u64(struct t2_generator *g)
{
    u128 state = step(load(g->state), load(g->increment));

    store(g->state, state);
    return output(state);
}

uint32_t t2_generator_u32(struct t2_generator *g)
{
    uint64_t word;

    if (g->has_half) {
        g->has_half = false;
        return g->half;
    }
    word = t2_generator_u64(g);
    g->has_half = true;
    g->half = (uint32_t) (word >> 32);
    return (uint32_t) word;
}

/*
 * Lemire's method: the high half of draw * bound, again while the low half is one of the 2^32 mod
 * bound values that would make some numbers more likely.  Whole words are taken in the inner loop,
 * so that the state stays in registers.
 */
void t2_generator_integers(struct t2_generator *g, uint32_t bound, uint32_t *out, size_t n)
{
    uint32_t threshold;
    size_t i = 0;
    u128 state, increment;

    T2_ASSERT(bound > 0);
    if (bound == 1) { /* nothing is drawn */
        for (; i < n; i++)
            out[i] = 0;
        return;
    }
    threshold = -bound % bound;
    while (i < n && g->has_half) {
        uint64_t m = (uint64_t) t2_generator_u32(g) * bound;

        out[i] = (uint32_t) (m >> 32);
        i += (uint32_t) m >= threshold;
    }
    state = load(g->state);
    increment = load(g->increment);
    while (i + 1 < n) {
        uint64_t word, low, high;

        state = step(state, increment);
        word = output(state);
        low = (uint64_t) (uint32_t) word * bound;
        high = (word >> 32) * bound;
        out[i] = (uint32_t) (low >> 32);
        i += (uint32_t) low >= threshold;
        out[i] = (uint32_t) (high >> 32);
        i += (uint32_t) high >= threshold;
    }
    store(g->state, state);
    while (i < n) {
        uint64_t m = (uint64_t) t2_generator_u32(g) * bound;

        out[i] = (uint32_t) (m >> 32);
        i += (uint32_t) m >= threshold;
    }
}
