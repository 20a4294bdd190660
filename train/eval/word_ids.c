/*
 * train/eval/word_ids.c - see the header.
 *
 * A hash table that is not cleared between segments: a slot counts only when it carries the
 * segment's generation.  Words are compared, never their hashes alone.
 */
#include "train/eval/word_ids.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "tokenizer/unicode.h"

struct slot {
    struct t2_slice word;
    uint64_t hash;
    uint32_t id, generation;
};

struct ev_words {
    struct slot *slots;
    size_t mask; /* number of slots, a power of two, - 1 */
    uint32_t n, generation;
};

enum { FIRST_SLOTS = 256 };

void ev_ids_reserve(struct ev_ids *ids, size_t extra)
{
    if (ids->capacity - ids->n >= extra)
        return;
    ids->capacity = ids->n + extra + ids->capacity / 2 + 64;
    ids->items = t2_realloc(ids->items, ids->capacity, sizeof *ids->items);
}

void ev_ids_push(struct ev_ids *ids, uint32_t id)
{
    ev_ids_reserve(ids, 1);
    ids->items[ids->n++] = id;
}

void ev_ids_release(struct ev_ids *ids)
{
    t2_free(ids->items);
    *ids = (struct ev_ids){NULL, 0, 0};
}

void ev_ids_of_text(struct ev_ids *ids, struct t2_slice text)
{
    ev_ids_reserve(ids, text.len_bytes);
    for (size_t i = 0; i < text.len_bytes;) {
        uint32_t c = text.data[i];
        bool valid;

        if (c < 0x80)
            i++;
        else
            i += tok_utf8_decode(text.data + i, text.len_bytes - i, &c, &valid);
        ids->items[ids->n++] = c;
    }
}

struct ev_words *ev_words_new(void)
{
    struct ev_words *w = t2_alloc(1, sizeof *w);

    w->slots = t2_alloc(FIRST_SLOTS, sizeof *w->slots);
    w->mask = FIRST_SLOTS - 1;
    w->generation = 1;
    return w;
}

void ev_words_free(struct ev_words *w)
{
    if (!w)
        return;
    t2_free(w->slots);
    t2_free(w);
}

void ev_words_start(struct ev_words *w)
{
    w->n = 0;
    if (++w->generation == 0) {
        memset(w->slots, 0, (w->mask + 1) * sizeof *w->slots);
        w->generation = 1;
    }
}

/* The slot of a word: its own, or the free one where it would go. */
static struct slot *find(const struct ev_words *w, struct t2_slice word, uint64_t hash)
{
    for (size_t i = hash & w->mask;; i = (i + 1) & w->mask) {
        struct slot *s = &w->slots[i];

        if (s->generation != w->generation || (s->hash == hash && t2_slice_eq(s->word, word)))
            return s;
    }
}

static void grow(struct ev_words *w)
{
    struct slot *old = w->slots;
    size_t n_old = w->mask + 1;

    w->slots = t2_alloc(2 * n_old, sizeof *w->slots);
    w->mask = 2 * n_old - 1;
    for (size_t i = 0; i < n_old; i++)
        if (old[i].generation == w->generation)
            *find(w, old[i].word, old[i].hash) = old[i];
    t2_free(old);
}

uint32_t ev_words_id(struct ev_words *w, struct t2_slice word)
{
    uint64_t hash = t2_hash64(word.data, word.len_bytes, 0);
    struct slot *s = find(w, word, hash);

    if (s->generation == w->generation)
        return s->id;
    *s = (struct slot){word, hash, w->n++, w->generation};
    if (2 * (size_t) w->n > w->mask)
        grow(w);
    return w->n - 1;
}

void ev_words_cut(struct ev_words *w, struct t2_slice text, struct ev_ids *ids)
{
    const uint8_t *p = text.data, *end = text.len_bytes ? p + text.len_bytes : p;

    while (p < end) {
        const uint8_t *blank = memchr(p, ' ', (size_t) (end - p));
        const uint8_t *stop = blank ? blank : end;

        ev_ids_push(ids, ev_words_id(w, (struct t2_slice){p, (size_t) (stop - p)}));
        p = stop + 1;
    }
}
