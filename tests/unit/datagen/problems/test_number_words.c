/*
 * test_number_words.c - numbers in English and German.
 */
#include "datagen/problems/number_words.h"

#include "tests/support/t.h"

static void check(void (*write)(struct t2_buf *, int), int n, const char *expected)
{
    struct t2_buf out = {0};

    write(&out, n);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void test_english(void **state)
{
    (void) state;
    check(dg_en_number, 0, "zero");
    check(dg_en_number, 1, "one");
    check(dg_en_number, 13, "thirteen");
    check(dg_en_number, 20, "twenty");
    check(dg_en_number, 21, "twenty-one");
    check(dg_en_number, 40, "forty");
    check(dg_en_number, 100, "one hundred");
    check(dg_en_number, 345, "three hundred and forty-five");
    check(dg_en_number, 2000, "two thousand");
    check(dg_en_number, 2005, "two thousand and five");
    check(dg_en_number, 9999, "nine thousand nine hundred and ninety-nine");
}

static void test_german(void **state)
{
    (void) state;
    check(dg_de_number, 0, "null");
    check(dg_de_number, 1, "eins");
    check(dg_de_number, 7, "sieben");
    check(dg_de_number, 16, "sechzehn");
    check(dg_de_number, 17, "siebzehn");
    check(dg_de_number, 21, "einundzwanzig");
    check(dg_de_number, 30, "dreißig");
    check(dg_de_number, 66, "sechsundsechzig");
    check(dg_de_number, 77, "siebenundsiebzig");
    check(dg_de_number, 100, "hundert");
    check(dg_de_number, 101, "hunderteins");
    check(dg_de_number, 345, "dreihundertfünfundvierzig");
    check(dg_de_number, 1000, "tausend");
    check(dg_de_number, 2005, "zweitausendfünf");
    check(dg_de_number, 9999, "neuntausendneunhundertneunundneunzig");
}

static void test_ordinals(void **state)
{
    (void) state;
    check(dg_en_ordinal, 1, "first");
    check(dg_en_ordinal, 12, "twelfth");
    check(dg_en_ordinal, 20, "twentieth");
    check(dg_en_ordinal, 22, "twenty-second");
    check(dg_en_ordinal, 31, "thirty-first");
    check(dg_de_ordinal_stem, 1, "erst");
    check(dg_de_ordinal_stem, 2, "zweit");
    check(dg_de_ordinal_stem, 3, "dritt");
    check(dg_de_ordinal_stem, 7, "siebt");
    check(dg_de_ordinal_stem, 8, "acht");
    check(dg_de_ordinal_stem, 19, "neunzehnt");
    check(dg_de_ordinal_stem, 20, "zwanzigst");
    check(dg_de_ordinal_stem, 31, "einunddreißigst");
}

static void test_suffixes(void **state)
{
    (void) state;
    assert_string_equal(dg_en_ordinal_suffix(1), "st");
    assert_string_equal(dg_en_ordinal_suffix(2), "nd");
    assert_string_equal(dg_en_ordinal_suffix(3), "rd");
    assert_string_equal(dg_en_ordinal_suffix(4), "th");
    assert_string_equal(dg_en_ordinal_suffix(11), "th");
    assert_string_equal(dg_en_ordinal_suffix(12), "th");
    assert_string_equal(dg_en_ordinal_suffix(13), "th");
    assert_string_equal(dg_en_ordinal_suffix(21), "st");
    assert_string_equal(dg_en_ordinal_suffix(113), "th");
}

static void check_figures(void (*write)(struct t2_buf *, int64_t), int64_t n, const char *expected)
{
    struct t2_buf out = {0};

    write(&out, n);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void test_figures(void **state)
{
    (void) state;
    check_figures(dg_en_figures, 7, "7");
    check_figures(dg_en_figures, 999, "999");
    check_figures(dg_en_figures, 1000, "1,000");
    check_figures(dg_en_figures, 1234567, "1,234,567");
    check_figures(dg_de_figures, 1002003, "1.002.003");
    check_figures(dg_en_hundredths, 123450, "1,234.50");
    check_figures(dg_de_hundredths, 123450, "1.234,50");
    check_figures(dg_de_hundredths, 305, "3,05");
}

T_MAIN(cmocka_unit_test(test_english), cmocka_unit_test(test_german),
       cmocka_unit_test(test_ordinals), cmocka_unit_test(test_suffixes),
       cmocka_unit_test(test_figures))
