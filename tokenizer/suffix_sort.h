/*
 * tokenizer/suffix_sort.h - sorting suffixes of words, some of them at a time.
 */
#ifndef TOK_SUFFIX_SORT_H
#define TOK_SUFFIX_SORT_H

#include <stddef.h>
#include <stdint.h>

struct tok_suffix {
    union {
        uint64_t key;    /* while it is sorted */
        uint64_t shared; /* then: symbols that it shares with the one before it */
    };
    uint32_t place, word;
};

struct tok_suffix_text {
    const uint32_t *symbols;
    const uint32_t *lengths; /* by place: symbols of the suffix that count, at least 1 */
    uint32_t n_kinds;        /* symbols are smaller; below 2^31 */
};

/*
 * Sorts items (n) by their suffixes and says what neighbours share; a suffix stands before those
 * that it begins, the order of equal ones is not said.  spare (n).  Time is that of reading all
 * symbols by which suffixes have to be told apart: quadratic in a word that repeats itself.
 */
void tok_sort_suffixes(const struct tok_suffix_text *text, struct tok_suffix *items, size_t n,
                       struct tok_suffix *spare);

#endif
