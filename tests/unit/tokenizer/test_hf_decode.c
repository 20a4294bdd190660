/*
 * tests/unit/tokenizer/test_hf_decode.c - the decoders; texts as tokenizers 0.23.3 gives them.
 */
#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

#define FFFD "\xEF\xBF\xBD"
#define MARK "\\u2581"

/* 0 a, 1 b, 2 U+2581 a, 3 U+2581, 4 U+2581 U+2581 a U+2581, 5 <0xC3>, 6 <0xA9>, 7 <0x20>, 8 <0x41>,
 * 9 a</w>, 10 ##b, 11 "do not", 12 special */
#define MODEL                                                                                      \
    "'added_tokens':[{'content':'<s>','special':true}],'model':{'type':'BPE','merges':[],'vocab':" \
    "{'a':0,'b':1,'" MARK "a':2,'" MARK "':3,'" MARK MARK "a" MARK "':4,'<0xC3>':5,'<0xA9>':6,"    \
    "'<0x20>':7,'<0x41>':8,'a</w>':9,'##b':10,'do not':11}}"
#define METASPACE(scheme)                                                                          \
    "'decoder':{'type':'Metaspace','replacement':'" MARK "','prepend_scheme':'" scheme "'}," MODEL
#define STEPS(strip)                                                                               \
    "'decoder':{'type':'Sequence','decoders':[{'type':'Replace','pattern':{'String':'" MARK        \
    "'},'content':' '},{'type':'ByteFallback'},{'type':'Fuse'}" strip "]}," MODEL
#define STRIP ",{'type':'Strip','content':' ','start':1,'stop':0}"

#define TEXT(parts, want, ...)                                                                     \
    do {                                                                                           \
        struct tok_encoder *e_ = hf_of(parts);                                                     \
        FM_TEXT(e_, want, __VA_ARGS__);                                                            \
        tok_free(e_);                                                                              \
    } while (0)

static void test_plain(void **state)
{
    (void) state;
    TEXT(MODEL, "a b", 0, 1);
    TEXT(MODEL, "a b", -1, 0, 12, 13, 1, INT32_MAX); /* special and none: left out */
    TEXT(MODEL, "", 12);
}

/* Fuse, and then Replaces, which see the whole text. */
static void test_fused(void **state)
{
    static const char parts[] =
        "'decoder':{'type':'Sequence','decoders':[{'type':'Fuse'},{'type':'Replace','pattern':"
        "{'String':'aa'},'content':'c'},{'type':'Replace','pattern':{'Regex':'(?<=[b])(?=c)'},"
        "'content':' '}]}," MODEL;

    (void) state;
    TEXT("'decoder':{'type':'Sequence','decoders':[{'type':'Fuse'}]}," MODEL, "ab", 0, 1);
    TEXT(parts, "b cb", 1, 0, 12, -1, 0, 1);
    TEXT(parts, "", 12);
}

static void test_metaspace(void **state)
{
    (void) state;
    TEXT(METASPACE("always"), "aa", 2, 0);
    TEXT(METASPACE("always"), " a", 3, 2);
    TEXT(METASPACE("always"), "a a", 0, 2);
    TEXT(METASPACE("always"), "a  a ", 4, 4); /* all marks of the first token go */
    TEXT(METASPACE("first"), " a", 12, 3, 2);
    TEXT(METASPACE("never"), " aa", 2, 0);
    TEXT(METASPACE("never"), "  a", 3, 2);
}

static void test_steps(void **state)
{
    (void) state;
    TEXT(STEPS(STRIP), "aa", 2, 0);
    TEXT(STEPS(STRIP), " a", 3, 2);
    TEXT(STEPS(STRIP), "\xC3\xA9", 5, 6);
    TEXT(STEPS(STRIP), FFFD "a", 5, 0);
    TEXT(STEPS(STRIP), FFFD FFFD, 5, 8); /* all of the run */
    TEXT(STEPS(STRIP), FFFD "aA", 5, 0, 8);
    TEXT(STEPS(STRIP), "a", 7, 0);
    TEXT(STEPS(STRIP), "\xC3\xA9", 5, 12, 6); /* special tokens do not part bytes */
    TEXT(STEPS(STRIP), "", 3);
    TEXT(STEPS(""), " aa", 2, 0);
}

static void test_byte_level(void **state)
{
    static const char parts[] =
        "'decoder':{'type':'ByteLevel'},'model':{'type':'BPE','merges':[],'vocab':{"
        "'\\u0120a':0,'\\u00c3':1,'\\u00a9':2,'\\u0100\\u017f':3,'\\u0143\\u0121\\u0142':4,'"
        "\\u65e5':5}}";
    struct t2_buf all = {0}, back = {0};

    (void) state;
    TEXT(parts, " a\xC3\xA9", 0, 1, 2);
    TEXT(parts, " a" FFFD " a", 0, 1, 0);
    TEXT(parts, "\xC4\x80\xC5\xBF", 3); /* U+017F stands for no byte: as it is */
    TEXT(parts, "\xE6\x97\xA5", 5);
    for (int b = 0; b < 256; b++) {
        uint8_t bytes[4];

        t2_buf_append(&all, bytes, tok_hf_byte_char((uint8_t) b, bytes));
    }
    assert_true(tok_hf_bytes_of(t2_buf_slice(&all), &back));
    assert_int_equal(back.len_bytes, 256);
    for (int b = 0; b < 256; b++)
        assert_int_equal(back.data[b], b);
    assert_false(tok_hf_bytes_of(t2_slice_of("a \xC5\x84"), &back));
    assert_int_equal(back.len_bytes, 256);
    t2_buf_release(&all);
    t2_buf_release(&back);
}

static void test_wordpiece(void **state)
{
    static const char keep[] =
        "'decoder':{'type':'WordPiece','prefix':'##','cleanup':false}," MODEL;
    static const char clean[] =
        "'decoder':{'type':'WordPiece'},'model':{'type':'BPE','merges':[],'vocab':{'a':0,'.':1,"
        "'##b':2,'n\\u0027t':3,'do not':4,' .':5}}";

    (void) state;
    TEXT(keep, "ab a", 0, 10, 0);
    TEXT(keep, "##b a", 10, 0);
    TEXT(clean, "a.", 0, 1);
    TEXT(clean, "ab.", 0, 2, 1);
    TEXT(clean, "an't", 0, 3);
    TEXT(clean, "a don't", 0, 4);
    TEXT(clean, "a .", 0, 5);
}

static void test_suffix(void **state)
{
    static const char parts[] = "'decoder':{'type':'BPEDecoder','suffix':'</w>'}," MODEL;

    (void) state;
    TEXT(parts, "ba bba", 1, 9, 1, 1, 9);
    TEXT(parts, "a a", 9, 9, 12, -1); /* what is left out is not the last */
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_fused), cmocka_unit_test(test_metaspace),
       cmocka_unit_test(test_steps), cmocka_unit_test(test_byte_level),
       cmocka_unit_test(test_wordpiece), cmocka_unit_test(test_suffix))
