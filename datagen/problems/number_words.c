/*
 * datagen/problems/number_words.c - numbers in English and German, in words and in figures.
 */
#include "datagen/problems/number_words.h"

#include <inttypes.h>
#include <stddef.h>

static const char *const en_small[] = {"zero",    "one",     "two",       "three",    "four",
                                       "five",    "six",     "seven",     "eight",    "nine",
                                       "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                                       "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
static const char *const en_tens[] = {NULL,    NULL,    "twenty",  "thirty", "forty",
                                      "fifty", "sixty", "seventy", "eighty", "ninety"};
static const char *const de_small[] = {"null",     "eins",     "zwei",     "drei",     "vier",
                                       "fünf",     "sechs",    "sieben",   "acht",     "neun",
                                       "zehn",     "elf",      "zwölf",    "dreizehn", "vierzehn",
                                       "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
static const char *const de_tens[] = {NULL,      NULL,      "zwanzig", "dreißig", "vierzig",
                                      "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

static void en_below_hundred(struct t2_buf *out, int n)
{
    if (n < 20) {
        t2_buf_puts(out, en_small[n]);
        return;
    }
    t2_buf_puts(out, en_tens[n / 10]);
    if (n % 10)
        t2_buf_printf(out, "-%s", en_small[n % 10]);
}

void dg_en_number(struct t2_buf *out, int n)
{
    T2_ASSERT(n >= 0 && n < 10000);
    if (n >= 1000) {
        t2_buf_printf(out, "%s thousand", en_small[n / 1000]);
        n %= 1000;
        if (n == 0)
            return;
        t2_buf_puts(out, n < 100 ? " and " : " ");
    }
    if (n >= 100) {
        t2_buf_printf(out, "%s hundred", en_small[n / 100]);
        n %= 100;
        if (n == 0)
            return;
        t2_buf_puts(out, " and ");
    }
    en_below_hundred(out, n);
}

/* Inside a compound 1 is "ein": einundzwanzig, eintausend (said without it: tausend). */
static const char *de_unit(int n)
{
    return n == 1 ? "ein" : de_small[n];
}

static void de_below_hundred(struct t2_buf *out, int n)
{
    if (n < 20) {
        t2_buf_puts(out, de_small[n]);
        return;
    }
    if (n % 10)
        t2_buf_printf(out, "%sund", de_unit(n % 10));
    t2_buf_puts(out, de_tens[n / 10]);
}

void dg_de_number(struct t2_buf *out, int n)
{
    T2_ASSERT(n >= 0 && n < 10000);
    if (n >= 1000) {
        t2_buf_printf(out, "%stausend", n / 1000 == 1 ? "" : de_small[n / 1000]);
        n %= 1000;
        if (n == 0)
            return;
    }
    if (n >= 100) {
        t2_buf_printf(out, "%shundert", n / 100 == 1 ? "" : de_small[n / 100]);
        n %= 100;
        if (n == 0)
            return;
    }
    de_below_hundred(out, n);
}

static const char *en_ordinal_small(int n)
{
    static const char *const words[] = {NULL,        "first",       "second",     "third",
                                        "fourth",    "fifth",       "sixth",      "seventh",
                                        "eighth",    "ninth",       "tenth",      "eleventh",
                                        "twelfth",   "thirteenth",  "fourteenth", "fifteenth",
                                        "sixteenth", "seventeenth", "eighteenth", "nineteenth"};

    return words[n];
}

void dg_en_ordinal(struct t2_buf *out, int n)
{
    static const char *const tens[] = {NULL,        NULL,       "twentieth", "thirtieth",
                                       "fortieth",  "fiftieth", "sixtieth",  "seventieth",
                                       "eightieth", "ninetieth"};

    T2_ASSERT(n >= 1 && n < 100);
    if (n < 20)
        t2_buf_puts(out, en_ordinal_small(n));
    else if (n % 10 == 0)
        t2_buf_puts(out, tens[n / 10]);
    else
        t2_buf_printf(out, "%s-%s", en_tens[n / 10], en_ordinal_small(n % 10));
}

void dg_de_ordinal_stem(struct t2_buf *out, int n)
{
    T2_ASSERT(n >= 1 && n < 100);
    switch (n) {
    case 1:
        t2_buf_puts(out, "erst");
        return;
    case 3:
        t2_buf_puts(out, "dritt");
        return;
    case 7:
        t2_buf_puts(out, "siebt");
        return;
    case 8:
        t2_buf_puts(out, "acht");
        return;
    default:
        de_below_hundred(out, n);
        t2_buf_puts(out, n < 20 ? "t" : "st");
    }
}

const char *dg_en_ordinal_suffix(int n)
{
    if (n % 100 >= 11 && n % 100 <= 13)
        return "th";
    switch (n % 10) {
    case 1:
        return "st";
    case 2:
        return "nd";
    case 3:
        return "rd";
    default:
        return "th";
    }
}

static void figures(struct t2_buf *out, int64_t n, char group)
{
    T2_ASSERT(n >= 0);
    if (n < 1000) {
        t2_buf_printf(out, "%" PRId64, n);
        return;
    }
    figures(out, n / 1000, group);
    t2_buf_printf(out, "%c%03" PRId64, group, n % 1000);
}

void dg_en_figures(struct t2_buf *out, int64_t n)
{
    figures(out, n, ',');
}

void dg_de_figures(struct t2_buf *out, int64_t n)
{
    figures(out, n, '.');
}

void dg_en_hundredths(struct t2_buf *out, int64_t hundredths)
{
    figures(out, hundredths / 100, ',');
    t2_buf_printf(out, ".%02" PRId64, hundredths % 100);
}

void dg_de_hundredths(struct t2_buf *out, int64_t hundredths)
{
    figures(out, hundredths / 100, '.');
    t2_buf_printf(out, ",%02" PRId64, hundredths % 100);
}
