/*
 * tests/unit/tokenizer/test_pretokenize.c - where the patterns cut; what is wanted was made by
 * Python's `regex` module from the expressions themselves.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/tokenizer/pattern_cuts.h"
#include "tokenizer/pretokenize.h"

/* The pieces with | between. */
static void cuts(enum tok_pattern p, const char *text, const char *want)
{
    char got[256];
    size_t n = strlen(text), to = 0;

    for (size_t at = 0, piece; at < n; at += piece) {
        piece = tok_piece_bytes(p, (const uint8_t *) text + at, n - at);
        assert_in_range(piece, 1, n - at);
        if (at > 0)
            got[to++] = '|';
        for (size_t i = 0; i < piece; i++)
            got[to++] = text[at + i];
    }
    got[to] = 0;
    assert_string_equal(got, want);
}

static void test_cuts(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof pattern_cuts / sizeof *pattern_cuts; i++)
        cuts(pattern_cuts[i].pattern, pattern_cuts[i].text, pattern_cuts[i].want);
}

static void test_no_pattern(void **state)
{
    (void) state;
    cuts(TOK_PATTERN_NONE, "a b", "a b");
    cuts(TOK_PATTERN_UNKNOWN, "a b", "a b");
}

/* Bytes that are not UTF-8 are symbols, whole or cut short; nothing is read past the end. */
static void test_broken_bytes(void **state)
{
    static const enum tok_pattern all[] = {TOK_PATTERN_GPT2,     TOK_PATTERN_CL100K,
                                           TOK_PATTERN_CL100K_1, TOK_PATTERN_CL100K_ALL,
                                           TOK_PATTERN_O200K,    TOK_PATTERN_TEKKEN};

    (void) state;
    cuts(TOK_PATTERN_GPT2, "a\xFF\xC3 b\xE2\x82", "a|\xFF\xC3| b|\xE2\x82");
    cuts(TOK_PATTERN_O200K, "\xED\xA0\x80x", "\xED\xA0\x80x"); /* a surrogate in front of a word */
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (uint64_t seed = 0; seed < 4000; seed++) {
            static const uint8_t odd[] = " '\n\rsS\xC5\xBFtr\xE2\x80\x89\xCC\x81"
                                         "19A\t.";
            size_t n = 1 + t_hash64(seed) % 12, at = 0;
            uint8_t *text = t_guarded_alloc(n);

            for (size_t i = 0; i < n; i++)
                text[i] = odd[t_hash64(seed * 64 + i) % (sizeof odd - 1)];
            while (at < n) {
                size_t piece = tok_piece_bytes(all[k], text + at, n - at);

                assert_in_range(piece, 1, n - at);
                at += piece;
            }
            t_guarded_free(text, n);
        }
}

static void test_pattern_of(void **state)
{
    (void) state;
    assert_int_equal(tok_pattern_of(
                         "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|"
                         "\\s+(?!\\S)|\\s+"),
                     TOK_PATTERN_GPT2);
    assert_int_equal(tok_pattern_of(
                         "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
                         " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"),
                     TOK_PATTERN_CL100K_1);
    for (int p = TOK_PATTERN_GPT2; p < TOK_PATTERN_UNKNOWN; p++)
        assert_int_equal(tok_pattern_of(tok_pattern_regex((enum tok_pattern) p)), p);
    assert_int_equal(tok_pattern_of("\\s+"), TOK_PATTERN_UNKNOWN);
    assert_int_equal(tok_pattern_of(""), TOK_PATTERN_UNKNOWN);
}

T_MAIN(cmocka_unit_test(test_cuts), cmocka_unit_test(test_no_pattern),
       cmocka_unit_test(test_broken_bytes), cmocka_unit_test(test_pattern_of))
