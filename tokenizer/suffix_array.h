/*
 * tokenizer/suffix_array.h - all suffixes of a text in order, and what neighbours share.
 */
#ifndef TOK_SUFFIX_ARRAY_H
#define TOK_SUFFIX_ARRAY_H

#include <stdint.h>

/* Fills order[0 .. n-1] with the starts of the suffixes of text in ascending order; a suffix that
 * is a prefix of another comes first.  Symbols are below n_kinds.  Linear time; about n / 4 bytes
 * and 8 bytes a kind of scratch. */
void tok_suffix_array(const uint32_t *text, int32_t n, uint32_t n_kinds, int32_t *order);

/*
 * shared[p] = how many symbols the suffix at p has in common with the one before it in order (0 for
 * the first), where a suffix ends behind its first `last` symbol and after limit symbols.
 * text[n - 1] must be `last`.  Linear time.
 */
void tok_suffix_shared(const uint32_t *text, int32_t n, const int32_t *order, uint32_t last,
                       uint32_t limit, uint32_t *shared);

#endif
