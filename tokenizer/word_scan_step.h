/*
 * tokenizer/word_scan_step.h - one block of a scan; the body that every kind of processor compiles
 * for itself, with its own way to classify bytes and to list the set bits of a mask.
 */
#ifndef TOK_WORD_SCAN_STEP_H
#define TOK_WORD_SCAN_STEP_H

#include "tokenizer/unicode.h"
#include "tokenizer/word_scan.h"

/* Bits of the characters above U+007F that begin in this block; what reaches over its end is left
 * in s->n_spill and in the class of bit 63. */
static inline uint64_t tok_high_alnum(struct tok_scan *s, uint64_t high)
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
        if (i + n > TOK_BLOCK)
            s->n_spill = (unsigned) (i + n - TOK_BLOCK);
    }
    return alnum;
}

enum { TOK_SCAN_AHEAD = 512 };

typedef struct tok_classes tok_classify_fn(const uint8_t *s, size_t n);
/* Writes base + i for every set bit i; may write fifteen numbers more. */
typedef void tok_list_bits_fn(uint64_t bits, uint64_t base, uint64_t *to);

/*
 * One block, as masks with a bit per byte:
 *
 *   before_x  class of the byte in front of each: the mask moved up by one; bit 0 comes from the
 *             block before
 *   edges     where the class changes: a run begins here, and the one before ends
 *   starts    of words: edges at which no line feed stands
 *   ends      of words (behind their last byte): edges not behind a line feed
 *   lone      runs that are one blank between two others: their start and end are taken out
 *
 * A blank that begins a run in the last byte of a block is known to be alone only in the next
 * block, where its start is then taken back (s->blank).
 */
__attribute__((always_inline)) static inline void tok_scan_step(struct tok_scan *s,
                                                                tok_classify_fn *classify,
                                                                tok_list_bits_fn *list_bits)
{
    size_t left = s->len_bytes - s->block, n = left < TOK_BLOCK ? left : TOK_BLOCK;
    uint64_t valid = ~(uint64_t) 0 >> (TOK_BLOCK - n), before_alnum, before_feed, edges, starts,
             ends;
    uint64_t lone;
    struct tok_classes k;

    if (left > TOK_SCAN_AHEAD) /* the processor's own fetching stops at the end of a page */
        __builtin_prefetch(s->text + s->block + TOK_SCAN_AHEAD);
    k = classify(s->text + s->block, n);

    if (k.high != 0) {
        uint64_t spill = ((uint64_t) 1 << s->n_spill) - 1;

        s->n_spill = 0;
        if (s->alnum)
            k.alnum |= spill;
        k.alnum |= tok_high_alnum(s, k.high & ~spill);
    }
    if (!s->by_line)
        k.feed = 0;
    before_alnum = k.alnum << 1 | s->alnum;
    before_feed = k.feed << 1 | s->feed;
    edges = ((k.alnum ^ before_alnum) | (k.feed ^ before_feed)) & valid;
    starts = edges & ~k.feed;
    ends = edges & ~before_feed;
    if (s->blank & starts) { /* the blank at the end of the last block was alone after all */
        s->n_starts--;
        ends &= ~(uint64_t) 1;
    }
    /* A run that is one blank is no word, unless it begins or ends a line. */
    lone = k.space & starts & ends & starts >> 1;
    s->blank = (k.space & starts & ends) >> 63;
    starts &= ~lone;
    ends &= ~(lone << 1);
    list_bits(starts, s->block, s->starts + s->n_starts);
    list_bits(ends, s->block, s->ends + s->n_words);
    for (uint64_t feed = k.feed; feed != 0; feed &= feed - 1)
        s->lines[s->n_lines++] =
            (uint32_t) s->n_words + (uint32_t) __builtin_popcountll(ends & (feed ^ (feed - 1)));
    s->n_starts += (size_t) __builtin_popcountll(starts);
    s->n_words += (size_t) __builtin_popcountll(ends);
    s->alnum = k.alnum >> 63;
    s->feed = k.feed >> 63;
    s->block += TOK_BLOCK;
}

#endif
