/*
 * train/eval/corpus_bleu.c - see the header.
 */
#include "train/eval/corpus_bleu.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/eval/sacrebleu.h"

_Static_assert(EV_CORPUS_BLEU_SUMS == EV_BLEU_STATS + 1, "statistics and segments");

struct ev_corpus_bleu {
    struct ev_metric *metric;
    void *work;
    double stats[EV_BLEU_STATS]; /* sums */
    uint64_t n;
};

enum t2_status ev_corpus_bleu_new(struct ev_corpus_bleu **b, struct t2_err *err)
{
    const struct ev_sacrebleu_options usual = {.smoothing = EV_SMOOTH_EXP,
                                               .smooth_value = (double) NAN};
    struct ev_tokenizer *tokenizer;

    *b = NULL;
    T2_TRY(ev_tokenizer_new("13a", "", "", &tokenizer, err));
    *b = t2_alloc(1, sizeof **b);
    (*b)->metric = ev_sacrebleu_new(&usual, tokenizer);
    (*b)->work = (*b)->metric->kind->work_new((*b)->metric);
    return T2_OK;
}

void ev_corpus_bleu_free(struct ev_corpus_bleu *b)
{
    if (!b)
        return;
    b->metric->kind->work_free(b->work);
    ev_metric_free(b->metric);
    t2_free(b);
}

static struct t2_slice slice(const char *text)
{
    return (struct t2_slice){(const uint8_t *) text, strlen(text)};
}

enum t2_status ev_corpus_bleu_add(struct ev_corpus_bleu *b, const char *hypothesis,
                                  const char *reference, struct t2_err *err)
{
    struct t2_slice right = slice(reference);
    const struct ev_segment segment = {slice(hypothesis), &right, 1};
    double stats[EV_BLEU_STATS];

    T2_TRY(b->metric->kind->segment(b->metric, b->work, &segment, stats, err));
    for (int k = 0; k < EV_BLEU_STATS; k++)
        b->stats[k] += stats[k];
    b->n++;
    return T2_OK;
}

double ev_corpus_bleu_score(const struct ev_corpus_bleu *b)
{
    return b->n > 0 ? b->metric->kind->score(b->metric, b->stats, EV_SUMS_PYTHON).v : (double) NAN;
}

void ev_corpus_bleu_sums(const struct ev_corpus_bleu *b, double sums[EV_CORPUS_BLEU_SUMS])
{
    memcpy(sums, b->stats, sizeof b->stats);
    sums[EV_BLEU_STATS] = (double) b->n;
}

void ev_corpus_bleu_add_sums(struct ev_corpus_bleu *b, const double sums[EV_CORPUS_BLEU_SUMS])
{
    for (int k = 0; k < EV_BLEU_STATS; k++)
        b->stats[k] += sums[k];
    b->n += (uint64_t) sums[EV_BLEU_STATS];
}
