/*
 * tests/unit/tokenizer/test_hf_normalize.c - the steps one by one; normal forms as tokenizers
 * 0.23.3 makes them.
 */
#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/hf_files.h"

static void steps_give(const struct tok_hf_steps *steps, const char *text, const char *want)
{
    struct t2_buf buf = {0}, scratch = {0};

    t2_buf_puts(&buf, text);
    assert_true(tok_hf_normalize(steps, &buf, &scratch));
    assert_string_equal(t2_buf_cstr(&buf), want);
    t2_buf_release(&buf);
    t2_buf_release(&scratch);
}

static void step_gives(struct tok_hf_step step, const char *text, const char *want)
{
    struct tok_hf_steps steps = {.items = {step}, .n = 1};

    steps_give(&steps, text, want);
    steps_give(&steps, "", "");
}

#define STEP(...) ((struct tok_hf_step){__VA_ARGS__})
#define SLICE(s)                                                                                   \
    {                                                                                              \
        (const uint8_t *) (s), sizeof(s) - 1                                                       \
    }

static void test_none(void **state)
{
    (void) state;
    steps_give(&(struct tok_hf_steps){.n = 0}, "A b", "A b");
}

static void test_forms(void **state)
{
    (void) state;
    step_gives(STEP(.type = TOK_HF_NFC), "e\xCC\x81\xEF\xAC\x81", "\xC3\xA9\xEF\xAC\x81");
    step_gives(STEP(.type = TOK_HF_NFD), "\xC3\xA9\xEF\xAC\x81", "e\xCC\x81\xEF\xAC\x81");
    step_gives(STEP(.type = TOK_HF_NFKC), "e\xCC\x81\xEF\xAC\x81",
               "\xC3\xA9"
               "fi");
    step_gives(STEP(.type = TOK_HF_NFKD), "\xC3\xA9\xEF\xAC\x81",
               "e\xCC\x81"
               "fi");
}

static void test_characters(void **state)
{
    (void) state;
    step_gives(STEP(.type = TOK_HF_LOWERCASE), "\xC4\xB0 \xE1\xBA\x9E \xCE\xA3\xCE\xA3",
               "i\xCC\x87 \xC3\x9F \xCF\x83\xCF\x83");
    step_gives(STEP(.type = TOK_HF_STRIP_ACCENTS), "e\xCC\x81\xC3\xA9", "e\xC3\xA9");
    /* all marks of Unicode 9: U+0903 Mc, U+0488 Me; U+1CF2 was one; not U+07FD of Unicode 11,
     * U+111C9 */
    step_gives(STEP(.type = TOK_HF_STRIP_ACCENTS),
               "a\xE0\xA4\x83\xD2\x88\xE1\xB3\xB2\xDF\xBD\xF0\x91\x87\x89",
               "a\xDF\xBD\xF0\x91\x87\x89");
    /* BERT: Mn of Unicode 8; U+1734 was one, U+1885 was none */
    step_gives(STEP(.type = TOK_HF_BERT_STRIP_ACCENTS),
               "e\xCC\x81\xE0\xA4\x83\xE1\x9C\xB4\xE1\xA2\x85\xDF\xBD",
               "e\xE0\xA4\x83\xE1\xA2\x85\xDF\xBD");
    step_gives(STEP(.type = TOK_HF_BERT_CLEAN), "a\xC2\xAD\xE0\xA3\xA2", /* U+08E2 is of 9.0 */
               "a\xE0\xA3\xA2");
    /* normal forms of Unicode 9: U+32FF is of 12.1, U+1E038 of 15; U+07FD (11) is not moved */
    step_gives(STEP(.type = TOK_HF_NFKC), "\xE3\x8B\xBE\xE3\x8B\xBF\xF0\x9E\x80\xB8",
               "\xE3\x83\xB2\xE3\x8B\xBF\xF0\x9E\x80\xB8");
    step_gives(STEP(.type = TOK_HF_NFD), "a\xCC\x81\xDF\xBD\xCC\xA3", "a\xCC\x81\xDF\xBD\xCC\xA3");
    step_gives(STEP(.type = TOK_HF_NMT),
               "a\tb\x01"
               "c\xE2\x80\x8B"
               "d\xC2\xAD\xC2\x85\x7F",
               "a bc d\xC2\xAD\xC2\x85");
    step_gives(STEP(.type = TOK_HF_BERT_CLEAN),
               "a\tb\x01"
               "c\xE2\x80\x8B"
               "d\xEF\xBF\xBD\xE3\x80\x80",
               "a bcd ");
    step_gives(STEP(.type = TOK_HF_BERT_CLEAN), "\xEE\x80\x80\xEF\xB7\x90", /* U+E000, U+FDD0 */
               "\xEF\xB7\x90");
    step_gives(STEP(.type = TOK_HF_BERT_CHINESE), "a\xE6\x97\xA5\xE3\x81\x82",
               "a \xE6\x97\xA5 \xE3\x81\x82");
}

static void test_strip(void **state)
{
    static const char text[] = " \x1C\xC2\xA0"
                               "a b \x1C\xC2\x85";

    (void) state; /* White_Space, to which U+001C does not belong */
    step_gives(STEP(.type = TOK_HF_STRIP), text, text);
    step_gives(STEP(.type = TOK_HF_STRIP, .left = true), text,
               "\x1C\xC2\xA0"
               "a b \x1C\xC2\x85");
    step_gives(STEP(.type = TOK_HF_STRIP, .right = true), text,
               " \x1C\xC2\xA0"
               "a b \x1C");
    step_gives(STEP(.type = TOK_HF_STRIP, .left = true, .right = true), text,
               "\x1C\xC2\xA0"
               "a b \x1C");
    step_gives(STEP(.type = TOK_HF_STRIP, .left = true, .right = true), " \t\n", "");
    step_gives(STEP(.type = TOK_HF_STRIP, .right = true), "  ", "");
    step_gives(STEP(.type = TOK_HF_STRIP, .left = true), "  ", "");
}

static void test_replace(void **state)
{
    (void) state;
    step_gives(STEP(.type = TOK_HF_REPLACE, .from = SLICE("aa"), .to = SLICE("b")), "aaaaa", "bba");
    step_gives(STEP(.type = TOK_HF_REPLACE, .from = SLICE("a"), .to = SLICE("")), "aba", "b");
    step_gives(STEP(.type = TOK_HF_REPLACE, .from = SLICE(""), .to = SLICE("x")), "ab", "ab");
    step_gives(STEP(.type = TOK_HF_PREPEND, .to = SLICE("_")), "a",
               "_a"); /* nothing before nothing */
    step_gives(STEP(.type = TOK_HF_TRIM, .left = true, .from = SLICE(" _"), .to = SLICE("!")),
               "_ a _", "!a _");
    step_gives(STEP(.type = TOK_HF_TRIM, .right = true, .from = SLICE(" _"), .to = SLICE("")),
               "_ a _", "_ a");
    step_gives(STEP(.type = TOK_HF_TRIM, .right = true, .from = SLICE("a"), .to = SLICE("")), "b",
               "b");
    step_gives(STEP(.type = TOK_HF_COLLAPSE, .from = SLICE(" "), .to = SLICE("_")), "a b  c   ",
               "a b_c_");
}

/* Each step sees what the one before made. */
static void test_order(void **state)
{
    struct tok_hf_steps steps = {
        .items = {{.type = TOK_HF_LOWERCASE},
                  {.type = TOK_HF_REPLACE, .from = SLICE("a"), .to = SLICE("B")},
                  {.type = TOK_HF_PREPEND, .to = SLICE("A")}},
        .n = 3};

    (void) state;
    steps_give(&steps, "Aab", "ABBb");
}

/* Replacements that multiply stop, and say so. */
static void test_explosion(void **state)
{
    struct tok_hf_steps steps = {.n = TOK_HF_MAX_STEPS};
    struct t2_buf text = {0}, scratch = {0};
    static char many[4096];

    (void) state;
    memset(many, 'a', sizeof many);
    for (size_t i = 0; i < TOK_HF_MAX_STEPS; i++)
        steps.items[i] = (struct tok_hf_step){.type = TOK_HF_REPLACE,
                                              .from = SLICE("a"),
                                              .to = {(const uint8_t *) many, sizeof many}};
    t2_buf_puts(&text, "a");
    assert_false(tok_hf_normalize(&steps, &text, &scratch));
    assert_in_range(text.len_bytes, TOK_HF_MAX_NORMAL_BYTES, TOK_HF_MAX_NORMAL_BYTES + 8192);
    t2_buf_release(&text);
    t2_buf_release(&scratch);
}

T_MAIN(cmocka_unit_test(test_none), cmocka_unit_test(test_forms), cmocka_unit_test(test_characters),
       cmocka_unit_test(test_strip), cmocka_unit_test(test_replace), cmocka_unit_test(test_order),
       cmocka_unit_test(test_explosion))
