/*
 * train/decode/source_ids.c - texts to the ids of sources, as in training, and cut to what fits.
 */
#include <ctype.h>
#include <string.h>

#include "tokenizer/unicode.h"
#include "train/decode/translator_parts.h"

static enum t2_status encode_stripped(struct dec_translator *t, const uint8_t *s, size_t n,
                                      struct tok_ids *ids, struct t2_err *err)
{
    tok_strip(&s, &n);
    return n > 0 ? tok_encode(t->parts.inputs, t->cache, s, n, ids, err) : T2_OK;
}

/* Question, EOS, separator, context: what the trainer makes of the two features of a record. */
static enum t2_status encode_with_context(struct dec_translator *t, const uint8_t *s, size_t n,
                                          struct tok_ids *ids, struct t2_err *err)
{
    const uint8_t *tab = memchr(s, '\t', n);
    size_t at;

    if (!tab)
        return t2_fail(err, T2_EFORMAT,
                       "the model reads a question and its context: a line must be question, TAB, "
                       "context");
    at = (size_t) (tab - s);
    T2_TRY(encode_stripped(t, s, at, ids, err));
    tok_ids_push(ids, TOK_EOS);
    tok_ids_push(ids, t->parts.context_separator);
    return encode_stripped(t, tab + 1, n - at - 1, ids, err);
}

/* What a language model continues ends with a word or, behind punctuation, a space
 * (decoding.get_language_modeling_inputs). */
static enum t2_status encode_with_space(struct dec_translator *t, const uint8_t *s, size_t n,
                                        struct tok_ids *ids, struct t2_err *err)
{
    struct t2_buf longer = {NULL, 0, 0};
    enum t2_status st;

    t2_buf_append(&longer, s, n);
    t2_buf_push(&longer, ' ');
    st = tok_encode(t->parts.inputs, t->cache, longer.data, longer.len_bytes, ids, err);
    t2_buf_release(&longer);
    return st;
}

enum t2_status dec_encode(struct dec_translator *t, struct t2_slice text, struct tok_ids *ids,
                          size_t *n_cut, struct t2_err *err)
{
    const uint8_t *s = text.data;
    size_t n = text.len_bytes, before = ids->n, limit;

    *n_cut = 0;
    tok_strip(&s, &n);
    if (n == 0)
        return T2_OK;
    if (t->parts.context_separator != 0)
        T2_TRY(encode_with_context(t, text.data, text.len_bytes, ids, err));
    else if (!t->has_inputs && ispunct(s[n - 1]))
        T2_TRY(encode_with_space(t, s, n, ids, err));
    else
        T2_TRY(tok_encode(t->parts.inputs, t->cache, s, n, ids, err));
    limit = ids->n - before + 1;
    if (t->parts.hp->max_input_size > 0 && (size_t) t->parts.hp->max_input_size < limit)
        limit = (size_t) t->parts.hp->max_input_size;
    T2_TRY(dec_longest_that_fits(t, limit, &limit, err));
    if (ids->n - before > limit - 1) {
        *n_cut = ids->n - before - (limit - 1);
        ids->n = before + limit - 1;
    }
    if (t->has_inputs || t->parts.hp->multiproblem_task_id >= 0)
        tok_ids_push(ids, t->parts.hp->multiproblem_task_id >= 0
                              ? (int32_t) t->parts.hp->multiproblem_task_id
                              : TOK_EOS);
    return T2_OK;
}

enum t2_status dec_take_ids(struct dec_translator *t, const int32_t *items, size_t n,
                            struct tok_ids *ids, size_t *n_cut, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(t->parts.m);
    int32_t vocab = t->has_inputs ? p->inputs_vocab : p->targets_vocab;
    size_t limit = n;

    *n_cut = 0;
    for (size_t i = 0; i < n; i++)
        if (items[i] < 0 || items[i] >= vocab)
            return t2_fail(err, T2_EFORMAT, "id %d is not one of the %d of the vocabulary",
                           items[i], vocab);
    if (n == 0)
        return T2_OK;
    if (t->parts.hp->max_input_size > 0 && (size_t) t->parts.hp->max_input_size < limit)
        limit = (size_t) t->parts.hp->max_input_size;
    T2_TRY(dec_longest_that_fits(t, limit, &limit, err));
    *n_cut = n - limit;
    tok_ids_append(ids, items, limit - 1);
    tok_ids_push(ids, items[n - 1]);
    return T2_OK;
}
