/*
 * train/eval/answer_scores.h - answers against those that people gave: exact match and F1 of words.
 *
 * Mirrors Model Garden's official/nlp/tools/squad_evaluate_v1_1.py, SQuAD's own program: a question
 * has the best score of its answers.
 */
#ifndef EV_ANSWER_SCORES_H
#define EV_ANSWER_SCORES_H

#include "tokenizer/questions.h"

struct ev_answer_sums {
    double exact, f1; /* sums over questions */
    size_t n, n_unknown;
};

/* The answer that was found to a question; one that nobody answered counts in n_unknown alone. */
void ev_answer_add(struct ev_answer_sums *sums, const struct tok_question *q, const char *found);

/* Of one answer: 0 to 1. */
double ev_answer_f1(const char *found, const char *given);
bool ev_answer_is_exact(const char *found, const char *given);

#endif
