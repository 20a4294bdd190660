/*
 * tests/unit/datagen/problems/test_problem_translate_enfr.c - the table, against what T2T 1.15.7
 * registers.
 */
#include "tests/unit/datagen/problems/translate_tables.h"

static const struct t_expected expected[] = {
    {"translate_enfr_wmt_small8k", "vocab.translate_enfr_wmt_small8k.8192.subwords", 100, 1, 0},
    {"translate_enfr_wmt_small32k", "vocab.translate_enfr_wmt_small32k.32768.subwords", 100, 1, 0},
    {"translate_enfr_wmt_small_characters", "-", 100, 1, 0},
    {"translate_enfr_wmt8k", "vocab.translate_enfr_wmt8k.8192.subwords", 100, 5, 0},
    {"translate_enfr_wmt32k", "vocab.translate_enfr_wmt32k.32768.subwords", 100, 5, 0},
    {"translate_enfr_wmt_characters", "-", 100, 5, 0},
    {"translate_enfr_wmt32k_packed", "vocab.translate_enfr_wmt32k.32768.subwords", 100, 5, 256},
    {"translate_enfr_wmt_multi64k", "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 100,
     5, 0},
    {"translate_enfr_wmt_multi64k_packed1k",
     "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 100, 5, 1024},
    {"translate_enfr_wmt32k_with_backtranslate_fr", "vocab.translate_enfr_wmt32k.32768.subwords", 1,
     5, 0},
    {"translate_enfr_wmt32k_with_backtranslate_en", "vocab.translate_enfr_wmt32k.32768.subwords", 1,
     5, 0},
};

T_TABLE_TEST(dg_family_translate_enfr)
