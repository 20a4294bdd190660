/*
 * train/eval/bleu.h - corpus BLEU as T2T's script and as sacreBLEU compute it.
 *
 * Spec t2t-trainer.md §8.2, §8.3; t2t-datagen.md §10.3.
 */
#ifndef EV_BLEU_H
#define EV_BLEU_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum ev_bleu_kind {
    EV_BLEU_T2T,       /* t2t-bleu: mteval-v14 international rules, T2T's smoothing */
    EV_BLEU_SACREBLEU  /* 13a, smoothing exp, effective order off */
};

struct ev_bleu {
    double score;           /* 0..100 */
    double precisions[4];   /* percent */
    double brevity_penalty;
    uint64_t hypothesis_length, reference_length;
    uint64_t matches[4], possible[4];
};

/* Lines are UTF-8; n hypotheses against one reference each. */
T2_MUST_CHECK enum t2_status ev_bleu_corpus(enum ev_bleu_kind kind, bool lower_case,
                                            const struct t2_slice *hypotheses,
                                            const struct t2_slice *references, uint64_t n,
                                            struct ev_bleu *bleu, struct t2_err *err);
/* "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0" */
const char *ev_sacrebleu_signature(bool lower_case);
/* Appends the tokens, joined by blanks, as the scorer sees the line. */
void ev_bleu_tokenize(enum ev_bleu_kind kind, bool lower_case, struct t2_slice line,
                      struct t2_buf *tokens);

#endif
