/*
 * tests/unit/datagen/problems/test_translate_tables.c - datagen/problems/translate.yaml, against
 * what T2T 1.15.7 registers.
 */
#include <stdlib.h>
#include <string.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tests/support/t.h"

/* As T2T 1.15.7 has it: name, vocabulary files, shards, sources of training. */
struct expected {
    const char *name, *vocab; /* "-": none; two joined by ' ' */
    int n_train_shards;
    size_t n_train_sources;
    int packed_length;
};

static void check_file(const struct dg_problem *p, const struct dg_source_file *f)
{
    struct t2_err err = T2_ERR_INIT;
    char *name = NULL;
    size_t i;

    assert_int_equal(dg_source_name(f, &name, &err), T2_OK);
    free(name);
    assert_true(f->gone || f->urls);
    assert_true(!f->sha256 || (strlen(f->sha256) == 64 && f->size_bytes > 0));
    for (i = 0; p->sources[i] && p->sources[i] != f; i++)
        continue;
    assert_ptr_equal(p->sources[i], f); /* what is used is listed */
}

static size_t check_sources(const struct dg_problem *p, const struct dg_parallel_source *s)
{
    size_t n = 0;

    for (; s->file; s++, n++) {
        bool is_sgm = s->lang1 && strstr(s->lang1, ".sgm") && strstr(s->lang2, ".sgm");
        check_file(p, s->file);
        assert_int_equal(s->kind == DG_PARALLEL_SGM, is_sgm);
        assert_true((!s->lang2) == (s->kind == DG_PARALLEL_TSV || s->kind == DG_PARALLEL_TMX));
    }
    assert_true(n > 0);
    return n;
}

static void check_vocab(const struct dg_problem *p, const char *expected)
{
    struct t2_buf text = {NULL, 0, 0};

    for (int side = p->shared_vocab ? DG_TARGETS : DG_INPUTS; side < DG_N_SIDES; side++) {
        char *file = dg_vocab_file_name(p, (enum dg_side_index) side);
        t2_buf_printf(&text, "%s%s", text.len_bytes ? " " : "", file ? file : "-");
        free(file);
    }
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void check_family(const char *title, const struct expected *expected, size_t n)
{
    const struct dg_family *family = dg_family_of(dg_find(expected[0].name));
    struct t2_err err = T2_ERR_INIT;

    assert_non_null(family);
    assert_string_equal(family->title, title);
    assert_int_equal(family->n, n);
    for (size_t i = 0; i < n; i++) {
        const struct dg_problem *p = &family->problems[i];
        const struct dg_translate *t = p->context;
        assert_string_equal(p->name, expected[i].name);
        assert_ptr_equal(dg_find(p->name), p);
        assert_ptr_equal(dg_family_of(p), family);
        assert_int_equal(dg_check_name(p->name, &err), T2_OK);
        assert_int_equal(check_sources(p, t->train), expected[i].n_train_sources);
        assert_int_equal(check_sources(p, t->dev), 1);
        assert_int_equal(p->n_shards[DG_TRAIN], expected[i].n_train_shards);
        assert_int_equal(p->n_shards[DG_DEV], 1);
        assert_int_equal(p->n_shards[DG_TEST], 0);
        assert_int_equal(p->packing.length, expected[i].packed_length);
        check_vocab(p, expected[i].vocab);
    }
}

static const struct expected ende[] = {
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

static const struct expected enfr[] = {
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

static const struct expected pairs[] = {
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

static const struct expected enzh[] = {
    {"translate_enzh_wmt32k",
     "vocab.translate_enzh_wmt32k.32768.subwords.en vocab.translate_enzh_wmt32k.32768.subwords.zh",
     100, 26, 0},
    {"translate_enzh_wmt8k",
     "vocab.translate_enzh_wmt8k.8192.subwords.en vocab.translate_enzh_wmt8k.8192.subwords.zh", 10,
     1, 0},
};

#define CHECK(title, table) check_family(title, table, sizeof table / sizeof *(table))

static void test_tables(void **state)
{
    (void) state;
    CHECK("Translation, English-German", ende);
    CHECK("Translation, English-French", enfr);
    CHECK("Translation, English with other languages", pairs);
    CHECK("Translation, English-Chinese", enzh);
}

/* The files that several pairs are made from have T2T's names. */
static void test_file_names(void **state)
{
    static const char *const names[] = {
        "training-parallel-nc-v9.tgz",
        "training-parallel-nc-v13.tgz",
        "training-parallel-commoncrawl.tgz",
        "training-parallel-europarl-v7.tgz",
        "training-parallel-un.tgz",
        "rapid2016.tgz",
        "dev.tgz",
    };
    static const char *const users[] = {
        "translate_enfr_wmt8k",  "translate_ende_wmt32k", "translate_ende_wmt32k",
        "translate_enes_wmt8k",  "translate_enes_wmt8k",  "translate_ende2018_wmt32k",
        "translate_encs_wmt32k",
    };

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct dg_source_file *const *f = dg_find(users[i])->sources;
        bool has = false;
        for (; *f; f++) {
            struct t2_err err = T2_ERR_INIT;
            char *name = NULL;
            assert_int_equal(dg_source_name(*f, &name, &err), T2_OK);
            has = has || strcmp(name, names[i]) == 0;
            free(name);
        }
        if (!has)
            fail_msg("%s: no %s", users[i], names[i]);
    }
}

T_MAIN(cmocka_unit_test(test_tables), cmocka_unit_test(test_file_names))
