/*
 * tokenizer/counts.c - word counts in an open hash table.
 *
 * Words are looked up in batches: keys first, with a prefetch each, then the slots, so that
 * the misses of rare words overlap.
 *
 *   slots (1 << slots_log2), 32 bytes each: | key 16 | n 8 | offset 8 |     at most half full
 *
 * A word of up to 15 bytes is in its key (word_key.h); of a longer one the key has a hash, and
 * long_words at `offset` its length and bytes.  key.hi == 0 is a free slot.  Large pages were
 * tried for this table and left out: no gain on one thread, four times the memory on two.
 */
#include "tokenizer/counts.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/word_key.h"
#include "tokenizer/word_scan.h"

enum { FIRST_SLOTS_LOG2 = 12, SMALL_SORT = 12 };

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
    size_t n_slots; /* 1 << slots_log2, unless packed */
    size_t n_words;
    uint64_t n_characters;
    struct t2_buf long_words;
    bool is_sorted; /* the words stand in slots 0 .. n_words-1 */
    size_t max_bytes;
    void (*full)(void *arg, struct tok_counts *c); /* NULL: no limit */
    void *full_arg;
};

/* Every page is written before it is read: the kernel maps one that is read first to its page of
 * zeros, and when that is written later, it interrupts all processors on which threads of the
 * program run.  With two threads this was a tenth of the time of counting. */
static void new_slots(struct tok_counts *c, unsigned slots_log2)
{
    enum { SLOTS_A_PAGE = 4096 / sizeof *c->slots };

    c->slots_log2 = slots_log2;
    c->n_slots = (size_t) 1 << slots_log2;
    c->slots = t2_alloc(c->n_slots, sizeof *c->slots);
    for (size_t i = 0; i < c->n_slots; i += SLOTS_A_PAGE)
        *(volatile uint64_t *) &c->slots[i].n = 0;
}

struct tok_counts *tok_counts_new(void)
{
    struct tok_counts *c = t2_alloc_aligned(sizeof *c); /* threads fill one each */

    if (!c)
        t2_out_of_memory("cannot allocate %zu bytes", sizeof *c);
    new_slots(c, FIRST_SLOTS_LOG2);
    return c;
}

void tok_counts_free(struct tok_counts *c)
{
    if (!c)
        return;
    t2_free(c->slots);
    t2_buf_release(&c->long_words);
    t2_free_aligned(c);
}

static struct t2_slice long_word(const struct tok_counts *c, const struct slot *s)
{
    const uint8_t *at = c->long_words.data + s->offset;
    uint64_t len;

    memcpy(&len, at, sizeof len);
    return (struct t2_slice){at + sizeof len, (size_t) len};
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

    new_slots(c, slots_log2);
    mask = c->n_slots - 1;
    for (size_t i = 0; i < n_old; i++) {
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

static uint64_t count_characters(const uint8_t *word, size_t len_bytes)
{
    uint64_t n = 0;

    for (size_t i = 0; i < len_bytes; i++)
        n += (word[i] & 0xC0) != 0x80;
    return n;
}

/*
 * Before the table is more than half full; one that may not grow is used further.
 *
 * Growth needs old and new table at a time, three times the old one.  When max_bytes has no room
 * for that, the table is filled to three quarters and then given to `full`, which spills it.
 */
static void make_room(struct tok_counts *c)
{
    size_t n_slots = (size_t) 1 << c->slots_log2, table_bytes = n_slots * sizeof *c->slots;

    if (c->full && table_bytes + c->long_words.len_bytes > c->max_bytes) {
        c->full(c->full_arg, c);
        return;
    }
    if (c->n_words * 2 <= n_slots)
        return;
    if (!c->full || 3 * table_bytes + c->long_words.len_bytes <= c->max_bytes)
        grow(c, c->slots_log2 + 1);
    else if (c->n_words * 4 > n_slots * 3)
        c->full(c->full_arg, c);
}

static void put_word(struct tok_counts *c, size_t at, struct tok_key key, const uint8_t *word,
                     size_t len_bytes, uint64_t n)
{
    struct slot *s = &c->slots[at];

    *s = (struct slot){.key = key, .n = n};
    if (len_bytes > TOK_SHORT_WORD) {
        uint64_t len = len_bytes;

        s->offset = c->long_words.len_bytes;
        t2_buf_append(&c->long_words, &len, sizeof len);
        t2_buf_append(&c->long_words, word, len_bytes);
    }
    c->n_words++;
    c->n_characters += count_characters(word, len_bytes);
}

static void new_word(struct tok_counts *c, size_t at, struct tok_key key, const uint8_t *word,
                     size_t len_bytes, uint64_t n)
{
    put_word(c, at, key, word, len_bytes, n);
    if (c->n_words * 2 > (size_t) 1 << c->slots_log2 || c->full)
        make_room(c);
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

/*
 * Counts the words of a text batch by batch: keys, hashes and prefetches for all of them, then the
 * look-ups.
 */
static void add_words(struct tok_counts *c, const uint8_t *text, size_t len_bytes, bool by_line)
{
    struct {
        struct tok_key key;
        uint64_t hash;
    } batch[TOK_SCAN_MAX];
    struct tok_scan scan;

    tok_scan_init(&scan, text, len_bytes, by_line);
    while (tok_scan_next(&scan)) {
        for (size_t i = 0; i < scan.n_words; i++) {
            batch[i].key = tok_key_of(text, len_bytes, (size_t) scan.starts[i],
                                      (size_t) (scan.ends[i] - scan.starts[i]));
            batch[i].hash = tok_key_hash(batch[i].key);
            __builtin_prefetch(&c->slots[batch[i].hash >> (64 - c->slots_log2)]);
        }
        for (size_t i = 0; i < scan.n_words; i++)
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
    size_t end = tok_counts_end(from);

    T2_ASSERT(into != from);
    /* Words come in the order of their hashes: in a smaller table they would all pile up at its
     * begin. In one of this size the part that they have come to is at most as full as both
     * together. */
    if (into->slots_log2 < from->slots_log2)
        grow(into, from->slots_log2);
    for (size_t i = 0; i < end; i++) {
        const struct slot *s = &from->slots[i];
        struct t2_slice word;

        if (s->key.hi == 0)
            continue;
        word = slot_word(from, s);
        add_key(into, s->key, tok_key_hash(s->key), word.data, word.len_bytes, s->n);
    }
}

size_t tok_counts_end(const struct tok_counts *c)
{
    return c->is_sorted ? c->n_words : c->n_slots;
}

bool tok_counts_next(const struct tok_counts *c, size_t *cursor, struct t2_slice *word, uint64_t *n)
{
    size_t end = tok_counts_end(c);

    while (*cursor < end) {
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

uint64_t tok_counts_characters(const struct tok_counts *c)
{
    return c->n_characters;
}

void tok_counts_limit(struct tok_counts *c, size_t max_bytes,
                      void (*full)(void *arg, struct tok_counts *c), void *arg)
{
    c->max_bytes = max_bytes;
    c->full = full;
    c->full_arg = arg;
}

/* ---- in order ---- */

/* Short words are padded with zeros and followed by their length: so their keys order as they
 * do. */
static bool is_less(const struct tok_counts *c, const struct slot *a, const struct slot *b)
{
    if (tok_key_len(a->key) != TOK_LONG_WORD && tok_key_len(b->key) != TOK_LONG_WORD)
        return memcmp(&a->key, &b->key, sizeof a->key) < 0;
    return t2_slice_cmp(slot_word(c, a), slot_word(c, b)) < 0;
}

static void swap(struct slot *a, struct slot *b)
{
    struct slot t = *a;

    *a = *b;
    *b = t;
}

static void sort_small(const struct tok_counts *c, struct slot *s, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && is_less(c, &s[k], &s[k - 1]); k--)
            swap(&s[k], &s[k - 1]);
}

/* Quicksort in place: qsort would take as much memory again.  No two words are equal, and the pivot
 * depends on hashes (slots come in their order), so no text makes it quadratic.  The smaller part
 * is done by recursion, the larger by the loop: the depth is at most log2(n). */
static void sort_slots(const struct tok_counts *c, struct slot *s, size_t n)
{
    while (n > SMALL_SORT) {
        size_t i = 0, k = n - 1;
        struct slot pivot;

        /* Median of three to the front. */
        swap(&s[0], &s[n / 2]);
        if (is_less(c, &s[n - 1], &s[1]))
            swap(&s[n - 1], &s[1]);
        if (is_less(c, &s[0], &s[1]))
            swap(&s[0], &s[1]);
        else if (is_less(c, &s[n - 1], &s[0]))
            swap(&s[n - 1], &s[0]);
        pivot = s[0];
        for (;;) {
            while (++i < n && is_less(c, &s[i], &pivot))
                ;
            while (is_less(c, &pivot, &s[k]))
                k--;
            if (i >= k)
                break;
            swap(&s[i], &s[k--]);
        }
        swap(&s[0], &s[k]);
        if (k < n - k - 1) {
            sort_slots(c, s, k);
            s += k + 1;
            n -= k + 1;
        } else {
            sort_slots(c, s + k + 1, n - k - 1);
            n = k;
        }
    }
    sort_small(c, s, n);
}

/* Moves the words to the front of the table and sorts them there; it is a list from then on. */
void tok_counts_sort(struct tok_counts *c)
{
    size_t n_slots = (size_t) 1 << c->slots_log2, to = 0;

    if (c->is_sorted)
        return;
    for (size_t i = 0; i < n_slots; i++) {
        if (c->slots[i].key.hi == 0)
            continue;
        if (i != to) {
            c->slots[to] = c->slots[i];
            c->slots[i].key = (struct tok_key){0, 0};
        }
        to++;
    }
    sort_slots(c, c->slots, c->n_words);
    c->is_sorted = true;
}

void tok_counts_append(struct tok_counts *c, const uint8_t *word, size_t len_bytes, uint64_t n)
{
    T2_ASSERT(len_bytes > 0 && (c->is_sorted || c->n_words == 0));
    c->is_sorted = true;
    if (c->n_words == c->n_slots) {
        c->n_slots += c->n_slots / 4 + 1024;
        c->slots = t2_realloc(c->slots, c->n_slots, sizeof *c->slots);
    }
    put_word(c, c->n_words, tok_key_of(word, len_bytes, 0, len_bytes), word, len_bytes, n);
}

void tok_counts_pack(struct tok_counts *c)
{
    tok_counts_sort(c);
    c->n_slots = c->n_words > 0 ? c->n_words : 1;
    c->slots = t2_realloc(c->slots, c->n_slots, sizeof *c->slots);
}

void tok_counts_clear(struct tok_counts *c)
{
    if (c->n_slots == (size_t) 1 << c->slots_log2)
        memset(c->slots, 0, c->n_slots * sizeof *c->slots);
    else {
        t2_free(c->slots);
        new_slots(c, FIRST_SLOTS_LOG2);
    }
    t2_buf_release(&c->long_words);
    c->n_words = 0;
    c->n_characters = 0;
    c->is_sorted = false;
}

size_t tok_counts_memory(const struct tok_counts *c)
{
    return sizeof *c + c->n_slots * sizeof *c->slots + c->long_words.capacity_bytes;
}
