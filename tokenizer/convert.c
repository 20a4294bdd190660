/*
 * tokenizer/convert.c - the table of pairs.
 */
#include "tokenizer/convert.h"

#include <string.h>

#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/subwords.h"

static const char *const names[TOK_N_VOCAB_KINDS] = {
    [TOK_VOCAB_T2T] = "t2t",
    [TOK_VOCAB_OFFICIAL] = "official",
    [TOK_VOCAB_SENTENCEPIECE] = "sentencepiece",
    [TOK_VOCAB_HF] = "tokenizer.json",
    [TOK_VOCAB_TIKTOKEN] = "tiktoken",
    [TOK_VOCAB_SUBWORD_NMT] = "subword-nmt",
    [TOK_VOCAB_WORDPIECE] = "wordpiece",
    [TOK_VOCAB_LIST] = "list",
};

static const struct {
    enum tok_vocab_kind from, to;
    tok_convert_fn *convert;
} pairs[] = {
    {TOK_VOCAB_T2T, TOK_VOCAB_OFFICIAL, tok_official_from_t2t},
    {TOK_VOCAB_OFFICIAL, TOK_VOCAB_T2T, tok_t2t_from_official},
    {TOK_VOCAB_T2T, TOK_VOCAB_HF, tok_hf_from_subwords},
    {TOK_VOCAB_OFFICIAL, TOK_VOCAB_HF, tok_hf_from_subwords},
    {TOK_VOCAB_SENTENCEPIECE, TOK_VOCAB_HF, tok_hf_from_sentencepiece},
    {TOK_VOCAB_HF, TOK_VOCAB_SENTENCEPIECE, tok_sentencepiece_from_hf},
    {TOK_VOCAB_TIKTOKEN, TOK_VOCAB_HF, tok_hf_from_tiktoken},
    {TOK_VOCAB_HF, TOK_VOCAB_TIKTOKEN, tok_tiktoken_from_hf},
    {TOK_VOCAB_SUBWORD_NMT, TOK_VOCAB_HF, tok_hf_from_nmt},
    {TOK_VOCAB_WORDPIECE, TOK_VOCAB_HF, tok_hf_from_wordpiece},
    {TOK_VOCAB_HF, TOK_VOCAB_WORDPIECE, tok_wordpiece_from_hf},
};

const char *tok_vocab_kind_name(enum tok_vocab_kind kind)
{
    return names[kind];
}

bool tok_vocab_kind_named(const char *name, enum tok_vocab_kind *kind)
{
    if (strcmp(name, "subwords") == 0 || strcmp(name, "tokens") == 0)
        name = names[name[0] == 's' ? TOK_VOCAB_T2T : TOK_VOCAB_LIST];
    for (int i = 0; i < TOK_N_VOCAB_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (enum tok_vocab_kind) i;
            return true;
        }
    return false;
}

enum tok_vocab_kind tok_vocab_kind_of(const struct tok_encoder *e)
{
    if (tok_subwords_model(e))
        return e->n > 0 && t2_slice_eq(e->entries[0], t2_slice_of("<pad>")) ? TOK_VOCAB_OFFICIAL
                                                                            : TOK_VOCAB_T2T;
    if (tok_sp_model_of(e))
        return TOK_VOCAB_SENTENCEPIECE;
    if (tok_hf_model_of(e))
        return TOK_VOCAB_HF;
    if (strcmp(e->kind->name, "tiktoken ranks") == 0)
        return TOK_VOCAB_TIKTOKEN;
    return strcmp(e->kind->name, "subword-nmt codes") == 0 ? TOK_VOCAB_SUBWORD_NMT : TOK_VOCAB_LIST;
}

bool tok_vocab_kind_fits(enum tok_vocab_kind found, enum tok_vocab_kind kind)
{
    return found == kind || (found <= TOK_VOCAB_OFFICIAL && kind <= TOK_VOCAB_OFFICIAL) ||
           (found == TOK_VOCAB_LIST && kind == TOK_VOCAB_WORDPIECE);
}

void tok_conversion_release(struct tok_conversion *c)
{
    t2_buf_release(&c->file);
    t2_strs_release(&c->differences);
    t2_strs_release(&c->notes);
}

static enum t2_status copy(const struct tok_encoder *e, struct tok_conversion *c,
                           struct t2_err *err)
{
    if (!e->kind->write)
        return t2_fail(err, T2_EUNSUPPORTED, "a vocabulary of %s has no file of its own",
                       e->kind->name);
    e->kind->write(e, &c->file);
    return T2_OK;
}

enum t2_status tok_convert(const struct tok_encoder *e, enum tok_vocab_kind from,
                           enum tok_vocab_kind to, struct tok_conversion *c, struct t2_err *err)
{
    if (from == to)
        return copy(e, c, err);
    if (to == TOK_VOCAB_LIST)
        return tok_list_from_any(e, c, err);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].from == from && pairs[i].to == to)
            return pairs[i].convert(e, c, err);
    return t2_fail(err, T2_EUNSUPPORTED,
                   "%s to %s: the two cut text in ways that cannot be expressed in each other, so "
                   "there is no conversion, with --lossy neither; `t2t-vocab convert --help` "
                   "lists the pairs",
                   names[from], names[to]);
}
