/*
 * tests/unit/train/test_model_keys_slow.c - every model with every registered set.
 */
#define ONE_CASE_OF 1
#include "tests/unit/train/test_model_keys.c"
