/*
 * tfrec/row_ids.c - an int64 list of a T2T data set as the text that its ids stand for.
 *
 * For checking a data set: the words, where <EOS> is (and that it is there), and padding.  Labels,
 * positions and segments are no text: only lists named inputs or
 * targets, and those that end with <EOS>, are decoded.
 */
#include <inttypes.h>

#include "tfrec/open_vocab.h"
#include "tfrec/row_json.h"
#include "tfrec/row_print.h"
#include "tokenizer/encoder.h"

struct ends {
    int64_t pad, eos;
};

static bool looks_like_text(struct t2_slice name, const int64_t *ids, size_t n, int32_t vocab_size,
                            struct ends ends)
{
    bool named =
        t2_slice_eq(name, t2_slice_of("inputs")) || t2_slice_eq(name, t2_slice_of("targets"));
    bool has_word = false;

    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= vocab_size)
            return false;
        has_word |= ids[i] != ends.pad && ids[i] != ends.eos;
    }
    while (n > 0 && ids[n - 1] == ends.pad)
        n--;
    return named || (has_word && n > 0 && ids[n - 1] == ends.eos);
}

/* Words up to the next special id. */
static size_t put_words(const struct tok_encoder *vocab, struct ends ends, const int64_t *ids,
                        size_t n, struct t2_buf *text)
{
    struct tok_ids words = {NULL, 0, 0};
    size_t i = 0;

    for (; i < n && ids[i] != ends.pad && ids[i] != ends.eos; i++)
        tok_ids_push(&words, (int32_t) ids[i]);
    if (i > 0)
        tok_decode(vocab, words.items, words.n, text);
    tok_ids_release(&words);
    return i;
}

bool rec_ids_as_text(const struct tok_encoder *vocab, struct t2_slice name, const int64_t *ids,
                     size_t n, struct t2_buf *scratch, struct t2_buf *out)
{
    struct ends ends;

    rec_vocab_ends(vocab, &ends.pad, &ends.eos);
    if (!looks_like_text(name, ids, n, tok_size(vocab), ends))
        return false;
    t2_buf_clear(scratch);
    for (size_t i = 0; i < n;) {
        size_t n_pads = 0;
        i += put_words(vocab, ends, ids + i, n - i, scratch);
        for (; i < n && ids[i] == ends.pad; i++)
            n_pads++;
        if (n_pads == 1)
            t2_buf_puts(scratch, "<pad>");
        else if (n_pads > 1)
            t2_buf_printf(scratch, "<pad*%zu>", n_pads);
        if (i < n && ids[i] == ends.eos) {
            t2_buf_puts(scratch, "<EOS>");
            i++;
        }
    }
    rec_put_string(out, t2_buf_slice(scratch));
    return true;
}
