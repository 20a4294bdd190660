/*
 * train/eval/common_subsequence.c - see the header.
 *
 * Bit-parallel (Hyyrö 2004): bit i of V is 0 where the row of the table steps up at word i of b.  A
 * word of a makes V = (V + U) | (V - U), U = V & the places of that word in b.  Blocks of 64 places
 * without the word change only while a carry runs through them, so others are not visited.
 */
#include "train/eval/common_subsequence.h"

#include <string.h>

#include "base/alloc.h"
#include "train/eval/occurrences.h"

struct ev_lcs {
    struct ev_occurrences places;
    uint64_t *v; /* blocks of b */
    size_t capacity;
};

struct ev_lcs *ev_lcs_new(void)
{
    return t2_alloc(1, sizeof(struct ev_lcs));
}

void ev_lcs_free(struct ev_lcs *l)
{
    if (!l)
        return;
    ev_occurrences_release(&l->places);
    t2_free(l->v);
    t2_free(l);
}

static void step(struct ev_lcs *l, size_t n_blocks, uint32_t word)
{
    const struct ev_place *p = ev_first_place(&l->places, word);
    uint64_t carry = 0;
    size_t block = 0;

    while (p || (carry && block < n_blocks)) {
        uint64_t v, u, sum;

        if (!carry)
            block = p->block;
        v = l->v[block];
        u = 0;
        if (p && p->block == block) {
            u = v & p->mask;
            p = ev_next_place(&l->places, p);
        }
        sum = v + u;
        l->v[block] = (sum + carry) | (v - u);
        carry = sum < v || sum + carry < sum;
        block++;
    }
}

uint64_t ev_lcs(struct ev_lcs *l, const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b)
{
    size_t n_blocks = (n_b + 63) / 64;
    uint64_t n = 0;

    if (n_a == 0 || n_b == 0)
        return 0;
    ev_occurrences_set(&l->places, b, n_b, n_a + n_b);
    if (n_blocks > l->capacity) {
        l->capacity = n_blocks + n_blocks / 2;
        l->v = t2_realloc(l->v, l->capacity, sizeof *l->v);
    }
    memset(l->v, 0xff, n_blocks * sizeof *l->v);
    for (size_t i = 0; i < n_a; i++)
        step(l, n_blocks, a[i]);
    for (size_t k = 0; k < n_blocks; k++)
        n += (uint64_t) __builtin_popcountll(~l->v[k]);
    return n;
}
