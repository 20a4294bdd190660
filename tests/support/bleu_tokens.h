/*
 * tests/support/bleu_tokens.h - the tokens of one line as Tensor2Tensor's BLEU cuts it.
 */
#ifndef T2_TESTS_SUPPORT_BLEU_TOKENS_H
#define T2_TESTS_SUPPORT_BLEU_TOKENS_H

#include "train/eval/bleu.h"

static inline void t_bleu_tokens(bool lower_case, struct t2_slice line, struct t2_buf *tokens)
{
    struct ev_bleu_sum *s = ev_bleu_sum_new(lower_case);

    ev_bleu_tokenize(s, line, tokens);
    ev_bleu_sum_free(s);
}

#endif
