/*
 * tokenizer/words.c - word boundaries found for 64 bytes at a time.
 *
 * Each block becomes a bit mask "byte belongs to an alphanumeric character"; a run begins where the
 * mask changes.  ASCII is classified by comparison, other characters one by one.
 */
#include "tokenizer/words.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tokenizer/unicode.h"

enum { BLOCK = 64 };

struct tok_classes tok_classify_plain(const uint8_t *s, size_t n)
{
    struct tok_classes k = {0, 0, 0};

    for (size_t i = 0; i < n; ++i) {
        uint8_t lower = s[i] | 0x20;
        bool alnum = (lower >= 'a' && lower <= 'z') || (s[i] >= '0' && s[i] <= '9');

        k.alnum |= (uint64_t) alnum << i;
        k.space |= (uint64_t) (s[i] == ' ') << i;
        k.high |= (uint64_t) (s[i] >> 7) << i;
    }
    return k;
}

#ifdef __SSE2__
/* x in [low, high] for signed bytes; bytes above 0x7F are negative and in neither range. */
static __m128i in_range(__m128i x, char low, char high)
{
    return _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8((char) (low - 1))),
                         _mm_cmplt_epi8(x, _mm_set1_epi8((char) (high + 1))));
}

static uint64_t bits(__m128i x, unsigned at)
{
    return (uint64_t) (uint32_t) _mm_movemask_epi8(x) << at;
}

static inline struct tok_classes classify(const uint8_t *s, size_t n)
{
    struct tok_classes k = {0, 0, 0};
    uint8_t padded[BLOCK];

    if (n < BLOCK) {
        memset(padded, 0, sizeof(padded));
        memcpy(padded, s, n);
        s = padded;
    }
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *) (const void *) (s + i));
        __m128i letter = in_range(_mm_or_si128(x, _mm_set1_epi8(0x20)), 'a', 'z');

        k.alnum |= bits(_mm_or_si128(letter, in_range(x, '0', '9')), i);
        k.space |= bits(_mm_cmpeq_epi8(x, _mm_set1_epi8(' ')), i);
        k.high |= bits(x, i);
    }
    return k;
}
#else
static struct tok_classes classify(const uint8_t *s, size_t n)
{
    return tok_classify_plain(s, n);
}
#endif

struct tok_classes tok_classify(const uint8_t *s, size_t n)
{
    return classify(s, n);
}

void tok_scan_init(struct tok_scan *s, const uint8_t *text, size_t len_bytes)
{
    *s = (struct tok_scan){.text = text, .len_bytes = len_bytes};
}

/* Bits of the characters above U+007F that begin in this block; what reaches over its end is left in
 * s->n_spill and in the class of bit 63. */
static uint64_t high_alnum(struct tok_scan *s, uint64_t high)
{
    const uint64_t *table = tok_alnum_bits();
    uint64_t alnum = 0;

    while (high != 0) {
        unsigned i = (unsigned) __builtin_ctzll(high);
        size_t at = s->block + i, n;
        uint64_t bits;
        uint32_t c;
        bool valid;

        n = tok_utf8_decode(s->text + at, s->len_bytes - at, &c, &valid);
        bits = (((uint64_t) 1 << n) - 1) << i;
        if (table[c / 64] >> c % 64 & 1)
            alnum |= bits;
        high &= ~bits;
        if (i + n > BLOCK)
            s->n_spill = (unsigned) (i + n - BLOCK);
    }
    return alnum;
}

bool tok_scan_block(struct tok_scan *s)
{
    size_t left = s->len_bytes - s->block, n = left < BLOCK ? left : BLOCK;
    uint64_t edges, lone;
    struct tok_classes k;

    if (s->block >= s->len_bytes)
        return false;
    k = classify(s->text + s->block, n);
    if (k.high != 0) {
        uint64_t spill = ((uint64_t) 1 << s->n_spill) - 1;

        s->n_spill = 0;
        if (s->carry)
            k.alnum |= spill;
        k.alnum |= high_alnum(s, k.high & ~spill);
    }
    if (s->block == 0)
        s->carry = k.alnum & 1;
    edges = k.alnum ^ (k.alnum << 1 | s->carry);
    if (n < BLOCK)
        edges &= ((uint64_t) 1 << n) - 1;
    /* A run that is one blank neither starts a word nor ends one behind it.  Whether a blank in the
     * last byte is alone shows in the next block; the text's first and last run have no edge before
     * or behind them and stay. */
    lone = edges & edges >> 1 & k.space;
    s->starts = edges & ~lone;
    s->ends = edges & ~(lone << 1);
    if (s->is_space && (edges & 1)) {
        s->ends &= ~(uint64_t) 1;
        s->starts &= ~(uint64_t) 1;
        s->start = s->block;
    }
    s->is_space = (edges & k.space) >> 63;
    s->carry = k.alnum >> 63;
    s->block += BLOCK;
    return true;
}

void tok_split_words(const uint8_t *text, size_t len_bytes, tok_word_fn fn, void *arg)
{
    struct tok_scan scan;
    const uint8_t *word;
    size_t n;

    tok_scan_init(&scan, text, len_bytes);
    while (tok_scan_next(&scan, &word, &n))
        fn(arg, word, n);
}

static bool begins_alnum(struct t2_slice word)
{
    uint32_t c;
    bool valid;

    if (word.len_bytes == 0)
        return false;
    tok_utf8_decode(word.data, word.len_bytes, &c, &valid);
    return tok_is_alnum(c);
}

void tok_join_words(const struct t2_slice *words, size_t n, struct t2_buf *text)
{
    bool last = false;

    for (size_t i = 0; i < n; ++i) {
        bool alnum = begins_alnum(words[i]);

        if (i > 0 && last && alnum)
            t2_buf_push(text, ' ');
        t2_buf_append(text, words[i].data, words[i].len_bytes);
        last = alnum;
    }
}
