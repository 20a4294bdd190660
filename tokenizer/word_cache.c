/*
 * tokenizer/word_cache.c - an open hash table from words to ids.
 *
 *   slots (1 << slots_log2), 32 bytes each, at most half full, linear probing
 *   | key 16 | n 4 | ids 3 x 4 |     short word, up to three ids: everything in one slot
 *   | key 16 | n 4 | i, w, -   |     n with ELSEWHERE: ids at more_ids[i], word at long_words[w]
 *
 * A key holds a word of up to 15 bytes itself, so comparing keys compares words.  Two slots fill a
 * cache line.  The prefetch of a whole batch of words comes first (tok_cache_prepare), so that
 * misses overlap; what is left of the time is the latency of the table's memory: 100,000 words
 * are 8 MB.
 *
 * Measured (bench/results/2026-11-21-tokenizer-notes.md, warm): slots aligned and in large pages
 * 1.17, moving a word found late to its first slot and one branch per word 1.07, the inner loop
 * below entirely in registers 1.11.
 */
#include "tokenizer/word_cache.h"

#include <string.h>

#include "base/alloc.h"
#include "tokenizer/encoder_kinds.h"

enum { FIRST_SLOTS_LOG2 = 12, DEFAULT_CACHE_BYTES = 64 << 20, MIN_CACHE_BYTES = 1 << 20 };

static const uint32_t ELSEWHERE = (uint32_t) 1 << 31;

/* In large pages where the system has them: without, prefetches wait for page walks and the cache
 * is 0.88 times as fast. */
static void new_slots(struct tok_cache *c, unsigned slots_log2)
{
    c->slots_log2 = slots_log2;
    c->slots = t2_alloc_aligned(sizeof *c->slots << slots_log2);
    if (!c->slots)
        t2_out_of_memory("cannot allocate %zu bytes for words", sizeof *c->slots << slots_log2);
}

struct tok_cache *tok_cache_new(const struct tok_encoder *e, size_t max_bytes)
{
    struct tok_cache *c = t2_alloc(1, sizeof *c);

    c->e = e;
    c->max_bytes = max_bytes > 0 ? max_bytes : DEFAULT_CACHE_BYTES;
    if (c->max_bytes < MIN_CACHE_BYTES)
        c->max_bytes = MIN_CACHE_BYTES;
    t2_buf_init(&c->long_words);
    t2_buf_init(&c->scratch);
    new_slots(c, FIRST_SLOTS_LOG2);
    return c;
}

void tok_cache_free(struct tok_cache *c)
{
    if (!c)
        return;
    t2_free_aligned(c->slots);
    tok_ids_release(&c->more_ids);
    t2_buf_release(&c->long_words);
    t2_buf_release(&c->scratch);
    tok_ids_release(&c->cut);
    t2_free(c);
}

static size_t n_slots(const struct tok_cache *c)
{
    return (size_t) 1 << c->slots_log2;
}

static void empty_cache(struct tok_cache *c)
{
    memset(c->slots, 0, n_slots(c) * sizeof *c->slots);
    c->n_words = 0;
    c->more_ids.n = 0;
    t2_buf_clear(&c->long_words);
}

static void grow(struct tok_cache *c)
{
    struct tok_cache_slot *old = c->slots;
    size_t n_old = n_slots(c), mask;

    new_slots(c, c->slots_log2 + 1);
    mask = n_slots(c) - 1;
    for (size_t i = 0; i < n_old; i++) {
        size_t at;

        if (old[i].n == 0)
            continue;
        at = (size_t) (tok_key_hash(old[i].key) >> (64 - c->slots_log2));
        while (c->slots[at].n != 0)
            at = (at + 1) & mask;
        c->slots[at] = old[i];
    }
    t2_free_aligned(old);
}

/* Makes room for one more word; a cache that may not grow is emptied. */
static void make_room(struct tok_cache *c, size_t word_bytes)
{
    size_t extra = c->more_ids.n * sizeof(int32_t) + c->long_words.len_bytes + word_bytes;
    bool full = c->n_words * 2 >= n_slots(c);
    size_t slot_bytes = n_slots(c) * sizeof *c->slots * (full ? 2 : 1);

    if (c->n_words > 0 && (slot_bytes + extra > c->max_bytes || extra > INT32_MAX))
        empty_cache(c);
    else if (full)
        grow(c);
}

static bool is_word(const struct tok_cache *c, const struct tok_cache_slot *s,
                    const struct tok_pending *p)
{
    const uint8_t *at;
    size_t len;

    if (!tok_key_eq(s->key, p->key))
        return false;
    if (p->len_bytes <= TOK_SHORT_WORD)
        return true;
    at = c->long_words.data + s->ids[1];
    memcpy(&len, at, sizeof len);
    return len == p->len_bytes && memcmp(at + sizeof len, p->word, len) == 0;
}

static void remember(struct tok_cache *c, const struct tok_pending *p)
{
    struct tok_cache_slot s = {.key = p->key, .n = (uint32_t) c->cut.n};
    size_t mask, at;

    if (c->cut.n == 0 || p->len_bytes + c->cut.n * sizeof(int32_t) > c->max_bytes / 8)
        return;
    make_room(c, p->len_bytes + c->cut.n * sizeof(int32_t) + sizeof(size_t));
    if (p->len_bytes > TOK_SHORT_WORD || c->cut.n > TOK_CACHE_SLOT_IDS) {
        s.n |= ELSEWHERE;
        s.ids[0] = (int32_t) c->more_ids.n;
        tok_ids_append(&c->more_ids, c->cut.items, c->cut.n);
    } else {
        memcpy(s.ids, c->cut.items, c->cut.n * sizeof(int32_t));
    }
    if (p->len_bytes > TOK_SHORT_WORD) {
        s.ids[1] = (int32_t) c->long_words.len_bytes;
        t2_buf_append(&c->long_words, &p->len_bytes, sizeof p->len_bytes);
        t2_buf_append(&c->long_words, p->word, p->len_bytes);
    }
    mask = n_slots(c) - 1;
    at = (size_t) (p->hash >> (64 - c->slots_log2));
    while (c->slots[at].n != 0)
        at = (at + 1) & mask;
    c->slots[at] = s;
    c->n_words++;
}

/* The slot of a word, or the free slot where it would be. */
static size_t find(const struct tok_cache *c, const struct tok_pending *p)
{
    size_t mask = n_slots(c) - 1, at = (size_t) (p->hash >> (64 - c->slots_log2));

    while (c->slots[at].n != 0 && !is_word(c, &c->slots[at], p))
        at = (at + 1) & mask;
    return at;
}

/* Brings a word to the slot where a search for it begins, so that frequent words are found at once.
 * The word that was there is still found: all slots between the two are taken. */
static struct tok_cache_slot *bring_home(struct tok_cache *c, size_t at, size_t home)
{
    struct tok_cache_slot s = c->slots[at];

    c->slots[at] = c->slots[home];
    c->slots[home] = s;
    return &c->slots[home];
}

/* A word that is not in the cache, not in its first slot, or whose ids are not in its slot. */
static enum t2_status encode_slowly(struct tok_cache *c, const struct tok_pending *p,
                                    struct tok_ids *ids, struct t2_err *err)
{
    size_t at = find(c, p);

    if (c->slots[at].n != 0) {
        const struct tok_cache_slot *s =
            bring_home(c, at, (size_t) (p->hash >> (64 - c->slots_log2)));
        const int32_t *items = s->n & ELSEWHERE ? c->more_ids.items + s->ids[0] : s->ids;

        tok_ids_append(ids, items, s->n & ~ELSEWHERE);
        return T2_OK;
    }
    c->cut.n = 0;
    T2_TRY(c->e->kind->cut(c->e, p->word, p->len_bytes, &c->scratch, &c->cut, err));
    tok_ids_append(ids, c->cut.items, c->cut.n);
    remember(c, p);
    return T2_OK;
}

/*
 * The inner loop takes words that are in their first slot and whose ids are in it: it copies all
 * three ids and advances by n, so that it branches once per word.  Every other word leaves the
 * loop, which may grow or empty the table, and the loop is entered anew.
 */
enum t2_status tok_cache_encode(struct tok_cache *c, struct tok_pending *batch, size_t n,
                                struct tok_ids *ids, struct t2_err *err)
{
    size_t i = 0;

    while (i < n) {
        const struct tok_cache_slot *slots = c->slots;
        unsigned shift = 64 - c->slots_log2;
        int32_t *to;

        /* Words at home, as long as there are; each slot is copied whole. */
        tok_ids_reserve(ids, (n - i) * TOK_CACHE_SLOT_IDS);
        to = ids->items + ids->n;
        for (; i < n; i++) {
            const struct tok_cache_slot *s = &slots[batch[i].hash >> shift];

            if (__builtin_expect(!tok_key_eq(s->key, batch[i].key) || s->n > TOK_CACHE_SLOT_IDS, 0))
                break;
            memcpy(to, s->ids, sizeof s->ids);
            to += s->n;
            batch[i].ids_end = (size_t) (to - ids->items);
        }
        ids->n = (size_t) (to - ids->items);
        if (i < n) {
            T2_TRY(encode_slowly(c, &batch[i], ids, err));
            batch[i++].ids_end = ids->n;
        }
    }
    return T2_OK;
}
