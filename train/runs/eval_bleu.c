/*
 * train/runs/eval_bleu.c - see the header.
 */
#include "train/runs/eval_bleu.h"

#include "train/eval/corpus_bleu.h"
#include "train/runs/sample_texts.h"

static enum t2_status add(void *context, int64_t i, const char *source, const char *target,
                          const char *output, struct t2_err *err)
{
    (void) i;
    (void) source;
    return ev_corpus_bleu_add(context, output, target, err);
}

enum t2_status tr_eval_bleu(struct tr_run *r, double *score, struct t2_err *err)
{
    struct ev_corpus_bleu *bleu;
    enum t2_status st;

    T2_TRY(ev_corpus_bleu_new(&bleu, err));
    st = tr_translate_eval(r, r->options.eval_steps, INT32_MAX, add, bleu, err);
    *score = ev_corpus_bleu_score(bleu);
    ev_corpus_bleu_free(bleu);
    return st;
}
