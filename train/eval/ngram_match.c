/*
 * train/eval/ngram_match.c - see the header.
 *
 * Clipped counts of n-grams up to order 4 of one segment: an n-gram of the hypothesis matches as
 * often as it stands in the reference.  Tokens and n-grams share one numbering: an n-gram of order
 * k is the pair (number of its first k - 1 tokens, number of its last), so one hash table holds all
 * orders and no n-gram is copied.  Tables are not cleared between segments: a slot counts only when
 * it carries the segment's generation.
 */
#include "train/eval/ngram_match.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

static const uint32_t none = UINT32_MAX; /* number of what the reference does not have */

struct token_slot {
    struct t2_slice token;
    uint64_t hash;
    uint32_t number, generation;
};

struct pair_slot {
    uint64_t key;
    uint32_t number, generation;
};

struct tokens {
    struct t2_slice *items;
    size_t n, capacity;
};

struct ev_ngrams {
    struct tokens hypothesis, reference;
    uint32_t *ids; /* of the tokens in hand */
    size_t ids_capacity;
    struct token_slot *token_slots;
    struct pair_slot *pair_slots;
    size_t token_mask, pair_mask; /* sizes - 1, powers of two - 1 */
    uint32_t *left;               /* by number: occurrences in the reference not yet matched */
    size_t left_capacity;
    uint32_t n_numbers, generation;
};

struct ev_ngrams *ev_ngrams_new(void)
{
    return t2_alloc(1, sizeof(struct ev_ngrams));
}

void ev_ngrams_free(struct ev_ngrams *g)
{
    if (!g)
        return;
    t2_free(g->hypothesis.items);
    t2_free(g->reference.items);
    t2_free(g->ids);
    t2_free(g->token_slots);
    t2_free(g->pair_slots);
    t2_free(g->left);
    t2_free(g);
}

static void cut(struct t2_slice text, struct tokens *t)
{
    const uint8_t *p = text.data, *end = text.len_bytes ? p + text.len_bytes : p;

    t->n = 0;
    while (p < end) {
        const uint8_t *blank = memchr(p, ' ', (size_t) (end - p));
        const uint8_t *stop = blank ? blank : end;

        if (t->n == t->capacity) {
            t->capacity = t->capacity ? 2 * t->capacity : 64;
            t->items = t2_realloc(t->items, t->capacity, sizeof *t->items);
        }
        t->items[t->n++] = (struct t2_slice){p, (size_t) (stop - p)};
        p = blank ? blank + 1 : end;
    }
}

static size_t power_above(size_t n)
{
    size_t p = 64;

    while (p < n)
        p *= 2;
    return p;
}

/* Makes room for a reference of n tokens and forgets the last segment. */
static void start_segment(struct ev_ngrams *g, size_t n_reference, size_t n_hypothesis)
{
    size_t n_ids = n_reference > n_hypothesis ? n_reference : n_hypothesis;
    size_t n_slots = power_above(2 * n_reference);

    T2_ASSERT(n_reference < UINT32_MAX / EV_NGRAM_ORDER);
    if (n_ids > g->ids_capacity) {
        g->ids_capacity = power_above(n_ids);
        g->ids = t2_realloc(g->ids, g->ids_capacity, sizeof *g->ids);
    }
    if (EV_NGRAM_ORDER * n_reference > g->left_capacity) {
        g->left_capacity = power_above(EV_NGRAM_ORDER * n_reference);
        g->left = t2_realloc(g->left, g->left_capacity, sizeof *g->left);
    }
    if (!g->token_slots || n_slots > g->token_mask + 1 || ++g->generation == 0) {
        t2_free(g->token_slots);
        t2_free(g->pair_slots);
        g->token_slots = t2_alloc(n_slots, sizeof *g->token_slots);
        g->pair_slots = t2_alloc(4 * n_slots, sizeof *g->pair_slots); /* 3 pairs per token */
        g->token_mask = n_slots - 1;
        g->pair_mask = 4 * n_slots - 1;
        g->generation = 1;
    }
    g->n_numbers = 0;
}

/* The slot of a token: its own, or the free one where it would go. */
static struct token_slot *find_token(const struct ev_ngrams *g, struct t2_slice token,
                                     uint64_t hash)
{
    for (size_t i = hash & g->token_mask;; i = (i + 1) & g->token_mask) {
        struct token_slot *s = &g->token_slots[i];

        if (s->generation != g->generation || (s->hash == hash && t2_slice_eq(s->token, token)))
            return s;
    }
}

static struct pair_slot *find_pair(const struct ev_ngrams *g, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;

    for (size_t i = (hash ^ (hash >> 32)) & g->pair_mask;; i = (i + 1) & g->pair_mask) {
        struct pair_slot *s = &g->pair_slots[i];

        if (s->generation != g->generation || s->key == key)
            return s;
    }
}

static uint32_t new_number(struct ev_ngrams *g)
{
    g->left[g->n_numbers] = 0;
    return g->n_numbers++;
}

static void add_reference(struct ev_ngrams *g)
{
    size_t n = g->reference.n;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice token = g->reference.items[i];
        uint64_t hash = t2_hash64(token.data, token.len_bytes, 0);
        struct token_slot *s = find_token(g, token, hash);

        if (s->generation != g->generation)
            *s = (struct token_slot){token, hash, new_number(g), g->generation};
        g->ids[i] = s->number;
        g->left[s->number]++;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t number = g->ids[i];

        for (size_t k = i + 1; k < n && k < i + EV_NGRAM_ORDER; k++) {
            uint64_t key = (uint64_t) number << 32 | g->ids[k];
            struct pair_slot *s = find_pair(g, key);

            if (s->generation != g->generation)
                *s = (struct pair_slot){key, new_number(g), g->generation};
            number = s->number;
            g->left[number]++;
        }
    }
}

/* One more of n-gram `number` in the hypothesis: 1 when the reference still has one. */
static unsigned take(struct ev_ngrams *g, uint32_t number)
{
    if (g->left[number] == 0)
        return 0;
    g->left[number]--;
    return 1;
}

static void match_hypothesis(struct ev_ngrams *g, uint64_t matches[EV_NGRAM_ORDER])
{
    size_t n = g->hypothesis.n;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice token = g->hypothesis.items[i];
        struct token_slot *s = find_token(g, token, t2_hash64(token.data, token.len_bytes, 0));

        g->ids[i] = s->generation == g->generation ? s->number : none;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t number = g->ids[i];

        if (number == none)
            continue;
        matches[0] += take(g, number);
        for (size_t k = i + 1; k < n && k < i + EV_NGRAM_ORDER; k++) {
            struct pair_slot *s;

            if (g->ids[k] == none)
                break;
            s = find_pair(g, (uint64_t) number << 32 | g->ids[k]);
            if (s->generation != g->generation)
                break; /* what is longer is not in the reference either */
            number = s->number;
            matches[k - i] += take(g, number);
        }
    }
}

void ev_ngrams_add(struct ev_ngrams *g, struct t2_slice hypothesis, struct t2_slice reference,
                   struct ev_ngram_counts *counts)
{
    cut(hypothesis, &g->hypothesis);
    cut(reference, &g->reference);
    counts->hypothesis_length += g->hypothesis.n;
    counts->reference_length += g->reference.n;
    for (size_t k = 0; k < EV_NGRAM_ORDER && k < g->hypothesis.n; k++)
        counts->possible[k] += g->hypothesis.n - k;
    start_segment(g, g->reference.n, g->hypothesis.n);
    add_reference(g);
    match_hypothesis(g, counts->matches);
}
