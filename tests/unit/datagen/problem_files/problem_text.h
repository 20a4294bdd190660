/*
 * tests/unit/datagen/problem_files/problem_text.h - the problems of a text, and what is wrong with
 * others.
 */
#ifndef T2_TESTS_PROBLEM_TEXT_H
#define T2_TESTS_PROBLEM_TEXT_H

#include <string.h>

#include "datagen/problem_files/problem_set.h"
#include "tests/support/t.h"

static inline struct dg_problem_set *t_set(const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_problem_set *set = NULL;

    if (dg_problem_set_parse(text, strlen(text), "dir/x.yaml", &set, &err) != T2_OK)
        fail_msg("%s", err.message);
    return set;
}

/* A text and a part of the message that refuses it. */
struct t_refused {
    const char *text, *part;
};

static inline void t_check_refused(const struct t_refused *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dg_problem_set *set = NULL;

        if (dg_problem_set_parse(cases[i].text, strlen(cases[i].text), "dir/x.yaml", &set, &err) ==
            T2_OK)
            fail_msg("not refused: %s", cases[i].text);
        assert_null(set);
        t_assert_contains(err.message, cases[i].part);
        t_assert_contains(err.message, "'dir/x.yaml'");
    }
}
#define T_CHECK_REFUSED(cases) t_check_refused(cases, sizeof cases / sizeof *(cases))

#endif
