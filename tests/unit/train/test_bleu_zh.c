/*
 * tests/unit/train/test_bleu_zh.c - tokens that sacreBLEU 2.6's "zh" gives.
 */
#include "tests/support/t.h"
#include "train/eval/bleu_tokenize.h"

static void test_tokens(void **state)
{
    static const struct {
        const char *line, *want;
    } cases[] = {
        {"", ""},
        {"\u4ed6\u8bf4\uff1a\u201c\u4f60\u597d\uff01\u201dAI 2.0\uff0c",
         "\u4ed6 \u8bf4 \uff1a \u201c \u4f60 \u597d \uff01 \u201d AI 2.0 \uff0c"},
        {".5 x", ".5 x"}, /* no blank in front of the line */
        {"x.", "x ."},
        {"5.", "5."},
        {"a\u2014b", "a \u2014 b"},
        {"\uff15.6", "\uff15 . 6"},
        {"\u3041\u30a2", "\u3041\u30a2"}, /* kana are no Chinese */
        {"\U00020000x", "\U00020000x"},   /* nor are planes beyond the first */
        {"\u2000a\u2a6d\u2a6e", "a \u2a6d \u2a6e"},
    };
    struct ev_13a_scratch scratch = {.line = {NULL, 0, 0}};
    struct t2_buf got = {NULL, 0, 0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t2_buf_clear(&got);
        ev_tokenize_zh(&scratch, t2_slice_of(cases[i].line), &got);
        assert_string_equal(t2_buf_cstr(&got), cases[i].want);
    }
    ev_13a_scratch_release(&scratch);
    t2_buf_release(&got);
}

T_MAIN(cmocka_unit_test(test_tokens))
