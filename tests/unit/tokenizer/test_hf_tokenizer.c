/*
 * tests/unit/tokenizer/test_hf_tokenizer.c - added tokens, special ids around a text, and what a
 * tokenizer.json is; ids as tokenizers 0.23.3 gives them.
 */
#include <stdlib.h>

#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

#define MODEL HF_BPE("", HF_UNK)
#define ADDED(list) "'added_tokens':[" list "]," MODEL

static void test_single_words(void **state)
{
    struct tok_encoder *e = hf_of(ADDED("{'content':'q','single_word':true,'normalized':false}"));

    (void) state;
    FM_IDS(e, "q", "7");
    FM_IDS(e, "a q c", "0 6 7 6 2");
    FM_IDS(e, "aq", "0 6");
    FM_IDS(e, "qa", "6 0");
    FM_IDS(e, "qq q", "6 6 6 7");
    FM_IDS(e, "q-q", "7 6 7");
    FM_IDS(e, "q_q", "6 6 6");
    FM_IDS(e, "\xC2\xBDq", "6 7");     /* one half is no part of a word, */
    FM_IDS(e, "\xE2\x85\xA7q", "6 6"); /* the numeral VIII is, */
    FM_IDS(e, "\xE2\x93\xB6q", "6 7"); /* and a letter in a circle, but no number in one */
    FM_IDS(e, "\xE2\x80\x8Dq", "6 6"); /* a joiner */
    FM_IDS(e, "q\xCC\x81", "6 6");     /* a mark */
    tok_free(e);
}

static void test_blanks_around(void **state)
{
    struct tok_encoder *e =
        hf_of(ADDED("{'content':'q','lstrip':true,'rstrip':true,'normalized':false}"));

    (void) state;
    FM_IDS(e, "a  q  c", "0 7 2");
    FM_IDS(e, " q ", "7");
    FM_IDS(e, "q q", "7 7");
    FM_IDS(e,
           "a\xC2\x85q\xE3\x80\x80"
           "c",
           "0 7 2");
    FM_IDS(e,
           "a\x1Cq\x1C"
           "c",
           "0 6 7 6 2"); /* no White_Space */
    tok_free(e);
    e = hf_of(ADDED("{'content':'q','lstrip':true,'normalized':false}"));
    FM_IDS(e, "a  q  c", "0 7 6 6 2");
    FM_IDS(e, " q ", "7 6");
    tok_free(e);
}

/* The longest, in the text as it stands; the model's own id when the model has it. */
static void test_longest(void **state)
{
    struct tok_encoder *e =
        hf_of(ADDED("{'id':3,'content':'ab','normalized':false},{'id':5,'content':'abc',"
                    "'normalized':false},{'id':9,'content':'X','special':true}"));

    (void) state;
    FM_IDS(e, "aabca", "0 5 0");
    FM_IDS(e, "abX", "3 7"); /* the next free id, not the file's */
    FM_IDS(e, "ababc", "3 5");
    FM_TEXT(e, "ab a", 3, 7, 0); /* special: left out */
    assert_int_equal(tok_size(e), 8);
    tok_free(e);
}

static void test_normalized(void **state)
{
    struct tok_encoder *e = hf_of("'normalizer':{'type':'Lowercase'}," ADDED(
        "{'content':'Q','normalized':true},{'content':'B','normalized':false},"
        "{'content':'qz','normalized':true}"));

    (void) state;
    FM_IDS(e, "aQbB", "0 7 1 8");
    FM_IDS(e, "q qz Qz QB", "7 6 9 6 9 6 7 8");
    FM_TEXT(e, "q B qz", 7, 8, 9); /* the normal form */
    tok_free(e);
    e = hf_of("'normalizer':{'type':'Replace','pattern':{'String':'x'},'content':'q'}," ADDED(
        "{'content':'q','normalized':true}"));
    FM_IDS(e, "xbq", "7 1 7");
    tok_free(e);
}

static void test_special_ids_around(void **state)
{
    static const char bert[] =
        "'added_tokens':[{'content':'[CLS]','special':true},{'content':'[SEP]','special':true}],"
        "'post_processor':{'type':'BertProcessing','sep':['[SEP]',8],'cls':['[CLS]',7]}," MODEL;
    static const char template[] =
        "'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'x'}},"
        "{'Sequence':{'id':'A'}},{'SpecialToken':{'id':'y'}}],'special_tokens':{'x':{'ids':[5,4]},"
        "'y':{'ids':[3]}}}," MODEL;
    struct tok_encoder *e = hf_of(bert);

    (void) state;
    FM_IDS(e, "a b", "7 0 6 1 8");
    FM_IDS(e, "", "7 8");
    FM_IDS(e, "[SEP]", "7 8 8");
    assert_int_equal(tok_special(e).bos, 7);
    assert_int_equal(tok_special(e).eos, 8);
    assert_int_equal(tok_special(e).unknown, 6);
    tok_shift(e); /* for data sets: bare */
    FM_IDS(e, "a b", "2 8 3");
    tok_free(e);
    HF_IDS(template, "a", "5 4 0 3");
}

static void test_looks_like(void **state)
{
    struct tok_encoder *e = fm_parse_text("{\n}\n");

    (void) state;
    assert_string_equal(tok_kind(e), "tokens"); /* a list of words that begins with a brace */
    tok_free(e);
    assert_true(tok_hf_looks_like(" \n{ \"a\"", 8));
    assert_false(tok_hf_looks_like("", 0));
    assert_false(tok_hf_looks_like("  ", 2));
    assert_false(tok_hf_looks_like("{", 1));
    assert_false(tok_hf_looks_like("[\"a\"]", 5));
}

static void test_kinds_and_file(void **state)
{
    struct tok_encoder *e = hf_of(HF_UNIGRAM);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {0};
    char *back;
    size_t n;

    (void) state;
    assert_string_equal(tok_kind(e), "tokenizer.json Unigram");
    assert_int_equal(tok_save(e, t_tmp_path("json"), &err), T2_OK);
    back = t_read_file(t_tmp_path("json"), &n);
    hf_put(&file, HF_UNIGRAM);
    assert_int_equal(n, file.len_bytes);
    assert_memory_equal(back, file.data, n);
    free(back);
    t2_buf_release(&file);
    tok_free(e);
    e = hf_of(HF_WORDPIECE);
    assert_string_equal(tok_kind(e), "tokenizer.json WordPiece");
    assert_ptr_equal(tok_hf_model_of(e), e->model);
    tok_free(e);
    e = hf_of(MODEL);
    assert_string_equal(tok_kind(e), "tokenizer.json BPE");
    tok_free(e);
    e = tok_bytes_new();
    assert_null(tok_hf_model_of(e));
    tok_free(e);
}

static void test_too_long(void **state)
{
    struct tok_encoder *e = hf_of(MODEL);
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};

    (void) state;
    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) "", ((size_t) 64 << 20) + 1, &ids, &err),
                     T2_EFORMAT);
    assert_int_equal(ids.n, 0);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_single_words), cmocka_unit_test(test_blanks_around),
       cmocka_unit_test(test_longest), cmocka_unit_test(test_normalized),
       cmocka_unit_test(test_special_ids_around), cmocka_unit_test(test_looks_like),
       cmocka_unit_test(test_kinds_and_file), cmocka_unit_test(test_too_long))
