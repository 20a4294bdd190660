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

    for (size_t i = 0; i < n; i++) {
        bool alnum = begins_alnum(words[i]);

        if (i > 0 && last && alnum)
            t2_buf_push(text, ' ');
        t2_buf_append(text, words[i].data, words[i].len_bytes);
        last = alnum;
    }
}
