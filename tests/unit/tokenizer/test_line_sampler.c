#include "tokenizer/line_sampler.h"

#include <string.h>

#include "tests/support/t.h"

/* What becomes of n lines, one letter each. */
static const char *uses(enum tok_dialect dialect, uint64_t budget, uint64_t file_bytes,
                        const char *line, size_t n)
{
    static char out[64];
    struct tok_line_sampler s;

    assert_true(n < sizeof out);
    tok_sampler_init(&s, dialect, budget, file_bytes);
    for (size_t i = 0; i < n; i++)
        out[i] = "-tS"[tok_sampler_next(&s, t2_slice_of(line))];
    out[n] = 0;
    return out;
}

static void test_all(void **state)
{
    (void) state;
    assert_string_equal(uses(TOK_DIALECT_T2T, 0, 1 << 30, "abc", 5), "ttttt");
}

static void test_budget(void **state)
{
    (void) state;
    assert_string_equal(uses(TOK_DIALECT_T2T, 6, 11, "abc", 5), "ttSSS"); /* 0 left: stop */
    assert_string_equal(uses(TOK_DIALECT_OFFICIAL, 6, 11, "abc", 5), "tttSS");
    assert_string_equal(uses(TOK_DIALECT_T2T, 7, 11, "abc", 5), "tttSS"); /* may be overshot */
    assert_string_equal(uses(TOK_DIALECT_T2T, 2, 3, "", 4), "tttt"); /* blank lines cost nothing */
    /* code points, not bytes */
    assert_string_equal(uses(TOK_DIALECT_T2T, 2, 3, "\xC3\xBC", 4), "ttSS");
}

static void test_skip(void **state)
{
    (void) state;
    /* 40 / 10 / 2: every third line, the first is line 2 */
    assert_string_equal(uses(TOK_DIALECT_T2T, 10, 40, "abcd", 12), "--t--t--t--S");
    assert_string_equal(uses(TOK_DIALECT_T2T, 10, 39, "abcd", 6), "-t-t-t");
    assert_string_equal(uses(TOK_DIALECT_T2T, 10, 19, "abcd", 4), "tttS");
}

static void check_clean(const char *line, const char *want)
{
    struct t2_buf text = {0};
    struct t2_slice clean = tok_clean_line(t2_slice_of(line), &text);

    assert_int_equal(clean.len_bytes, strlen(want));
    assert_true(t2_slice_eq(clean, t2_slice_of(want)));
    t2_buf_release(&text);
}

static void test_clean(void **state)
{
    (void) state;
    check_clean("", "");
    check_clean(" a b\t", "a b");
    check_clean("inner\rreturn\r", "innerreturn");
    check_clean("\r\r", "");
    check_clean(" \r a", "a");
    check_clean("\xC2\xA0x\xE2\x80\xA8\x1C", "x");
}

T_MAIN(cmocka_unit_test(test_clean), cmocka_unit_test(test_all), cmocka_unit_test(test_budget),
       cmocka_unit_test(test_skip))
