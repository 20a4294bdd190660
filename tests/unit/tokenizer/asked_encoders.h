/*
 * asked_encoders.h - an encoder opened by a word, and what it makes of a text.
 */
#ifndef TESTS_ASKED_ENCODERS_H
#define TESTS_ASKED_ENCODERS_H

#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/named_encoders.h"

static inline struct tok_encoder *t_opened(const char *word)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (tok_open(word, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    return e;
}

/* ids: "3 4", or NULL: refused. */
static inline void t_check_ids(const struct tok_encoder *e, const char *text, const char *ids)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids made = {NULL, 0, 0};
    struct t2_buf row = {NULL, 0, 0};
    enum t2_status st = tok_encode(e, NULL, (const uint8_t *) text, strlen(text), &made, &err);

    assert_int_equal(st, ids ? T2_OK : T2_EFORMAT);
    for (size_t i = 0; i < made.n; i++)
        t2_buf_printf(&row, "%s%d", i ? " " : "", (int) made.items[i]);
    assert_string_equal(t2_buf_cstr(&row), ids ? ids : "");
    t2_buf_release(&row);
    tok_ids_release(&made);
}

static inline void t_check_text(const struct tok_encoder *e, const int32_t *ids, size_t n,
                                const char *text)
{
    struct t2_buf made = {NULL, 0, 0};

    tok_decode(e, ids, n, &made);
    assert_string_equal(t2_buf_cstr(&made), text);
    t2_buf_release(&made);
}

#endif
