/*
 * tokenizer/pretokenize.h - the regular expressions by which byte-level BPE cuts text before
 * merging.
 *
 * Written out by hand: a fixed set of published patterns (GPT-2; cl100k, which Llama 3 and Qwen 2
 * use with other numbers of digits; o200k; Mistral's Tekken), not a regular-expression engine.
 */
#ifndef TOK_PRETOKENIZE_H
#define TOK_PRETOKENIZE_H

#include <stddef.h>
#include <stdint.h>

enum tok_pattern {
    TOK_PATTERN_NONE, /* the text is one piece */
    TOK_PATTERN_GPT2,
    TOK_PATTERN_CL100K,     /* at most 3 digits */
    TOK_PATTERN_CL100K_1,   /* the same, digits one by one (Qwen 2) */
    TOK_PATTERN_CL100K_ALL, /* the same, all digits of a run in one piece, all blanks at the end
                               too */
    TOK_PATTERN_O200K,
    TOK_PATTERN_TEKKEN, /* o200k, digits one by one, contractions not with their word */
    TOK_PATTERN_UNKNOWN
};

/*
 * By its text, as tokenizer.json spells it; what it means is what Oniguruma makes of it, which
 * tokenizers is built with: there x{1,3}+ is (x{1,3})+, and not possessive as in tiktoken's engine.
 */
enum tok_pattern tok_pattern_of(const char *regex);

/* The text of one, which says the same to both engines; "" for none and unknown. */
const char *tok_pattern_regex(enum tok_pattern pattern);

/* Length in bytes, at least 1, of the piece that begins at s (len_bytes > 0 to the end of the
 * text). Bytes that are not UTF-8 count as symbols. */
size_t tok_piece_bytes(enum tok_pattern pattern, const uint8_t *s, size_t len_bytes);

#endif
