/*
 * tests/unit/datagen/problems/test_problem_translate_enzh.c - the table, against what T2T 1.15.7
 * registers.
 */
#include "tests/unit/datagen/problems/translate_tables.h"

static const struct t_expected expected[] = {
    {"translate_enzh_wmt32k",
     "vocab.translate_enzh_wmt32k.32768.subwords.en vocab.translate_enzh_wmt32k.32768.subwords.zh",
     100, 26, 0},
    {"translate_enzh_wmt8k",
     "vocab.translate_enzh_wmt8k.8192.subwords.en vocab.translate_enzh_wmt8k.8192.subwords.zh", 10,
     1, 0},
};

T_TABLE_TEST(dg_family_translate_enzh)
