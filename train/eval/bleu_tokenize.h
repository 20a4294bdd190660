/*
 * train/eval/bleu_tokenize.h - the two tokenizers of BLEU: mteval-v14 as T2T has it, and 13a.
 *
 * Both leave tokens joined by single blanks, none at the ends.
 */
#ifndef EV_BLEU_TOKENIZE_H
#define EV_BLEU_TOKENIZE_H

#include <stdint.h>

#include "base/buf.h"

/* Code points with their classes, working memory of ev_tokenize_t2t; zero-initialise. */
struct ev_points {
    uint32_t *items;
    size_t n, capacity;
};

struct ev_t2t_scratch {
    struct ev_points in, out;
};
void ev_t2t_scratch_release(struct ev_t2t_scratch *s);

/* bleu_hook.bleu_tokenize (spec t2t-trainer.md §8.3).  Appends to *tokens. */
void ev_tokenize_t2t(struct ev_t2t_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);

struct ev_13a_scratch {
    struct t2_buf in, out;
};
void ev_13a_scratch_release(struct ev_13a_scratch *s);

/* mteval-v13a.pl's international-off rules as sacreBLEU applies them.  Appends to *tokens. */
void ev_tokenize_13a(struct ev_13a_scratch *scratch, struct t2_slice line, struct t2_buf *tokens);

/* str.split() and join: white space of every kind becomes one blank.  Appends to *tokens. */
void ev_split_join(struct t2_slice text, struct t2_buf *tokens);

#endif
