/*
 * tokenizer/words.h - text into words and back (tensor2tensor/data_generators/tokenizer.py).
 *
 * Spec t2t-datagen.md §4.2.  A word is a maximal run of alphanumeric or of other code points; a run
 * that is one blank is left out unless it begins or ends the text.
 */
#ifndef TOK_WORDS_H
#define TOK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Calls fn for each word of the text in order.  Words are borrowed from text. */
typedef void (*tok_word_fn)(void *arg, const uint8_t *word, size_t len_bytes);
void tok_split_words(const uint8_t *text, size_t len_bytes, tok_word_fn fn, void *arg);

/* The same as an iterator, for inner loops.  tok_scan_next gives false at the end. */
struct tok_scan {
    const uint8_t *text;
    size_t len_bytes;
    size_t block; /* where the next 64 bytes begin */
    size_t start; /* of the word that is open */
    uint64_t
        starts; /* of words in the last block, still to be given, and where words end; each end */
    uint64_t ends;    /* has its next start in the same block */
    uint64_t carry;   /* 1 when the last byte classified is alphanumeric */
    unsigned n_spill; /* bytes of the next block that belong to a character of the last one */
    bool is_space;    /* the last byte classified begins a run and is U+0020 */
};
void tok_scan_init(struct tok_scan *s, const uint8_t *text, size_t len_bytes);
/* Finds the words of the next block; false when the text is used up. */
bool tok_scan_block(struct tok_scan *s);

static inline bool tok_scan_next(struct tok_scan *s, const uint8_t **word, size_t *len_bytes)
{
    size_t from, to;

    while (s->ends == 0)
        if (!tok_scan_block(s)) {
            from = s->start;
            s->start = s->len_bytes;
            *word = s->text + from;
            *len_bytes = s->len_bytes - from;
            return from < s->len_bytes;
        }
    from = s->start;
    to = s->block - 64 + (size_t) __builtin_ctzll(s->ends);
    s->start = s->block - 64 + (size_t) __builtin_ctzll(s->starts);
    s->ends &= s->ends - 1;
    s->starts &= s->starts - 1;
    *word = s->text + from;
    *len_bytes = to - from;
    return true;
}

/* Which of the n <= 64 bytes at s are ASCII letters or digits, which are U+0020, and which are above
 * 0x7F: bit i is for byte i.  _plain is the specification, tok_classify the one in use. */
struct tok_classes {
    uint64_t alnum, space, high;
};
struct tok_classes tok_classify_plain(const uint8_t *s, size_t n);
struct tok_classes tok_classify(const uint8_t *s, size_t n);

/* Appends the text of n words: a blank between two neighbours that both begin alphanumeric. */
void tok_join_words(const struct t2_slice *words, size_t n, struct t2_buf *text);

#endif
