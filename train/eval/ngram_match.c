/*
 * train/eval/ngram_match.c - see the header.
 *
 * N-grams of all orders share one numbering, 0 is the empty one: an n-gram of order k is the pair
 * (number of its first k - 1 parts, its last part), so one hash table holds all orders and no
 * n-gram is copied.  Single parts below FIRST have a table of their own, without hashing: ASCII
 * letters, the words of most segments.  Tables are not cleared between segments: a slot counts only
 * when it carries the segment's generation.
 */
#include "train/eval/ngram_match.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

enum { FIRST = 1024, FIRST_SLOTS = 4096 };

struct slot {
    uint64_t key; /* number << 32 | part */
    uint32_t number, generation;
};

struct first {
    uint32_t number, generation;
};

struct count {
    uint32_t left; /* in the references, not yet matched */
    uint32_t here; /* in the reference in hand, while there are several */
};

struct ev_ngrams {
    int order;
    struct first first[FIRST];
    struct slot *slots;
    size_t mask;          /* number of slots, a power of two, - 1 */
    struct count *counts; /* by number */
    size_t capacity;
    uint32_t n, generation; /* numbers given, 0 included */
    int n_references;
    uint64_t n_longest; /* different n-grams of the highest order in the references */
};

struct ev_ngrams *ev_ngrams_new(int order)
{
    struct ev_ngrams *g = t2_alloc(1, sizeof *g);

    T2_ASSERT(order >= 0 && order <= EV_NGRAM_MAX_ORDER);
    g->order = order;
    g->slots = t2_alloc(FIRST_SLOTS, sizeof *g->slots);
    g->mask = FIRST_SLOTS - 1;
    g->capacity = FIRST_SLOTS / 2;
    g->counts = t2_alloc(g->capacity, sizeof *g->counts);
    ev_ngrams_start(g);
    return g;
}

void ev_ngrams_free(struct ev_ngrams *g)
{
    if (!g)
        return;
    t2_free(g->slots);
    t2_free(g->counts);
    t2_free(g);
}

void ev_ngrams_start(struct ev_ngrams *g)
{
    g->n = 1;
    g->n_references = 0;
    g->n_longest = 0;
    if (++g->generation == 0) {
        memset(g->first, 0, sizeof g->first);
        memset(g->slots, 0, (g->mask + 1) * sizeof *g->slots);
        g->generation = 1;
    }
}

/* The slot of a pair: its own, or the free one where it would go. */
static struct slot *find(const struct ev_ngrams *g, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;

    for (size_t i = (hash ^ (hash >> 32)) & g->mask;; i = (i + 1) & g->mask) {
        struct slot *s = &g->slots[i];

        if (s->generation != g->generation || s->key == key)
            return s;
    }
}

static void grow(struct ev_ngrams *g)
{
    struct slot *old = g->slots;
    size_t n_old = g->mask + 1;

    g->slots = t2_alloc(2 * n_old, sizeof *g->slots);
    g->mask = 2 * n_old - 1;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].generation == g->generation)
            *find(g, old[i].key) = old[i];
    t2_free(old);
    g->capacity = n_old;
    g->counts = t2_realloc(g->counts, g->capacity, sizeof *g->counts);
}

static uint32_t new_number(struct ev_ngrams *g)
{
    g->counts[g->n] = (struct count){0, 0};
    return g->n++;
}

/* The number of an n-gram and one more part; 0 when there is none. */
static uint32_t known(const struct ev_ngrams *g, uint32_t number, uint32_t part)
{
    const struct slot *s;

    if (number == 0 && part < FIRST)
        return g->first[part].generation == g->generation ? g->first[part].number : 0;
    s = find(g, (uint64_t) number << 32 | part);
    return s->generation == g->generation ? s->number : 0;
}

/* The same; a new number when there is none. */
static uint32_t numbered(struct ev_ngrams *g, uint32_t number, uint32_t part)
{
    uint64_t key = (uint64_t) number << 32 | part;
    struct slot *s;

    if (g->n == g->capacity)
        grow(g);
    if (number == 0 && part < FIRST) {
        struct first *f = &g->first[part];

        if (f->generation != g->generation)
            *f = (struct first){new_number(g), g->generation};
        return f->number;
    }
    s = find(g, key);
    if (s->generation != g->generation)
        *s = (struct slot){key, new_number(g), g->generation};
    return s->number;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void ev_ngrams_reference(struct ev_ngrams *g, const uint32_t *parts, size_t n)
{
    bool another = g->n_references++ > 0;

    T2_ASSERT(n <= EV_NGRAM_MAX_PARTS);
    for (size_t i = 0; i < n; i++) {
        size_t end = smaller(n, i + (size_t) g->order);
        uint32_t number = 0;

        for (size_t k = i; k < end; k++) {
            uint32_t n_before = g->n;
            struct count *c;

            number = numbered(g, number, parts[k]);
            c = &g->counts[number];
            if (!another)
                c->left++;
            else if (++c->here > c->left)
                c->left = c->here;
            g->n_longest += g->n > n_before && k + 1 == i + (size_t) g->order;
        }
    }
    for (uint32_t i = 0; another && i < g->n; i++)
        g->counts[i].here = 0;
}

void ev_ngrams_match(struct ev_ngrams *g, const uint32_t *parts, size_t n, uint64_t *matches)
{
    for (int k = 0; k < g->order; k++)
        matches[k] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t end = smaller(n, i + (size_t) g->order);
        uint32_t number = 0;

        for (size_t k = i; k < end; k++) {
            number = known(g, number, parts[k]);
            if (number == 0)
                break; /* what is longer is not in the references either */
            if (g->counts[number].left > 0) {
                g->counts[number].left--;
                matches[k - i]++;
            }
        }
    }
}

void ev_ngrams_sets(struct ev_ngrams *g, const uint32_t *parts, size_t n,
                    struct ev_ngram_sets *sets)
{
    uint32_t n_known = g->n;

    *sets = (struct ev_ngram_sets){g->n_longest, 0, 0};
    for (size_t i = 0; i + (size_t) g->order <= n; i++) {
        uint32_t number = 0;

        for (size_t k = i; k < i + (size_t) g->order; k++)
            number = numbered(g, number, parts[k]);
        if (g->counts[number].here++ == 0) {
            sets->n_hypothesis++;
            sets->n_both += number < n_known;
        }
    }
}
