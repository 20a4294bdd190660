/*
 * tokenizer/subwords.c - T2T's SubwordTextEncoder: longest entries first, with a cache of words.
 *
 * Spec t2t-datagen.md §4.5.  A word is cut once and then remembered: a word of up to 15 bytes and
 * three ids takes one slot of 32 bytes and nothing else.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_key.h"
#include "tokenizer/words.h"

enum {
    BATCH = 32,
    SLOT_IDS = 3,
    FIRST_SLOTS_LOG2 = 12,
    SMALL_WORD = 120, /* bytes escaped on the stack */
    DEFAULT_CACHE_BYTES = 64 << 20,
    MIN_CACHE_BYTES = 1 << 20
};

struct slot {
    struct tok_key key;
    uint32_t n; /* ids; 0 = the slot is free */
    /* The ids of a short word that has few; else ids[0] is where they are in more_ids, and of a
     * long word ids[1] is where its length and bytes are in long_words. */
    int32_t ids[SLOT_IDS];
};

struct tok_cache {
    const struct tok_encoder *e;
    struct slot *slots;
    unsigned slots_log2;
    size_t n_words;
    size_t max_bytes;
    struct tok_ids more_ids;
    struct t2_buf long_words;
    struct t2_buf escaped; /* scratch */
    struct tok_ids cut;    /* scratch */
};

struct pending {
    const uint8_t *word;
    size_t len_bytes;
    struct tok_key key;
    uint64_t hash;
};

/* ---- without a cache ------------------------------------------------------------------------ */

void tok_subwords_prepare(struct tok_encoder *e)
{
    tok_alphabet_init(&e->alphabet);
    for (int32_t i = 0; i < e->n; ++i)
        tok_alphabet_add(&e->alphabet, e->entries[i].data, e->entries[i].len_bytes);
    tok_trie_init(&e->trie, e->entries, (size_t) e->n);
    for (unsigned b = 0; b < 256; ++b)
        e->needs_escape[b] =
            b >= 0x80 || b == '\\' || b == '_' || b == '\n' || !tok_alphabet_has(&e->alphabet, b);
}

struct tok_encoder *tok_subwords_new(const struct t2_slice *entries, size_t n)
{
    struct tok_encoder *e = tok_encoder_new(TOK_SUBWORDS, entries, n);

    tok_subwords_prepare(e);
    return e;
}

static enum t2_status no_entry(const uint8_t *word, size_t len_bytes, const uint8_t *at,
                               size_t left_bytes, struct t2_err *err)
{
    uint32_t c;
    bool valid;

    tok_utf8_decode(at, left_bytes, &c, &valid);
    return t2_fail(err, T2_EFORMAT,
                   "word '%.*s' cannot be cut: no entry of the vocabulary begins with U+%04" PRIX32
                   " there",
                   (int) (len_bytes < 100 ? len_bytes : 100), (const char *) word, c);
}

static enum t2_status cut(const struct tok_encoder *e, const uint8_t *escaped, size_t n_escaped,
                          struct t2_slice word, struct tok_ids *ids, struct t2_err *err)
{
    for (size_t at = 0; at < n_escaped;) {
        size_t n = 0;
        int32_t id = tok_trie_longest(&e->trie, escaped + at, n_escaped - at, &n);

        if (id < 0)
            return no_entry(word.data, word.len_bytes, escaped + at, n_escaped - at, err);
        tok_ids_push(ids, id);
        at += n;
    }
    return T2_OK;
}

static enum t2_status cut_word(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                               struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err)
{
    struct t2_slice slice = {word, len_bytes};

    if (len_bytes < SMALL_WORD) {
        uint8_t small[SMALL_WORD], escape = 0;

        for (size_t i = 0; i < len_bytes; ++i) {
            small[i] = word[i];
            escape |= e->needs_escape[word[i]];
        }
        small[len_bytes] = '_';
        if (!escape)
            return cut(e, small, len_bytes + 1, slice, ids, err);
    }
    t2_buf_clear(scratch);
    tok_escape(&e->alphabet, word, len_bytes, scratch);
    return cut(e, scratch->data, scratch->len_bytes, slice, ids, err);
}

static enum t2_status encode_plainly(const struct tok_encoder *e, const uint8_t *text,
                                     size_t len_bytes, struct tok_ids *ids, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    struct t2_buf scratch;
    struct tok_scan scan;
    const uint8_t *word;
    size_t n;

    t2_buf_init(&scratch);
    tok_scan_init(&scan, text, len_bytes);
    while (st == T2_OK && tok_scan_next(&scan, &word, &n))
        st = cut_word(e, word, n, &scratch, ids, err);
    t2_buf_release(&scratch);
    return st;
}

/* ---- with a cache --------------------------------------------------------------------------- */

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
    t2_buf_init(&c->escaped);
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
    t2_buf_release(&c->escaped);
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
    struct slot *old = c->slots;
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

static bool is_word(const struct tok_cache *c, const struct slot *s, const struct pending *p)
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

static void remember(struct tok_cache *c, const struct pending *p)
{
    struct slot s = {.key = p->key, .n = (uint32_t) c->cut.n};
    size_t mask, at;

    if (p->len_bytes + c->cut.n * sizeof(int32_t) > c->max_bytes / 8)
        return;
    make_room(c, p->len_bytes + c->cut.n * sizeof(int32_t) + sizeof(size_t));
    if (p->len_bytes > TOK_SHORT_WORD || c->cut.n > SLOT_IDS) {
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

static enum t2_status encode_word(struct tok_cache *c, const struct pending *p, struct tok_ids *ids,
                                  struct t2_err *err)
{
    size_t mask = n_slots(c) - 1, at = (size_t) (p->hash >> (64 - c->slots_log2));

    for (; c->slots[at].n != 0; at = (at + 1) & mask) {
        const struct slot *s = &c->slots[at];

        if (!is_word(c, s, p))
            continue;
        if (s->n == 1 && p->len_bytes <= TOK_SHORT_WORD)
            tok_ids_push(ids, s->ids[0]);
        else if (s->n <= SLOT_IDS && p->len_bytes <= TOK_SHORT_WORD)
            tok_ids_append(ids, s->ids, s->n);
        else
            tok_ids_append(ids, c->more_ids.items + s->ids[0], s->n);
        return T2_OK;
    }
    c->cut.n = 0;
    T2_TRY(cut_word(c->e, p->word, p->len_bytes, &c->escaped, &c->cut, err));
    tok_ids_append(ids, c->cut.items, c->cut.n);
    remember(c, p);
    return T2_OK;
}

enum t2_status tok_subwords_encode(const struct tok_encoder *e, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct t2_err *err)
{
    const uint8_t *end = text + len_bytes;
    struct pending batch[BATCH];
    struct tok_scan scan;
    size_t n;

    if (cache == NULL)
        return encode_plainly(e, text, len_bytes, ids, err);
    T2_ASSERT(cache->e == e);
    tok_scan_init(&scan, text, len_bytes);
    do {
        for (n = 0; n < BATCH && tok_scan_next(&scan, &batch[n].word, &batch[n].len_bytes); ++n) {
            struct pending *p = &batch[n];

            p->key = tok_key_of(p->word, p->len_bytes, (size_t) (end - p->word));
            p->hash = tok_key_hash(p->key);
            __builtin_prefetch(&cache->slots[p->hash >> (64 - cache->slots_log2)]);
        }
        for (size_t i = 0; i < n; ++i)
            T2_TRY(encode_word(cache, &batch[i], ids, err));
    } while (n == BATCH);
    return T2_OK;
}

/* ---- decode --------------------------------------------------------------------------------- */

/* Unescapes the pieces between '_' of joined; the words lie in text one after another. */
static size_t split_pieces(const struct t2_buf *joined, struct t2_buf *text, size_t *ends)
{
    size_t n = 0, start = 0;

    for (size_t i = 0; i <= joined->len_bytes; ++i) {
        size_t before = text->len_bytes;

        if (i < joined->len_bytes && joined->data[i] != '_')
            continue;
        if (i > start)
            tok_unescape(joined->data + start, i - start, text);
        if (text->len_bytes > before)
            ends[n++] = text->len_bytes;
        start = i + 1;
    }
    return n;
}

void tok_subwords_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    struct t2_buf joined, words_text;
    struct t2_slice *words;
    size_t *ends, n_words, n_pieces = 1;

    t2_buf_init(&joined);
    t2_buf_init(&words_text);
    for (size_t i = 0; i < n; ++i) {
        struct t2_slice entry = tok_entry(e, ids[i]);

        if (entry.len_bytes > 0)
            t2_buf_append(&joined, entry.data, entry.len_bytes);
    }
    for (size_t i = 0; i < joined.len_bytes; ++i)
        n_pieces += joined.data[i] == '_';
    ends = t2_alloc(n_pieces, sizeof(*ends));
    words = t2_alloc(n_pieces, sizeof(*words));
    n_words = split_pieces(&joined, &words_text, ends);
    for (size_t i = 0; i < n_words; ++i) {
        size_t start = i > 0 ? ends[i - 1] : 0;

        words[i] = (struct t2_slice){words_text.data + start, ends[i] - start};
    }
    tok_join_words(words, n_words, text);
    t2_free(words);
    t2_free(ends);
    t2_buf_release(&words_text);
    t2_buf_release(&joined);
}
