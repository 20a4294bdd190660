/*
 * train/runs/eval_bleu.c - see the header.
 */
#include "train/runs/eval_bleu.h"

#include "base/alloc.h"
#include "train/eval/corpus_bleu.h"
#include "train/runs/sample_texts.h"

static enum t2_status add(void *context, int64_t i, const char *source, const char *target,
                          const char *output, struct t2_err *err)
{
    (void) i;
    (void) source;
    return ev_corpus_bleu_add(context, output, target, err);
}

/* Each rank has translated its rows. */
static enum t2_status gather(struct tr_run *r, struct ev_corpus_bleu *bleu, struct t2_err *err)
{
    int n = dist_size(r->dist);
    double mine[EV_CORPUS_BLEU_SUMS],
        (*all)[EV_CORPUS_BLEU_SUMS] = t2_alloc((size_t) n, sizeof *all);
    enum t2_status st;

    ev_corpus_bleu_sums(bleu, mine);
    st = dist_all_gather(r->dist, mine, sizeof mine, all, err);
    for (int k = 0; k < n && st == T2_OK; k++)
        if (k != dist_rank(r->dist))
            ev_corpus_bleu_add_sums(bleu, all[k]);
    t2_free(all);
    return st;
}

enum t2_status tr_eval_bleu(struct tr_run *r, double *score, struct t2_err *err)
{
    struct ev_corpus_bleu *bleu;
    enum t2_status st;

    T2_TRY(ev_corpus_bleu_new(&bleu, err));
    st = tr_translate_eval(r, r->options.eval_steps, INT32_MAX, add, bleu, err);
    st = dist_agree(r->dist, st, err);
    if (st == T2_OK)
        st = gather(r, bleu, err);
    *score = ev_corpus_bleu_score(bleu);
    ev_corpus_bleu_free(bleu);
    return st;
}
