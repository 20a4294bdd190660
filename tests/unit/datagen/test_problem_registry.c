/*
 * test_problem_registry.c - names, selection, the grouped list.
 */
#include "datagen/problem_registry.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static void check_parse(const char *name, const char *base, bool rev, bool copy)
{
    bool was_reversed, was_copy;
    char *found;

    dg_parse_name(name, &found, &was_reversed, &was_copy);
    assert_string_equal(found, base);
    assert_int_equal(was_reversed, rev);
    assert_int_equal(was_copy, copy);
    t2_free(found);
}

static void test_parse_name(void **state)
{
    (void) state;
    check_parse("translate_x", "translate_x", false, false);
    check_parse("translate_x_rev", "translate_x", true, false);
    check_parse("translate_x_copy", "translate_x", false, true);
    check_parse("translate_x_copy_rev", "translate_x", true, true);
    check_parse("translate_x_rev_copy", "translate_x", true, true);
    check_parse("x_rev_rev", "x_rev", true, false);
    check_parse("_rev", "_rev", false, false);
    check_parse("", "", false, false);
}

static void check_select(const char *problem, const char *exclude, const char *expected)
{
    struct t2_strs selected = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(dg_select(problem, exclude, &selected, &err), T2_OK);
    for (size_t i = 0; i < selected.n; i++)
        t2_buf_printf(&text, "%s%s", i ? " " : "", selected.items[i]);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
    t2_strs_release(&selected);
}

static void check_refused(const char *problem, const char *exclude, const char *part)
{
    struct t2_strs selected = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(dg_select(problem, exclude, &selected, &err), T2_EUSAGE);
    t_assert_contains(err.message, part);
    t2_strs_release(&selected);
}

static void test_select(void **state)
{
    (void) state;
    check_select("text2text_tmpdir", "", "text2text_tmpdir");
    check_select("text2text_*", "",
                 "text2text_copyable_tokens text2text_tmpdir text2text_tmpdir_tokens");
    check_select("te*", "tokens,copyable", "text2text_tmpdir");
    check_select("te*", ",tokens,copyable", "text2text_tmpdir");
    check_select("translate_ende_numbers,text2text_tmpdir,text2text_tmpdir", "",
                 "text2text_tmpdir translate_ende_numbers");
    check_select("translate_ende_numbers_rev", "", "translate_ende_numbers");
    check_select("translate_ende_numbers_copy_rev,translate_ende_numbers", "",
                 "translate_ende_numbers");
}

static void test_select_refuses(void **state)
{
    (void) state;
    check_refused("", "", "name a problem with --problem");
    check_refused("zzz", "", "there is no problem 'zzz'");
    check_refused("translate_ende_number", "", "did you mean 'translate_ende_numbers'?");
    check_refused("text2text_tmpdir,zzz", "", "there is no problem 'zzz'");
    check_refused("text2text_tmpdir", "tmpdir", "is left out by --exclude_problems");
    check_refused("imagine_*", "", "no problem begins with 'imagine_'");
}

static void test_grouped_list(void **state)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};

    (void) state;
    t2_strs_push(&names, "a_x");
    t2_strs_push(&names, "a_y");
    t2_strs_push(&names, "ab_x");
    t2_strs_push(&names, "b");
    dg_list_grouped(&names, &text);
    assert_string_equal(t2_buf_cstr(&text),
                        "    a:\n      * a_x\n      * a_y\n    ab:\n      * ab_x\n"
                        "    b:\n      * b\n");
    t2_buf_release(&text);
    t2_strs_release(&names);
}

/* Every name belongs to one family, once, and can be told about in one line. */
static void test_families(void **state)
{
    const struct dg_family *f;
    struct t2_strs names = {0};
    size_t n = 0;

    (void) state;
    for (size_t i = 0; (f = dg_family_at(i)) != NULL; i++) {
        assert_non_null(f->title);
        for (size_t k = 0; k < f->n; k++) {
            const struct dg_problem *p = &f->problems[k];
            assert_ptr_equal(dg_find(p->name), p);
            assert_non_null(p->summary);
            assert_null(strchr(p->summary, '\n'));
            assert_true(p->open || p->sharding.maker || p->refusal || p->members);
            n++;
        }
    }
    dg_names(&names);
    assert_true(names.n >= n);
    t2_strs_release(&names);
}

static void test_check_name(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_check_name("my_corpus2", &err), T2_OK);
    assert_int_equal(dg_check_name("", &err), T2_EUSAGE);
    assert_int_equal(dg_check_name("2x", &err), T2_EUSAGE);
    assert_int_equal(dg_check_name("My", &err), T2_EUSAGE);
    assert_int_equal(dg_check_name("a-b", &err), T2_EUSAGE);
    assert_int_equal(dg_check_name("a/b", &err), T2_EUSAGE);
    assert_int_equal(dg_check_name("x_rev", &err), T2_EUSAGE);
    t_assert_contains(err.message, "views of a problem");
}

static void test_register(void **state)
{
    static const struct dg_problem mine = {.name = "mine_too"};
    static const struct dg_problem taken = {.name = "text2text_tmpdir"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_null(dg_find("mine_too"));
    assert_int_equal(dg_register(&mine, &err), T2_OK);
    assert_ptr_equal(dg_find("mine_too"), &mine);
    assert_string_equal(dg_problem_stem(&mine), "mine_too");
    assert_int_equal(dg_register(&mine, &err), T2_EUSAGE);
    assert_int_equal(dg_register(&taken, &err), T2_EUSAGE);
    t_assert_contains(err.message, "is registered already");
    check_select("mine*", "", "mine_too");
}

static void test_names_of_things(void **state)
{
    (void) state;
    assert_string_equal(dg_split_name(DG_TRAIN), "train");
    assert_string_equal(dg_split_name(DG_DEV), "dev");
    assert_string_equal(dg_split_name(DG_TEST), "test");
    assert_string_equal(dg_vocab_kind_name(DG_VOCAB_SUBWORDS), "subwords");
    assert_string_equal(dg_vocab_kind_name(DG_VOCAB_TOKENS), "tokens");
    assert_string_equal(dg_vocab_kind_name(DG_VOCAB_BYTES), "bytes");
}

T_MAIN(cmocka_unit_test(test_parse_name), cmocka_unit_test(test_select),
       cmocka_unit_test(test_select_refuses), cmocka_unit_test(test_grouped_list),
       cmocka_unit_test(test_check_name), cmocka_unit_test(test_families),
       cmocka_unit_test(test_register), cmocka_unit_test(test_names_of_things))
