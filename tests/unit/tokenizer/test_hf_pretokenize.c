/*
 * tests/unit/tokenizer/test_hf_pretokenize.c - how normalised text is cut; pieces as tokenizers
 * 0.23.3 makes them.
 */
#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

static void put(void *arg, const uint8_t *piece, size_t len_bytes)
{
    struct t2_buf *got = arg;

    assert_true(len_bytes > 0);
    t2_buf_append(got, piece, len_bytes);
    t2_buf_push(got, '|');
}

static void cuts(const struct tok_hf_pretokenizer *p, const char *text, bool is_first,
                 const char *want)
{
    struct t2_buf got = {0}, scratch = {0};

    tok_hf_pretokenize(p, t2_slice_of(text), is_first, &scratch, put, &got);
    assert_string_equal(t2_buf_cstr(&got), want);
    t2_buf_release(&got);
    t2_buf_release(&scratch);
}

static void test_blanks(void **state)
{
    static const char text[] = "a\x1C"
                               "b a\xC2\xA0"
                               "b\xE2\x80\x8B"
                               "c a-b\xE3\x80\x80_\xC2\x85 ";
    struct tok_hf_pretokenizer p = {.cut = TOK_HF_CUT_BLANKS};

    (void) state;
    cuts(&p, text, true,
         "a\x1C"
         "b|a|b\xE2\x80\x8B"
         "c|a-b|_|");
    p.cut = TOK_HF_CUT_BERT;
    cuts(&p, text, true,
         "a\x1C"
         "b|a|b\xE2\x80\x8B"
         "c|a|-|b|_|");
    cuts(&p, "$5.\xE2\x82\xAC\xC2\xBF!", true, "$|5|.|\xE2\x82\xAC|\xC2\xBF|!|");
    /* punctuation of Unicode 8: U+166D was, U+2E4E came with 14 */
    cuts(&p, "a\xE1\x99\xADx\xE2\xB9\x8Ex", true, "a|\xE1\x99\xAD|x\xE2\xB9\x8Ex|");
    p.cut = TOK_HF_CUT_SPACE;
    cuts(&p, " a  b\tc ", true, "a|b\tc|");
    cuts(&p, "", true, "");
    cuts(&p, "  ", true, "");
}

/* Split of a string, MergedWithPrevious: behind each, also where nothing is before. */
static void test_behind(void **state)
{
    struct tok_hf_pretokenizer p = {.cut = TOK_HF_CUT_BEHIND, .end = {(const uint8_t *) "_", 1}};

    (void) state;
    cuts(&p, "ab_c__d", true, "ab_|c_|_|d|");
    cuts(&p, "_a_", true, "_|a_|");
    cuts(&p, "", true, "");
    p.end = (struct t2_slice){(const uint8_t *) "aa", 2};
    cuts(&p, "aaabaa", true, "aa|abaa|");
}

static void test_metaspace(void **state)
{
    struct tok_hf_pretokenizer p = {.cut = TOK_HF_CUT_METASPACE,
                                    .prepend = TOK_HF_ALWAYS,
                                    .split = true,
                                    .replacement = {(const uint8_t *) "_", 1}};

    (void) state;
    cuts(&p, "a b  c", true, "_a|_b|_|_c|");
    cuts(&p, " a", true, "_a|");
    cuts(&p, "  a", false, "_|_a|");
    cuts(&p, "_a", true, "_a|"); /* it is there already */
    cuts(&p, "", true, "");
    p.prepend = TOK_HF_FIRST;
    cuts(&p, "a b", true, "_a|_b|");
    cuts(&p, "a b", false, "a|_b|");
    p.prepend = TOK_HF_NEVER;
    cuts(&p, "a b ", true, "a|_b|_|");
    p.split = false;
    cuts(&p, "a b ", true, "a_b_|");
    p.replacement = t2_slice_of("\xE2\x96\x81");
    p.split = true;
    cuts(&p, "a b", true,
         "a|\xE2\x96\x81"
         "b|");
}

static void test_blanks_and_metaspace(void **state)
{
    struct tok_hf_pretokenizer p = {.cut = TOK_HF_CUT_BLANKS_METASPACE,
                                    .prepend = TOK_HF_ALWAYS,
                                    .split = true,
                                    .replacement = {(const uint8_t *) "_", 1}};

    (void) state;
    cuts(&p, " a\tb_c\xC2\xA0_d  ", true, "_a|_b|_c|_d|");
    cuts(&p, " \n", true, "");
    p.prepend = TOK_HF_NEVER;
    cuts(&p, "a  b_c", true, "a|b|_c|");
    p.split = false;
    cuts(&p, "a  b_c", false, "a|b_c|");
}

static void test_pattern(void **state)
{
    struct tok_hf_pretokenizer p = {.cut = TOK_HF_CUT_PATTERN, .pattern = TOK_PATTERN_GPT2};

    (void) state;
    cuts(&p, "it's  so", true, "it|'s| | so|");
    p.add_prefix_space = true;
    cuts(&p, "it's", true, " it|'s|");
    cuts(&p, " it", false, " it|");
    cuts(&p, "it", false, " it|");
    cuts(&p, "\tit", true, " |\t|it|");
    cuts(&p, "", true, "");
    p.pattern = TOK_PATTERN_NONE;
    cuts(&p, "a b", true, " a b|");
    p.cut = TOK_HF_CUT_NONE;
    cuts(&p, "a b", true, "a b|");
}

T_MAIN(cmocka_unit_test(test_blanks), cmocka_unit_test(test_behind),
       cmocka_unit_test(test_metaspace), cmocka_unit_test(test_blanks_and_metaspace),
       cmocka_unit_test(test_pattern))
