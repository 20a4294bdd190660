/*
 * tests/unit/tokenizer/sentencepiece_normalizes.h - what sentencepiece 0.2.3's normalize() makes of
 * texts with the character map of test_sp_normalizer.c and its five kinds of flags.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_SENTENCEPIECE_NORMALIZES_H
#define T2_TESTS_UNIT_TOKENIZER_SENTENCEPIECE_NORMALIZES_H

enum flags { USUAL, KEEP, BARE, NOESCAPE, SUFFIX };

static const struct {
    enum flags flags;
    const char *text, *normal;
} normalizes[] = {
    {USUAL, "", ""},
    {USUAL, "A",
     "\xE2\x96\x81"
     "a"},
    {USUAL, "AB", "\xE2\x96\x81x\xE2\x96\x81y"},
    {USUAL, "ABA", "\xE2\x96\x81x\xE2\x96\x81ya"},
    {USUAL,
     "a\x09"
     "b",
     "\xE2\x96\x81"
     "a\xE2\x96\x81"
     "b"},
    {USUAL,
     "\x09\x09"
     "a\x09",
     "\xE2\x96\x81"
     "a"},
    {USUAL,
     "a\xC2\xAD"
     "b",
     "\xE2\x96\x81"
     "ab"},
    {USUAL, "\xC2\xAD", ""},
    {USUAL, "a  b",
     "\xE2\x96\x81"
     "a_b"},
    {USUAL, "\xE2\x82\xAC",
     "\xE2\x96\x81"
     "EUR"},
    {USUAL,
     "5\xE2\x82\xAC"
     "5",
     "\xE2\x96\x81"
     "5\xE2\x96\x81"
     "EUR\xE2\x96\x81"
     "5"},
    {USUAL, " \xE2\x82\xAC",
     "\xE2\x96\x81"
     "EUR"},
    {USUAL, "\xE2\x82\xAC ",
     "\xE2\x96\x81"
     "EUR"},
    {USUAL, "E",
     "\xE2\x96\x81"
     "A"},
    {USUAL, "<A>A", "\xE2\x96\x81<A>a"},
    {USUAL, "x<A", "\xE2\x96\x81x<a"},
    {USUAL,
     "\xE2\x96\x81"
     "a",
     "\xE2\x96\x81\xE2\x96\x81"
     "a"},
    {USUAL, "a\xE2\x96\x81",
     "\xE2\x96\x81"
     "a"},
    {USUAL, "a \xC2\xAD b",
     "\xE2\x96\x81"
     "a\xE2\x96\x81"
     "b"},
    {USUAL, "   ", "\xE2\x96\x81_"},
    {USUAL, " \x09", ""},
    {USUAL, "\xC2\xAD a",
     "\xE2\x96\x81"
     "a"},
    {KEEP, "", ""},
    {KEEP, "A",
     "\xE2\x96\x81"
     "a"},
    {KEEP, "AB", "\xE2\x96\x81x\xE2\x96\x81y"},
    {KEEP, "ABA", "\xE2\x96\x81x\xE2\x96\x81ya"},
    {KEEP,
     "a\x09"
     "b",
     "\xE2\x96\x81"
     "a\xE2\x96\x81"
     "b"},
    {KEEP,
     "\x09\x09"
     "a\x09",
     "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81"
     "a\xE2\x96\x81"},
    {KEEP,
     "a\xC2\xAD"
     "b",
     "\xE2\x96\x81"
     "ab"},
    {KEEP, "\xC2\xAD", "\xE2\x96\x81"},
    {KEEP, "a  b",
     "\xE2\x96\x81"
     "a_b"},
    {KEEP, "\xE2\x82\xAC",
     "\xE2\x96\x81\xE2\x96\x81"
     "EUR\xE2\x96\x81"},
    {KEEP,
     "5\xE2\x82\xAC"
     "5",
     "\xE2\x96\x81"
     "5\xE2\x96\x81"
     "EUR\xE2\x96\x81"
     "5"},
    {KEEP, " \xE2\x82\xAC",
     "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81"
     "EUR\xE2\x96\x81"},
    {KEEP, "\xE2\x82\xAC ",
     "\xE2\x96\x81\xE2\x96\x81"
     "EUR\xE2\x96\x81\xE2\x96\x81"},
    {KEEP, "E",
     "\xE2\x96\x81"
     "A"},
    {KEEP, "<A>A", "\xE2\x96\x81<A>a"},
    {KEEP, "x<A", "\xE2\x96\x81x<a"},
    {KEEP,
     "\xE2\x96\x81"
     "a",
     "\xE2\x96\x81\xE2\x96\x81"
     "a"},
    {KEEP, "a\xE2\x96\x81",
     "\xE2\x96\x81"
     "a\xE2\x96\x81"},
    {KEEP, "a \xC2\xAD b",
     "\xE2\x96\x81"
     "a\xE2\x96\x81\xE2\x96\x81"
     "b"},
    {KEEP, "   ", "\xE2\x96\x81_\xE2\x96\x81"},
    {KEEP, " \x09", "\xE2\x96\x81\xE2\x96\x81\xE2\x96\x81"},
    {KEEP, "\xC2\xAD a",
     "\xE2\x96\x81\xE2\x96\x81"
     "a"},
    {BARE, "", ""},
    {BARE, "A", "a"},
    {BARE, "AB", "x\xE2\x96\x81y"},
    {BARE, "ABA", "x\xE2\x96\x81ya"},
    {BARE,
     "a\x09"
     "b",
     "a\xE2\x96\x81"
     "b"},
    {BARE,
     "\x09\x09"
     "a\x09",
     "\xE2\x96\x81\xE2\x96\x81"
     "a\xE2\x96\x81"},
    {BARE,
     "a\xC2\xAD"
     "b",
     "ab"},
    {BARE, "\xC2\xAD", ""},
    {BARE, "a  b", "a_b"},
    {BARE, "\xE2\x82\xAC",
     "\xE2\x96\x81"
     "EUR\xE2\x96\x81"},
    {BARE,
     "5\xE2\x82\xAC"
     "5",
     "5\xE2\x96\x81"
     "EUR\xE2\x96\x81"
     "5"},
    {BARE, " \xE2\x82\xAC",
     "\xE2\x96\x81\xE2\x96\x81"
     "EUR\xE2\x96\x81"},
    {BARE, "\xE2\x82\xAC ",
     "\xE2\x96\x81"
     "EUR\xE2\x96\x81\xE2\x96\x81"},
    {BARE, "E", "A"},
    {BARE, "<A>A", "<A>a"},
    {BARE, "x<A", "x<a"},
    {BARE,
     "\xE2\x96\x81"
     "a",
     "\xE2\x96\x81"
     "a"},
    {BARE, "a\xE2\x96\x81", "a\xE2\x96\x81"},
    {BARE, "a \xC2\xAD b",
     "a\xE2\x96\x81\xE2\x96\x81"
     "b"},
    {BARE, "   ", "_\xE2\x96\x81"},
    {BARE, " \x09", "\xE2\x96\x81\xE2\x96\x81"},
    {BARE, "\xC2\xAD a",
     "\xE2\x96\x81"
     "a"},
    {NOESCAPE, "", ""},
    {NOESCAPE, "A", " a"},
    {NOESCAPE, "AB", " x y"},
    {NOESCAPE, "ABA", " x ya"},
    {NOESCAPE,
     "a\x09"
     "b",
     " a b"},
    {NOESCAPE,
     "\x09\x09"
     "a\x09",
     " a"},
    {NOESCAPE,
     "a\xC2\xAD"
     "b",
     " ab"},
    {NOESCAPE, "\xC2\xAD", ""},
    {NOESCAPE, "a  b", " a_b"},
    {NOESCAPE, "\xE2\x82\xAC", " EUR"},
    {NOESCAPE,
     "5\xE2\x82\xAC"
     "5",
     " 5 EUR 5"},
    {NOESCAPE, " \xE2\x82\xAC", " EUR"},
    {NOESCAPE, "\xE2\x82\xAC ", " EUR"},
    {NOESCAPE, "E", " A"},
    {NOESCAPE, "<A>A", " <A>a"},
    {NOESCAPE, "x<A", " x<a"},
    {NOESCAPE,
     "\xE2\x96\x81"
     "a",
     " \xE2\x96\x81"
     "a"},
    {NOESCAPE, "a\xE2\x96\x81", " a\xE2\x96\x81"},
    {NOESCAPE, "a \xC2\xAD b", " a b"},
    {NOESCAPE, "   ", " _"},
    {NOESCAPE, " \x09", ""},
    {NOESCAPE, "\xC2\xAD a", " a"},
    {SUFFIX, "", ""},
    {SUFFIX, "A", "a\xE2\x96\x81"},
    {SUFFIX, "AB", "x\xE2\x96\x81y\xE2\x96\x81"},
    {SUFFIX, "ABA", "x\xE2\x96\x81ya\xE2\x96\x81"},
    {SUFFIX,
     "a\x09"
     "b",
     "a\xE2\x96\x81"
     "b\xE2\x96\x81"},
    {SUFFIX,
     "\x09\x09"
     "a\x09",
     "a\xE2\x96\x81"},
    {SUFFIX,
     "a\xC2\xAD"
     "b",
     "ab\xE2\x96\x81"},
    {SUFFIX, "\xC2\xAD", "\xE2\x96\x81"},
    {SUFFIX, "a  b", "a_b\xE2\x96\x81"},
    {SUFFIX, "\xE2\x82\xAC", "EUR\xE2\x96\x81"},
    {SUFFIX,
     "5\xE2\x82\xAC"
     "5",
     "5\xE2\x96\x81"
     "EUR\xE2\x96\x81"
     "5\xE2\x96\x81"},
    {SUFFIX, " \xE2\x82\xAC", "EUR\xE2\x96\x81"},
    {SUFFIX, "\xE2\x82\xAC ", "EUR\xE2\x96\x81"},
    {SUFFIX, "E", "A\xE2\x96\x81"},
    {SUFFIX, "<A>A", "<A>a\xE2\x96\x81"},
    {SUFFIX, "x<A", "x<a\xE2\x96\x81"},
    {SUFFIX,
     "\xE2\x96\x81"
     "a",
     "\xE2\x96\x81"
     "a\xE2\x96\x81"},
    {SUFFIX, "a\xE2\x96\x81", "a\xE2\x96\x81"},
    {SUFFIX, "a \xC2\xAD b",
     "a\xE2\x96\x81"
     "b\xE2\x96\x81"},
    {SUFFIX, "   ", "_\xE2\x96\x81"},
    {SUFFIX, " \x09", ""},
    {SUFFIX, "\xC2\xAD a", "a\xE2\x96\x81"},
};

#endif
