/*
 * tests/unit/train/test_bleu_tokenizer.c - tokenizers by name, with their signatures; what is
 * missing is said with the way out.
 */
#include <stdlib.h>

#include "tests/support/t.h"
#include "train/eval/bleu_tokenizer.h"

static void check(const char *name, const char *line, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf tokens = {NULL, 0, 0};
    struct ev_tokenizer_work *w;
    struct ev_tokenizer *t;

    assert_int_equal(ev_tokenizer_new(name, "", "", &t, &err), T2_OK);
    assert_string_equal(ev_tokenizer_signature(t), name);
    w = ev_tokenizer_work_new(t);
    assert_int_equal(ev_tokenizer_cut(w, t2_slice_of(line), &tokens, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&tokens), want);
    ev_tokenizer_work_free(w);
    ev_tokenizer_free(t);
    t2_buf_release(&tokens);
}

static void test_names(void **state)
{
    (void) state;
    check("13a", "a\\b, \u2013c.", "a \\ b , \u2013c .");
    check("intl", "a\\b, \u2013c.", "a \\ b , \u2013 c .");
    check("zh", "\u4e2d a.", "\u4e2d a .");
    check("char", "\u4e2d a.", "\u4e2d a .");
    check("none", " a,\tb. ", "a, b.");
}

static void refused(const char *name, const char *model, enum t2_status want, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct ev_tokenizer *t;

    assert_int_equal(ev_tokenizer_new(name, model, NULL, &t, &err), want);
    t_assert_contains(err.message, part);
    assert_null(t);
}

static void test_refused(void **state)
{
    (void) state;
    refused("moses", "", T2_EUSAGE, ev_tokenizer_names);
    refused("ko-mecab", "", T2_EUNSUPPORTED, "--tokenize=none");
    setenv("SACREBLEU", t_tmp_path("none"), 1);
    refused("flores200", "", T2_ENOTFOUND, "none/models/flores200sacrebleuspm' is not there");
    refused("spm", "", T2_ENOTFOUND, "--spm_model");
    t_write_file(t_tmp_path("text"), "a\nb\n", 4);
    refused("spm", t_tmp_path("text"), T2_EFORMAT, "no SentencePiece model");
    ev_tokenizer_free(NULL);
    ev_tokenizer_work_free(NULL);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_refused))
