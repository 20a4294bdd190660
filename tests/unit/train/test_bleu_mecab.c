/*
 * tests/unit/train/test_bleu_mecab.c - Japanese words, where MeCab is installed; else what to
 * install.
 */
#include "base/file.h"
#include "tests/support/t.h"
#include "train/eval/bleu_mecab.h"

static void test_words(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf words = {NULL, 0, 0};
    struct ev_mecab_tagger *t;
    struct ev_mecab *m;
    enum t2_status st = ev_mecab_new(NULL, &m, &err);

    (void) state;
    if (st == T2_ENOTFOUND) {
        t_assert_contains(err.message, "apt-get install");
        t_skip("MeCab or its IPA dictionary is not installed");
    }
    assert_int_equal(st, T2_OK);
    assert_string_equal(ev_mecab_version(m), "0.996");
    t = ev_mecab_tagger_new(m);
    assert_non_null(t);
    assert_int_equal(ev_mecab_cut(t, t2_slice_of("\u3059\u3082\u3082\u3082\u3082\u3082\u3082"),
                                  &words, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&words), "\u3059\u3082\u3082 \u3082 \u3082\u3082 \u3082 \n");
    t2_buf_clear(&words);
    assert_int_equal(ev_mecab_cut(t, t2_slice_of(""), &words, &err), T2_OK);
    assert_int_equal(words.len_bytes, 0);
    ev_mecab_tagger_free(t);
    ev_mecab_free(m);
    t2_buf_release(&words);
}

static void test_other_dictionaries(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_mecab *m;

    (void) state;
    assert_int_equal(ev_mecab_new(t_tmp_path("none"), &m, &err), T2_ENOTFOUND);
    assert_null(m);
    ev_mecab_free(NULL);
    ev_mecab_tagger_free(NULL);
}

T_MAIN(cmocka_unit_test(test_words), cmocka_unit_test(test_other_dictionaries))
