/*
 * tests/unit/datagen/problems/test_problem_translate_pairs.c - the table, against what T2T 1.15.7
 * registers.
 */
#include "tests/unit/datagen/problems/translate_tables.h"

static const struct t_expected expected[] = {
    {"translate_encs_wmt32k", "vocab.translate_encs_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_encs_wmt_characters", "-", 100, 4, 0},
    {"translate_encs_cubbitt", "vocab.translate_encs_wmt32k.32768.subwords", 1, 4, 0},
    {"translate_enes_wmt32k", "vocab.translate_enes_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_enes_wmt8k", "vocab.translate_enes_wmt8k.8192.subwords", 100, 4, 0},
    {"translate_enes_wmt_characters", "-", 100, 4, 0},
    {"translate_enes_wmt32k_packed", "vocab.translate_enes_wmt32k.32768.subwords", 100, 4, 256},
    {"translate_enes_wmt8k_packed", "vocab.translate_enes_wmt8k.8192.subwords", 100, 4, 256},
    {"translate_enes_wmt_clean32k", "vocab.translate_enes_wmt32k.32768.subwords", 100, 4, 0},
    {"translate_enet_wmt32k", "vocab.translate_enet_wmt32k.32768.subwords", 100, 3, 0},
    {"translate_enet_wmt_characters", "-", 100, 3, 0},
    {"translate_enid_iwslt32k", "vocab.translate_enid_iwslt32k.32768.subwords", 100, 5, 0},
    {"translate_enmk_setimes32k", "vocab.translate_enmk_setimes32k.32768.subwords", 100, 1, 0},
    {"translate_enmk_setimes_characters", "-", 100, 1, 0},
    {"translate_enro_wmt8k", "vocab.translate_enro_wmt8k.8192.subwords", 100, 2, 0},
    {"translate_enro_wmt32k", "vocab.translate_enro_wmt32k.32768.subwords", 100, 2, 0},
    {"translate_enro_wmt_characters", "-", 100, 2, 0},
    {"translate_enro_wmt_multi64k", "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 100,
     2, 0},
    {"translate_enro_wmt_multi_small64k", "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords",
     16, 2, 0},
    {"translate_enro_wmt_multi_tiny64k", "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords",
     16, 2, 0},
    {"translate_enro_wmt_multi_tiny64k_packed1k",
     "vocab.languagemodel_de_en_fr_ro_wiki64k.64000.subwords", 16, 2, 1024},
    {"translate_entn_rma", "vocab.entn.32768", 100, 1, 0},
    {"translate_envi_iwslt32k", "vocab.translate_envi_iwslt32k.32768.subwords", 100, 1, 0},
};

T_TABLE_TEST(dg_family_translate_pairs)
