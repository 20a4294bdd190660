/*
 * datagen/problems/word_list.c - the vocabulary of the words that occur most.
 */
#include "datagen/problems/word_list.h"

#include "base/file.h"

static bool is_reserved(struct t2_slice word)
{
    return t2_slice_eq(word, t2_slice_of("<pad>")) || t2_slice_eq(word, t2_slice_of("<EOS>"));
}

enum t2_status dg_write_word_list(struct dg_ranked_words *words, size_t most, bool reserved,
                                  const char *path, struct t2_err *err)
{
    struct t2_out *out = NULL;
    struct t2_slice word;
    uint64_t count;
    enum t2_status st;
    size_t i;

    T2_TRY(dg_ranked_words_rank(words, err));
    T2_TRY(t2_out_new(path, &out, err));
    if (reserved)
        t2_out_puts(out, "<pad>\n<EOS>\n");
    for (i = 0, st = T2_OK; most == 0 || i < most; i++) {
        st = dg_ranked_words_next(words, &word, &count, err);
        if (st != T2_OK)
            break;
        if (reserved && is_reserved(word))
            continue;
        if (!reserved && i > 0)
            t2_out_puts(out, "\n");
        t2_out_write(out, word.data, word.len_bytes);
        if (reserved)
            t2_out_puts(out, "\n");
    }
    if (st == T2_OK || st == T2_EOF)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}
