/*
 * train/trained/answer_questions.h - questions about texts, answered by a model of spans.
 */
#ifndef TR_ANSWER_QUESTIONS_H
#define TR_ANSWER_QUESTIONS_H

#include "train/eval/answer_scores.h"
#include "train/eval/answer_spans.h"
#include "train/trained/trained.h"

struct tr_answer_options {
    const char *from;       /* SQuAD's JSON */
    const char *to;         /* PATH/NAME: answers; PATH/nbest_NAME: the likeliest of each; of rules
                             * with_negative PATH/null_odds_NAME: how far "" is above them */
    const char *vocab_file; /* BERT's vocab.txt */
    bool cased;
    int32_t stride, most_question; /* of rows (tokenizer/question_rows.h) */
    struct ev_answer_rules rules;
    int64_t batch_size; /* rows */
};

struct tr_answer_report {
    uint64_t n_questions, n_rows;
    double seconds;
    struct ev_answer_sums scores; /* of those whose answers the file has */
    /* of rules with_negative: parts of these, and what other thresholds would give */
    struct ev_answer_sums answered, unanswered;
    struct ev_best_threshold best_exact, best_f1;
};

/* The files appear together.  T2_EUSAGE: no vocabulary, or one that is larger than the model's. */
T2_MUST_CHECK enum t2_status tr_answer_questions(const struct tr_trained *t,
                                                 const struct tr_answer_options *o,
                                                 struct tr_answer_report *report,
                                                 struct t2_err *err);

#endif
