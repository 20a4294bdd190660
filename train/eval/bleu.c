/*
 * train/eval/bleu.c - corpus BLEU from n-gram counts, as bleu_hook.compute_bleu of Tensor2Tensor
 * and as BLEU.compute_bleu of sacreBLEU 2.6.0 compute it.
 *
 *   BLEU = 100 * brevity * (p1 p2 p3 p4)^(1/4),  p_n = matches / possible n-grams of order n
 *   brevity = 1, or exp(1 - reference length / hypothesis length) for a shorter hypothesis
 * An order without a match counts as half a match, the next such order as a quarter, and so on.
 * The two differ in the tokens, in an order without any n-gram (T2T leaves it out, sacreBLEU gives
 * 0), and in precision (T2T rounds to float32).
 */
#include "train/eval/bleu.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "tokenizer/unicode.h"
#include "train/eval/bleu_tokenize.h"
#include "train/eval/ngram_match.h"

enum { ORDER = EV_NGRAM_ORDER };

struct ev_bleu_sum {
    enum ev_bleu_kind kind;
    bool lower_case;
    uint64_t n_segments;
    struct ev_ngram_counts counts;
    struct ev_ngrams *ngrams;
    struct ev_t2t_scratch t2t;
    struct ev_13a_scratch mteval;
    struct t2_buf lower, hypothesis, reference;
};

struct ev_bleu_sum *ev_bleu_sum_new(enum ev_bleu_kind kind, bool lower_case)
{
    struct ev_bleu_sum *s = t2_alloc(1, sizeof *s);

    s->kind = kind;
    s->lower_case = lower_case;
    s->ngrams = ev_ngrams_new();
    return s;
}

void ev_bleu_sum_free(struct ev_bleu_sum *s)
{
    if (!s)
        return;
    ev_ngrams_free(s->ngrams);
    ev_t2t_scratch_release(&s->t2t);
    ev_13a_scratch_release(&s->mteval);
    t2_buf_release(&s->lower);
    t2_buf_release(&s->hypothesis);
    t2_buf_release(&s->reference);
    t2_free(s);
}

void ev_bleu_tokenize(struct ev_bleu_sum *s, struct t2_slice line, struct t2_buf *tokens)
{
    if (s->lower_case) {
        t2_buf_clear(&s->lower);
        tok_lower(&s->lower, line.data, line.len_bytes);
        line = t2_buf_slice(&s->lower);
    }
    if (s->kind == EV_BLEU_T2T)
        ev_tokenize_t2t(&s->t2t, line, tokens);
    else
        ev_tokenize_13a(&s->mteval, line, tokens);
}

void ev_bleu_sum_add(struct ev_bleu_sum *s, struct t2_slice hypothesis, struct t2_slice reference)
{
    t2_buf_clear(&s->hypothesis);
    t2_buf_clear(&s->reference);
    ev_bleu_tokenize(s, hypothesis, &s->hypothesis);
    ev_bleu_tokenize(s, reference, &s->reference);
    ev_ngrams_add(s->ngrams, t2_buf_slice(&s->hypothesis), t2_buf_slice(&s->reference), &s->counts);
    s->n_segments++;
}

/* Precision of one order with n-grams, smoothed; *smooth doubles at each order without a match. */
static double precision(uint64_t matches, uint64_t possible, double *smooth)
{
    if (matches > 0)
        return (double) matches / (double) possible;
    *smooth *= 2;
    return 1.0 / (*smooth * (double) possible);
}

static void score_t2t(struct ev_bleu *b)
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

static void score_sacrebleu(struct ev_bleu *b)
{
    double smooth = 1, log_sum = 0, hypothesis = (double) b->hypothesis_length;
    bool full = true; /* all orders have n-grams; effective order is off */

    b->brevity_penalty = 1;
    if (b->hypothesis_length < b->reference_length)
        b->brevity_penalty =
            b->hypothesis_length ? exp(1 - (double) b->reference_length / hypothesis) : 0;
    for (int k = 0; k < ORDER; k++)
        b->precisions[k] = 0;
    b->score = 0;
    if (!(b->matches[0] | b->matches[1] | b->matches[2] | b->matches[3]))
        return;
    for (int k = 0; k < ORDER; k++) {
        if (b->possible[k] == 0) {
            full = false;
            break;
        }
        if (b->matches[k] > 0) {
            b->precisions[k] = 100.0 * (double) b->matches[k] / (double) b->possible[k];
        } else {
            smooth *= 2;
            b->precisions[k] = 100.0 / (smooth * (double) b->possible[k]);
        }
        log_sum += log(b->precisions[k]);
    }
    if (full)
        b->score = b->brevity_penalty * exp(log_sum / ORDER);
}

void ev_bleu_sum_score(const struct ev_bleu_sum *s, struct ev_bleu *bleu)
{
    const struct ev_ngram_counts *c = &s->counts;

    memset(bleu, 0, sizeof *bleu);
    bleu->n_segments = s->n_segments;
    bleu->hypothesis_length = c->hypothesis_length;
    bleu->reference_length = c->reference_length;
    memcpy(bleu->matches, c->matches, sizeof bleu->matches);
    memcpy(bleu->possible, c->possible, sizeof bleu->possible);
    if (s->kind == EV_BLEU_T2T)
        score_t2t(bleu);
    else
        score_sacrebleu(bleu);
}

const char *ev_sacrebleu_signature(bool lower_case)
{
    return lower_case ? "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:2.6.0"
                      : "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0";
}

void ev_sacrebleu_line(const struct ev_bleu *bleu, bool lower_case, int width, struct t2_buf *line)
{
    double ratio = bleu->reference_length
                       ? (double) bleu->hypothesis_length / (double) bleu->reference_length
                       : 0;

    t2_buf_printf(line, "%s = %.*f %.1f/%.1f/%.1f/%.1f ", ev_sacrebleu_signature(lower_case), width,
                  bleu->score, bleu->precisions[0], bleu->precisions[1], bleu->precisions[2],
                  bleu->precisions[3]);
    t2_buf_printf(line, "(BP = %.3f ratio = %.3f hyp_len = %llu ref_len = %llu)",
                  bleu->brevity_penalty, ratio, (unsigned long long) bleu->hypothesis_length,
                  (unsigned long long) bleu->reference_length);
}
