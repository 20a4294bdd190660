/*
 * tokenizer/words.c - text into words, one after another, and words into text.
 */
#include "tokenizer/words.h"

#include "tokenizer/unicode.h"
#include "tokenizer/word_scan.h"

void tok_split_words(const uint8_t *text, size_t len_bytes, tok_word_fn fn, void *arg)
{
    struct tok_scan scan;

    tok_scan_init(&scan, text, len_bytes, false);
    while (tok_scan_next(&scan))
        for (size_t i = 0; i < scan.n_words; i++)
            fn(arg, text + scan.starts[i], (size_t) (scan.ends[i] - scan.starts[i]));
}
