/*
 * datagen/words_vocab.c - the words of a text as its vocabulary.
 */
#include "datagen/words_vocab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/map.h"
#include "datagen/problem_vocab.h"
#include "datagen/sample_batch.h"
#include "tokenizer/unicode.h"

struct word {
    struct t2_slice text;
    uint64_t count;
};

static void count_word(struct t2_map *words, const uint8_t *start, const uint8_t *end)
{
    bool is_new;

    if (end > start)
        ++*t2_map_at(words, start, (size_t) (end - start), &is_new);
}

static void count_text(struct t2_map *words, struct t2_slice text)
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
                                    struct t2_map *words, struct t2_err *err)
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

static int compare(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    size_t n = x->text.len_bytes < y->text.len_bytes ? x->text.len_bytes : y->text.len_bytes;
    int order;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    order = memcmp(x->text.data, y->text.data, n);
    return order
               ? order
               : (x->text.len_bytes > y->text.len_bytes) - (x->text.len_bytes < y->text.len_bytes);
}

static enum t2_status write_words(const struct dg_vocab_wish *wish, const struct t2_map *map,
                                  const char *path, struct t2_err *err)
{
    static const char *const first[] = {"<pad>", "<EOS>"};
    const char *reserved[] = {first[0], first[1], wish->oov_token};
    size_t n = t2_map_count(map), n_reserved = wish->oov_token ? 3 : 2, i, k, n_written;
    struct word *words = t2_alloc(n ? n : 1, sizeof *words);
    struct t2_out *out = NULL;
    enum t2_status st = t2_out_new(path, &out, err);

    for (i = 0; i < n; ++i)
        words[i] = (struct word){t2_map_key(map, i), t2_map_value(map, i)};
    qsort(words, n, sizeof *words, compare);
    for (i = 0; i < n_reserved && st == T2_OK; ++i)
        t2_out_printf(out, "%s\n", reserved[i]);
    n_written = n_reserved;
    for (i = 0; i < n && st == T2_OK && (int64_t) n_written < wish->approx_size; ++i) {
        for (k = 0; k < n_reserved && !t2_slice_eq(words[i].text, t2_slice_of(reserved[k])); ++k)
            continue;
        if (k < n_reserved)
            continue;
        t2_out_write(out, words[i].text.data, words[i].text.len_bytes);
        t2_out_write(out, "\n", 1);
        ++n_written;
    }
    if (st == T2_OK)
        st = t2_out_commit(out, err);
    t2_free(words);
    return st;
}

enum t2_status dg_make_words_vocab(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct dg_stream *stream = NULL;
    struct t2_map *words;
    enum t2_status st;

    t2_info("Generating vocab file: %s", path);
    T2_TRY(p->open(p, options, DG_TRAIN, &stream, err));
    words = t2_map_new();
    st = count_samples(p, options, side, stream, words, err);
    if (st == T2_OK)
        st = write_words(dg_vocab_wish_of(p, side), words, path, err);
    t2_map_free(words);
    dg_stream_free(stream);
    return st;
}
