/*
 * train/eval/answer_scores.h - answers against those that people gave: exact match and F1 of words.
 *
 * Mirrors Model Garden's official/nlp/tools/squad_evaluate_v1_1.py, SQuAD's own program: a question
 * has the best score of its answers.  And squad_evaluate_v2_0.py, of SQuAD 2.0: the answer to a
 * question without answers is "".
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

/* ---- SQuAD 2.0 ---- */

/* Zero-initialise, release. */
struct ev_negative_scores {
    struct ev_answer_sums all, answered, unanswered; /* by whether people gave an answer */
    /* private */
    struct ev_negative_score {
        double null_odds, exact, f1;
        bool has_answer, is_text;
        size_t number;
    } * items;
    size_t n, capacity;
};

/* null_odds: how likely it seemed that there is no answer.  A question that neither has answers, be
 * it none, nor is_impossible counts in all.n_unknown alone. */
void ev_negative_add(struct ev_negative_scores *s, const struct tok_question *q, const char *found,
                     double null_odds);
void ev_negative_release(struct ev_negative_scores *s);

/* The best sum, over questions, if "" were the answer above a threshold of null_odds, and that. */
struct ev_best_threshold {
    double sum, threshold;
};
enum ev_answer_score { EV_ANSWER_EXACT, EV_ANSWER_F1 };
struct ev_best_threshold ev_negative_best(struct ev_negative_scores *s, enum ev_answer_score score);

/* ---- one answer ---- */

/* 0 to 1. */
double ev_answer_f1(const char *found, const char *given);
bool ev_answer_is_exact(const char *found, const char *given);

#endif
