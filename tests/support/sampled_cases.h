/*
 * tests/support/sampled_cases.h - which cases of a loop a sample has (t_is_sample).
 */
#ifndef T2_TESTS_SUPPORT_SAMPLED_CASES_H
#define T2_TESTS_SUPPORT_SAMPLED_CASES_H

#include "tests/support/t.h"

/* Of a sample all turns but every `of`th are. */
static inline bool t_is_left_out(int turn, int of)
{
    return t_is_sample() && turn % of != 0;
}

#endif
