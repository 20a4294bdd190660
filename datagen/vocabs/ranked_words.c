/*
 * datagen/vocabs/ranked_words.c - two sorts: by word, where the counts of a word meet that went to
 * disk at several times, and by count.  Words that fit into memory need the second only.
 */
#include "datagen/vocabs/ranked_words.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"
#include "datagen/source/scratch_sort.h"
#include "tokenizer/tokens.h"

/* Of --max_memory: of the table, which takes twice as much while it grows; of what is given, with
 * what stands around a word. */
enum { SHARE = 8, ENTRY_BYTES = 48 };
enum { NUMBER_BYTES = 8 };

struct dg_ranked_words {
    const struct dg_options *options;
    enum dg_equal_words equals;
    struct t2_map *counts;
    uint64_t n_before; /* words of earlier tables: the first of this one comes behind them */
    struct tfr_sorter *by_word; /* earlier tables; NULL: there are none */
    struct tfr_sorter *ranked;
    struct t2_buf key;
    uint64_t n_given, bytes_given;
    struct t2_err failure;
};

struct dg_ranked_words *dg_ranked_words_new(const struct dg_options *options,
                                            enum dg_equal_words equals)
{
    struct dg_ranked_words *w = t2_alloc(1, sizeof *w);

    w->options = options;
    w->equals = equals;
    w->counts = t2_map_new();
    return w;
}

void dg_ranked_words_free(struct dg_ranked_words *w)
{
    if (!w)
        return;
    t2_map_free(w->counts);
    tfr_sorter_free(w->by_word);
    tfr_sorter_free(w->ranked);
    t2_buf_release(&w->key);
    t2_free(w);
}

/* ---- counting ---- */

/* The table goes to disk: words with the number of their first mention and their count. */
static enum t2_status spill(struct dg_ranked_words *w, struct t2_err *err)
{
    uint8_t data[2 * NUMBER_BYTES];
    size_t n = t2_map_count(w->counts);

    if (!w->by_word)
        T2_TRY(dg_sorter_new(w->options, &w->by_word, err));
    for (size_t i = 0; i < n; i++) {
        dg_put_number(data, w->n_before + i);
        dg_put_number(data + NUMBER_BYTES, t2_map_value(w->counts, i));
        T2_TRY(tfr_sorter_add(w->by_word, t2_map_key(w->counts, i),
                              (struct t2_slice){data, sizeof data}, err));
    }
    w->n_before += n;
    t2_map_free(w->counts);
    w->counts = t2_map_new();
    return T2_OK;
}

void dg_ranked_words_add(struct dg_ranked_words *w, struct t2_slice word)
{
    uint64_t limit = w->options->max_memory / SHARE;

    if (w->failure.status != T2_OK)
        return;
    ++*t2_map_at(w->counts, word.data, word.len_bytes, NULL);
    if (limit && t2_map_memory(w->counts) > limit)
        (void) spill(w, &w->failure);
}

void dg_ranked_words_add_text(struct dg_ranked_words *w, struct t2_slice text)
{
    struct t2_slice word;
    size_t at = 0;

    while (text.len_bytes && tok_next_word(text.data, text.len_bytes, &at, &word))
        dg_ranked_words_add(w, word);
}

/* ---- ranking ---- */

static enum t2_status add_ranked(struct dg_ranked_words *w, struct t2_slice word, uint64_t first,
                                 uint64_t count, struct t2_err *err)
{
    uint8_t number[NUMBER_BYTES];

    t2_buf_clear(&w->key);
    dg_put_number(number, ~count);
    t2_buf_append(&w->key, number, sizeof number);
    dg_put_number(number, w->equals == DG_EQUALS_BY_FIRST ? first : 0);
    t2_buf_append(&w->key, number, sizeof number);
    t2_buf_append(&w->key, word.data, word.len_bytes);
    return tfr_sorter_add(w->ranked, t2_buf_slice(&w->key), (struct t2_slice){NULL, 0}, err);
}

static enum t2_status rank_table(struct dg_ranked_words *w, struct t2_err *err)
{
    size_t n = t2_map_count(w->counts);

    for (size_t i = 0; i < n; i++)
        T2_TRY(add_ranked(w, t2_map_key(w->counts, i), i, t2_map_value(w->counts, i), err));
    return T2_OK;
}

/* Mentions of a word come in the order of their tables: the first is the first. */
static enum t2_status rank_sorted(struct dg_ranked_words *w, struct t2_err *err)
{
    struct t2_slice key, data;
    struct t2_buf word = {0};
    uint64_t first = 0, count = 0;
    enum t2_status st;

    T2_TRY(tfr_sorter_finish(w->by_word, err));
    while ((st = tfr_sorter_next(w->by_word, &key, &data, err)) == T2_OK) {
        if (count && !t2_slice_eq(key, t2_buf_slice(&word))) {
            T2_GOTO(st, out, add_ranked(w, t2_buf_slice(&word), first, count, err));
            count = 0;
        }
        if (count == 0) {
            first = dg_get_number(data.data);
            t2_buf_clear(&word);
            t2_buf_append(&word, key.data, key.len_bytes);
        }
        count += dg_get_number(data.data + NUMBER_BYTES);
    }
    if (st == T2_EOF)
        st = count ? add_ranked(w, t2_buf_slice(&word), first, count, err) : T2_OK;
out:
    t2_buf_release(&word);
    return st;
}

enum t2_status dg_ranked_words_rank(struct dg_ranked_words *w, struct t2_err *err)
{
    if (w->failure.status != T2_OK) {
        *err = w->failure;
        return err->status;
    }
    T2_TRY(dg_sorter_new(w->options, &w->ranked, err));
    if (w->by_word) {
        T2_TRY(spill(w, err));
        T2_TRY(rank_sorted(w, err));
    } else {
        T2_TRY(rank_table(w, err));
    }
    tfr_sorter_free(w->by_word);
    w->by_word = NULL;
    t2_map_free(w->counts);
    w->counts = t2_map_new();
    return tfr_sorter_finish(w->ranked, err);
}

enum t2_status dg_ranked_words_next(struct dg_ranked_words *w, struct t2_slice *word,
                                    uint64_t *count, struct t2_err *err)
{
    uint64_t limit = w->options->max_memory / SHARE;
    struct t2_slice key, data;
    char human[32];

    T2_TRY(tfr_sorter_next(w->ranked, &key, &data, err));
    *count = ~dg_get_number(key.data);
    *word = (struct t2_slice){key.data + 2 * NUMBER_BYTES, key.len_bytes - 2 * NUMBER_BYTES};
    w->n_given++;
    w->bytes_given += word->len_bytes + ENTRY_BYTES;
    if (!limit || w->bytes_given <= limit)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM,
                   "a vocabulary of %" PRIu64 " words or more takes more than the %s that it may "
                   "of --max_memory: give --vocab_size where the text is your own, or more memory",
                   w->n_given, t2_human_bytes(limit, human, sizeof human));
}
