/*
 * tests/unit/train/small_range.h - a range from a line of YAML that is right.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SMALL_RANGE_H
#define T2_TESTS_UNIT_TRAIN_SMALL_RANGE_H

#include <string.h>

#include "tests/support/t.h"
#include "train/tune/hparam_range.h"

/* Owned by the caller. */
static inline struct tune_range *range_of(const char *yaml)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *range;

    if (tune_range_parse(yaml, strlen(yaml), "x.yaml", &range, &err) != T2_OK)
        fail_msg("%s", err.message);
    return range;
}

#endif
