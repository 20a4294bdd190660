/*
 * tests/unit/datagen/problems/translate_tables.h - what must hold for every table of translation
 * problems.
 */
#ifndef T2_TESTS_TRANSLATE_TABLES_H
#define T2_TESTS_TRANSLATE_TABLES_H

#include <stdlib.h>
#include <string.h>

#include "datagen/problem_registry.h"
#include "datagen/problems/translate.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tests/support/t.h"

/* As T2T 1.15.7 has it: name, vocabulary files, shards, sources of training. */
struct t_expected {
    const char *name, *vocab; /* "-": none; two joined by ' ' */
    int n_train_shards;
    size_t n_train_sources;
    int packed_length;
};

static inline void t_check_file(const struct dg_problem *p, const struct dg_source_file *f)
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

static inline size_t t_check_sources(const struct dg_problem *p, const struct dg_parallel_source *s)
{
    size_t n = 0;

    for (; s->file; s++, n++) {
        bool is_sgm = s->lang1 && strstr(s->lang1, ".sgm") && strstr(s->lang2, ".sgm");
        t_check_file(p, s->file);
        assert_int_equal(s->kind == DG_PARALLEL_SGM, is_sgm);
        assert_true((!s->lang2) == (s->kind == DG_PARALLEL_TSV || s->kind == DG_PARALLEL_TMX));
    }
    assert_true(n > 0);
    return n;
}

static inline void t_check_vocab(const struct dg_problem *p, const char *expected)
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

static inline void t_check_family(const struct dg_family *family, const struct t_expected *expected,
                                  size_t n)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(family->n, n);
    for (size_t i = 0; i < n; i++) {
        const struct dg_problem *p = family->problems[i];
        const struct dg_translate *t = p->context;
        assert_string_equal(p->name, expected[i].name);
        assert_ptr_equal(dg_find(p->name), p);
        assert_int_equal(dg_check_name(p->name, &err), T2_OK);
        assert_int_equal(t_check_sources(p, t->train), expected[i].n_train_sources);
        assert_int_equal(t_check_sources(p, t->dev), 1);
        assert_int_equal(p->n_shards[DG_TRAIN], expected[i].n_train_shards);
        assert_int_equal(p->n_shards[DG_DEV], 1);
        assert_int_equal(p->n_shards[DG_TEST], 0);
        assert_int_equal(p->packing.length, expected[i].packed_length);
        t_check_vocab(p, expected[i].vocab);
    }
}

#define T_TABLE_TEST(family)                                                                       \
    static void test_table(void **state)                                                           \
    {                                                                                              \
        (void) state;                                                                              \
        t_check_family(&(family), expected, sizeof expected / sizeof *expected);                   \
    }                                                                                              \
    T_MAIN(cmocka_unit_test(test_table))

#endif
