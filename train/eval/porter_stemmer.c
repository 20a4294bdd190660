/*
 * train/eval/porter_stemmer.c - see the header.
 *
 * A word is [C](VC){m}[V] in runs of consonants and vowels; m is its measure.  y is a vowel behind
 * a consonant.  Each step replaces one ending of a list, the first that the word has, if what
 * stands in front of it meets a condition.
 */
#include "train/eval/porter_stemmer.h"

#include <stdbool.h>
#include <string.h>

#include "base/err.h"

struct word {
    char *s;
    size_t n;
};

static bool is_vowel_letter(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

/* Whether s[i] is a consonant; a run of y changes from letter to letter. */
static bool is_consonant(const char *s, size_t i)
{
    size_t y = i;

    while (y > 0 && s[y] == 'y')
        y--;
    if (s[y] == 'y') /* a word's first letter */
        return (i - y) % 2 == 0;
    return is_vowel_letter(s[y]) == ((i - y) % 2 == 1);
}

/* Measure of the first n letters; *has_vowel too, unless NULL. */
static size_t measure(const char *s, size_t n, bool *has_vowel)
{
    bool consonant = true, any = false;
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        bool before = consonant;

        consonant = s[i] == 'y' ? i == 0 || !before : !is_vowel_letter(s[i]);
        m += i > 0 && !before && consonant;
        any = any || !consonant;
    }
    if (has_vowel)
        *has_vowel = any;
    return m;
}

static bool ends(const struct word *w, const char *ending)
{
    size_t n = strlen(ending);

    return w->n >= n && memcmp(w->s + w->n - n, ending, n) == 0;
}

/* Replaces an ending that is there. */
static void replace(struct word *w, const char *ending, const char *by)
{
    size_t n = strlen(by);

    w->n -= strlen(ending);
    memcpy(w->s + w->n, by, n);
    w->n += n;
}

/* cvc at the end, the last not w, x or y; or vc alone. */
static bool ends_cvc(const char *s, size_t n)
{
    if (n == 2)
        return !is_consonant(s, 0) && is_consonant(s, 1);
    return n >= 3 && is_consonant(s, n - 3) && !is_consonant(s, n - 2) && is_consonant(s, n - 1) &&
           s[n - 1] != 'w' && s[n - 1] != 'x' && s[n - 1] != 'y';
}

struct rule {
    const char *ending, *by;
};

/* The first rule whose ending is there, if the measure of the rest is larger than `above`. */
static void apply(struct word *w, const struct rule *rules, size_t n, size_t above)
{
    for (size_t i = 0; i < n; i++) {
        if (!ends(w, rules[i].ending))
            continue;
        if (measure(w->s, w->n - strlen(rules[i].ending), NULL) > above)
            replace(w, rules[i].ending, rules[i].by);
        return;
    }
}

#define APPLY(w, rules, above) apply(w, rules, sizeof(rules) / sizeof *(rules), above)

static void plural(struct word *w) /* step 1a */
{
    if (ends(w, "ies"))
        replace(w, "ies", w->n == 4 ? "ie" : "i");
    else if (ends(w, "sses"))
        replace(w, "sses", "ss");
    else if (ends(w, "s") && !ends(w, "ss"))
        replace(w, "s", "");
}

/* What a word gets back when -ed or -ing has gone: an e, or one letter instead of two. */
static void mend(struct word *w)
{
    char last = w->s[w->n - 1];

    if (ends(w, "at") || ends(w, "bl") || ends(w, "iz")) {
        w->s[w->n++] = 'e';
    } else if (w->n >= 2 && last == w->s[w->n - 2] && is_consonant(w->s, w->n - 1)) {
        if (last != 'l' && last != 's' && last != 'z')
            w->n--;
    } else if (measure(w->s, w->n, NULL) == 1 && ends_cvc(w->s, w->n)) {
        w->s[w->n++] = 'e';
    }
}

static void past(struct word *w) /* step 1b */
{
    static const char *const endings[] = {"ed", "ing"};

    if (ends(w, "ied")) {
        replace(w, "ied", w->n == 4 ? "ie" : "i");
        return;
    }
    if (ends(w, "eed")) {
        if (measure(w->s, w->n - 3, NULL) > 0)
            w->n--;
        return;
    }
    for (int i = 0; i < 2; i++) {
        bool has_vowel = false;

        if (!ends(w, endings[i]))
            continue;
        (void) measure(w->s, w->n - strlen(endings[i]), &has_vowel);
        if (has_vowel) {
            replace(w, endings[i], "");
            mend(w);
            return;
        }
    }
}

static void y_to_i(struct word *w) /* step 1c */
{
    if (w->n > 2 && w->s[w->n - 1] == 'y' && is_consonant(w->s, w->n - 2))
        w->s[w->n - 1] = 'i';
}

static void double_suffixes(struct word *w) /* step 2 */
{
    static const struct rule rules[] = {
        {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
        {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
        {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
        {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
        {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
        {"fulli", "ful"},
    };

    while (ends(w, "alli") && measure(w->s, w->n - 4, NULL) > 0)
        replace(w, "alli", "al");
    if (ends(w, "logi")) { /* the l counts with what is in front */
        if (measure(w->s, w->n - 3, NULL) > 0)
            w->n--;
        return;
    }
    APPLY(w, rules, 0);
}

static void single_suffixes(struct word *w) /* steps 3 and 4 */
{
    static const struct rule third[] = {
        {"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
        {"ical", "ic"},  {"ful", ""},   {"ness", ""},
    };
    static const struct rule fourth[] = {
        {"al", ""},   {"ance", ""}, {"ence", ""},  {"er", ""},   {"ic", ""},  {"able", ""},
        {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""},
        {"ism", ""},  {"ate", ""},  {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
    };

    APPLY(w, third, 0);
    if (ends(w, "ion")) {
        size_t n = w->n - 3;

        if (measure(w->s, n, NULL) > 1 && (w->s[n - 1] == 's' || w->s[n - 1] == 't'))
            w->n = n;
        return;
    }
    APPLY(w, fourth, 1);
}

static void last_letters(struct word *w) /* steps 5a and 5b */
{
    if (ends(w, "e")) {
        size_t m = measure(w->s, w->n - 1, NULL);

        if (m > 1 || (m == 1 && !ends_cvc(w->s, w->n - 1)))
            w->n--;
    }
    if (ends(w, "ll") && measure(w->s, w->n - 1, NULL) > 1)
        w->n--;
}

/* Words that the rules get wrong. */
static const char *irregular(const struct word *w)
{
    static const struct rule forms[] = {
        {"sky", "sky"},         {"skies", "sky"},        {"dying", "die"},
        {"lying", "lie"},       {"tying", "tie"},        {"news", "news"},
        {"innings", "inning"},  {"inning", "inning"},    {"outings", "outing"},
        {"outing", "outing"},   {"cannings", "canning"}, {"canning", "canning"},
        {"howe", "howe"},       {"proceed", "proceed"},  {"exceed", "exceed"},
        {"succeed", "succeed"},
    };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (w->n == strlen(forms[i].ending) && memcmp(w->s, forms[i].ending, w->n) == 0)
            return forms[i].by;
    return NULL;
}

size_t ev_porter_stem(char *word, size_t len_bytes)
{
    struct word w = {word, len_bytes};
    const char *other = irregular(&w);

    if (other) {
        memcpy(word, other, strlen(other));
        return strlen(other);
    }
    if (w.n <= 2)
        return w.n;
    plural(&w);
    past(&w);
    y_to_i(&w);
    double_suffixes(&w);
    single_suffixes(&w);
    last_letters(&w);
    T2_DASSERT(w.n <= len_bytes + EV_STEM_EXTRA_BYTES);
    return w.n;
}
