/*
 * tests/support/squad_recording.h - what Model Garden makes of questions, by bench/record_squad.py.
 */
#ifndef T2_TESTS_SUPPORT_SQUAD_RECORDING_H
#define T2_TESTS_SUPPORT_SQUAD_RECORDING_H

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "tokenizer/question_rows.h"

#define SQUAD_FOLDER "fixtures/recordings/garden_squad/"

struct squad_recording {
    struct t2_json_doc *expected;
    const struct t2_json_value *root;
    struct tok_wordpiece w;
    struct tok_questions questions;
    struct tok_row_form form;
    struct tok_asked asked;
    size_t next; /* question */
};

static inline int64_t squad_number(const struct squad_recording *r, const char *key)
{
    return t2_json_as_i64(t2_json_get(r->root, key), -1);
}

/* file: "train.json", "dev.json", or "negative_train.json", "negative_dev.json" of SQuAD 2.0's form
 */
static inline void squad_open(struct squad_recording *r, const char *file)
{
    struct t2_err err = T2_ERR_INIT;
    char *path = t2_asprintf(SQUAD_FOLDER "%s", file);
    bool negative = t2_starts_with(file, "negative");

    *r = (struct squad_recording){0};
    if (t2_json_load(negative ? SQUAD_FOLDER "negative.json" : SQUAD_FOLDER "expected.json",
                     &r->expected, &err) != T2_OK ||
        tok_wordpiece_load(SQUAD_FOLDER "vocab.txt", false, &r->w, &err) != T2_OK ||
        tok_questions_load(path, &r->questions, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_free(path);
    r->root = t2_json_root(r->expected);
    r->form = (struct tok_row_form){.length = (int32_t) squad_number(r, "length"),
                                    .stride = (int32_t) squad_number(r, "stride"),
                                    .most_question = (int32_t) squad_number(r, "most_question")};
}

static inline void squad_close(struct squad_recording *r)
{
    tok_asked_release(&r->asked);
    tok_questions_release(&r->questions);
    tok_wordpiece_release(&r->w);
    t2_json_free(r->expected);
}

/* The next question; false: there is none. */
static inline bool squad_ask(struct squad_recording *r)
{
    struct t2_err err = T2_ERR_INIT;

    if (r->next == r->questions.n)
        return false;
    if (tok_ask(&r->asked, &r->questions, r->next++, &r->w, &r->form, &err) != T2_OK)
        fail_msg("%s", err.message);
    return true;
}

static inline const char *squad_id(const struct squad_recording *r)
{
    return r->questions.items[r->asked.number].id;
}

#endif
