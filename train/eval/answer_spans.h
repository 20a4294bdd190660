/*
 * train/eval/answer_spans.h - the likeliest answers to a question, of logits of where they begin
 * and end.
 *
 * Mirrors postprocess_output and get_final_text of Model Garden's official/nlp/data/squad_lib.py,
 * with logits as Python's floats, as run_squad has them.
 */
#ifndef EV_ANSWER_SPANS_H
#define EV_ANSWER_SPANS_H

#include "base/err.h"
#include "tokenizer/question_rows.h"

struct ev_answer_rules {
    int64_t n_best;      /* answers of a question, 20 */
    int64_t most_pieces; /* of an answer, 30 */
    /* SQuAD 2.0: a question may have no answer, the text "", whose logits are those of [CLS].  That
     * is the answer where they are by more than the threshold above the likeliest text's. */
    bool with_negative;
    double null_threshold;
};

struct ev_answer {
    char *text;
    double probability, begin, end; /* of all that are given; logits */
};

/* Pairs of begin and end that a question's windows have, then its answers.  Zero-initialise, reuse
 * for the next question by ev_spans_begin, release. */
struct ev_spans {
    struct ev_answer *items; /* the likeliest first; at least one behind ev_spans_end */
    size_t n;
    const char *answer; /* one of theirs, or "" */
    double null_odds;   /* with_negative: how far "" is above the likeliest text */
    /* private */
    struct ev_span {
        size_t window, begin, end, number;
        double begin_logit, end_logit;
    } * spans;
    size_t n_spans, capacity;
    bool has_null; /* of the window where they are least */
    double null_begin, null_end;
    size_t *order[2]; /* places of a row by their logits */
    size_t order_capacity;
};
void ev_spans_begin(struct ev_spans *s);
/* begins, ends (length): the logits of the row of window k. */
void ev_spans_add(struct ev_spans *s, const struct ev_answer_rules *rules,
                  const struct tok_asked *asked, size_t k, const float *begins, const float *ends,
                  size_t length);
/* Makes the answers; without any window, or any span, the text "empty" is the only one,
 * with_negative
 * "". */
T2_MUST_CHECK enum t2_status ev_spans_end(struct ev_spans *s, const struct ev_answer_rules *rules,
                                          const struct tok_asked *asked, struct tok_wordpiece *w,
                                          struct t2_err *err);
void ev_spans_release(struct ev_spans *s);

/* The part of `original` whose words in BERT's spelling are `pieces`; all of it, where that cannot
 * be found. */
T2_MUST_CHECK enum t2_status ev_final_text(struct tok_wordpiece *w, const char *pieces,
                                           const char *original, struct t2_buf *text,
                                           struct t2_err *err);

#endif
