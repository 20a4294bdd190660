/*
 * train/eval/sacrebleu.c - see the header.
 */
#include "train/eval/sacrebleu.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"
#include "train/eval/ngram_match.h"
#include "train/eval/word_ids.h"

const char *const ev_smoothing_names[4] = {"none", "floor", "add-k", "exp"};

struct sacrebleu {
    struct ev_metric metric;
    struct ev_sacrebleu_options options;
    struct ev_tokenizer *tokenizer;
};

struct work {
    struct ev_tokenizer_work *tokenizer;
    struct ev_words *words;
    struct ev_ngrams *ngrams;
    struct ev_ids ids, of_hypothesis;
    struct t2_buf lower;
    struct t2_buf *tokens; /* one of the hypothesis and one of each reference */
    int n_tokens;
};

static const struct sacrebleu *of(const struct ev_metric *m)
{
    return (const struct sacrebleu *) m;
}

static void *work_new(const struct ev_metric *m)
{
    struct work *w = t2_alloc(1, sizeof *w);

    w->tokenizer = ev_tokenizer_work_new(of(m)->tokenizer);
    w->words = ev_words_new();
    w->ngrams = ev_ngrams_new(EV_BLEU_ORDER);
    return w;
}

static void work_free(void *work)
{
    struct work *w = work;

    if (!w)
        return;
    ev_tokenizer_work_free(w->tokenizer);
    ev_words_free(w->words);
    ev_ngrams_free(w->ngrams);
    ev_ids_release(&w->ids);
    ev_ids_release(&w->of_hypothesis);
    t2_buf_release(&w->lower);
    for (int i = 0; i < w->n_tokens; i++)
        t2_buf_release(&w->tokens[i]);
    t2_free(w->tokens);
    t2_free(w);
}

/* The numbers of a line's tokens, whose bytes stay in *tokens. */
static enum t2_status cut(const struct sacrebleu *b, struct work *w, struct t2_slice line,
                          struct t2_buf *tokens, struct ev_ids *ids, struct t2_err *err)
{
    if (b->options.lower_case) {
        t2_buf_clear(&w->lower);
        tok_lower(&w->lower, line.data, line.len_bytes);
        line = t2_buf_slice(&w->lower);
    }
    if (line.len_bytes)
        tok_strip_end(line.data, &line.len_bytes);
    t2_buf_clear(tokens);
    T2_TRY(ev_tokenizer_cut(w->tokenizer, line, tokens, err));
    ids->n = 0;
    ev_words_cut(w->words, t2_buf_slice(tokens), ids);
    return T2_OK;
}

/* The nearest length so far; the shorter of two as near. */
static uint64_t nearer(uint64_t hypothesis, uint64_t best, uint64_t length)
{
    uint64_t d_best = best > hypothesis ? best - hypothesis : hypothesis - best;
    uint64_t d = length > hypothesis ? length - hypothesis : hypothesis - length;

    return d < d_best || (d == d_best && length < best) ? length : best;
}

static enum t2_status segment(const struct ev_metric *m, void *work, const struct ev_segment *s,
                              double *stats, struct t2_err *err)
{
    struct work *w = work;
    uint64_t matches[EV_BLEU_ORDER], n_hypothesis, nearest = 0;

    while (w->n_tokens < s->n_references + 2) {
        w->tokens = t2_realloc(w->tokens, (size_t) w->n_tokens + 1, sizeof *w->tokens);
        w->tokens[w->n_tokens++] = (struct t2_buf){NULL, 0, 0};
    }
    ev_words_start(w->words);
    ev_ngrams_start(w->ngrams);
    /* Lengths come first: that of the hypothesis chooses the reference. */
    T2_TRY(cut(of(m), w, s->hypothesis, &w->tokens[s->n_references], &w->of_hypothesis, err));
    n_hypothesis = w->of_hypothesis.n;
    for (int i = 0; i < s->n_references; i++) {
        T2_TRY(cut(of(m), w, s->references[i], &w->tokens[i], &w->ids, err));
        nearest = i == 0 ? w->ids.n : nearer(n_hypothesis, nearest, w->ids.n);
        ev_ngrams_reference(w->ngrams, w->ids.items, w->ids.n);
    }
    ev_ngrams_match(w->ngrams, w->of_hypothesis.items, n_hypothesis, matches);
    stats[EV_BLEU_HYPOTHESIS] = (double) n_hypothesis;
    stats[EV_BLEU_REFERENCE] = (double) nearest;
    for (int k = 0; k < EV_BLEU_ORDER; k++) {
        stats[EV_BLEU_MATCHES + k] = (double) matches[k];
        stats[EV_BLEU_POSSIBLE + k] = (double) ev_ngrams_possible(n_hypothesis, k + 1);
    }
    return T2_OK;
}

static double smooth_value(const struct ev_sacrebleu_options *o)
{
    if (!isnan(o->smooth_value))
        return o->smooth_value;
    return o->smoothing == EV_SMOOTH_FLOOR ? 0.1 : 1;
}

/* Adds k to a count, as the array that it stands in takes it. */
static struct ev_number add_k(struct ev_number count, double k, enum ev_sums sums)
{
    struct ev_number sum = ev_add(count, ev_python(k));

    if (sums == EV_SUMS_INT64)
        sum.v = trunc(sum.v);
    return sum;
}

/* log, with a very small number for 0 */
static double floored_log(double v)
{
    return v == 0 ? -9999999999.0 : log(v);
}

struct ev_number ev_sacrebleu_score(const struct ev_sacrebleu_options *o, const double *stats,
                                    enum ev_sums sums, struct ev_bleu_parts *parts)
{
    double hypothesis = trunc(stats[EV_BLEU_HYPOTHESIS]),
           reference = trunc(stats[EV_BLEU_REFERENCE]);
    double brevity = 1, doubled = 1, log_sum = 0, precisions[EV_BLEU_ORDER] = {0};
    int order = EV_BLEU_ORDER;
    bool any = false;

    if (hypothesis < reference)
        brevity = hypothesis > 0 ? exp(1 - reference / hypothesis) : 0;
    for (int k = 0; k < EV_BLEU_ORDER; k++)
        any = any || stats[EV_BLEU_MATCHES + k] != 0;
    for (int k = 0; any && k < EV_BLEU_ORDER; k++) {
        struct ev_number matches = {stats[EV_BLEU_MATCHES + k], sums == EV_SUMS_FLOAT32};
        struct ev_number possible = {stats[EV_BLEU_POSSIBLE + k], sums == EV_SUMS_FLOAT32};
        struct ev_number p = ev_python(0);

        if (o->smoothing == EV_SMOOTH_ADD_K && k > 0) {
            matches = add_k(matches, smooth_value(o), sums);
            possible = add_k(possible, smooth_value(o), sums);
        }
        if (possible.v == 0)
            break;
        if (o->effective_order)
            order = k + 1;
        if (matches.v != 0) {
            p = ev_divide(ev_multiply(ev_python(100), matches), possible);
        } else if (o->smoothing == EV_SMOOTH_EXP) {
            doubled *= 2;
            p = ev_divide(ev_python(100), ev_multiply(ev_python(doubled), possible));
        } else if (o->smoothing == EV_SMOOTH_FLOOR) {
            p = ev_divide(ev_python(100 * smooth_value(o)), possible);
        }
        precisions[k] = p.v;
    }
    for (int k = 0; k < order; k++)
        log_sum += floored_log(precisions[k]);
    if (parts) {
        parts->brevity_penalty = brevity;
        for (int k = 0; k < EV_BLEU_ORDER; k++)
            parts->precisions[k] = precisions[k];
    }
    return ev_python(any ? brevity * exp(log_sum / order) : 0);
}

void ev_sacrebleu_verbose(const double *stats, const struct ev_bleu_parts *parts,
                          struct t2_buf *out)
{
    double ratio =
        stats[EV_BLEU_REFERENCE] > 0 ? stats[EV_BLEU_HYPOTHESIS] / stats[EV_BLEU_REFERENCE] : 0;

    for (int k = 0; k < EV_BLEU_ORDER; k++)
        t2_buf_printf(out, k ? "/%.1f" : "%.1f", parts->precisions[k]);
    t2_buf_printf(out, " (BP = %.3f ratio = %.3f hyp_len = %.0f ref_len = %.0f)",
                  parts->brevity_penalty, ratio, stats[EV_BLEU_HYPOTHESIS],
                  stats[EV_BLEU_REFERENCE]);
}

static struct ev_number score(const struct ev_metric *m, const double *stats, enum ev_sums sums)
{
    return ev_sacrebleu_score(&of(m)->options, stats, sums, NULL);
}

static void verbose(const struct ev_metric *m, const double *stats, struct t2_buf *out)
{
    struct ev_bleu_parts parts;

    (void) ev_sacrebleu_score(&of(m)->options, stats, EV_SUMS_PYTHON, &parts);
    ev_sacrebleu_verbose(stats, &parts, out);
}

static void name(const struct ev_metric *m, struct t2_buf *out)
{
    (void) m;
    t2_buf_puts(out, "BLEU");
}

static void signature(const struct ev_metric *m, bool is_short, struct t2_buf *out)
{
    const struct ev_sacrebleu_options *o = &of(m)->options;

    t2_buf_printf(out, is_short ? "c:%s|e:%s|tok:%s|s:%s" : "case:%s|eff:%s|tok:%s|smooth:%s",
                  o->lower_case ? "lc" : "mixed", ev_yes(o->effective_order),
                  ev_tokenizer_signature(of(m)->tokenizer), ev_smoothing_names[o->smoothing]);
    if (o->smoothing == EV_SMOOTH_FLOOR || o->smoothing == EV_SMOOTH_ADD_K)
        t2_buf_printf(out, "[%.2f]", smooth_value(o));
    t2_buf_push(out, '|');
}

static void put_counts(struct t2_json *json, const char *key, const double *counts)
{
    t2_json_key(json, key);
    t2_json_array(json);
    for (int k = 0; k < EV_BLEU_ORDER; k++)
        t2_json_u64(json, (uint64_t) counts[k]);
    t2_json_end_array(json);
}

static void put_json(const struct ev_metric *m, const double *stats, struct t2_json *json)
{
    struct ev_bleu_parts parts;

    (void) ev_sacrebleu_score(&of(m)->options, stats, EV_SUMS_PYTHON, &parts);
    t2_json_key(json, "precisions");
    t2_json_array(json);
    for (int k = 0; k < EV_BLEU_ORDER; k++)
        t2_json_float9(json, parts.precisions[k]);
    t2_json_end_array(json);
    t2_json_key(json, "brevity_penalty");
    t2_json_float9(json, parts.brevity_penalty);
    t2_json_kv_u64(json, "hypothesis_length", (uint64_t) stats[EV_BLEU_HYPOTHESIS]);
    t2_json_kv_u64(json, "reference_length", (uint64_t) stats[EV_BLEU_REFERENCE]);
    put_counts(json, "matches", stats + EV_BLEU_MATCHES);
    put_counts(json, "possible", stats + EV_BLEU_POSSIBLE);
}

static void free_metric(struct ev_metric *m)
{
    ev_tokenizer_free(((struct sacrebleu *) m)->tokenizer);
    t2_free(m);
}

struct ev_metric *ev_sacrebleu_new(const struct ev_sacrebleu_options *options,
                                   struct ev_tokenizer *tokenizer)
{
    static const struct ev_metric_kind kind = {"bleu", work_new,  work_free, segment,  score,
                                               name,   signature, verbose,   put_json, free_metric};
    struct sacrebleu *b = t2_alloc(1, sizeof *b);

    b->metric = (struct ev_metric){&kind, EV_BLEU_STATS};
    b->options = *options;
    b->tokenizer = tokenizer;
    return &b->metric;
}
