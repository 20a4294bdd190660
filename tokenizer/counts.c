/*
 * tokenizer/counts.c - word counts in an open hash table.
 *
 * Words are looked up in batches: keys first, with a prefetch each, then the slots, so that
 * the misses of rare words overlap.
 */
#include "tokenizer/counts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/word_key.h"
#include "tokenizer/word_scan.h"

enum { FIRST_SLOTS_LOG2 = 12 };

/* clang-format off */
const uint8_t tok_key_masks[16][16] = {
    {0},
    {255},
    {255, 255},
    {255, 255, 255},
    {255, 255, 255, 255},
    {255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
    {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255},
};
/* clang-format on */

struct slot {
    struct tok_key key;
    uint64_t n;
    uint64_t offset; /* of a long word in long_words: its length (8 bytes), its bytes */
};

struct tok_counts {
    struct slot *slots;
    unsigned slots_log2;
    size_t n_words;
    struct t2_buf long_words;
};

struct tok_counts *tok_counts_new(void)
{
    struct tok_counts *c = t2_alloc(1, sizeof(*c));

    c->slots_log2 = FIRST_SLOTS_LOG2;
    c->slots = t2_alloc((size_t) 1 << c->slots_log2, sizeof(*c->slots));
    return c;
}

void tok_counts_free(struct tok_counts *c)
{
    if (c == NULL)
        return;
    t2_free(c->slots);
    t2_buf_release(&c->long_words);
    t2_free(c);
}

static struct t2_slice long_word(const struct tok_counts *c, const struct slot *s)
{
    const uint8_t *at = c->long_words.data + s->offset;
    uint64_t len;

    memcpy(&len, at, sizeof(len));
    return (struct t2_slice){at + sizeof(len), (size_t) len};
}

static struct t2_slice slot_word(const struct tok_counts *c, const struct slot *s)
{
    unsigned len = tok_key_len(s->key);

    if (len == TOK_LONG_WORD)
        return long_word(c, s);
    return (struct t2_slice){(const uint8_t *) &s->key, len};
}

static bool same_word(const struct tok_counts *c, const struct slot *s, struct tok_key key,
                      const uint8_t *word, size_t len_bytes)
{
    if (!tok_key_eq(s->key, key))
        return false;
    return len_bytes <= TOK_SHORT_WORD ||
           t2_slice_eq(long_word(c, s), (struct t2_slice){word, len_bytes});
}

static void grow(struct tok_counts *c, unsigned slots_log2)
{
    struct slot *old = c->slots;
    size_t n_old = (size_t) 1 << c->slots_log2, mask;

    c->slots_log2 = slots_log2;
    c->slots = t2_alloc((size_t) 1 << c->slots_log2, sizeof(*c->slots));
    mask = ((size_t) 1 << c->slots_log2) - 1;
    for (size_t i = 0; i < n_old; ++i) {
        size_t at;

        if (old[i].key.hi == 0)
            continue;
        at = (size_t) (tok_key_hash(old[i].key) >> (64 - c->slots_log2));
        while (c->slots[at].key.hi != 0)
            at = (at + 1) & mask;
        c->slots[at] = old[i];
    }
    t2_free(old);
}

static void new_word(struct tok_counts *c, size_t at, struct tok_key key, const uint8_t *word,
                     size_t len_bytes, uint64_t n)
{
    struct slot *s = &c->slots[at];

    *s = (struct slot){.key = key, .n = n};
    if (len_bytes > TOK_SHORT_WORD) {
        uint64_t len = len_bytes;

        s->offset = c->long_words.len_bytes;
        t2_buf_append(&c->long_words, &len, sizeof(len));
        t2_buf_append(&c->long_words, word, len_bytes);
    }
    ++c->n_words;
    if (c->n_words * 2 > (size_t) 1 << c->slots_log2)
        grow(c, c->slots_log2 + 1);
}

static void add_key(struct tok_counts *c, struct tok_key key, uint64_t hash, const uint8_t *word,
                    size_t len_bytes, uint64_t n)
{
    size_t mask = ((size_t) 1 << c->slots_log2) - 1;
    size_t at = (size_t) (hash >> (64 - c->slots_log2));

    while (c->slots[at].key.hi != 0) {
        if (same_word(c, &c->slots[at], key, word, len_bytes)) {
            c->slots[at].n += n;
            return;
        }
        at = (at + 1) & mask;
    }
    new_word(c, at, key, word, len_bytes, n);
}

void tok_counts_add(struct tok_counts *c, const uint8_t *word, size_t len_bytes, uint64_t n)
{
    struct tok_key key;

    if (len_bytes == 0)
        return;
    key = tok_key_of(word, len_bytes, 0, len_bytes);
    add_key(c, key, tok_key_hash(key), word, len_bytes, n);
}

static void add_words(struct tok_counts *c, const uint8_t *text, size_t len_bytes, bool by_line)
{
    struct {
        struct tok_key key;
        uint64_t hash;
    } batch[TOK_SCAN_MAX];
    struct tok_scan scan;

    tok_scan_init(&scan, text, len_bytes, by_line);
    while (tok_scan_next(&scan)) {
        for (size_t i = 0; i < scan.n_words; ++i) {
            batch[i].key = tok_key_of(text, len_bytes, (size_t) scan.starts[i],
                                      (size_t) (scan.ends[i] - scan.starts[i]));
            batch[i].hash = tok_key_hash(batch[i].key);
            __builtin_prefetch(&c->slots[batch[i].hash >> (64 - c->slots_log2)]);
        }
        for (size_t i = 0; i < scan.n_words; ++i)
            add_key(c, batch[i].key, batch[i].hash, text + scan.starts[i],
                    (size_t) (scan.ends[i] - scan.starts[i]), 1);
    }
}

void tok_counts_add_text(struct tok_counts *c, const uint8_t *text, size_t len_bytes)
{
    add_words(c, text, len_bytes, false);
}

void tok_counts_add_lines(struct tok_counts *c, const uint8_t *text, size_t len_bytes)
{
    add_words(c, text, len_bytes, true);
}

void tok_counts_merge(struct tok_counts *into, const struct tok_counts *from)
{
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;

    unsigned slots_log2 = into->slots_log2;

    T2_ASSERT(into != from);
    /* Words come in the order of their hashes: in a table too small they would all pile up. */
    while ((into->n_words + from->n_words) * 2 > (size_t) 1 << slots_log2)
        ++slots_log2;
    if (slots_log2 > into->slots_log2)
        grow(into, slots_log2);
    while (tok_counts_next(from, &cursor, &word, &n))
        tok_counts_add(into, word.data, word.len_bytes, n);
}

bool tok_counts_next(const struct tok_counts *c, size_t *cursor, struct t2_slice *word, uint64_t *n)
{
    size_t n_slots = (size_t) 1 << c->slots_log2;

    while (*cursor < n_slots) {
        const struct slot *s = &c->slots[(*cursor)++];

        if (s->key.hi != 0) {
            *word = slot_word(c, s);
            *n = s->n;
            return true;
        }
    }
    return false;
}

size_t tok_counts_distinct(const struct tok_counts *c)
{
    return c->n_words;
}

size_t tok_counts_memory(const struct tok_counts *c)
{
    return sizeof(*c) + ((size_t) 1 << c->slots_log2) * sizeof(*c->slots) +
           c->long_words.capacity_bytes;
}
