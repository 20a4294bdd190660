/*
 * tokenizer/questions.h - questions about texts, as SQuAD's JSON has them.
 *
 *   {"data": [{"paragraphs": [{"context": TEXT, "qas": [{"id", "question",
 *     "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}
 *
 * Mirrors read_squad_examples of Model Garden's official/nlp/data/squad_lib.py.
 */
#ifndef TOK_QUESTIONS_H
#define TOK_QUESTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* Words of a text are what stands between blanks, tabs, line ends and U+202F. */
struct tok_paragraph {
    const char *text;
    size_t first_word, n_words; /* in tok_questions.words */
};

struct tok_question {
    const char *id, *text;
    size_t paragraph;
    const struct t2_json_value *answers; /* an array, or NULL */
    bool is_impossible;                  /* SQuAD 2.0: the text has no answer */
};

/* All strings belong to the document. */
struct tok_questions {
    struct t2_json_doc *doc;
    struct tok_paragraph *paragraphs;
    size_t n_paragraphs;
    struct tok_question *items;
    size_t n;
    struct t2_slice *words;
    size_t n_words;
    /* private */
    size_t paragraphs_capacity, items_capacity, words_capacity;
};

/* T2_EFORMAT names origin, and the question or paragraph that is not as above; an id twice is
 * refused.  Released by the caller, also after a failure. */
T2_MUST_CHECK enum t2_status tok_questions_parse(const char *origin, const char *json,
                                                 size_t len_bytes, struct tok_questions *q,
                                                 struct t2_err *err);
T2_MUST_CHECK enum t2_status tok_questions_load(const char *path, struct tok_questions *q,
                                                struct t2_err *err);
void tok_questions_release(struct tok_questions *q);

/* The text of answer i of a question; NULL: there is none. */
const char *tok_answer(const struct tok_question *question, size_t i);

#endif
