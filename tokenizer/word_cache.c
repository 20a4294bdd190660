/*
 * tokenizer/word_cache.c - an open hash table from words to ids.
 */
#include "tokenizer/word_cache.h"

#include <string.h>

#include "base/alloc.h"
#include "tokenizer/encoder_kinds.h"

enum { FIRST_SLOTS_LOG2 = 12, DEFAULT_CACHE_BYTES = 64 << 20, MIN_CACHE_BYTES = 1 << 20 };

static const uint32_t ELSEWHERE = (uint32_t) 1 << 31;

static void new_slots(struct tok_cache *c, unsigned slots_log2)
{
    c->slots_log2 = slots_log2;
    c->slots = t2_alloc((size_t) 1 << slots_log2, sizeof(*c->slots));
}

struct tok_cache *tok_cache_new(const struct tok_encoder *e, size_t max_bytes)
{
    struct tok_cache *c = t2_alloc(1, sizeof(*c));

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
    if (c == NULL)
        return;
    t2_free(c->slots);
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
    memset(c->slots, 0, n_slots(c) * sizeof(*c->slots));
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
    for (size_t i = 0; i < n_old; ++i) {
        size_t at;

        if (old[i].n == 0)
            continue;
        at = (size_t) (tok_key_hash(old[i].key) >> (64 - c->slots_log2));
        while (c->slots[at].n != 0)
            at = (at + 1) & mask;
        c->slots[at] = old[i];
    }
    t2_free(old);
}

/* Makes room for one more word; a cache that may not grow is emptied. */
static void make_room(struct tok_cache *c, size_t word_bytes)
{
    size_t extra = c->more_ids.n * sizeof(int32_t) + c->long_words.len_bytes + word_bytes;
    bool full = c->n_words * 2 >= n_slots(c);
    size_t slot_bytes = n_slots(c) * sizeof(*c->slots) * (full ? 2 : 1);

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
    memcpy(&len, at, sizeof(len));
    return len == p->len_bytes && memcmp(at + sizeof(len), p->word, len) == 0;
}

static void remember(struct tok_cache *c, const struct tok_pending *p)
{
    struct tok_cache_slot s = {.key = p->key, .n = (uint32_t) c->cut.n};
    size_t mask, at;

    if (p->len_bytes + c->cut.n * sizeof(int32_t) > c->max_bytes / 8)
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
        t2_buf_append(&c->long_words, &p->len_bytes, sizeof(p->len_bytes));
        t2_buf_append(&c->long_words, p->word, p->len_bytes);
    }
    mask = n_slots(c) - 1;
    at = (size_t) (p->hash >> (64 - c->slots_log2));
    while (c->slots[at].n != 0)
        at = (at + 1) & mask;
    c->slots[at] = s;
    ++c->n_words;
}

/* A word that is not in the cache, or whose ids are not in its slot. */
static enum t2_status encode_slowly(struct tok_cache *c, const struct tok_pending *p, size_t at,
                                    struct tok_ids *ids, struct t2_err *err)
{
    const struct tok_cache_slot *s = &c->slots[at];

    if (s->n != 0) {
        tok_ids_append(ids, c->more_ids.items + s->ids[0], s->n & ~ELSEWHERE);
        return T2_OK;
    }
    c->cut.n = 0;
    T2_TRY(c->e->kind->cut(c->e, p->word, p->len_bytes, &c->scratch, &c->cut, err));
    tok_ids_append(ids, c->cut.items, c->cut.n);
    remember(c, p);
    return T2_OK;
}

enum t2_status tok_cache_encode(struct tok_cache *c, struct tok_pending *batch, size_t n,
                                struct tok_ids *ids, struct t2_err *err)
{
    tok_ids_reserve(ids, (size_t) TOK_BATCH * TOK_CACHE_SLOT_IDS);
    for (size_t i = 0; i < n; ++i) {
        size_t mask = n_slots(c) - 1, at = (size_t) (batch[i].hash >> (64 - c->slots_log2));
        const struct tok_cache_slot *s = &c->slots[at];

        while (s->n != 0 && !is_word(c, s, &batch[i])) {
            at = (at + 1) & mask;
            s = &c->slots[at];
        }
        if (s->n - 1 < TOK_CACHE_SLOT_IDS) { /* there is room for all three */
            memcpy(ids->items + ids->n, s->ids, sizeof(s->ids));
            ids->n += s->n;
        } else {
            T2_TRY(encode_slowly(c, &batch[i], at, ids, err));
            tok_ids_reserve(ids, (size_t) TOK_BATCH * TOK_CACHE_SLOT_IDS);
        }
        batch[i].ids_end = ids->n;
    }
    return T2_OK;
}
