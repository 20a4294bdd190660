/*
 * tokenizer/pretokenize.c - the patterns, alternative by alternative.
 *
 * Each published pattern is one hand-written matcher: the alternatives are tried in the order of
 * the regular expression, which stands above the function. No regex library is linked: the few
 * patterns in use need no general engine, and these matchers read a text in linear time, as what
 * an alternative gives back (blanks(), blanks_to_newline(), upper_lower()) lies in the run it took.
 *
 * Classes are Unicode general categories: \p{L}, \p{N}, \s (tok_is_white), [\r\n], and for o200k
 * the two unions with upper and lower case. ASCII is classified by arithmetic on the byte,
 * everything else by ICU's tables. Invalid UTF-8 is one byte of no class, so that it falls into
 * "anything but blanks, letters, numbers".
 */
#include "tokenizer/pretokenize.h"

#include <stdbool.h>
#include <string.h>

#include "tokenizer/unicode.h"

/* Classes of a character, as bits: a character of o200k may be UPPER and LOWER (Lm, Lo, M). */
enum { LETTER = 1, NUMBER = 2, WHITE = 4, NEWLINE = 8, UPPER = 16, LOWER = 32 };

struct at {
    const uint8_t *s;
    size_t len_bytes;
};

/* The class of the character at i and its length; 0 length at the end. */
static unsigned look(const struct at *t, size_t i, size_t *n)
{
    uint32_t c;
    bool valid;
    unsigned k = 0;

    *n = 0;
    if (i >= t->len_bytes)
        return 0;
    if (t->s[i] < 0x80) {
        uint8_t b = t->s[i];
        *n = 1;
        if ((uint8_t) ((b | 0x20) - 'a') < 26)
            return LETTER | (b & 0x20 ? LOWER : UPPER);
        if ((uint8_t) (b - '0') < 10)
            return NUMBER;
        if (b == ' ' || (b >= 9 && b <= 13))
            return WHITE | (b == '\n' || b == '\r' ? NEWLINE : 0);
        return 0;
    }
    *n = tok_utf8_decode(t->s + i, t->len_bytes - i, &c, &valid);
    if (!valid)
        return 0;
    if (tok_has_category(c, TOK_CAT_L))
        k |= LETTER;
    if (tok_has_category(c, TOK_CAT_N))
        k |= NUMBER;
    if (tok_is_white(c))
        k |= WHITE;
    if (tok_has_category(c, TOK_CAT_LU | TOK_CAT_LT | TOK_CAT_LM | TOK_CAT_LO | TOK_CAT_M))
        k |= UPPER;
    if (tok_has_category(c, TOK_CAT_LL | TOK_CAT_LM | TOK_CAT_LO | TOK_CAT_M))
        k |= LOWER;
    return k;
}

/* End of the run from i of at most max characters that have a class of `in` and none of `out`; in
 * 0: any class will do. */
static size_t run(const struct at *t, size_t i, unsigned in, unsigned out, size_t max)
{
    size_t n;

    for (; max > 0; max--) {
        unsigned k = look(t, i, &n);
        if (n == 0 || (k & out) != 0 || (in != 0 && (k & in) == 0))
            break;
        i += n;
    }
    return i;
}

/* Bytes of 's 't 'm 'd 're 've 'll at i, 0 when there is none. */
static size_t contraction(const struct at *t, size_t i, bool any_case)
{
    uint8_t fold = any_case ? 0x20 : 0, a, b;

    if (t->len_bytes - i < 2 || t->s[i] != '\'')
        return 0;
    a = t->s[i + 1] | fold;
    if (a == 's' || a == 't' || a == 'm' || a == 'd')
        return 2;
    /* U+017F is s when case is folded */
    if (any_case && t->len_bytes - i >= 3 && t->s[i + 1] == 0xC5 && t->s[i + 2] == 0xBF)
        return 3;
    if (t->len_bytes - i < 3)
        return 0;
    b = t->s[i + 2] | fold;
    return (a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l') ? 3 : 0;
}

/*
 * \s+(?!\S)|\s+ at 0: the run of blanks without its last character when text follows (that blank
 * then begins the next piece, as in " word"), the whole run at the end of the text or when it is
 * one character.
 */
static size_t blanks(const struct at *t)
{
    size_t last = 0, end = 0, n;

    while ((look(t, end, &n) & WHITE) != 0) {
        last = end;
        end += n;
    }
    return end < t->len_bytes && last > 0 ? last : end;
}

/*
 * GPT-2's pattern:
 *
 *   '(?:[sdmt]|ll|ve|re)
 *   | ?\p{L}+
 *   | ?\p{N}+
 *   | ?[^\s\p{L}\p{N}]+
 *   |\s+(?!\S)|\s+
 */
static size_t gpt2(const struct at *t)
{
    size_t n = contraction(t, 0, false), from = t->s[0] == ' ', end;

    if (n > 0)
        return n;
    end = run(t, from, LETTER, 0, SIZE_MAX);
    if (end == from)
        end = run(t, from, NUMBER, 0, SIZE_MAX);
    if (end == from)
        end = run(t, from, 0, WHITE | LETTER | NUMBER, SIZE_MAX);
    return end > from ? end : blanks(t);
}

/* \s*[\r\n]+ : the blanks up to the last line end among them; 0 when there is none. */
static size_t blanks_to_newline(const struct at *t)
{
    size_t end = 0, found = 0, n;
    unsigned k;

    while (((k = look(t, end, &n)) & WHITE) != 0) {
        end += n;
        if (k & NEWLINE)
            found = end;
    }
    return found;
}

/*
 * The pattern of cl100k_base; max_digits is 3, 1 (Qwen) or without limit:
 *
 *   '(?i:[sdmt]|ll|ve|re)
 *   |[^\r\n\p{L}\p{N}]?\p{L}+
 *   |\p{N}{1,max_digits}
 *   | ?[^\s\p{L}\p{N}]+[\r\n]*
 *   |\s++$                      only with end_first
 *   |\s*[\r\n]+
 *   |\s+(?!\S)|\s+
 */
static size_t cl100k(const struct at *t, size_t max_digits, bool end_first)
{
    size_t n = contraction(t, 0, true), first, end;
    unsigned k = look(t, 0, &first);

    if (n > 0)
        return n;
    n = (k & (NEWLINE | LETTER | NUMBER)) == 0 ? first : 0;
    end = run(t, n, LETTER, 0, SIZE_MAX);
    if (end > n)
        return end;
    end = run(t, 0, NUMBER, 0, max_digits);
    if (end > 0)
        return end;
    n = t->s[0] == ' ';
    end = run(t, n, 0, WHITE | LETTER | NUMBER, SIZE_MAX);
    if (end > n)
        return run(t, end, NEWLINE, 0, SIZE_MAX);
    if (end_first && run(t, 0, WHITE, 0, SIZE_MAX) == t->len_bytes)
        return t->len_bytes;
    end = blanks_to_newline(t);
    return end > 0 ? end : blanks(t);
}

/* U*L+ from i, where U is [Lu Lt Lm Lo M] and L is [Ll Lm Lo M]; 0 when it does not match. */
static size_t upper_lower(const struct at *t, size_t i)
{
    size_t upper = run(t, i, UPPER, 0, SIZE_MAX), lower = run(t, upper, LOWER, 0, SIZE_MAX);
    size_t end = 0, n;

    if (lower > upper)
        return lower;
    /* U* gives back characters until one of L follows: the last of them that is in both. */
    for (size_t at = i; at < upper; at += n)
        if ((look(t, at, &n) & LOWER) != 0)
            end = at + n;
    return end;
}

/*
 * The pattern of o200k_base, and Tekken's (max_digits 1, no contractions):
 *
 *   [^\r\n\p{L}\p{N}]?U*L+(?i:'s|...)?
 *   |[^\r\n\p{L}\p{N}]?U+L*(?i:'s|...)?
 *   |\p{N}{1,max_digits}
 *   | ?[^\s\p{L}\p{N}]+[\r\n/]*
 *   |\s*[\r\n]+
 *   |\s+(?!\S)|\s+
 *
 * U = [Lu Lt Lm Lo M], L = [Ll Lm Lo M].  A combining mark (M) is in U, in L and in the optional
 * first class, as that excludes letters and numbers only; so each of the first two alternatives is
 * tried with the first character taken by the optional class and then without.  The second
 * alternative gets here only when no L follows the U run, so that its L* is empty.
 */
static size_t o200k(const struct at *t, size_t max_digits, bool contractions)
{
    size_t first, from, end, n;
    unsigned k = look(t, 0, &first);

    from = (k & (NEWLINE | LETTER | NUMBER)) == 0 ? first : 0;
    end = upper_lower(t, from);
    if (end == 0 && from > 0) /* a mark may be in front of the word, or in it */
        end = upper_lower(t, 0);
    if (end == 0)
        end = run(t, from, UPPER, 0, SIZE_MAX) > from ? run(t, from, UPPER, 0, SIZE_MAX) : 0;
    if (end == 0)
        end = run(t, 0, UPPER, 0, SIZE_MAX);
    if (end > 0)
        return contractions && end < t->len_bytes ? end + contraction(t, end, true) : end;
    end = run(t, 0, NUMBER, 0, max_digits);
    if (end > 0)
        return end;
    n = t->s[0] == ' ';
    end = run(t, n, 0, WHITE | LETTER | NUMBER, SIZE_MAX);
    if (end > n) {
        while (end < t->len_bytes && (t->s[end] == '\r' || t->s[end] == '\n' || t->s[end] == '/'))
            end++;
        return end;
    }
    end = blanks_to_newline(t);
    return end > 0 ? end : blanks(t);
}

size_t tok_piece_bytes(enum tok_pattern pattern, const uint8_t *s, size_t len_bytes)
{
    const struct at t = {s, len_bytes};

    switch (pattern) {
    case TOK_PATTERN_GPT2:
        return gpt2(&t);
    case TOK_PATTERN_CL100K:
        return cl100k(&t, 3, false);
    case TOK_PATTERN_CL100K_1:
        return cl100k(&t, 1, false);
    case TOK_PATTERN_CL100K_ALL:
        return cl100k(&t, SIZE_MAX, true);
    case TOK_PATTERN_O200K:
        return o200k(&t, 3, true);
    case TOK_PATTERN_TEKKEN:
        return o200k(&t, 1, false);
    case TOK_PATTERN_NONE:
    case TOK_PATTERN_UNKNOWN:
        break;
    }
    return len_bytes;
}

/*
 * Spellings of the same expressions.  Possessive repetition makes no difference here: no
 * alternative would match by giving back characters that a class has taken.  \s++$|\s+(?!\S)|\s
 * takes what \s+(?!\S)|\s+ takes; \s++$ before \s*[\r\n] does not.
 */
static const struct {
    enum tok_pattern pattern;
    const char *regex;
} spellings[] = {
    {TOK_PATTERN_GPT2,
     "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_GPT2,
     "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_GPT2, "'(?:[sdmt]|ll|ve|re)| ?\\p{L}++| ?\\p{N}++| ?[^\\s\\p{L}\\p{N}]++|\\s++$|"
                       "\\s+(?!\\S)|\\s"},
    {TOK_PATTERN_CL100K, "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
                         "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_CL100K, "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| "
                         "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_CL100K_ALL, "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}+| "
                             "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s++$|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_CL100K_ALL, "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| "
                             "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s"},
    {TOK_PATTERN_CL100K_1, "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
                           "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_O200K,
     "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
     "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
     "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| "
     "?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
    {TOK_PATTERN_TEKKEN,
     "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|"
     "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|"
     "\\p{N}| "
     "?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},
};

enum tok_pattern tok_pattern_of(const char *regex)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (strcmp(spellings[i].regex, regex) == 0)
            return spellings[i].pattern;
    return TOK_PATTERN_UNKNOWN;
}

const char *tok_pattern_regex(enum tok_pattern pattern)
{
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        if (spellings[i].pattern == pattern)
            return spellings[i].regex;
    return "";
}
