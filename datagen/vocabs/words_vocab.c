/*
 * datagen/vocabs/words_vocab.c - the words of a text as its vocabulary.
 */
#include "datagen/vocabs/words_vocab.h"

#include "base/file.h"
#include "base/log.h"
#include "datagen/source/sample_batch.h"
#include "datagen/vocabs/problem_vocab.h"
#include "datagen/vocabs/ranked_words.h"
#include "tokenizer/unicode.h"

static void count_word(struct dg_ranked_words *w, const uint8_t *start, const uint8_t *end)
{
    if (end > start)
        dg_ranked_words_add(w, (struct t2_slice){start, (size_t) (end - start)});
}

static void count_text(struct dg_ranked_words *words, struct t2_slice text)
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
                                    struct dg_ranked_words *words, struct t2_err *err)
{
    struct dg_batcher batcher = {.stream = stream,
                                 .max_cases = options->max_cases,
                                 .invalid = options->invalid};
    struct dg_batch batch = {0};
    enum t2_status st;

    while ((st = dg_batcher_fill(&batcher, &batch, err)) == T2_OK) {
        st = dg_batch_clean(&batch, err);
        if (st != T2_OK)
            break;
        for (size_t i = 0; i < batch.n; i++) {
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

static bool is_reserved(const struct dg_vocab_spec *spec, struct t2_slice word)
{
    return t2_slice_eq(word, t2_slice_of("<pad>")) || t2_slice_eq(word, t2_slice_of("<EOS>")) ||
           (spec->oov_token && t2_slice_eq(word, t2_slice_of(spec->oov_token)));
}

static enum t2_status write_words(const struct dg_vocab_spec *spec, struct dg_ranked_words *words,
                                  const char *path, struct t2_err *err)
{
    int64_t left = spec->approx_size - (spec->oov_token ? 3 : 2);
    struct t2_out *out = NULL;
    struct t2_slice word;
    enum t2_status st = T2_OK;
    uint64_t count;

    T2_TRY(dg_ranked_words_rank(words, err));
    T2_TRY(t2_out_new(path, &out, err));
    t2_out_printf(out, "<pad>\n<EOS>\n");
    if (spec->oov_token)
        t2_out_printf(out, "%s\n", spec->oov_token);
    while (left > 0 && (st = dg_ranked_words_next(words, &word, &count, err)) == T2_OK) {
        if (is_reserved(spec, word))
            continue;
        t2_out_write(out, word.data, word.len_bytes);
        t2_out_write(out, "\n", 1);
        left--;
    }
    if (st == T2_OK || st == T2_EOF)
        return t2_out_commit(out, err);
    t2_out_abort(out);
    return st;
}

enum t2_status dg_make_words_vocab(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_side_index side, const char *path, struct t2_err *err)
{
    struct dg_stream *stream = NULL;
    struct dg_ranked_words *words;
    enum t2_status st;

    t2_info("Generating vocab file: %s", path);
    T2_TRY(p->open(p, options, DG_TRAIN, &stream, err));
    words = dg_ranked_words_new(options, DG_EQUALS_BY_BYTES);
    st = count_samples(p, options, side, stream, words, err);
    if (st == T2_OK)
        st = write_words(dg_vocab_spec_of(p, side), words, path, err);
    dg_ranked_words_free(words);
    dg_stream_free(stream);
    return st;
}
