/*
 * tokenizer/byte_bpe.c - merging neighbours by rank.
 *
 * A short word is scanned again after each merge, which is quickest; a long one keeps its pairs in
 * a heap, so that a word of 100 kB takes no longer per byte.
 */
#include "tokenizer/byte_bpe.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/word_cache.h"

enum { SHORT_WORD = 64, FIRST_SLOTS = 64 };

/* ---- pairs ---- */

struct merge {
    int32_t left, right; /* left -1: a free slot */
    uint32_t rank;
    int32_t id;
};

struct tok_merges {
    struct merge *slots;
    size_t n_slots; /* a power of two */
    size_t n;
};

static const uint32_t NO_RANK = UINT32_MAX;

/*
 * Two multiplications by odd constants (the first is 2^64 over the golden ratio) with a shift
 * between them; bits from 20 up choose the slot. Ids are small and dense, so without mixing
 * neighbours would fill runs of slots.
 */
static size_t slot_of(const struct tok_merges *m, int32_t left, int32_t right)
{
    uint64_t h =
        ((uint64_t) (uint32_t) left << 32 | (uint32_t) right) * UINT64_C(0x9E3779B97F4A7C15);

    return (size_t) ((h ^ h >> 29) * UINT64_C(0xD6E8FEB86659FD93) >> 20) & (m->n_slots - 1);
}

static void empty_slots(struct tok_merges *m, size_t n_slots)
{
    m->n_slots = n_slots;
    m->slots = t2_alloc(n_slots, sizeof *m->slots);
    for (size_t i = 0; i < n_slots; i++)
        m->slots[i].left = -1;
}

struct tok_merges *tok_merges_new(size_t n_expected)
{
    struct tok_merges *m = t2_alloc(1, sizeof *m);
    size_t n = FIRST_SLOTS;

    while (n < 2 * n_expected)
        n *= 2;
    empty_slots(m, n);
    return m;
}

void tok_merges_free(struct tok_merges *m)
{
    if (!m)
        return;
    t2_free(m->slots);
    t2_free(m);
}

/* The pair's slot, or the free one where it belongs. */
static struct merge *find(const struct tok_merges *m, int32_t left, int32_t right)
{
    size_t at = slot_of(m, left, right);

    while (m->slots[at].left >= 0 && (m->slots[at].left != left || m->slots[at].right != right))
        at = (at + 1) & (m->n_slots - 1);
    return &m->slots[at];
}

void tok_merges_add(struct tok_merges *m, int32_t left, int32_t right, uint32_t rank, int32_t id)
{
    const struct merge *s = find(m, left, right);

    if (s->left < 0 || s->rank > rank)
        tok_merges_set(m, left, right, rank, id);
}

void tok_merges_set(struct tok_merges *m, int32_t left, int32_t right, uint32_t rank, int32_t id)
{
    struct merge *s = find(m, left, right);

    T2_ASSERT(left >= 0 && right >= 0);
    m->n += s->left < 0;
    *s = (struct merge){left, right, rank, id};
    if (2 * m->n > m->n_slots) {
        struct merge *old = m->slots;
        size_t n_old = m->n_slots;

        empty_slots(m, 2 * n_old);
        for (size_t i = 0; i < n_old; i++)
            if (old[i].left >= 0)
                *find(m, old[i].left, old[i].right) = old[i];
        t2_free(old);
    }
}

/* ---- short words ---- */

/*
 * At most 64 symbols: a scan for the lowest rank, a merge, two look-ups; quadratic, but all of it
 * in registers and the nearest cache.  Ties go to the leftmost pair, as in the originals.
 */
static void merge_short(const struct tok_merges *m, int32_t *s, size_t n, struct tok_ids *out)
{
    const struct merge *pairs[SHORT_WORD];

    for (size_t i = 0; i + 1 < n; i++)
        pairs[i] = find(m, s[i], s[i + 1]);
    for (;;) {
        size_t best = n;
        uint32_t rank = NO_RANK;

        for (size_t i = 0; i + 1 < n; i++)
            if (pairs[i]->left >= 0 && pairs[i]->rank < rank) {
                rank = pairs[i]->rank;
                best = i;
            }
        if (best == n)
            break;
        s[best] = pairs[best]->id;
        memmove(s + best + 1, s + best + 2, (n - best - 2) * sizeof *s);
        memmove(pairs + best, pairs + best + 1, (n - best - 2) * sizeof *pairs);
        n--;
        if (best + 1 < n)
            pairs[best] = find(m, s[best], s[best + 1]);
        if (best > 0)
            pairs[best - 1] = find(m, s[best - 1], s[best]);
    }
    tok_ids_append(out, s, n);
}

/* ---- long words ---- */

struct node {
    int32_t id; /* -1: merged into the one before */
    int32_t before, after;
};

struct candidate {
    uint32_t rank;
    int32_t left_at, left, right; /* stale when the nodes hold other ids */
    int32_t id;
};

struct heap {
    struct candidate *items;
    size_t n, capacity;
};

static bool comes_before(const struct candidate *a, const struct candidate *b)
{
    return a->rank < b->rank || (a->rank == b->rank && a->left_at < b->left_at);
}

static void push(struct heap *h, struct candidate c)
{
    size_t i = h->n++;

    if (h->n > h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 256;
        h->items = t2_realloc(h->items, h->capacity, sizeof *h->items);
    }
    for (; i > 0 && comes_before(&c, &h->items[(i - 1) / 2]); i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = c;
}

static struct candidate pop(struct heap *h)
{
    struct candidate top = h->items[0], last = h->items[--h->n];
    size_t i = 0;

    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && comes_before(&h->items[child + 1], &h->items[child]))
            child++;
        if (!comes_before(&h->items[child], &last))
            break;
        h->items[i] = h->items[child];
    }
    if (h->n > 0)
        h->items[i] = last;
    return top;
}

/*
 * Puts the pair (left, the symbol after it) into the heap when it has a merge. left: index into
 * nodes, -1 in front of the first.
 */
static void consider(const struct tok_merges *m, struct heap *h, const struct node *nodes,
                     int32_t left)
{
    const struct merge *s;

    if (left < 0 || nodes[left].after < 0)
        return;
    s = find(m, nodes[left].id, nodes[nodes[left].after].id);
    if (s->left >= 0)
        push(h, (struct candidate){s->rank, left, s->left, s->right, s->id});
}

/*
 * Symbols as a list, pairs in a heap by rank and place.  A merge makes two new pairs and leaves up
 * to two stale ones in the heap, which are recognised when they come out: n log n.
 */
static void merge_long(const struct tok_merges *m, const int32_t *symbols, size_t n,
                       struct tok_ids *out)
{
    struct node *nodes = t2_alloc(n, sizeof *nodes);
    struct heap h = {NULL, 0, 0};

    for (size_t i = 0; i < n; i++)
        nodes[i] = (struct node){symbols[i], (int32_t) i - 1, i + 1 < n ? (int32_t) i + 1 : -1};
    for (size_t i = 0; i + 1 < n; i++)
        consider(m, &h, nodes, (int32_t) i);
    while (h.n > 0) {
        struct candidate c = pop(&h);
        struct node *left = &nodes[c.left_at];
        int32_t right = left->after;

        if (left->id != c.left || right < 0 || nodes[right].id != c.right)
            continue;
        left->id = c.id;
        left->after = nodes[right].after;
        nodes[right].id = -1;
        if (left->after >= 0)
            nodes[left->after].before = c.left_at;
        consider(m, &h, nodes, left->before);
        consider(m, &h, nodes, c.left_at);
    }
    for (int32_t i = 0; i >= 0; i = nodes[i].after)
        tok_ids_push(out, nodes[i].id);
    t2_free(h.items);
    t2_free(nodes);
}

void tok_merge_symbols(const struct tok_merges *m, const int32_t *symbols, size_t n,
                       struct tok_ids *out)
{
    int32_t copy[SHORT_WORD];

    if (n == 0)
        return;
    if (n > SHORT_WORD) {
        merge_long(m, symbols, n, out);
        return;
    }
    memcpy(copy, symbols, n * sizeof *copy);
    merge_short(m, copy, n, out);
}

/* ---- bytes ---- */

void tok_byte_bpe_release(struct tok_byte_bpe *b)
{
    tok_merges_free(b->merges);
    t2_map_free(b->whole);
}

/*
 * A piece that is an entry as a whole needs no merges; tiktoken looks it up first, so ranks that
 * do not lead there by merging count too. Bytes without an id are left out.
 */
void tok_byte_bpe_cut(const struct tok_byte_bpe *b, const uint8_t *piece, size_t len_bytes,
                      struct tok_ids *ids)
{
    int32_t few[SHORT_WORD], *symbols = few;
    size_t n = 0;

    if (b->whole) {
        const uint64_t *id = t2_map_find(b->whole, piece, len_bytes);

        if (id) {
            tok_ids_push(ids, (int32_t) *id);
            return;
        }
    }
    if (len_bytes > SHORT_WORD)
        symbols = t2_alloc(len_bytes, sizeof *symbols);
    for (size_t i = 0; i < len_bytes; i++)
        if (b->bytes[piece[i]] >= 0)
            symbols[n++] = b->bytes[piece[i]];
    tok_merge_symbols(b->merges, symbols, n, ids);
    if (symbols != few)
        t2_free(symbols);
}

enum t2_status tok_byte_bpe_encode(const struct tok_byte_bpe *b, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct t2_err *err)
{
    struct tok_pending batch[TOK_BATCH];
    size_t at = 0, n = 0;

    while (at < len_bytes) {
        size_t piece = tok_piece_bytes(b->pattern, text + at, len_bytes - at);

        if (!cache) {
            tok_byte_bpe_cut(b, text + at, piece, ids);
        } else {
            batch[n].word = text + at;
            batch[n].len_bytes = piece;
            tok_cache_prepare(cache, &batch[n], text, len_bytes);
            if (++n == TOK_BATCH) {
                T2_TRY(tok_cache_encode(cache, batch, n, ids, err));
                n = 0;
            }
        }
        at += piece;
    }
    return n > 0 ? tok_cache_encode(cache, batch, n, ids, err) : T2_OK;
}
