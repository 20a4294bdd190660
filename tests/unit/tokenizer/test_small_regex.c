/*
 * tests/unit/tokenizer/test_small_regex.c - matching as tokenizers 0.23.3 (Oniguruma) does; what is
 * not known here.  bench/check_t2t_to_hf.py compares expressions at random.
 */
#include "base/buf.h"
#include "tests/support/t.h"
#include "tokenizer/small_regex.h"

enum { NO_LIMIT = 1 << 20 };

static void gives(const char *pattern, const char *text, const char *to, const char *want)
{
    struct tok_regex *r = tok_regex_new(t2_slice_of(pattern));
    struct t2_buf out = {0};

    if (!r)
        fail_msg("'%s' is not known", pattern);
    tok_regex_replace(r, t2_slice_of(text), t2_slice_of(to), NO_LIMIT, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
    tok_regex_free(r);
}

static void unknown(const char *pattern)
{
    struct tok_regex *r = tok_regex_new(t2_slice_of(pattern));

    if (r)
        fail_msg("'%s' is taken", pattern);
}

static void test_characters(void **state)
{
    (void) state;
    gives("a", "banana", "x", "bxnxnx");
    gives("ab", "aab", "x", "ax");
    gives("\xC3\xA9", "e\xC3\xA9\xC3\xA8", "x", "ex\xC3\xA8");
    gives("\\.\\\\", "a.\\.", "x", "ax.");
    gives("\\x61\\x{62}\\x{E9}", "ab\xC3\xA9", "x", "x");
    gives("\\x{1f600}", "\xF0\x9F\x98\x80", "x", "x");
    gives(".", "a\n\xC3\xA9", "x", "x\nx");
    gives("a", "", "x", "");
    gives("a", "bb", "x", "bb");
}

static void test_classes(void **state)
{
    (void) state;
    gives("[a-ce]", "abcdef", "x", "xxxdxf");
    gives("[e-ga-cb]", "abcdefgh", "x", "xxxdxxxh"); /* not in order, overlapping */
    gives("[^a]", "ab\n\xC3\xA9", "x", "axxx");      /* the line feed too */
    gives("[\\x{e0}-\\x{ff}\\]]", "a\xC3\xA9]\xC4\x80", "x", "axx\xC4\x80");
    gives("[.+ ]", "a.+ b", "x", "axxxb");
}

static void test_order(void **state)
{
    (void) state;
    gives("a|ab", "ab", "x", "xb"); /* the first, not the longest */
    gives("ab|a", "aba", "x", "xx");
    gives("(?:a|b)c", "acbcc", "x", "xxc");
    gives("(?:a|(?:b|c)d)(?:e|f)", "aebdfcdede", "x", "xxxde");
    gives("(?:a|ab)(?:c|bd)", "abc", "x", "x");
    gives("(?:a|)b", "abb", "x", "xx");
}

static void test_looks(void **state)
{
    (void) state;
    gives("(?<=a)b", "abbab", "x", "axbax");
    gives("(?<!a)b", "babb", "x", "xabx");
    gives("(?<=[^a]b)c", "bcabcdbc", "x", "bcabcdbx"); /* needs both characters */
    gives("(?<![^a]b)c", "bcabcdbc", "x", "bxabxdbc");
    gives("a(?=b)", "abaa", "x", "xbaa");
    gives("a(?!b)", "abaa", "x", "abxx");
    gives("(?<=\xC3\xA9)a",
          "\xC3\xA9"
          "aa",
          "x",
          "\xC3\xA9"
          "xa");
    gives("\\Aa", "aa", "x", "xa");
    gives("a\\z", "aa", "x", "ax");
}

/* An empty match behind another match is none. */
static void test_empty(void **state)
{
    (void) state;
    gives("(?<=a)", "aab", "_", "a_a_b");
    gives("(?<=a)\\z", "aa", "_", "aa_");
    gives("b|(?<=b)", "ab", "_", "a_");
    gives("b|(?<=b)", "abb", "_", "a__");
    gives("(?<=.)(?!b)", "ab\xC3\xA9", "_", "ab_\xC3\xA9_");
    gives("(?<=[^\\x00-\\x7f])(?=.)|(?<=.)(?=[^\\x00-\\x7f])", "a\xC3\xA9\xC3\xA9 b\n\xC3\xA9", "|",
          "a|\xC3\xA9|\xC3\xA9| b\n\xC3\xA9");
}

/* The expression of write_hf_subwords.c that ends words, with a and b for the letters. */
static void test_words(void **state)
{
    static const char words[] =
        "(?<=[ab])(?: (?=[ab])|(?![ab]))|(?<=[^ab])(?:\\z|(?<![ab] )(?=[ab]))";

    (void) state;
    gives(words, "ab a. b", "_", "ab_a_. _b_");
    gives(words, " a", "_", " _a_");
    gives(words, "a  b", "_", "a_  _b_");
    gives(words, "..", "_", ".._");
    gives(words, "a ", "_", "a_ _");
}

static void test_unknown(void **state)
{
    static const char *const patterns[] = {"a+b",      "a*",          "a?",
                                           "a{2}",     "^a",          "a$",
                                           "(a)",      "(?i:a)",      "\\d",
                                           "\\w",      "[\\d]",       "[a",
                                           "[]",       "[^]",         "[b-a]",
                                           "[a-]",     "[a&&b]",      "[[a]]",
                                           "a)",       "(?:a",        "(?=a",
                                           "(?=a|b)c", "(?<=(?:a))b", "\\x8",
                                           "\\xe9",    "\\x{}",       "\\x{110000}",
                                           "\\x{61",   "\\",          "\\x{123456789}",
                                           "(?=)a",    "a|*",         "(?:(?:(?:(?:(?:a)))))"};

    (void) state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        unknown(patterns[i]);
    assert_null(tok_regex_new((struct t2_slice){(const uint8_t *) "a\0b", 3}));
    assert_null(tok_regex_new((struct t2_slice){(const uint8_t *) "\xFF", 1}));
}

/* tokenizers panics when nothing is replaced at the start of a text. */
static void test_empty_start(void **state)
{
    static const char *const patterns[] = {"", "a|", "(?=a)", "(?<!a)", "\\A", "\\z", "(?:a|)"};

    (void) state;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        unknown(patterns[i]);
}

/* What multiplies is refused, not worked off. */
static void test_too_large(void **state)
{
    (void) state;
    gives("abcdefghijklmnop", "abcdefghijklmnop", "x", "x");
    unknown("abcdefghijklmnopq");
    gives("(?:a|b)(?:a|b)(?:a|b)(?:a|b)", "abba", "x", "x");
    unknown("(?:a|b)(?:a|b)(?:a|b)(?:a|b)(?:a|b)");
    unknown("a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q");
}

static void test_limit(void **state)
{
    struct tok_regex *r = tok_regex_new(t2_slice_of("a"));
    struct t2_buf out = {0};

    (void) state;
    tok_regex_replace(r, t2_slice_of("aaaaaaaa"), t2_slice_of("xxxx"), 10, &out);
    assert_int_equal(out.len_bytes, 12);
    t2_buf_release(&out);
    tok_regex_free(r);
    tok_regex_free(NULL);
}

T_MAIN(cmocka_unit_test(test_characters), cmocka_unit_test(test_classes),
       cmocka_unit_test(test_order), cmocka_unit_test(test_looks), cmocka_unit_test(test_empty),
       cmocka_unit_test(test_words), cmocka_unit_test(test_unknown),
       cmocka_unit_test(test_empty_start), cmocka_unit_test(test_too_large),
       cmocka_unit_test(test_limit))
