/*
 * tests/unit/train/test_source_ids.c - texts to ids: ends, contexts, ids that somebody else made.
 */
#include "tests/unit/train/small_translator.h"

static void test_encode(void **state)
{
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "", 0, 1);
    assert_int_equal(dec_encode(s.t, t2_slice_of(" \t ab\r "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[0], 'a' + 2);
    assert_int_equal(ids.items[1], 'b' + 2);
    assert_int_equal(ids.items[2], TOK_EOS);
    assert_int_equal(n_cut, 0);
    assert_int_equal(dec_encode(s.t, t2_slice_of("\u00a0 "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3); /* nothing but white space: no ids, no EOS */
    small_close(&s);
    small_open(&s, "max_input_size=3", 0, 1);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("abcde"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[2], TOK_EOS);
    assert_int_equal(n_cut, 3);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(n_cut, 0);
    tok_ids_release(&ids);
    small_close(&s);
}

/* Ids of somebody else: checked, cut in front of their last, and how long results of them are. */
static void test_take_ids(void **state)
{
    static const int32_t given[] = {5, 6, 7, 1}, bad[] = {5, 258}, negative[] = {-1};
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "max_input_size=3,extra_length=9", 0, 1);
    assert_int_equal(dec_take_ids(s.t, given, 2, &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 2);
    assert_int_equal(n_cut, 0);
    ids.n = 0;
    assert_int_equal(dec_take_ids(s.t, given, 4, &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[1], 6);
    assert_int_equal(ids.items[2], 1);
    assert_int_equal(n_cut, 1);
    assert_int_equal(dec_take_ids(s.t, bad, 2, &ids, &n_cut, &err), T2_EFORMAT);
    t_assert_contains(err.message, "id 258 is not one of the 258");
    assert_int_equal(dec_take_ids(s.t, negative, 1, &ids, &n_cut, &err), T2_EFORMAT);
    assert_int_equal(ids.n, 3);
    tok_ids_release(&ids);
    small_close(&s);
}

/* A task's id in place of EOS; a space behind the punctuation that a language model goes on from.
 */
static void test_ends_of_sources(void **state)
{
    struct small_translator s;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct dec_translator *t;
    size_t n_cut;

    (void) state;
    small_open(&s, "multiproblem_task_id=257", 0, 1);
    assert_int_equal(dec_encode(s.t, t2_slice_of("a."), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[1], '.' + 2);
    assert_int_equal(ids.items[2], 257);
    s.hp.multiproblem_task_id = 258;
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp},
                                        &t, &err),
                     T2_EUSAGE);
    t_assert_contains(err.message, "multiproblem_task_id=258 is not below the 258 ids");
    small_close(&s);
    small_open_as(&s, "", 0, 1, "", false);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of(" a. "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 3);
    assert_int_equal(ids.items[2], ' ' + 2);
    ids.n = 0;
    assert_int_equal(dec_encode(s.t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 2);
    tok_ids_release(&ids);
    small_close(&s);
}

/* Question, EOS, separator, context, EOS. */
static void test_context(void **state)
{
    static const int32_t expected[] = {'a' + 2, 'b' + 2, 1, 2, 'c' + 2, '\t' + 2, 'd' + 2, 1};
    struct small_translator s;
    struct dec_translator *t;
    struct tok_ids ids = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n_cut;

    (void) state;
    small_open(&s, "", 0, 1);
    assert_int_equal(dec_translator_new(&(struct dec_parts){.m = s.m,
                                                            .inputs = s.bytes,
                                                            .targets = s.bytes,
                                                            .hp = &s.hp,
                                                            .context_separator = 2},
                                        &t, &err),
                     T2_OK);
    assert_int_equal(dec_encode(t, t2_slice_of(" ab \t c\td "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, sizeof expected / sizeof *expected);
    assert_memory_equal(ids.items, expected, sizeof expected);
    ids.n = 0;
    assert_int_equal(dec_encode(t, t2_slice_of("\tc"), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 4);
    ids.n = 0;
    assert_int_equal(dec_encode(t, t2_slice_of(" \t "), &ids, &n_cut, &err), T2_OK);
    assert_int_equal(ids.n, 0);
    assert_int_equal(dec_encode(t, t2_slice_of("ab"), &ids, &n_cut, &err), T2_EFORMAT);
    t_assert_contains(err.message, "a line must be question, TAB, context");
    tok_ids_release(&ids);
    dec_translator_free(t);
    small_close(&s);
}

T_MAIN(cmocka_unit_test(test_encode), cmocka_unit_test(test_take_ids),
       cmocka_unit_test(test_ends_of_sources), cmocka_unit_test(test_context))
