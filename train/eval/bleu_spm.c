/*
 * train/eval/bleu_spm.c - see the header.
 */
#include "train/eval/bleu_spm.h"

#include <stdint.h>

#include "tokenizer/sentencepiece.h"

enum t2_status ev_spm_load(const char *path, struct tok_encoder **model, struct t2_err *err)
{
    T2_TRY(tok_load(path, model, err));
    if (tok_sp_model_of(*model))
        return T2_OK;
    tok_free(*model);
    *model = NULL;
    return t2_fail(err, T2_EFORMAT, "'%s' is no SentencePiece model", path);
}

static void put(struct t2_buf *out, struct t2_slice piece)
{
    if (out->len_bytes > 0)
        t2_buf_push(out, ' ');
    t2_buf_append(out, piece.data, piece.len_bytes);
}

/* A piece of `normal` that is none of the vocabulary. */
static void put_unknown(const struct tok_sp_model *m, struct t2_slice text, bool after_unknown,
                        struct t2_buf *out)
{
    if (m->byte_fallback) {
        for (size_t i = 0; i < text.len_bytes; i++) {
            int32_t id = m->bytes[text.data[i]] >= 0 ? m->bytes[text.data[i]] : m->unknown;

            put(out, m->pieces[id]);
        }
    } else if (after_unknown) {
        t2_buf_append(out, text.data, text.len_bytes);
    } else {
        put(out, text);
    }
}

enum t2_status ev_spm_cut(const struct tok_encoder *model, struct t2_slice line, struct t2_buf *out,
                          struct t2_err *err)
{
    const struct tok_sp_model *m = tok_sp_model_of(model);
    struct t2_buf normal = {NULL, 0, 0};
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
    bool after_unknown = false;
    size_t at = 0;

    tok_sp_normalize(m, line.data, line.len_bytes, &normal);
    if (normal.len_bytes > INT32_MAX) {
        t2_buf_release(&normal);
        return t2_fail(err, T2_EFORMAT, "a line of %zu bytes is too long when it is normalised",
                       line.len_bytes);
    }
    if (normal.len_bytes > 0 && m->model_type == TOK_SP_UNIGRAM)
        tok_sp_cut_unigram(m, normal.data, normal.len_bytes, &cut);
    else if (normal.len_bytes > 0)
        tok_sp_cut_bpe(m, normal.data, normal.len_bytes, &cut);
    for (size_t i = 0; i < cut.ids.n; i++) {
        struct t2_slice text = {normal.data + at, (size_t) cut.lengths.items[i]};
        bool is_unknown = cut.ids.items[i] == m->unknown;

        if (is_unknown)
            put_unknown(m, text, after_unknown, out);
        else
            put(out, text);
        after_unknown = is_unknown;
        at += text.len_bytes;
    }
    tok_ids_release(&cut.ids);
    tok_ids_release(&cut.lengths);
    t2_buf_release(&normal);
    return T2_OK;
}
