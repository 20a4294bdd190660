/*
 * tests/fuzz/fuzz_bleu.c - any bytes as hypothesis and reference (cut at the first LF), all
 * tokenizers and metrics: tokens stand apart by one blank, counts and scores stay in their bounds.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/bleu_tokens.h"
#include "train/eval/bleu.h"
#include "train/eval/chrf.h"
#include "train/eval/rouge.h"
#include "train/eval/sacrebleu.h"
#include "train/eval/ter.h"
#include "train/eval/word_error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TOO_LONG = 4096 }; /* for searches whose time is a product of lengths */

static void check_tokens(const struct t2_buf *tokens)
{
    const char *text = t2_buf_cstr(tokens);

    if (tokens->len_bytes > 0) {
        T2_ASSERT(tokens->data[0] != ' ' && tokens->data[tokens->len_bytes - 1] != ' ');
        T2_ASSERT(strlen(text) < tokens->len_bytes || !strstr(text, "  "));
    }
}

static void check_t2t(bool lower_case, struct t2_slice hypothesis, struct t2_slice reference)
{
    struct ev_bleu_sum *sum = ev_bleu_sum_new(lower_case);
    struct t2_buf tokens = {NULL, 0, 0};
    struct ev_bleu b;

    t_bleu_tokens(lower_case, hypothesis, &tokens);
    check_tokens(&tokens);
    t2_buf_release(&tokens);
    ev_bleu_sum_add(sum, hypothesis, reference);
    ev_bleu_sum_add(sum, reference, hypothesis);
    ev_bleu_sum_add(sum, reference, reference);
    ev_bleu_sum_score(sum, &b);
    T2_ASSERT(b.score >= 0 && b.score <= 100.0001);
    T2_ASSERT(b.brevity_penalty >= 0 && b.brevity_penalty <= 1);
    for (int k = 0; k < 4; k++)
        T2_ASSERT(b.matches[k] <= b.possible[k]);
    for (int k = 1; k < 4; k++)
        T2_ASSERT(b.matches[k] <= b.matches[k - 1]);
    ev_bleu_sum_free(sum);
}

/* Both lines as references: one of them is the hypothesis, so the score is the best there is. */
static void check_metric(struct ev_metric *m, struct t2_slice hypothesis, struct t2_slice reference,
                         double most)
{
    const struct t2_slice references[] = {reference, hypothesis};
    struct ev_segment s = {hypothesis, references, 1};
    struct t2_err err = T2_ERR_INIT;
    double stats[128], score;
    void *work = m->kind->work_new(m);

    T2_ASSERT(m->kind->segment(m, work, &s, stats, &err) == T2_OK);
    score = m->kind->score(m, stats, EV_SUMS_PYTHON).v;
    T2_ASSERT(score >= 0 && score <= most);
    s.n_references = 2;
    T2_ASSERT(m->kind->segment(m, work, &s, stats, &err) == T2_OK);
    score = m->kind->score(m, stats, EV_SUMS_FLOAT32).v;
    T2_ASSERT(score >= 0 && score <= most);
    m->kind->work_free(work);
    ev_metric_free(m);
}

static void check_sacrebleu(const char *name, bool lower_case, struct t2_slice hypothesis,
                            struct t2_slice reference)
{
    struct ev_sacrebleu_options o = {.lower_case = lower_case,
                                     .effective_order = true,
                                     .smoothing = EV_SMOOTH_EXP};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf tokens = {NULL, 0, 0};
    struct ev_tokenizer_work *w;
    struct ev_tokenizer *t;

    T2_ASSERT(ev_tokenizer_new(name, NULL, NULL, &t, &err) == T2_OK);
    w = ev_tokenizer_work_new(t);
    T2_ASSERT(ev_tokenizer_cut(w, hypothesis, &tokens, &err) == T2_OK);
    check_tokens(&tokens);
    ev_tokenizer_work_free(w);
    t2_buf_release(&tokens);
    check_metric(ev_sacrebleu_new(&o, t), hypothesis, reference, 100.0001);
}

static void check_chrf_and_ter(bool all, struct t2_slice hypothesis, struct t2_slice reference)
{
    struct ev_chrf_options chrf = {.char_order = 6,
                                   .word_order = all ? 2 : 0,
                                   .beta = 2,
                                   .lower_case = all,
                                   .whitespace = all,
                                   .eps_smoothing = all};
    struct ev_ter_options ter = {.normalized = all,
                                 .no_punct = all,
                                 .asian_support = all,
                                 .case_sensitive = !all};

    check_metric(ev_chrf_new(&chrf), hypothesis, reference, 100.0001);
    if (hypothesis.len_bytes + reference.len_bytes < TOO_LONG)
        check_metric(ev_ter_new(&ter), hypothesis, reference, 100.0 * TOO_LONG);
}

static void check_lines(struct t2_slice hypothesis, struct t2_slice reference)
{
    for (int variant = EV_ROUGE_T2T; variant <= EV_ROUGE_SCORE_STEMS; variant++) {
        struct ev_rouge *r = ev_rouge_new((enum ev_rouge_variant) variant);
        struct ev_rouge_score scores[EV_N_ROUGE];

        ev_rouge_line(r, hypothesis, reference, scores);
        for (int k = 0; k < EV_N_ROUGE; k++)
            T2_ASSERT(scores[k].precision <= 1 && scores[k].recall <= 1 && scores[k].f >= 0 &&
                      scores[k].f <= 1.0001);
        ev_rouge_free(r);
    }
    if (hypothesis.len_bytes + reference.len_bytes < TOO_LONG) {
        struct ev_error *e = ev_error_new();
        struct ev_edits edits = {0, 0, 0, 0};
        struct t2_err err = T2_ERR_INIT;

        T2_ASSERT(ev_error_line(e, hypothesis, reference, true, &edits, &err) == T2_OK);
        T2_ASSERT(edits.hits + edits.substitutions + edits.insertions <= hypothesis.len_bytes);
        T2_ASSERT(ev_error_line(e, hypothesis, reference, false, &edits, &err) == T2_OK);
        ev_error_free(e);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"13a", "intl", "zh", "char", "none"};
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t n = end ? (size_t) (end - data) : size;
    struct t2_slice hypothesis = {data, n};
    struct t2_slice reference = {end ? end + 1 : data, end ? size - n - 1 : size};

    for (int i = 0; i < 2; i++) {
        check_t2t(i, hypothesis, reference);
        check_chrf_and_ter(i, hypothesis, reference);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        check_sacrebleu(names[i], i & 1, hypothesis, reference);
    check_lines(hypothesis, reference);
    return 0;
}
