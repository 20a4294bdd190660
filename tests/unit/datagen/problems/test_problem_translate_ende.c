/*
 * tests/unit/datagen/problems/test_problem_translate_ende.c - the table, against what T2T 1.15.7
 * registers.
 */
#include "tests/unit/datagen/problems/translate_tables.h"

static const struct t_expected expected[] = {
    {"translate_ende_wmt32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 3, 0},
    {"translate_ende_wmt8k", "vocab.translate_ende_wmt8k.8192.subwords", 100, 3, 0},
    {"translate_ende_wmt_characters", "-", 100, 3, 0},
    {"translate_ende_wmt32k_packed", "vocab.translate_ende_wmt32k.32768.subwords", 100, 3, 256},
    {"translate_ende_wmt8k_packed", "vocab.translate_ende_wmt8k.8192.subwords", 100, 3, 256},
    {"translate_ende_wmt_clean32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 3, 0},
    {"translate_ende2018_wmt32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_ende_pc32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 1, 0},
    {"translate_ende_pc_clean32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 1, 0},
    {"translate_ende_wmt_pc32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_ende_wmt_clean_pc32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_ende_wmt_pc_clean32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_ende_wmt_clean_pc_clean32k", "vocab.translate_ende_wmt32k.32768.subwords", 100, 4,
     0},
    {"translate_ende_wmt_multi64k", "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 100,
     3, 0},
    {"translate_ende_wmt_multi64k_packed1k",
     "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 100, 3, 1024},
};

T_TABLE_TEST(dg_family_translate_ende)
