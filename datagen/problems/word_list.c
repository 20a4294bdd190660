/*
 * datagen/problems/word_list.c - the vocabulary of the words that occur most.
 */
#include "datagen/problems/word_list.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tokenizer/tokens.h"

struct entry {
    struct t2_slice word;
    uint64_t count;
};

void dg_count_words(struct t2_map *counts, struct t2_slice text)
{
    struct t2_slice word;
    size_t at = 0;

    while (text.len_bytes && tok_next_word(text.data, text.len_bytes, &at, &word))
        ++*t2_map_at(counts, word.data, word.len_bytes, NULL);
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return t2_slice_cmp(x->word, y->word);
}

static bool is_reserved(struct t2_slice word)
{
    return t2_slice_eq(word, t2_slice_of("<pad>")) || t2_slice_eq(word, t2_slice_of("<EOS>"));
}

enum t2_status dg_write_word_list(const struct t2_map *counts, size_t most, bool reserved,
                                  const char *path, struct t2_err *err)
{
    size_t n = t2_map_count(counts), i;
    struct entry *entries;
    struct t2_out *out = NULL;

    T2_TRY(t2_out_new(path, &out, err));
    entries = t2_alloc(n ? n : 1, sizeof *entries);
    for (i = 0; i < n; ++i)
        entries[i] = (struct entry){t2_map_key(counts, i), t2_map_value(counts, i)};
    qsort(entries, n, sizeof *entries, compare);
    if (reserved)
        t2_out_puts(out, "<pad>\n<EOS>\n");
    for (i = 0; i < n && (most == 0 || i < most); ++i) {
        if (reserved && is_reserved(entries[i].word))
            continue;
        if (!reserved && i > 0)
            t2_out_puts(out, "\n");
        t2_out_write(out, entries[i].word.data, entries[i].word.len_bytes);
        if (reserved)
            t2_out_puts(out, "\n");
    }
    t2_free(entries);
    return t2_out_commit(out, err);
}
