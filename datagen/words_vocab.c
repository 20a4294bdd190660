/*
 * datagen/words_vocab.c - the words of a text as its vocabulary.
 */
#include "datagen/words_vocab.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "datagen/problem_vocab.h"
#include "datagen/sample_batch.h"
#include "tokenizer/count_runs.h"
#include "tokenizer/counts.h"
#include "tokenizer/unicode.h"

/* Of --max_memory: of the table of words, and of those that are ranked. */
enum { SHARE = 4, ENTRY_BYTES = 48 };

/* Words and how often they occur; what is too much for the memory is in sorted runs on disk. */
struct words {
    struct tok_counts *counts;
    struct tok_runs *runs;
};

static void spill(void *arg, struct tok_counts *counts)
{
    tok_runs_add(arg, counts);
}

static void words_init(struct words *w, const char *beside, uint64_t max_memory)
{
    w->counts = tok_counts_new();
    w->runs = tok_runs_new(beside);
    if (max_memory)
        tok_counts_limit(w->counts, (size_t) max_memory / SHARE, spill, w->runs);
}

static void words_release(struct words *w)
{
    tok_runs_free(w->runs);
    tok_counts_free(w->counts);
}

static void count_word(struct words *w, const uint8_t *start, const uint8_t *end)
{
    if (end > start)
        tok_counts_add(w->counts, start, (size_t) (end - start), 1);
}

static void count_text(struct words *words, struct t2_slice text)
{
    const uint8_t *end = text.data + text.len_bytes, *start = text.data, *at = text.data;

    while (at < end) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(at, (size_t) (end - at), &c, &valid);
        if (tok_is_space(c)) {
            count_word(words, start, at);
            start = at + n;
        }
        at += n;
    }
    if (text.len_bytes)
        count_word(words, start, end);
}

static enum t2_status count_samples(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_side_index side, struct dg_stream *stream,
                                    struct words *words, struct t2_err *err)
{
    struct dg_batcher batcher = {.stream = stream,
                                 .max_cases = options->max_cases,
                                 .invalid = options->invalid};
    struct dg_batch batch = {0};
    enum t2_status st;
    size_t i;

    while ((st = dg_batcher_fill(&batcher, &batch, err)) == T2_OK) {
        st = dg_batch_clean(&batch, err);
        if (st != T2_OK)
            break;
        for (i = 0; i < batch.n; ++i) {
            const struct dg_batch_item *item = &batch.items[i];
            if (item->drop)
                continue;
            if (p->has_inputs && (p->shared_vocab || side == DG_INPUTS))
                count_text(words, dg_batch_text(&batch, item, DG_INPUTS));
            if (p->shared_vocab || side == DG_TARGETS)
                count_text(words, dg_batch_text(&batch, item, DG_TARGETS));
        }
    }
    dg_batch_release(&batch);
    return st == T2_EOF ? T2_OK : st;
}

/* ---- the most frequent ------------------------------------------------------------------------- */

struct ranked {
    uint8_t *word; /* may hold NUL */
    size_t len_bytes;
    uint64_t count;
};

struct ranking {
    struct ranked *items;
    size_t n, capacity, wanted;
    uint64_t bytes, max_bytes;
};

/* Of equals the lesser in bytes. */
static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return t2_slice_cmp((struct t2_slice){x->word, x->len_bytes},
                        (struct t2_slice){y->word, y->len_bytes});
}

static void cut(struct ranking *r, size_t n)
{
    if (r->n)
        qsort(r->items, r->n, sizeof *r->items, compare);
    for (; r->n > n; --r->n) {
        r->bytes -= r->items[r->n - 1].len_bytes + ENTRY_BYTES;
        t2_free(r->items[r->n - 1].word);
    }
}

static enum t2_status rank(struct ranking *r, struct t2_slice word, uint64_t count,
                           struct t2_err *err)
{
    uint8_t *copy = t2_alloc(word.len_bytes, 1);
    char human[32];

    if (r->n / 2 >= r->wanted)
        cut(r, r->wanted);
    if (r->n == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 1024;
        r->items = t2_realloc(r->items, r->capacity, sizeof *r->items);
    }
    memcpy(copy, word.data, word.len_bytes);
    r->items[r->n++] = (struct ranked){copy, word.len_bytes, count};
    r->bytes += word.len_bytes + ENTRY_BYTES;
    if (r->max_bytes == 0 || r->bytes <= r->max_bytes)
        return T2_OK;
    cut(r, r->wanted);
    if (r->bytes > r->max_bytes / 2) /* less would be sorted for every word */
        return t2_fail(err, T2_ENOMEM,
                       "a vocabulary of %zu words or more takes more than the %s that it may of "
                       "--max_memory: give --vocab_size, or more memory",
                       r->n, t2_human_bytes(r->max_bytes / 2, human, sizeof human));
    return T2_OK;
}

static enum t2_status rank_all(struct words *words, const struct dg_vocab_wish *wish,
                               struct ranking *r, struct t2_err *err)
{
    struct tok_merge *merge = NULL;
    struct t2_slice word;
    enum t2_status st;
    uint64_t count;

    T2_TRY(tok_runs_status(words->runs, err));
    T2_TRY(tok_merge_new(words->runs, &words->counts, 1, &merge, err));
    while ((st = tok_merge_next(merge, &word, &count, err)) == T2_OK) {
        if (t2_slice_eq(word, t2_slice_of("<pad>")) || t2_slice_eq(word, t2_slice_of("<EOS>")) ||
            (wish->oov_token && t2_slice_eq(word, t2_slice_of(wish->oov_token))))
            continue;
        st = rank(r, word, count, err);
        if (st != T2_OK)
            break;
    }
    tok_merge_free(merge);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status write_words(const struct dg_vocab_wish *wish, struct words *words,
                                  uint64_t max_memory, const char *path, struct t2_err *err)
{
    int64_t n_reserved = wish->oov_token ? 3 : 2;
    struct ranking r = {.wanted = wish->approx_size > n_reserved
                                      ? (size_t) (wish->approx_size - n_reserved)
                                      : 0,
                        .max_bytes = max_memory / SHARE};
    struct t2_out *out = NULL;
    enum t2_status st = rank_all(words, wish, &r, err);
    size_t i;

    cut(&r, r.wanted);
    if (st == T2_OK)
        st = t2_out_new(path, &out, err);
    if (st == T2_OK) {
        t2_out_printf(out, "<pad>\n<EOS>\n");
        if (wish->oov_token)
            t2_out_printf(out, "%s\n", wish->oov_token);
        for (i = 0; i < r.n; ++i) {
            t2_out_write(out, r.items[i].word, r.items[i].len_bytes);
            t2_out_write(out, "\n", 1);
        }
        st = t2_out_commit(out, err);
    }
    cut(&r, 0);
    t2_free(r.items);
    return st;
}

enum t2_status dg_make_words_vocab(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct dg_stream *stream = NULL;
    struct words words;
    enum t2_status st;

    t2_info("Generating vocab file: %s", path);
    T2_TRY(p->open(p, options, DG_TRAIN, &stream, err));
    words_init(&words, path, options->max_memory);
    st = count_samples(p, options, side, stream, &words, err);
    if (st == T2_OK)
        st = write_words(dg_vocab_wish_of(p, side), &words, options->max_memory, path, err);
    words_release(&words);
    dg_stream_free(stream);
    return st;
}
