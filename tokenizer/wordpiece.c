/*
 * tokenizer/wordpiece.c - see the header.
 */
#include "tokenizer/wordpiece.h"

#include "base/map.h"
#include "base/text.h"
#include "tokenizer/convert.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/unicode.h"

enum { MOST_CHARS = 400 }; /* of a word; longer ones are unknown */

static enum t2_status find(const struct tok_wordpiece *w, const char *path, const char *name,
                           int32_t *id, struct t2_err *err)
{
    struct t2_slice entry = t2_slice_of(name);
    const uint64_t *found =
        t2_map_find(tok_hf_model_of(w->e)->model.vocab, entry.data, entry.len_bytes);

    if (!found)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': no vocabulary of BERT: it has no entry %s",
                       path, name);
    *id = (int32_t) *found;
    return T2_OK;
}

enum t2_status tok_wordpiece_load(const char *path, bool cased, struct tok_wordpiece *w,
                                  struct t2_err *err)
{
    struct tok_conversion c = {.cased = cased, .most_chars = MOST_CHARS};
    struct tok_encoder *list = NULL;
    enum t2_status st;

    *w = (struct tok_wordpiece){0};
    T2_TRY(tok_load(path, &list, err));
    if (!tok_vocab_kind_fits(tok_vocab_kind_of(list), TOK_VOCAB_WORDPIECE))
        T2_GOTO(st, out,
                t2_fail(err, T2_EUNSUPPORTED, "'%s' is of %s, not BERT's vocab.txt", path,
                        tok_kind(list)));
    T2_GOTO(st, out, tok_convert(list, TOK_VOCAB_WORDPIECE, TOK_VOCAB_HF, &c, err));
    T2_GOTO(st, out, tok_hf_parse(path, c.file.data, c.file.len_bytes, &w->e, err));
    T2_GOTO(st, out, find(w, path, "[CLS]", &w->cls, err));
    st = find(w, path, "[SEP]", &w->sep, err);
out:
    tok_free(list);
    tok_conversion_release(&c);
    return st;
}

void tok_wordpiece_release(struct tok_wordpiece *w)
{
    tok_free(w->e);
    t2_buf_release(&w->text);
    t2_buf_release(&w->scratch);
    *w = (struct tok_wordpiece){0};
}

int32_t tok_wordpiece_size(const struct tok_wordpiece *w)
{
    return tok_size(w->e);
}

/* Calls fn for each word. */
static enum t2_status cut(struct tok_wordpiece *w, struct t2_slice text, tok_hf_piece_fn *fn,
                          void *arg, struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = tok_hf_model_of(w->e);

    t2_buf_clear(&w->text);
    tok_utf8_replace(&w->text, text.data, text.len_bytes);
    if (!tok_hf_normalize(&h->normalizer, &w->text, &w->scratch))
        return t2_fail(err, T2_EFORMAT, "a text of %zu bytes is too long when it is normalised",
                       text.len_bytes);
    if (w->text.len_bytes > 0)
        tok_hf_pretokenize(&h->pre, t2_buf_slice(&w->text), true, &w->scratch, fn, arg);
    return T2_OK;
}

struct ids_of {
    const struct tok_hf_tokenizer *h;
    struct tok_ids *ids;
};

static void add_ids(void *arg, const uint8_t *piece, size_t len_bytes)
{
    const struct ids_of *to = arg;
    bool known = tok_hf_model_cut(&to->h->model, false, piece, len_bytes, to->ids);

    T2_ASSERT(known); /* the vocabulary has [UNK] */
}

enum t2_status tok_wordpiece_ids(struct tok_wordpiece *w, struct t2_slice text, struct tok_ids *ids,
                                 struct t2_err *err)
{
    struct ids_of to = {tok_hf_model_of(w->e), ids};

    return cut(w, text, add_ids, &to, err);
}

struct words_of {
    struct t2_buf *words;
    size_t first;
};

static void add_word(void *arg, const uint8_t *piece, size_t len_bytes)
{
    const struct words_of *to = arg;

    if (to->words->len_bytes > to->first)
        t2_buf_push(to->words, ' ');
    t2_buf_append(to->words, piece, len_bytes);
}

enum t2_status tok_wordpiece_words(struct tok_wordpiece *w, struct t2_slice text,
                                   struct t2_buf *words, struct t2_err *err)
{
    struct words_of to = {words, words->len_bytes};

    return cut(w, text, add_word, &to, err);
}

/* Every "##" goes, also within a piece, and with it the blank in front. */
void tok_wordpiece_text(const struct tok_wordpiece *w, const int32_t *ids, size_t n,
                        struct t2_buf *text)
{
    size_t first = text->len_bytes;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice piece = tok_entry(w->e, ids[i]);
        size_t at = piece.len_bytes >= 2 && piece.data[0] == '#' && piece.data[1] == '#' ? 2 : 0;

        if (at == 0 && text->len_bytes > first && text->data[text->len_bytes - 1] != ' ')
            t2_buf_push(text, ' ');
        while (at < piece.len_bytes) {
            if (at + 1 < piece.len_bytes && piece.data[at] == '#' && piece.data[at + 1] == '#') {
                at += 2;
                continue;
            }
            t2_buf_push(text, piece.data[at++]);
        }
    }
    if (text->len_bytes > first && text->data[text->len_bytes - 1] == ' ')
        text->len_bytes--;
}
