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
    uint32_t n; /* ids; 0 = the slot is free; ELSEWHERE is added when they are not in the slot */
    /* The ids of a short word that has few; else ids[0] is where they are in more_ids, and of a
     * long word ids[1] is where its length and bytes are in long_words. */
    int32_t ids[SLOT_IDS];
};

static const uint32_t ELSEWHERE = (uint32_t) 1 << 31;

/* What decoding must know of an entry. */
enum shape {
    HAS_BACKSLASH = 1,
    ENDS_WORD = 2,   /* its last byte is '_' */
    INNER_END = 4,   /* there is a '_' before the last byte */
    BEGINS_ALNUM = 8 /* the first code point, as it stands, is alphanumeric */
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

static uint8_t shape_of(struct t2_slice entry)
{
    uint8_t shape = 0;
    uint32_t c;
    bool valid;

    if (entry.len_bytes == 0)
        return 0;
    tok_utf8_decode(entry.data, entry.len_bytes, &c, &valid);
    if (tok_is_alnum(c))
        shape |= BEGINS_ALNUM;
    if (memchr(entry.data, '\\', entry.len_bytes) != NULL)
        shape |= HAS_BACKSLASH;
    if (entry.data[entry.len_bytes - 1] == '_')
        shape |= ENDS_WORD;
    if (memchr(entry.data, '_', entry.len_bytes - 1) != NULL)
        shape |= INNER_END;
    return shape;
}

void tok_subwords_prepare(struct tok_encoder *e)
{
    e->shapes = t2_alloc((size_t) e->n, 1);
    for (int32_t i = 0; i < e->n; ++i)
        e->shapes[i] = shape_of(e->entries[i]);
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
static enum t2_status encode_slowly(struct tok_cache *c, const struct pending *p, size_t at,
                                    struct tok_ids *ids, struct t2_err *err)
{
    const struct slot *s = &c->slots[at];

    if (s->n != 0) {
        tok_ids_append(ids, c->more_ids.items + s->ids[0], s->n & ~ELSEWHERE);
        return T2_OK;
    }
    c->cut.n = 0;
    T2_TRY(cut_word(c->e, p->word, p->len_bytes, &c->escaped, &c->cut, err));
    tok_ids_append(ids, c->cut.items, c->cut.n);
    remember(c, p);
    return T2_OK;
}

static enum t2_status encode_batch(struct tok_cache *c, const struct pending *batch, size_t n,
                                   struct tok_ids *ids, struct t2_err *err)
{
    tok_ids_reserve(ids, (size_t) BATCH * SLOT_IDS);
    for (size_t i = 0; i < n; ++i) {
        size_t mask = n_slots(c) - 1, at = (size_t) (batch[i].hash >> (64 - c->slots_log2));
        const struct slot *s = &c->slots[at];

        while (s->n != 0 && !is_word(c, s, &batch[i])) {
            at = (at + 1) & mask;
            s = &c->slots[at];
        }
        if (s->n - 1 < SLOT_IDS) { /* there is room for all three */
            memcpy(ids->items + ids->n, s->ids, sizeof(s->ids));
            ids->n += s->n;
            continue;
        }
        T2_TRY(encode_slowly(c, &batch[i], at, ids, err));
        tok_ids_reserve(ids, (size_t) BATCH * SLOT_IDS);
    }
    return T2_OK;
}

enum t2_status tok_subwords_encode(const struct tok_encoder *e, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct t2_err *err)
{
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

            p->key = tok_key_of(text, len_bytes, (size_t) (p->word - text), p->len_bytes);
            p->hash = tok_key_hash(p->key);
            __builtin_prefetch(&cache->slots[p->hash >> (64 - cache->slots_log2)]);
        }
        T2_TRY(encode_batch(cache, batch, n, ids, err));
    } while (n == BATCH);
    return T2_OK;
}

/* ---- decode --------------------------------------------------------------------------------- */

/* Words being put together at the end of text. */
struct joiner {
    struct t2_buf *text;
    struct t2_buf scratch;
    size_t start; /* of the word that is open */
    bool is_open;
    bool is_escaped; /* it has a backslash */
    bool is_placed;  /* its first character is known, so a blank stands before it if one must */
    bool is_alnum;   /* that character is alphanumeric */
    bool last_alnum; /* as is that of the word before */
};

static void place_word(struct joiner *j, bool alnum)
{
    j->is_placed = true;
    j->is_alnum = alnum;
    if (alnum && j->last_alnum)
        t2_buf_push(j->text, ' ');
    j->start = j->text->len_bytes;
}

static void add_piece(struct joiner *j, const uint8_t *piece, size_t len_bytes, bool alnum,
                      bool escaped)
{
    if (len_bytes == 0)
        return;
    if (!j->is_open) {
        j->is_open = true;
        j->is_placed = j->is_escaped = false;
        j->start = j->text->len_bytes;
        if (piece[0] != '\\')
            place_word(j, alnum);
    }
    j->is_escaped |= escaped;
    t2_buf_append(j->text, piece, len_bytes);
}

static void end_word(struct joiner *j)
{
    if (!j->is_open)
        return;
    if (j->is_escaped) {
        struct t2_buf *text = j->text;
        uint32_t c;
        bool valid;

        t2_buf_clear(&j->scratch);
        tok_unescape(text->data + j->start, text->len_bytes - j->start, &j->scratch);
        text->len_bytes = j->start;
        if (!j->is_placed) {
            tok_utf8_decode(j->scratch.data, j->scratch.len_bytes, &c, &valid);
            place_word(j, tok_is_alnum(c));
        }
        t2_buf_append(text, j->scratch.data, j->scratch.len_bytes);
    }
    j->last_alnum = j->is_alnum;
    j->is_open = false;
}

/* An entry with a '_' inside, in the parts between. */
static void add_parts(struct joiner *j, struct t2_slice entry)
{
    size_t from = 0;

    for (size_t i = 0; i <= entry.len_bytes; ++i) {
        struct t2_slice part = {entry.data + from, i - from};
        uint8_t shape;

        if (i < entry.len_bytes && entry.data[i] != '_')
            continue;
        shape = shape_of(part);
        add_piece(j, part.data, part.len_bytes, shape & BEGINS_ALNUM, shape & HAS_BACKSLASH);
        if (i < entry.len_bytes)
            end_word(j);
        from = i + 1;
    }
}

void tok_subwords_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    struct joiner j = {.text = text};

    for (size_t i = 0; i < n; ++i) {
        struct t2_slice entry = tok_entry(e, ids[i]);
        unsigned shape;

        if (entry.len_bytes == 0)
            continue;
        shape = e->shapes[ids[i]];
        if (shape & INNER_END) {
            add_parts(&j, entry);
            continue;
        }
        add_piece(&j, entry.data, entry.len_bytes - (shape & ENDS_WORD ? 1 : 0),
                  shape & BEGINS_ALNUM, shape & HAS_BACKSLASH);
        if (shape & ENDS_WORD)
            end_word(&j);
    }
    end_word(&j);
    t2_buf_release(&j.scratch);
}
