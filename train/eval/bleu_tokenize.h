/*
 * train/eval/bleu_tokenize.h - how a line becomes the tokens of BLEU, one function a tokenizer.
 *
 * Lines are UTF-8.  Tokens are appended joined by single blanks, none at the ends.  By name:
 * bleu_tokenizer.h.
 */
#ifndef EV_BLEU_TOKENIZE_H
#define EV_BLEU_TOKENIZE_H

#include <stdint.h>

#include "base/buf.h"

/* ---- bleu_intl.c: mteval-v14's international rules ---- */

/* Code points with their classes; zero-initialise. */
struct ev_points {
    uint32_t *items;
    size_t n, capacity;
};

struct ev_intl_scratch {
    struct ev_points in, out;
};
void ev_intl_scratch_release(struct ev_intl_scratch *s);

/* bleu_hook.bleu_tokenize of Tensor2Tensor (spec t2t-trainer.md §8.3): by Unicode 11, decimal
 * digits keep punctuation, and the backslash is no punctuation. */
void ev_tokenize_t2t(struct ev_intl_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);
/* sacreBLEU's "intl": by the newest Unicode, numbers of every kind keep punctuation. */
void ev_tokenize_intl(struct ev_intl_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);

/* ---- bleu_13a.c, bleu_zh.c ---- */

struct ev_13a_scratch {
    struct t2_buf line, in, out;
};
void ev_13a_scratch_release(struct ev_13a_scratch *s);

/* mteval-v13a.pl's international-off rules as sacreBLEU applies them. */
void ev_tokenize_13a(struct ev_13a_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);
/* Its "zh": a Chinese character is a token, the rest goes by the rules of 13a. */
void ev_tokenize_zh(struct ev_13a_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);

#endif
