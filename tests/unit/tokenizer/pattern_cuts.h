/*
 * tests/unit/tokenizer/pattern_cuts.h - texts and their pieces, by Python's `regex` module (the
 * first four expressions of pretokenize.c, finditer) and by tokenizers.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_PATTERN_CUTS_H
#define T2_TESTS_UNIT_TOKENIZER_PATTERN_CUTS_H

#include "tokenizer/pretokenize.h"

static const struct {
    enum tok_pattern pattern;
    const char *text, *want;
} pattern_cuts[] = {
    {TOK_PATTERN_GPT2, "Hello world", "Hello| world"},
    {TOK_PATTERN_GPT2, "it's I'M we'll WE'LL", "it|'s| I|'|M| we|'ll| WE|'|LL"},
    {TOK_PATTERN_GPT2, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_GPT2, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_GPT2, " a", " a"},
    {TOK_PATTERN_GPT2,
     "\x09"
     "ab",
     "\x09|ab"},
    {TOK_PATTERN_GPT2,
     "\x09\x09"
     "ab",
     "\x09|\x09|ab"},
    {TOK_PATTERN_GPT2, "a \x0A\x0A  b", "a| \x0A\x0A | b"},
    {TOK_PATTERN_GPT2,
     "a\x0D\x0A"
     "b",
     "a|\x0D|\x0A|b"},
    {TOK_PATTERN_GPT2, " \x0A ", " \x0A "},
    {TOK_PATTERN_GPT2, "  ", "  "},
    {TOK_PATTERN_GPT2, "12345 678", "12345| 678"},
    {TOK_PATTERN_GPT2, "x1y22z", "x|1|y|22|z"},
    {TOK_PATTERN_GPT2, "$5.00!!!\x0A\x0ANext", "$|5|.|00|!!!|\x0A|\x0A|Next"},
    {TOK_PATTERN_GPT2, "http://a/b//\x0A", "http|://|a|/|b|//|\x0A"},
    {TOK_PATTERN_GPT2, "camelCaseHTTPServer", "camelCaseHTTPServer"},
    {TOK_PATTERN_GPT2, "ABc", "ABc"},
    {TOK_PATTERN_GPT2,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5"
     "AB"},
    {TOK_PATTERN_GPT2,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_GPT2, "e\xCC\x81t\xC3\xA9", "e|\xCC\x81|t\xC3\xA9"},
    {TOK_PATTERN_GPT2,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81|a| \xCC\x81"},
    {TOK_PATTERN_GPT2,
     "\xC2\xA0"
     "a",
     "\xC2\xA0|a"},
    {TOK_PATTERN_GPT2,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8|b"},
    {TOK_PATTERN_GPT2, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6"},
    {TOK_PATTERN_GPT2,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_GPT2,
     "\xCA\xB0"
     "B",
     "\xCA\xB0"
     "B"},
    {TOK_PATTERN_GPT2, "don't'll", "don|'t|'ll"},
    {TOK_PATTERN_GPT2, "'", "'"},
    {TOK_PATTERN_GPT2, "''s", "''|s"},
    {TOK_PATTERN_GPT2, " 's", " '|s"},
    {TOK_PATTERN_GPT2, "_a_b", "_|a|_|b"},
    {TOK_PATTERN_GPT2,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D|a"},
    {TOK_PATTERN_GPT2, "a'", "a|'"},
    {TOK_PATTERN_GPT2, "AB's Ab'S", "AB|'s| Ab|'|S"},
    {TOK_PATTERN_GPT2, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_GPT2, "\xE3\x80\x80x", "\xE3\x80\x80|x"},
    {TOK_PATTERN_GPT2, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_GPT2, "...\x0D\x0A/x", "...|\x0D|\x0A|/|x"},
    {TOK_PATTERN_CL100K, "Hello world", "Hello| world"},
    {TOK_PATTERN_CL100K, "it's I'M we'll WE'LL", "it|'s| I|'M| we|'ll| WE|'LL"},
    {TOK_PATTERN_CL100K, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_CL100K, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_CL100K, " a", " a"},
    {TOK_PATTERN_CL100K,
     "\x09"
     "ab",
     "\x09"
     "ab"},
    {TOK_PATTERN_CL100K,
     "\x09\x09"
     "ab",
     "\x09|\x09"
     "ab"},
    {TOK_PATTERN_CL100K, "a \x0A\x0A  b", "a| \x0A\x0A| | b"},
    {TOK_PATTERN_CL100K,
     "a\x0D\x0A"
     "b",
     "a|\x0D\x0A|b"},
    {TOK_PATTERN_CL100K, " \x0A ", " \x0A| "},
    {TOK_PATTERN_CL100K, "  ", "  "},
    {TOK_PATTERN_CL100K, "12345 678", "123|45| |678"},
    {TOK_PATTERN_CL100K, "x1y22z", "x|1|y|22|z"},
    {TOK_PATTERN_CL100K, "$5.00!!!\x0A\x0ANext", "$|5|.|00|!!!\x0A\x0A|Next"},
    {TOK_PATTERN_CL100K, "http://a/b//\x0A", "http|://|a|/b|//\x0A"},
    {TOK_PATTERN_CL100K, "camelCaseHTTPServer", "camelCaseHTTPServer"},
    {TOK_PATTERN_CL100K, "ABc", "ABc"},
    {TOK_PATTERN_CL100K,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5"
     "AB"},
    {TOK_PATTERN_CL100K,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_CL100K, "e\xCC\x81t\xC3\xA9", "e|\xCC\x81t\xC3\xA9"},
    {TOK_PATTERN_CL100K,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81"
     "a| \xCC\x81"},
    {TOK_PATTERN_CL100K,
     "\xC2\xA0"
     "a",
     "\xC2\xA0"
     "a"},
    {TOK_PATTERN_CL100K,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8"
     "b"},
    {TOK_PATTERN_CL100K, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD\xE2\x85\xA4\xD9\xA3|\xD9\xA4\xD9\xA5\xD9\xA6"},
    {TOK_PATTERN_CL100K,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_CL100K,
     "\xCA\xB0"
     "B",
     "\xCA\xB0"
     "B"},
    {TOK_PATTERN_CL100K, "don't'll", "don|'t|'ll"},
    {TOK_PATTERN_CL100K, "'", "'"},
    {TOK_PATTERN_CL100K, "''s", "''|s"},
    {TOK_PATTERN_CL100K, " 's", " '|s"},
    {TOK_PATTERN_CL100K, "_a_b", "_a|_b"},
    {TOK_PATTERN_CL100K,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D"
     "a"},
    {TOK_PATTERN_CL100K, "a'", "a|'"},
    {TOK_PATTERN_CL100K, "AB's Ab'S", "AB|'s| Ab|'S"},
    {TOK_PATTERN_CL100K, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_CL100K, "\xE3\x80\x80x", "\xE3\x80\x80x"},
    {TOK_PATTERN_CL100K, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_CL100K, "...\x0D\x0A/x", "...\x0D\x0A|/x"},
    {TOK_PATTERN_CL100K_1, "Hello world", "Hello| world"},
    {TOK_PATTERN_CL100K_1, "it's I'M we'll WE'LL", "it|'s| I|'M| we|'ll| WE|'LL"},
    {TOK_PATTERN_CL100K_1, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_CL100K_1, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_CL100K_1, " a", " a"},
    {TOK_PATTERN_CL100K_1,
     "\x09"
     "ab",
     "\x09"
     "ab"},
    {TOK_PATTERN_CL100K_1,
     "\x09\x09"
     "ab",
     "\x09|\x09"
     "ab"},
    {TOK_PATTERN_CL100K_1, "a \x0A\x0A  b", "a| \x0A\x0A| | b"},
    {TOK_PATTERN_CL100K_1,
     "a\x0D\x0A"
     "b",
     "a|\x0D\x0A|b"},
    {TOK_PATTERN_CL100K_1, " \x0A ", " \x0A| "},
    {TOK_PATTERN_CL100K_1, "  ", "  "},
    {TOK_PATTERN_CL100K_1, "12345 678", "1|2|3|4|5| |6|7|8"},
    {TOK_PATTERN_CL100K_1, "x1y22z", "x|1|y|2|2|z"},
    {TOK_PATTERN_CL100K_1, "$5.00!!!\x0A\x0ANext", "$|5|.|0|0|!!!\x0A\x0A|Next"},
    {TOK_PATTERN_CL100K_1, "http://a/b//\x0A", "http|://|a|/b|//\x0A"},
    {TOK_PATTERN_CL100K_1, "camelCaseHTTPServer", "camelCaseHTTPServer"},
    {TOK_PATTERN_CL100K_1, "ABc", "ABc"},
    {TOK_PATTERN_CL100K_1,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5"
     "AB"},
    {TOK_PATTERN_CL100K_1,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_CL100K_1, "e\xCC\x81t\xC3\xA9", "e|\xCC\x81t\xC3\xA9"},
    {TOK_PATTERN_CL100K_1,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81"
     "a| \xCC\x81"},
    {TOK_PATTERN_CL100K_1,
     "\xC2\xA0"
     "a",
     "\xC2\xA0"
     "a"},
    {TOK_PATTERN_CL100K_1,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8"
     "b"},
    {TOK_PATTERN_CL100K_1, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD|\xE2\x85\xA4|\xD9\xA3|\xD9\xA4|\xD9\xA5|\xD9\xA6"},
    {TOK_PATTERN_CL100K_1,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_CL100K_1,
     "\xCA\xB0"
     "B",
     "\xCA\xB0"
     "B"},
    {TOK_PATTERN_CL100K_1, "don't'll", "don|'t|'ll"},
    {TOK_PATTERN_CL100K_1, "'", "'"},
    {TOK_PATTERN_CL100K_1, "''s", "''|s"},
    {TOK_PATTERN_CL100K_1, " 's", " '|s"},
    {TOK_PATTERN_CL100K_1, "_a_b", "_a|_b"},
    {TOK_PATTERN_CL100K_1,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D"
     "a"},
    {TOK_PATTERN_CL100K_1, "a'", "a|'"},
    {TOK_PATTERN_CL100K_1, "AB's Ab'S", "AB|'s| Ab|'S"},
    {TOK_PATTERN_CL100K_1, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_CL100K_1, "\xE3\x80\x80x", "\xE3\x80\x80x"},
    {TOK_PATTERN_CL100K_1, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_CL100K_1, "...\x0D\x0A/x", "...\x0D\x0A|/x"},
    {TOK_PATTERN_O200K, "Hello world", "Hello| world"},
    {TOK_PATTERN_O200K, "it's I'M we'll WE'LL", "it's| I'M| we'll| WE'LL"},
    {TOK_PATTERN_O200K, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_O200K, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_O200K, " a", " a"},
    {TOK_PATTERN_O200K,
     "\x09"
     "ab",
     "\x09"
     "ab"},
    {TOK_PATTERN_O200K,
     "\x09\x09"
     "ab",
     "\x09|\x09"
     "ab"},
    {TOK_PATTERN_O200K, "a \x0A\x0A  b", "a| \x0A\x0A| | b"},
    {TOK_PATTERN_O200K,
     "a\x0D\x0A"
     "b",
     "a|\x0D\x0A|b"},
    {TOK_PATTERN_O200K, " \x0A ", " \x0A| "},
    {TOK_PATTERN_O200K, "  ", "  "},
    {TOK_PATTERN_O200K, "12345 678", "123|45| |678"},
    {TOK_PATTERN_O200K, "x1y22z", "x|1|y|22|z"},
    {TOK_PATTERN_O200K, "$5.00!!!\x0A\x0ANext", "$|5|.|00|!!!\x0A\x0A|Next"},
    {TOK_PATTERN_O200K, "http://a/b//\x0A", "http|://|a|/b|//\x0A"},
    {TOK_PATTERN_O200K, "camelCaseHTTPServer", "camel|Case|HTTPServer"},
    {TOK_PATTERN_O200K, "ABc", "ABc"},
    {TOK_PATTERN_O200K,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5|AB"},
    {TOK_PATTERN_O200K,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_O200K, "e\xCC\x81t\xC3\xA9", "e\xCC\x81t\xC3\xA9"},
    {TOK_PATTERN_O200K,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81"
     "a| \xCC\x81"},
    {TOK_PATTERN_O200K,
     "\xC2\xA0"
     "a",
     "\xC2\xA0"
     "a"},
    {TOK_PATTERN_O200K,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8"
     "b"},
    {TOK_PATTERN_O200K, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD\xE2\x85\xA4\xD9\xA3|\xD9\xA4\xD9\xA5\xD9\xA6"},
    {TOK_PATTERN_O200K,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_O200K,
     "\xCA\xB0"
     "B",
     "\xCA\xB0|B"},
    {TOK_PATTERN_O200K, "don't'll", "don't|'ll"},
    {TOK_PATTERN_O200K, "'", "'"},
    {TOK_PATTERN_O200K, "''s", "''|s"},
    {TOK_PATTERN_O200K, " 's", " '|s"},
    {TOK_PATTERN_O200K, "_a_b", "_a|_b"},
    {TOK_PATTERN_O200K,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D"
     "a"},
    {TOK_PATTERN_O200K, "a'", "a|'"},
    {TOK_PATTERN_O200K, "AB's Ab'S", "AB's| Ab'S"},
    {TOK_PATTERN_O200K, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_O200K, "\xE3\x80\x80x", "\xE3\x80\x80x"},
    {TOK_PATTERN_O200K, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_O200K, "...\x0D\x0A/x", "...\x0D\x0A/|x"},
    /* by tokenizers 0.23.3 (Oniguruma), its Split with the newer spellings */
    {TOK_PATTERN_GPT2, "12345\x0A \x0A", "12345|\x0A \x0A"},
    {TOK_PATTERN_GPT2, "x \x0A ", "x| \x0A "},
    {TOK_PATTERN_GPT2, "a\x0D\x0A\x09", "a|\x0D\x0A\x09"},
    {TOK_PATTERN_GPT2, "1234567 8", "1234567| 8"},
    {TOK_PATTERN_CL100K, "12345\x0A \x0A", "123|45|\x0A \x0A"},
    {TOK_PATTERN_CL100K, "x \x0A ", "x| \x0A| "},
    {TOK_PATTERN_CL100K, "a\x0D\x0A\x09", "a|\x0D\x0A|\x09"},
    {TOK_PATTERN_CL100K, "1234567 8", "123|456|7| |8"},
    {TOK_PATTERN_CL100K_ALL, "Hello world", "Hello| world"},
    {TOK_PATTERN_CL100K_ALL, "it's I'M we'll WE'LL", "it|'s| I|'M| we|'ll| WE|'LL"},
    {TOK_PATTERN_CL100K_ALL, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_CL100K_ALL, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_CL100K_ALL, " a", " a"},
    {TOK_PATTERN_CL100K_ALL,
     "\x09"
     "ab",
     "\x09"
     "ab"},
    {TOK_PATTERN_CL100K_ALL,
     "\x09\x09"
     "ab",
     "\x09|\x09"
     "ab"},
    {TOK_PATTERN_CL100K_ALL, "a \x0A\x0A  b", "a| \x0A\x0A| | b"},
    {TOK_PATTERN_CL100K_ALL,
     "a\x0D\x0A"
     "b",
     "a|\x0D\x0A|b"},
    {TOK_PATTERN_CL100K_ALL, " \x0A ", " \x0A "},
    {TOK_PATTERN_CL100K_ALL, "  ", "  "},
    {TOK_PATTERN_CL100K_ALL, "12345 678", "12345| |678"},
    {TOK_PATTERN_CL100K_ALL, "x1y22z", "x|1|y|22|z"},
    {TOK_PATTERN_CL100K_ALL, "$5.00!!!\x0A\x0ANext", "$|5|.|00|!!!\x0A\x0A|Next"},
    {TOK_PATTERN_CL100K_ALL, "http://a/b//\x0A", "http|://|a|/b|//\x0A"},
    {TOK_PATTERN_CL100K_ALL, "camelCaseHTTPServer", "camelCaseHTTPServer"},
    {TOK_PATTERN_CL100K_ALL, "ABc", "ABc"},
    {TOK_PATTERN_CL100K_ALL,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5"
     "AB"},
    {TOK_PATTERN_CL100K_ALL,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_CL100K_ALL, "e\xCC\x81t\xC3\xA9", "e|\xCC\x81t\xC3\xA9"},
    {TOK_PATTERN_CL100K_ALL,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81"
     "a| \xCC\x81"},
    {TOK_PATTERN_CL100K_ALL,
     "\xC2\xA0"
     "a",
     "\xC2\xA0"
     "a"},
    {TOK_PATTERN_CL100K_ALL,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8"
     "b"},
    {TOK_PATTERN_CL100K_ALL, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6"},
    {TOK_PATTERN_CL100K_ALL,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_CL100K_ALL,
     "\xCA\xB0"
     "B",
     "\xCA\xB0"
     "B"},
    {TOK_PATTERN_CL100K_ALL, "don't'll", "don|'t|'ll"},
    {TOK_PATTERN_CL100K_ALL, "'", "'"},
    {TOK_PATTERN_CL100K_ALL, "''s", "''|s"},
    {TOK_PATTERN_CL100K_ALL, " 's", " '|s"},
    {TOK_PATTERN_CL100K_ALL, "_a_b", "_a|_b"},
    {TOK_PATTERN_CL100K_ALL,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D"
     "a"},
    {TOK_PATTERN_CL100K_ALL, "a'", "a|'"},
    {TOK_PATTERN_CL100K_ALL, "AB's Ab'S", "AB|'s| Ab|'S"},
    {TOK_PATTERN_CL100K_ALL, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_CL100K_ALL, "\xE3\x80\x80x", "\xE3\x80\x80x"},
    {TOK_PATTERN_CL100K_ALL, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_CL100K_ALL, "...\x0D\x0A/x", "...\x0D\x0A|/x"},
    {TOK_PATTERN_CL100K_ALL, "12345\x0A \x0A", "12345|\x0A \x0A"},
    {TOK_PATTERN_CL100K_ALL, "x \x0A ", "x| \x0A "},
    {TOK_PATTERN_CL100K_ALL, "a\x0D\x0A\x09", "a|\x0D\x0A\x09"},
    {TOK_PATTERN_CL100K_ALL, "1234567 8", "1234567| |8"},
    {TOK_PATTERN_TEKKEN, "Hello world", "Hello| world"},
    {TOK_PATTERN_TEKKEN, "it's I'M we'll WE'LL", "it|'s| I|'M| we|'ll| WE|'LL"},
    {TOK_PATTERN_TEKKEN, "'s 'S '\xC5\xBF x", "'s| '|S| '|\xC5\xBF| x"},
    {TOK_PATTERN_TEKKEN, "a  b   c", "a| | b|  | c"},
    {TOK_PATTERN_TEKKEN, " a", " a"},
    {TOK_PATTERN_TEKKEN,
     "\x09"
     "ab",
     "\x09"
     "ab"},
    {TOK_PATTERN_TEKKEN,
     "\x09\x09"
     "ab",
     "\x09|\x09"
     "ab"},
    {TOK_PATTERN_TEKKEN, "a \x0A\x0A  b", "a| \x0A\x0A| | b"},
    {TOK_PATTERN_TEKKEN,
     "a\x0D\x0A"
     "b",
     "a|\x0D\x0A|b"},
    {TOK_PATTERN_TEKKEN, " \x0A ", " \x0A| "},
    {TOK_PATTERN_TEKKEN, "  ", "  "},
    {TOK_PATTERN_TEKKEN, "12345 678", "1|2|3|4|5| |6|7|8"},
    {TOK_PATTERN_TEKKEN, "x1y22z", "x|1|y|2|2|z"},
    {TOK_PATTERN_TEKKEN, "$5.00!!!\x0A\x0ANext", "$|5|.|0|0|!!!\x0A\x0A|Next"},
    {TOK_PATTERN_TEKKEN, "http://a/b//\x0A", "http|://|a|/b|//\x0A"},
    {TOK_PATTERN_TEKKEN, "camelCaseHTTPServer", "camel|Case|HTTPServer"},
    {TOK_PATTERN_TEKKEN, "ABc", "ABc"},
    {TOK_PATTERN_TEKKEN,
     "\xE6\x97\xA5"
     "AB",
     "\xE6\x97\xA5|AB"},
    {TOK_PATTERN_TEKKEN,
     "AB\xE6\x97\xA5"
     "cd",
     "AB\xE6\x97\xA5"
     "cd"},
    {TOK_PATTERN_TEKKEN, "e\xCC\x81t\xC3\xA9", "e\xCC\x81t\xC3\xA9"},
    {TOK_PATTERN_TEKKEN,
     "\xCC\x81"
     "a \xCC\x81",
     "\xCC\x81"
     "a| \xCC\x81"},
    {TOK_PATTERN_TEKKEN,
     "\xC2\xA0"
     "a",
     "\xC2\xA0"
     "a"},
    {TOK_PATTERN_TEKKEN,
     "a\xE2\x80\xA8"
     "b",
     "a|\xE2\x80\xA8"
     "b"},
    {TOK_PATTERN_TEKKEN, "\xC2\xBD\xE2\x85\xA4\xD9\xA3\xD9\xA4\xD9\xA5\xD9\xA6",
     "\xC2\xBD|\xE2\x85\xA4|\xD9\xA3|\xD9\xA4|\xD9\xA5|\xD9\xA6"},
    {TOK_PATTERN_TEKKEN,
     "\xC7\x85"
     "e",
     "\xC7\x85"
     "e"},
    {TOK_PATTERN_TEKKEN,
     "\xCA\xB0"
     "B",
     "\xCA\xB0|B"},
    {TOK_PATTERN_TEKKEN, "don't'll", "don|'t|'ll"},
    {TOK_PATTERN_TEKKEN, "'", "'"},
    {TOK_PATTERN_TEKKEN, "''s", "''|s"},
    {TOK_PATTERN_TEKKEN, " 's", " '|s"},
    {TOK_PATTERN_TEKKEN, "_a_b", "_a|_b"},
    {TOK_PATTERN_TEKKEN,
     "\xE2\x80\x8D"
     "a",
     "\xE2\x80\x8D"
     "a"},
    {TOK_PATTERN_TEKKEN, "a'", "a|'"},
    {TOK_PATTERN_TEKKEN, "AB's Ab'S", "AB|'s| Ab|'S"},
    {TOK_PATTERN_TEKKEN, "\xF0\x9F\x98\x80 \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9",
     "\xF0\x9F\x98\x80| \xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9"},
    {TOK_PATTERN_TEKKEN, "\xE3\x80\x80x", "\xE3\x80\x80x"},
    {TOK_PATTERN_TEKKEN, "  \x09\x0A x", "  \x09\x0A| x"},
    {TOK_PATTERN_TEKKEN, "...\x0D\x0A/x", "...\x0D\x0A/|x"},
    {TOK_PATTERN_TEKKEN, "12345\x0A \x0A", "1|2|3|4|5|\x0A \x0A"},
    {TOK_PATTERN_TEKKEN, "x \x0A ", "x| \x0A| "},
    {TOK_PATTERN_TEKKEN, "a\x0D\x0A\x09", "a|\x0D\x0A|\x09"},
    {TOK_PATTERN_TEKKEN, "1234567 8", "1|2|3|4|5|6|7| |8"},
};

#endif
