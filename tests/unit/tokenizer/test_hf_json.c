/*
 * tests/unit/tokenizer/test_hf_json.c - what a tokenizer.json may hold, and what is refused by
 * name.
 */
#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

#define MODEL HF_BPE("", HF_UNK)
#define BPE_WITH(more) "'model':{'type':'BPE','merges':[]," more "}"

static void unknown(const char *parts, const char *message)
{
    hf_refused(parts, T2_EUNSUPPORTED, message);
}

static void broken(const char *parts, const char *message)
{
    hf_refused(parts, T2_EFORMAT, message);
}

static void test_no_model(void **state)
{
    static const char message[] =
        "'v' is JSON without a \"model\": no tokenizer.json, and no other vocabulary";

    (void) state;
    broken("", message);
    broken("'model':[1]", message);
    broken("'model':null", message);
    unknown("'model':{}", "'v': the model '' is not known here");
    unknown("'model':{'type':'WordLevel'}", "'v': the model 'WordLevel' is not known here");
}

static void test_normalizers(void **state)
{
    (void) state;
    unknown("'normalizer':{'type':'ByteLevel'}," MODEL,
            "'v': the normalizer 'ByteLevel' is not known here");
    unknown("'normalizer':{'type':'Sequence','normalizers':[{'type':'NFC'},{}]}," MODEL,
            "'v': the normalizer '' is not known here");
    unknown("'normalizer':{'type':'Replace','pattern':{'Regex':'a+b'},'content':''}," MODEL,
            "'v': the normalizer 'Replace with a regular expression' is not known here");
    broken("'normalizer':{'type':'Precompiled','precompiled_charsmap':'AA=A'}," MODEL,
           "'v': the precompiled_charsmap is no character map");
    broken("'normalizer':{'type':'Precompiled','precompiled_charsmap':'/////w=='}," MODEL,
           "'v': the precompiled_charsmap is no character map");
}

static void test_too_many_normalizers(void **state)
{
    struct t2_buf parts = {0};

    (void) state;
    t2_buf_puts(&parts, "'normalizer':{'type':'Sequence','normalizers':[{'type':'NFC'}");
    for (size_t i = 0; i < TOK_HF_MAX_STEPS; i++)
        t2_buf_puts(&parts, ",{'type':'NFC'}");
    t2_buf_puts(&parts, "]}," MODEL);
    broken(t2_buf_cstr(&parts), "'v': more normalizers than fit");
    t2_buf_release(&parts);
}

/* BertNormalizer's strip_accents follows lowercase when it is null. */
static void test_bert_normalizer(void **state)
{
    static const struct {
        const char *parts;
        size_t n;
    } cases[] = {{"'normalizer':{'type':'BertNormalizer'}," MODEL, 5},
                 {"'normalizer':{'type':'BertNormalizer','lowercase':false}," MODEL, 2},
                 {"'normalizer':{'type':'BertNormalizer','lowercase':false,'strip_accents':true,"
                  "'clean_text':false,'handle_chinese_chars':false}," MODEL,
                  2},
                 {"'normalizer':{'type':'BertNormalizer','strip_accents':false}," MODEL, 3}};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tok_encoder *e = hf_of(cases[i].parts);

        assert_int_equal(tok_hf_model_of(e)->normalizer.n, cases[i].n);
        tok_free(e);
    }
}

static void test_pretokenizers(void **state)
{
    (void) state;
    unknown("'pre_tokenizer':{'type':'Digits'}," MODEL,
            "'v': the pre-tokenizer 'Digits' is not known here");
    unknown("'pre_tokenizer':{'type':'Split','pattern':{'Regex':'x'},'behavior':'Isolated'}," MODEL,
            "'v': the pattern 'x' is not known here");
    unknown("'pre_tokenizer':{'type':'Split','pattern':{'Regex':'x'},'behavior':'Removed'}," MODEL,
            "'v': the pre-tokenizer 'Split that is not Isolated' is not known here");
    broken("'pre_tokenizer':{'type':'Metaspace','replacement':''}," MODEL,
           "'v': a Metaspace replacement that is not one character");
    broken("'pre_tokenizer':{'type':'Metaspace','replacement':'ab'}," MODEL,
           "'v': a Metaspace replacement that is not one character");
}

static void test_vocabularies(void **state)
{
    (void) state;
    broken(BPE_WITH("'vocab':[1]"), "'v': model.vocab is not an object");
    broken(BPE_WITH("'vocab':{}"), "'v': model.vocab is empty");
    broken(BPE_WITH("'vocab':{'a':-1}"), "'v': the token 'a' has id -1");
    broken(BPE_WITH("'vocab':{'a':'0'}"), "'v': the token 'a' has id -1");
    broken(BPE_WITH("'vocab':{'a':0.5}"), "'v': the token 'a' has id -1");
    broken(BPE_WITH("'vocab':{'a':4194304}"), "'v': the token 'a' has id 4194304");
    broken(BPE_WITH("'vocab':{'a':4294967296}"), "'v': the token 'a' has id 4294967296");
    broken(BPE_WITH("'unk_token':'x','vocab':{'a':0}"),
           "'v': the unk_token 'x' is not in the vocabulary");
    broken("'model':{'type':'WordPiece','vocab':{'a':0}}", "'v': WordPiece without an unk_token");
    broken("'model':{'type':'Unigram','unk_id':0,'vocab':{}}",
           "'v': model.vocab is not a list of [token, score]");
    broken("'model':{'type':'Unigram','unk_id':0,'vocab':[]}",
           "'v': model.vocab is not a list of [token, score]");
    broken("'model':{'type':'Unigram','unk_id':0,'vocab':[['a',-1],7]}",
           "'v': model.vocab is not a list of [token, score]");
    broken("'model':{'type':'Unigram','vocab':[['a',-1]]}", "'v': Unigram without an unk_id");
    broken("'model':{'type':'Unigram','unk_id':-1,'vocab':[['a',-1]]}",
           "'v': Unigram without an unk_id");
    broken("'model':{'type':'Unigram','unk_id':1,'vocab':[['a',-1]]}",
           "'v': model.unk_id is no token");
    broken("'model':{'type':'Unigram','unk_id':4294967296,'vocab':[['a',-1]]}",
           "'v': model.unk_id is no token");
}

/* An id far from the others leaves a hole, which is empty and decodes to nothing. */
static void test_holes(void **state)
{
    struct tok_encoder *e = hf_of(BPE_WITH("'vocab':{'a':0,'b':1000}"));

    (void) state;
    assert_int_equal(tok_size(e), 1001);
    assert_int_equal(tok_entry(e, 500).len_bytes, 0);
    FM_IDS(e, "ab", "0 1000");
    tok_free(e);
}

static void test_merges(void **state)
{
    (void) state;
    broken(HF_BPE("'a'", ""), "'v': a merge that is not two tokens");
    broken(HF_BPE("'a '", ""), "'v': a merge that is not two tokens");
    broken(HF_BPE("['a']", ""), "'v': a merge that is not two tokens");
    broken(HF_BPE("7", ""), "'v': a merge that is not two tokens");
    broken(HF_BPE("'a b','a z'", ""), "'v': merge 1: a token of it is not in the vocabulary");
    broken(HF_BPE("'a c'", ""), "'v': merge 0: a token of it is not in the vocabulary");
    broken(HF_BPE("'a b c'", ""), "'v': merge 0: a token of it is not in the vocabulary");
    unknown(HF_BPE("", "'dropout':0.1,"), "'v': the model 'BPE with dropout' is not known here");
}

static void test_added(void **state)
{
    struct t2_buf parts = {0};

    (void) state;
    broken("'added_tokens':[{'id':7}]," MODEL, "'v': an added token without content");
    broken("'added_tokens':[7]," MODEL, "'v': an added token without content");
    t2_buf_puts(&parts, MODEL ",'added_tokens':[0");
    for (size_t i = 0; i < 1 << 14; i++)
        t2_buf_puts(&parts, ",0");
    t2_buf_puts(&parts, "]");
    broken(t2_buf_cstr(&parts), "'v': 16385 added tokens; 16384 are taken");
    t2_buf_release(&parts);
}

static void test_post_processors(void **state)
{
    (void) state;
    unknown("'post_processor':{'type':'Padding'}," MODEL,
            "'v': the post-processor 'Padding' is not known here");
    broken("'post_processor':{'type':'BertProcessing','sep':['x',99],'cls':['y',0]}," MODEL,
           "'v': a post-processor with ids that are no tokens");
    broken("'post_processor':{'type':'BertProcessing'}," MODEL,
           "'v': a post-processor with ids that are no tokens");
    broken("'post_processor':{'type':'TemplateProcessing','single':[{'SpecialToken':{'id':'x'}}],"
           "'special_tokens':{'x':{'ids':[0,0,0,0,0]}}}," MODEL,
           "'v': a post-processor with ids that are no tokens");
}

#define EIGHTFOLD(how) "{'type':'Replace','pattern':{'" how "':'a'},'content':'aaaaaaaa'}"

static void test_decoders(void **state)
{
    (void) state;
    unknown("'decoder':{'type':'CTC'}," MODEL, "'v': the decoder 'CTC' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'ByteFallback'}]}," MODEL,
            "'v': the step of a decoder 'ByteFallback' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'Fuse'},{'type':'Strip'}]}," MODEL,
            "'v': the step of a decoder behind Fuse 'Strip' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'Fuse'},{'type':'Replace','pattern':"
            "{'Regex':'a*'},'content':''}]}," MODEL,
            "'v': the step of a decoder 'Replace with a regular expression' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'Fuse'}," EIGHTFOLD(
                "String") "," EIGHTFOLD("String") "," EIGHTFOLD("Regex") "]}," MODEL,
            "'v': the decoder 'Replace that multiplies the text' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[]}," MODEL,
            "'v': the decoder 'Sequence of other than Replace, ByteFallback, Fuse, Strip' is not "
            "known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'Replace','pattern':{'String':'_'},"
            "'content':'x'},{'type':'ByteFallback'},{'type':'Fuse'}]}," MODEL,
            "'v': the decoder 'Replace that does not make blanks of a text' is not known here");
    unknown("'decoder':{'type':'Sequence','decoders':[{'type':'Replace','pattern':{'String':'_'},"
            "'content':' '},{'type':'ByteFallback'},{'type':'Fuse'},{'type':'Strip','content':' ',"
            "'start':2,'stop':0}]}," MODEL,
            "'v': the decoder 'Strip of other than one blank in front' is not known here");
    broken("'decoder':{'type':'Metaspace','replacement':''}," MODEL,
           "'v': an empty Metaspace replacement");
}

/* Cut anywhere, the file is no JSON any more, or no JSON file at all. */
static void test_truncated(void **state)
{
    struct t2_buf file = {0};

    (void) state;
    hf_put(&file, "'normalizer':{'type':'NFC'}," HF_BPE("'a b'", HF_UNK));
    for (size_t n = 1; n < file.len_bytes; n++) {
        struct t2_err err = T2_ERR_INIT;
        struct tok_encoder *e = NULL;
        uint8_t *copy = t_guarded_alloc(n);

        memcpy(copy, file.data, n);
        if (tok_hf_looks_like(copy, n)) {
            assert_int_equal(tok_parse("v", copy, n, &e, &err), T2_EFORMAT);
            t_assert_contains(err.message, "v:1:");
        }
        t_guarded_free(copy, n);
    }
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_no_model), cmocka_unit_test(test_normalizers),
       cmocka_unit_test(test_too_many_normalizers), cmocka_unit_test(test_bert_normalizer),
       cmocka_unit_test(test_pretokenizers), cmocka_unit_test(test_vocabularies),
       cmocka_unit_test(test_holes), cmocka_unit_test(test_merges), cmocka_unit_test(test_added),
       cmocka_unit_test(test_post_processors), cmocka_unit_test(test_decoders),
       cmocka_unit_test(test_truncated))
