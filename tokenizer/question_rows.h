/*
 * tokenizer/question_rows.h - a question beside its text as rows of ids, as BERT reads them:
 * [CLS] question [SEP] window of the text [SEP].
 *
 * Mirrors convert_examples_to_features of Model Garden's official/nlp/data/squad_lib.py.  A text
 * that is longer than a row is read through windows that begin every `stride` pieces.
 */
#ifndef TOK_QUESTION_ROWS_H
#define TOK_QUESTION_ROWS_H

#include "tokenizer/questions.h"
#include "tokenizer/wordpiece.h"

/* At least one piece of the text is in a row: length >= most_question + 4; stride >= 1. */
struct tok_row_form {
    int32_t length;        /* ids of a row, 384 */
    int32_t stride;        /* 128 */
    int32_t most_question; /* ids of a question, 64; the rest is cut off */
};
T2_MUST_CHECK enum t2_status tok_row_form_check(const struct tok_row_form *f, struct t2_err *err);

/* A question, cut into pieces.  Zero-initialise, fill again, release. */
struct tok_asked {
    const struct tok_questions *of;
    size_t number; /* in it */
    struct tok_ids question, text;
    size_t *word_of;              /* (text.n): the word of the paragraph that a piece is of */
    size_t *piece_of;             /* (words of the paragraph + 1): the first piece of a word */
    size_t n_windows, step, most; /* window k is of pieces k step .. k step + most - 1 */
    /* private */
    size_t paragraph; /* whose pieces these are, from 1 on */
    size_t word_capacity, piece_capacity;
};
T2_MUST_CHECK enum t2_status tok_ask(struct tok_asked *a, const struct tok_questions *q,
                                     size_t number, struct tok_wordpiece *w,
                                     const struct tok_row_form *form, struct t2_err *err);
void tok_asked_release(struct tok_asked *a);

/* Pieces of the text in window k: how many, and the first. */
size_t tok_window(const struct tok_asked *a, size_t k, size_t *first);
/* Where in a row the window begins. */
static inline size_t tok_window_place(const struct tok_asked *a)
{
    return a->question.n + 2;
}
/* Row of window k: ids and of which part each is, (length) each; returns how many are filled. */
size_t tok_window_row(const struct tok_asked *a, size_t k, const struct tok_wordpiece *w,
                      int32_t *ids, int32_t *parts);
/* Of all windows with this piece of the text: has window k the most on the side where it has less?
 */
bool tok_window_is_best(const struct tok_asked *a, size_t k, size_t piece);

/*
 * The pieces of the first answer, for training: the words that it begins and ends in, and of their
 * pieces those that are the answer's own, if some are.  *is_there is false where the words do not
 * hold the text of the answer, as the original leaves these questions out.  T2_EFORMAT: there is
 * not one answer, or it is beside the text.
 */
T2_MUST_CHECK enum t2_status tok_asked_answer(const struct tok_asked *a, struct tok_wordpiece *w,
                                              bool *is_there, size_t *first, size_t *last,
                                              struct t2_err *err);
/* Where in the row of window k these pieces begin and end; both 0 where they are not all there. */
void tok_window_answer(const struct tok_asked *a, size_t k, size_t first, size_t last,
                       int64_t *begin, int64_t *end);

#endif
