/*
 * train/eval/bleu.c - corpus BLEU of one reference, segment by segment, as bleu_hook.compute_bleu
 * of Tensor2Tensor computes it (sacrebleu.h has the formula).
 *
 * An order without a match counts as half a match, the next such order as a quarter, and so on; an
 * order without any n-gram is left out.  The score is a float32.
 */
#include "train/eval/bleu.h"

#include <math.h>

#include "base/alloc.h"
#include "base/text.h"
#include "tokenizer/unicode.h"
#include "train/eval/bleu_tokenize.h"
#include "train/eval/ngram_match.h"
#include "train/eval/word_ids.h"

enum { ORDER = 4 };

struct ev_bleu_sum {
    bool lower_case;
    struct ev_bleu sum; /* counts */
    struct ev_words *words;
    struct ev_ngrams *ngrams;
    struct ev_intl_scratch t2t;
    struct t2_buf lower, hypothesis, reference;
    struct ev_ids ids;
};

struct ev_bleu_sum *ev_bleu_sum_new(bool lower_case)
{
    struct ev_bleu_sum *s = t2_alloc(1, sizeof *s);

    s->lower_case = lower_case;
    s->words = ev_words_new();
    s->ngrams = ev_ngrams_new(ORDER);
    return s;
}

void ev_bleu_sum_free(struct ev_bleu_sum *s)
{
    if (!s)
        return;
    ev_words_free(s->words);
    ev_ngrams_free(s->ngrams);
    ev_intl_scratch_release(&s->t2t);
    t2_buf_release(&s->lower);
    t2_buf_release(&s->hypothesis);
    t2_buf_release(&s->reference);
    ev_ids_release(&s->ids);
    t2_free(s);
}

void ev_bleu_tokenize(struct ev_bleu_sum *s, struct t2_slice line, struct t2_buf *tokens)
{
    if (s->lower_case) {
        t2_buf_clear(&s->lower);
        tok_lower(&s->lower, line.data, line.len_bytes);
        line = t2_buf_slice(&s->lower);
    }
    ev_tokenize_t2t(&s->t2t, line, tokens);
}

void ev_bleu_sum_add(struct ev_bleu_sum *s, struct t2_slice hypothesis, struct t2_slice reference)
{
    uint64_t matches[ORDER];

    t2_buf_clear(&s->hypothesis);
    t2_buf_clear(&s->reference);
    ev_bleu_tokenize(s, hypothesis, &s->hypothesis);
    ev_bleu_tokenize(s, reference, &s->reference);
    ev_words_start(s->words);
    ev_ngrams_start(s->ngrams);
    s->ids.n = 0;
    ev_words_cut(s->words, t2_buf_slice(&s->reference), &s->ids);
    ev_ngrams_reference(s->ngrams, s->ids.items, s->ids.n);
    s->sum.reference_length += s->ids.n;
    s->ids.n = 0;
    ev_words_cut(s->words, t2_buf_slice(&s->hypothesis), &s->ids);
    ev_ngrams_match(s->ngrams, s->ids.items, s->ids.n, matches);
    s->sum.hypothesis_length += s->ids.n;
    for (int k = 0; k < ORDER; k++) {
        s->sum.matches[k] += matches[k];
        s->sum.possible[k] += ev_ngrams_possible(s->ids.n, k + 1);
    }
    s->sum.n_segments++;
}

/* Precision of one order with n-grams, smoothed; *smooth doubles at each order without a match. */
static double precision(uint64_t matches, uint64_t possible, double *smooth)
{
    if (matches > 0)
        return (double) matches / (double) possible;
    *smooth *= 2;
    return 1.0 / (*smooth * (double) possible);
}

void ev_bleu_of_counts(struct ev_bleu *b)
{
    double smooth = 1, log_sum = 0, geometric_mean = 0, ratio;
    bool any = false;

    for (int k = 0; k < ORDER; k++) {
        double p = b->possible[k] ? precision(b->matches[k], b->possible[k], &smooth) : 0;

        b->precisions[k] = 100 * p;
        if (p > 0) { /* an order without n-grams is left out, but counts in the mean */
            log_sum += log(p);
            any = true;
        }
    }
    if (any)
        geometric_mean = exp(log_sum / ORDER);
    ratio = b->reference_length ? (double) b->hypothesis_length / (double) b->reference_length : 1;
    b->brevity_penalty = ratio >= 1 ? 1 : ratio > 0 ? exp(1 - 1 / ratio) : 0;
    b->score = 100 * (double) (float) (geometric_mean * b->brevity_penalty);
}

void ev_bleu_sum_score(const struct ev_bleu_sum *s, struct ev_bleu *bleu)
{
    *bleu = s->sum;
    ev_bleu_of_counts(bleu);
}
