/*
 * tests/unit/tokenizer/test_hf_models.c - BPE, WordPiece and Unigram; ids as tokenizers 0.23.3
 * gives them.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

#define BYTES "'pre_tokenizer':{'type':'ByteLevel','add_prefix_space':false},"
#define BYTE_VOCAB "'vocab':{'a':0,'b':1,'\\u0120':2,'<unk>':3}"

static void test_bpe(void **state)
{
    (void) state;
    HF_IDS(HF_BPE("'a b',['b','c'],'ab c'", ""), "abc", "5");
    HF_IDS(HF_BPE("'b c','a b'", ""), "abc", "0 4");
    HF_IDS(HF_BPE("'a b','b c','a b'", ""), "abc", "0 4"); /* of equal pairs the last counts */
    HF_IDS(HF_BPE("", ""), "axb", "0 1");                  /* nothing is unknown: left out */
    HF_IDS(HF_BPE("", HF_UNK), "axyb", "0 6 6 1");
    HF_IDS(HF_BPE("", HF_UNK "'fuse_unk':true,"), "axyb", "0 6 1");
    HF_IDS(HF_BPE("'a b'", "'ignore_merges':true,"), "abc", "5");
    HF_IDS(HF_BPE("'a b'", "'ignore_merges':true,"), "abcb", "3 2 1");
    HF_IDS(HF_BPE("", HF_UNK), "a\0b", "0 6 1");
    HF_IDS(HF_BPE("", HF_UNK),
           "\xFF"
           "b",
           "6 1");
    HF_IDS(HF_BPE("", HF_UNK), "", "");
}

static void test_affixes(void **state)
{
    static const char prefix[] =
        "'model':{'type':'BPE','continuing_subword_prefix':'##','vocab':{'a':0,'##b':1,'ab':2,"
        "'##c':3,'##bc':4,'abc':5},'merges':[['##b','##c'],['a','##bc']]}";
    static const char suffix[] =
        "'model':{'type':'BPE','end_of_word_suffix':'</w>','vocab':{'a':0,'b</w>':1,'ab</w>':2,"
        "'b':3},'merges':[['a','b</w>']]}";

    (void) state;
    HF_IDS(prefix, "abc", "5");
    HF_IDS(prefix, "ab", "0 1");
    HF_IDS(suffix, "ab", "2");
    HF_IDS(suffix, "abb", "0 3 1");
}

static void test_byte_fallback(void **state)
{
    static const char some[] =
        "'model':{'type':'BPE','unk_token':'u','byte_fallback':true,'vocab':{"
        "'u':0,'<0xC3>':1,'<0xA9>':2},'merges':[]}";

    (void) state;
    HF_IDS(some, "\xC3\xA9", "1 2");
    HF_IDS(some, "\xC3\xA8", "0"); /* one byte is missing: unknown, not half of it */
}

static void test_byte_level(void **state)
{
    (void) state;
    HF_IDS(BYTES "'model':{'type':'BPE'," BYTE_VOCAB ",'merges':[]}", "a x\xC3\xA9 b", "0 2 2 1");
    HF_IDS(BYTES "'model':{'type':'BPE','unk_token':'<unk>'," BYTE_VOCAB ",'merges':[]}",
           "a x\xC3\xA9 b", "0 2 3 3 3 2 1");
    HF_IDS(BYTES "'model':{'type':'BPE','unk_token':'<unk>','fuse_unk':true," BYTE_VOCAB
                 ",'merges':[]}",
           "a x\xC3\xA9 b", "0 2 3 2 1");
    HF_IDS(BYTES "'model':{'type':'BPE','ignore_merges':true,'vocab':{'a':0,'b':1,'\\u0120':2,"
                 "'\\u0120ab':3,'ab':4},'merges':[]}",
           "ab ab", "4 3");
    HF_IDS(BYTES "'model':{'type':'BPE','end_of_word_suffix':'$','vocab':{'a':0,'b$':1,'\\u0120':2,"
                 "'a$':3},'merges':[]}",
           "ab a", "0 1 2 3");
}

static void test_wordpiece(void **state)
{
    struct tok_encoder *e = hf_of(HF_WORDPIECE);

    (void) state;
    FM_IDS(e, "abc", "5");
    FM_IDS(e, "acb", "0 8 7");
    FM_IDS(e, "abd", "6"); /* all of the word */
    FM_IDS(e, "abcbc", "5 9");
    FM_IDS(e, "abbbbb", "6"); /* six characters; five are taken */
    FM_IDS(e, "\xC3\xA9", "6");
    FM_IDS(e, "##b", "7");
    FM_IDS(e, "", "");
    tok_free(e);
}

/* An empty prefix; the unknown token is none of the vocabulary, which is an error when it is
 * needed. */
static void test_wordpiece_bare(void **state)
{
    struct tok_encoder *e = hf_of("'model':{'type':'WordPiece','unk_token':'[UNK]',"
                                  "'continuing_subword_prefix':'','vocab':{'a':0,'ab':1,'c':2}}");
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0};

    (void) state;
    FM_IDS(e, "abcaba", "1 2 1 0");
    for (int i = 0; i < 3; i++) {
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(tok_encode(e, i > 0 ? cache : NULL, (const uint8_t *) "abx", 3, &ids,
                                    &err),
                         T2_EFORMAT);
        assert_string_equal(err.message,
                            "no entries make up 'abx', and the unk_token is not in the vocabulary");
        assert_int_equal(ids.n, 0);
    }
    tok_ids_release(&ids);
    tok_cache_free(cache);
    tok_free(e);
}

static void test_unigram(void **state)
{
    struct tok_encoder *e = hf_of(HF_UNIGRAM);

    (void) state;
    FM_IDS(e, "ab", "3");
    FM_IDS(e, "xyab", "0 3"); /* neighbours are one unknown */
    FM_IDS(e, "axb", "1 0 2");
    FM_IDS(e,
           "a\0\xFF"
           "b",
           "1 0 2");
    FM_IDS(e, "", "");
    tok_free(e);
    e = hf_of("'model':{'type':'Unigram','unk_id':0,'vocab':[['u',0],['a',-1],['ab',-9],['ab',-1],"
              "['b',-3]]}");
    FM_IDS(e, "ab", "3"); /* of equal pieces the last counts */
    tok_free(e);
}

/* A word of 256 kB takes no longer per byte. */
static void test_long_words(void **state)
{
    enum { N = 1 << 18 };
    static const char *const files[] = {HF_BPE("'a b','ab c'", HF_UNK), HF_UNIGRAM, HF_WORDPIECE,
                                        BYTES
                                        "'model':{'type':'BPE','unk_token':'<unk>'," BYTE_VOCAB
                                        ",'merges':[]}"};
    uint8_t *text = t2_alloc(N, 1);

    (void) state;
    for (size_t i = 0; i < N; i++)
        text[i] = (uint8_t) ('a' + i % 3);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct tok_encoder *e = hf_of(files[k]);
        struct tok_ids ids = {0};
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(tok_encode(e, NULL, text, N, &ids, &err), T2_OK);
        assert_true(k == 2 ? ids.n == 1 : ids.n > N / 4);
        tok_ids_release(&ids);
        tok_free(e);
    }
    t2_free(text);
}

T_MAIN(cmocka_unit_test(test_bpe), cmocka_unit_test(test_affixes),
       cmocka_unit_test(test_byte_fallback), cmocka_unit_test(test_byte_level),
       cmocka_unit_test(test_wordpiece), cmocka_unit_test(test_wordpiece_bare),
       cmocka_unit_test(test_unigram), cmocka_unit_test(test_long_words))
