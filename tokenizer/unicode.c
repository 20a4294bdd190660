/*
 * tokenizer/unicode.c - character classes of Unicode 11.0 out of ICU's tables, UTF-8, lower case.
 *
 * The classes follow Unicode 11.0, the version of Python 3.7, with which the reference
 * outputs were made; ICU 72 has 15.0. A character newer than the version in use is unassigned
 * (u_charAge), and the few that changed their class between the two versions are listed in
 * changed[] and turned[].
 *
 * Each class is a bit map over all code points, one bit each, 64 to a word: 17 408 words, 136 KiB.
 * A look-up is one load and one shift, without ICU's trie and without a lock; pthread_once makes
 * the maps on first use.
 */
#include "tokenizer/unicode.h"

#include <pthread.h>
#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/uclean.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/uset.h>
#include <unicode/utext.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * ICU allocates through the program's functions, which end the program when memory is out, so that
 * no call of ICU can fail for that.  u_setMemoryFunctions refuses once ICU has been used in the
 * process (by another library); ICU then keeps malloc, and check_memory() ends the program.
 */
static void *library_realloc(const void *unused, void *p, size_t n)
{
    return (void) unused, p ? t2_library_realloc(p, n) : t2_library_malloc(n);
}

static void *library_malloc(const void *unused, size_t n)
{
    return library_realloc(unused, NULL, n);
}

static void library_free(const void *unused, void *p)
{
    (void) unused;
    t2_free(p);
}

static void give_memory(void)
{
    u_setMemoryFunctions(NULL, library_malloc, library_realloc, library_free, &(UErrorCode){0});
}
static pthread_once_t memory_once = PTHREAD_ONCE_INIT;

/* Nothing can fail here for another reason than memory, whatever ICU calls it: its data is part of
 * the library. */
static void check_memory(UErrorCode code)
{
    if (U_FAILURE(code))
        t2_out_of_memory("ICU: %s", u_errorName(code));
}

/* ---- UTF-8 ---- */

static bool continuation(uint8_t b)
{
    return (b & 0xC0) == 0x80;
}

/*
 * RFC 3629, without the exclusion of surrogates: ED A0 80 .. ED BF BF decode to U+D800 .. U+DFFF,
 * as in Python's surrogatepass; the callers that need it replace them. Overlong forms, bytes
 * F5..FF and cut sequences are one invalid byte.
 */
size_t tok_utf8_decode(const uint8_t *s, size_t len_bytes, uint32_t *code_point, bool *valid)
{
    uint8_t b = s[0];

    *valid = true;
    if (b < 0x80) {
        *code_point = b;
        return 1;
    }
    if (b >= 0xC2 && b < 0xE0 && len_bytes >= 2 && continuation(s[1])) {
        *code_point = (uint32_t) (b & 0x1F) << 6 | (s[1] & 0x3F);
        return 2;
    }
    if ((b & 0xF0) == 0xE0 && len_bytes >= 3 && continuation(s[1]) && continuation(s[2])) {
        *code_point = (uint32_t) (b & 0x0F) << 12 | (uint32_t) (s[1] & 0x3F) << 6 | (s[2] & 0x3F);
        if (*code_point >= 0x800)
            return 3;
    }
    if (b >= 0xF0 && b < 0xF5 && len_bytes >= 4 && continuation(s[1]) && continuation(s[2]) &&
        continuation(s[3])) {
        *code_point = (uint32_t) (b & 0x07) << 18 | (uint32_t) (s[1] & 0x3F) << 12 |
                      (uint32_t) (s[2] & 0x3F) << 6 | (s[3] & 0x3F);
        if (*code_point >= 0x10000 && *code_point < TOK_CODE_POINTS)
            return 4;
    }
    *valid = false;
    *code_point = TOK_REPLACEMENT;
    return 1;
}

size_t tok_utf8_encode(uint32_t code_point, uint8_t out[4])
{
    T2_ASSERT(code_point < TOK_CODE_POINTS);
    if (code_point < 0x80) {
        out[0] = (uint8_t) code_point;
        return 1;
    }
    if (code_point < 0x800) {
        out[0] = (uint8_t) (0xC0 | code_point >> 6);
        out[1] = (uint8_t) (0x80 | (code_point & 0x3F));
        return 2;
    }
    if (code_point < 0x10000) {
        out[0] = (uint8_t) (0xE0 | code_point >> 12);
        out[1] = (uint8_t) (0x80 | (code_point >> 6 & 0x3F));
        out[2] = (uint8_t) (0x80 | (code_point & 0x3F));
        return 3;
    }
    out[0] = (uint8_t) (0xF0 | code_point >> 18);
    out[1] = (uint8_t) (0x80 | (code_point >> 12 & 0x3F));
    out[2] = (uint8_t) (0x80 | (code_point >> 6 & 0x3F));
    out[3] = (uint8_t) (0x80 | (code_point & 0x3F));
    return 4;
}

size_t tok_utf8_invalid_at(const uint8_t *s, size_t len_bytes)
{
    size_t at = 0;

    while (at < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(s + at, len_bytes - at, &c, &valid);

        if (!valid)
            return at;
        at += n;
    }
    return at;
}

/* Length of the longest prefix of s that begins some well-formed sequence (Unicode, table 3-7):
 * that much becomes one U+FFFD. */
static size_t broken_part(const uint8_t *s, size_t len_bytes)
{
    uint8_t b = s[0], low = 0x80, high = 0xBF;
    size_t want, i;

    if (b >= 0xC2 && b < 0xE0)
        want = 2;
    else if ((b & 0xF0) == 0xE0)
        want = 3;
    else if (b >= 0xF0 && b < 0xF5)
        want = 4;
    else
        return 1;
    if (b == 0xE0)
        low = 0xA0;
    else if (b == 0xED)
        high = 0x9F;
    else if (b == 0xF0)
        low = 0x90;
    else if (b == 0xF4)
        high = 0x8F;
    for (i = 1; i < want && i < len_bytes; i++) {
        if (s[i] < low || s[i] > high)
            break;
        low = 0x80;
        high = 0xBF;
    }
    return i;
}

void tok_utf8_replace(struct t2_buf *out, const uint8_t *s, size_t len_bytes)
{
    size_t at = 0, from = 0;

    while (at < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(s + at, len_bytes - at, &c, &valid);

        if (valid && !(c >= 0xD800 && c < 0xE000)) {
            at += n;
            continue;
        }
        t2_buf_append(out, s + from, at - from);
        t2_buf_puts(out, "\xEF\xBF\xBD");
        at += broken_part(s + at, len_bytes - at);
        from = at;
    }
    if (from < len_bytes)
        t2_buf_append(out, s + from, len_bytes - from);
}

/* ---- classes ---- */

enum class_bit {
    DIGIT = 1,
    PUNCTUATION = 2,
    SYMBOL = 4,
    CASED = 8,      /* DerivedCoreProperties Cased */
    IGNORABLE = 16, /* Case_Ignorable */
    CLASS_BITS = 5
};

enum { CLASS_WORDS = TOK_CODE_POINTS / 64, UNICODE_MAJOR = 11 };

static uint64_t class_bits[CLASS_BITS][CLASS_WORDS];
static uint64_t word_bits[CLASS_WORDS]; /* what tok_is_alnum answers: of the version in use */
static pthread_once_t class_once = PTHREAD_ONCE_INIT;

/* Characters of Unicode 11.0 whose class differs in the Unicode 15.0 of ICU 72: found by comparing
 * every code point with Python 3.7. */
static const struct {
    uint32_t code_point;
    unsigned classes;
} changed[] = {
    {0x055F, PUNCTUATION}, /* ARMENIAN ABBREVIATION MARK: Po; ICU 72 has Sk */
    {0x166D, PUNCTUATION}, /* CANADIAN SYLLABICS CHI SIGN: Po, later So */
    {0x1734, IGNORABLE},   /* HANUNOO SIGN PAMUDPOD: Mn, later Mc */
    {0x1CF2, 0},           /* VEDIC SIGN ARDHAVISARGA: Mc, later Lo */
    {0x1CF3, 0},           /* VEDIC SIGN ROTATED ARDHAVISARGA: Mc, later Lo */
    {0xA9BD, 0},           /* JAVANESE CONSONANT SIGN KERET: Mc, later Mn */
};

/* ---- versions: letters and digits only ---- */

struct version {
    const char *name;
    unsigned number; /* 100 * major + minor */
};
static const struct version versions[] = {
    {"5.2", 502},   /* Python 2.7 */
    {"9", 900},     /* 3.6 */
    {"11", 1100},   /* 3.7 */
    {"12.1", 1201}, /* 3.8 */
    {"13", 1300},   /* 3.9, 3.10 */
    {"14", 1400},   /* 3.11 */
    {"15", 1500},   /* 3.12 */
    {"15.1", 1501}, /* 3.13 */
};
static unsigned version_in_use = 100 * UNICODE_MAJOR;

/* Letters and digits that were none before a version, or the reverse; found by comparing the
 * Pythons above.  The last has come after ICU 72. */
static const struct {
    uint32_t from, to;
    unsigned since;
    bool is_alnum; /* since then */
} turned[] = {
    {0x0CF1, 0x0CF2, 900, true},    {0x1885, 0x1886, 900, false}, {0x19B0, 0x19C0, 900, true},
    {0x19C8, 0x19C9, 900, true},    {0x1CF2, 0x1CF3, 1200, true}, {0x3248, 0x324F, 900, true},
    {0x2EBF0, 0x2EE5D, 1501, true},
};

const char *tok_unicode_versions(void)
{
    return "5.2, 9, 11, 12.1, 13, 14, 15, 15.1";
}

static void set_word_bit(uint32_t c, bool is_alnum)
{
    uint64_t bit = (uint64_t) 1 << c % 64;

    if (is_alnum)
        word_bits[c / 64] |= bit;
    else
        word_bits[c / 64] &= ~bit;
}

static unsigned age_of(UChar32 c)
{
    UVersionInfo age;

    u_charAge(c, age);
    return 100U * age[0] + age[1];
}

static UBool enter_words(const void *context, UChar32 start, UChar32 limit, UCharCategory category)
{
    uint32_t mask = (uint32_t) 1 << category;

    (void) context;
    if ((mask & (U_GC_L_MASK | U_GC_N_MASK)) == 0)
        return 1;
    for (UChar32 c = start; c < limit; c++)
        if (age_of(c) <= version_in_use)
            set_word_bit((uint32_t) c, true);
    return 1;
}

/*
 * The letters (L*) and numbers (N*) assigned up to the version in use, then the exceptions of
 * turned[].
 */
static void make_words(void)
{
    memset(word_bits, 0, sizeof word_bits);
    u_enumCharTypes(enter_words, NULL);
    for (size_t i = 0; i < sizeof turned / sizeof *turned; i++)
        for (uint32_t c = turned[i].from; c <= turned[i].to; c++) {
            bool has_come = version_in_use >= turned[i].since;

            if (has_come || age_of((UChar32) c) <= version_in_use)
                set_word_bit(c, has_come == turned[i].is_alnum);
        }
}

static unsigned classes_of(UChar32 c, UCharCategory category)
{
    uint32_t mask = (uint32_t) 1 << category;
    unsigned classes = 0;

    if (mask & U_GC_ND_MASK)
        classes |= DIGIT;
    if (mask & U_GC_P_MASK)
        classes |= PUNCTUATION;
    if (mask & U_GC_S_MASK)
        classes |= SYMBOL;
    if (u_hasBinaryProperty(c, UCHAR_CASED))
        classes |= CASED;
    if (u_hasBinaryProperty(c, UCHAR_CASE_IGNORABLE))
        classes |= IGNORABLE;
    return classes;
}

static void set_classes(uint32_t c, unsigned classes)
{
    for (unsigned k = 0; k < CLASS_BITS; k++) {
        uint64_t bit = (uint64_t) 1 << c % 64;

        if (classes >> k & 1)
            class_bits[k][c / 64] |= bit;
        else
            class_bits[k][c / 64] &= ~bit;
    }
}

static UBool enter_range(const void *context, UChar32 start, UChar32 limit, UCharCategory category)
{
    (void) context;
    if (category == U_UNASSIGNED || category == U_PRIVATE_USE_CHAR || category == U_SURROGATE)
        return 1;
    for (UChar32 c = start; c < limit; c++) {
        UVersionInfo age;

        u_charAge(c, age);
        if (age[0] != 0 && age[0] <= UNICODE_MAJOR)
            set_classes((uint32_t) c, classes_of(c, category));
    }
    return 1;
}

static void make_classes(void)
{
    u_enumCharTypes(enter_range, NULL);
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        set_classes(changed[i].code_point, changed[i].classes);
    make_words();
}

bool tok_unicode_use(const char *version)
{
    size_t n = strlen(version);

    if (n > 2 && strcmp(version + n - 2, ".0") == 0)
        n -= 2;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strlen(versions[i].name) == n && strncmp(versions[i].name, version, n) == 0) {
            pthread_once(&class_once, make_classes);
            version_in_use = versions[i].number;
            make_words();
            return true;
        }
    return false;
}

static bool has_class(uint32_t c, enum class_bit bit)
{
    unsigned k = (unsigned) __builtin_ctz((unsigned) bit);

    pthread_once(&class_once, make_classes);
    return c < TOK_CODE_POINTS && (class_bits[k][c / 64] >> c % 64 & 1) != 0;
}

const uint64_t *tok_alnum_bits(void)
{
    pthread_once(&class_once, make_classes);
    return word_bits;
}

bool tok_is_alnum(uint32_t code_point)
{
    pthread_once(&class_once, make_classes);
    return code_point < TOK_CODE_POINTS && (word_bits[code_point / 64] >> code_point % 64 & 1) != 0;
}

bool tok_is_digit(uint32_t code_point)
{
    return has_class(code_point, DIGIT);
}

int tok_digit_value(uint32_t code_point)
{
    return tok_is_digit(code_point) ? (int) u_charDigitValue((UChar32) code_point) : -1;
}

bool tok_is_punctuation(uint32_t code_point)
{
    return has_class(code_point, PUNCTUATION);
}

bool tok_is_symbol(uint32_t code_point)
{
    return has_class(code_point, SYMBOL);
}

bool tok_is_space(uint32_t c)
{
    if (c < 0x80)
        return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool tok_has_category(uint32_t code_point, uint32_t set)
{
    return code_point < TOK_CODE_POINTS && (set >> u_charType((UChar32) code_point) & 1) != 0;
}

int tok_script_of(uint32_t c)
{
    UErrorCode status = U_ZERO_ERROR;
    UScriptCode script = uscript_getScript((UChar32) c, &status);

    return U_SUCCESS(status) ? (int) script : -1;
}

int tok_script_by_name(const char *name)
{
    return u_getPropertyValueEnum(UCHAR_SCRIPT, name);
}

bool tok_is_word_char(uint32_t c)
{
    return c < TOK_CODE_POINTS &&
           (u_hasBinaryProperty((UChar32) c, UCHAR_ALPHABETIC) ||
            u_hasBinaryProperty((UChar32) c, UCHAR_JOIN_CONTROL) ||
            (U_GET_GC_MASK((UChar32) c) & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0);
}

bool tok_is_white(uint32_t c)
{
    return tok_is_space(c) && !(c >= 0x1C && c <= 0x1F);
}

/* ---- normal forms ---- */

unsigned tok_unicode_age(uint32_t c)
{
    return c < TOK_CODE_POINTS ? age_of((UChar32) c) : 0;
}

static pthread_once_t forms_once = PTHREAD_ONCE_INIT;
static UNormalizer2 *forms[TOK_NFKD + 1]; /* for the life of the process */

/*
 * The four normal forms restricted to characters assigned in Unicode 9.0: those of later versions
 * stay as they are, as by the tables that tokenizers has.
 */
static void make_forms(void)
{
    static const UNormalizer2 *(*const newest[])(UErrorCode *) = {
        [TOK_NFC] = unorm2_getNFCInstance,
        [TOK_NFD] = unorm2_getNFDInstance,
        [TOK_NFKC] = unorm2_getNFKCInstance,
        [TOK_NFKD] = unorm2_getNFKDInstance,
    };
    static const UChar assigned[] = u"[:age=9.0:]";
    UErrorCode code = U_ZERO_ERROR;
    USet *set;

    pthread_once(&memory_once, give_memory);
    set = uset_openPattern(assigned, -1, &code);
    for (size_t i = 0; U_SUCCESS(code) && i < sizeof newest / sizeof *newest; i++)
        forms[i] = unorm2_openFiltered(newest[i](&code), set, &code);
    check_memory(code);
    uset_freeze(set);
}

static const UNormalizer2 *normalizer_of(enum tok_form form)
{
    pthread_once(&forms_once, make_forms);
    return forms[form];
}

/* UTF-8 to UTF-16; returns the number of units. */
static size_t to_units(const uint8_t *s, size_t len_bytes, UChar *units)
{
    size_t n = 0;

    for (size_t at = 0; at < len_bytes;) {
        uint32_t c;
        bool valid;

        at += tok_utf8_decode(s + at, len_bytes - at, &c, &valid);
        if (c >= 0xD800 && c < 0xE000)
            c = TOK_REPLACEMENT;
        if (c >= 0x10000) {
            units[n++] = (UChar) (0xD7C0 + (c >> 10));
            c = 0xDC00 | (c & 0x3FF);
        }
        units[n++] = (UChar) c;
    }
    return n;
}

/*
 * UTF-16 to UTF-8. The constant takes 0xD800 and 0xDC00 out of the two surrogates and adds
 * 0x10000.
 */
static void from_units(const UChar *units, size_t n, struct t2_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t c = units[i];
        uint8_t bytes[4];

        if ((c & 0xFC00) == 0xD800 && i + 1 < n)
            c = (c << 10) + units[++i] - ((0xD800u << 10) + 0xDC00u - 0x10000u);
        t2_buf_append(out, bytes, tok_utf8_encode(c, bytes));
    }
}

void tok_normal_form(enum tok_form form, const uint8_t *s, size_t len_bytes, struct t2_buf *out)
{
    /* UTF-16 units per unit in any normal form: U+FDFA becomes 18 in NFKC and NFKD. */
    enum { GROWTH = 18 };
    UErrorCode code = U_ZERO_ERROR;
    UChar *units, *normal;
    int32_t n;

    T2_ASSERT(len_bytes < INT32_MAX / GROWTH);
    units = t2_alloc(len_bytes + 1, sizeof *units);
    n = (int32_t) to_units(s, len_bytes, units);
    normal = t2_alloc((size_t) n * GROWTH + 1, sizeof *normal);
    n = unorm2_normalize(normalizer_of(form), units, n, normal, n * GROWTH + 1, &code);
    check_memory(code);
    from_units(normal, (size_t) n, out);
    t2_free(normal);
    t2_free(units);
}

void tok_lower_newest(const uint8_t *s, size_t len_bytes, struct t2_buf *out)
{
    for (size_t at = 0; at < len_bytes;) {
        uint8_t bytes[4];
        uint32_t c;
        bool valid;

        at += tok_utf8_decode(s + at, len_bytes - at, &c, &valid);
        if (c == 0x130) { /* the one character whose lower case is two */
            t2_buf_puts(out, "i\xCC\x87");
            continue;
        }
        t2_buf_append(out, bytes, tok_utf8_encode((uint32_t) u_tolower((UChar32) c), bytes));
    }
}

/* ---- strip ---- */

void tok_strip_end(const uint8_t *s, size_t *len_bytes)
{
    size_t len = *len_bytes;

    while (len > 0) {
        size_t start = len - 1;
        uint32_t c;
        bool valid;

        while (start > 0 && len - start < 4 && continuation(s[start]))
            start--;
        if (tok_utf8_decode(s + start, len - start, &c, &valid) != len - start || !tok_is_space(c))
            break;
        len = start;
    }
    *len_bytes = len;
}

void tok_strip(const uint8_t **s, size_t *len_bytes)
{
    tok_strip_end(*s, len_bytes);
    while (*len_bytes > 0) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(*s, *len_bytes, &c, &valid);

        if (!tok_is_space(c))
            break;
        *s += n;
        *len_bytes -= n;
    }
}

/* ---- lower case ---- */

enum { CAPITAL_SIGMA = 0x3A3, SMALL_SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2, DOTTED_CAPITAL_I = 0x130 };

/* CPython's handle_capital_sigma: a letter before, none after, ignorable characters skipped. */
static bool is_final_sigma(const uint8_t *s, size_t len_bytes, size_t at)
{
    size_t before = at, after = at + 2;
    uint32_t c = 0;
    bool valid;

    do {
        if (before == 0)
            return false;
        do
            before--;
        while (before > 0 && continuation(s[before]));
        tok_utf8_decode(s + before, len_bytes - before, &c, &valid);
    } while (has_class(c, IGNORABLE));
    if (!has_class(c, CASED))
        return false;
    while (after < len_bytes) {
        after += tok_utf8_decode(s + after, len_bytes - after, &c, &valid);
        if (!has_class(c, IGNORABLE))
            return !has_class(c, CASED);
    }
    return true;
}

static uint32_t lower_of(uint32_t c)
{
    UVersionInfo age;

    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    u_charAge((UChar32) c, age);
    if (age[0] == 0 || age[0] > UNICODE_MAJOR)
        return c;
    return (uint32_t) u_tolower((UChar32) c);
}

void tok_lower(struct t2_buf *out, const uint8_t *s, size_t len_bytes)
{
    size_t at = 0;

    while (at < len_bytes) {
        uint8_t bytes[4];
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(s + at, len_bytes - at, &c, &valid);

        if (!valid) {
            t2_buf_push(out, s[at++]);
            continue;
        }
        if (c == DOTTED_CAPITAL_I)
            t2_buf_puts(out, "i\xCC\x87");
        else if (c == CAPITAL_SIGMA)
            c = is_final_sigma(s, len_bytes, at) ? FINAL_SIGMA : SMALL_SIGMA;
        else
            c = lower_of(c);
        if (c != DOTTED_CAPITAL_I)
            t2_buf_append(out, bytes, tok_utf8_encode(c, bytes));
        at += n;
    }
}

/* ---- grapheme clusters ---- */

/*
 * A byte after which another ASCII byte always begins a new cluster: any but CR, as CR LF is one
 * cluster (UAX #29, GB3).
 */
static bool is_plain(uint8_t b)
{
    return b < 0x80 && b != '\r';
}

static void break_clusters(const uint8_t *s, size_t len_bytes, tok_grapheme_fn *fn, void *arg)
{
    UErrorCode code = U_ZERO_ERROR;
    UBreakIterator *breaks;
    int32_t from = 0, to;
    UText *text;

    pthread_once(&memory_once, give_memory);
    text = utext_openUTF8(NULL, (const char *) s, (int64_t) len_bytes, &code);
    breaks = ubrk_open(UBRK_CHARACTER, "", NULL, 0, &code);
    check_memory(code);
    ubrk_setUText(breaks, text, &code);
    check_memory(code);
    while ((to = ubrk_next(breaks)) != UBRK_DONE) {
        fn(arg, s + from, (size_t) (to - from));
        from = to;
    }
    ubrk_close(breaks);
    utext_close(text);
}

void tok_graphemes(const uint8_t *s, size_t len_bytes, tok_grapheme_fn *fn, void *arg)
{
    size_t at = 0, end;

    T2_ASSERT(len_bytes < INT32_MAX);
    while (at < len_bytes) {
        /* ASCII before ASCII is a cluster of its own; only the rest needs the rules. */
        if (is_plain(s[at]) && (at + 1 == len_bytes || s[at + 1] < 0x80)) {
            fn(arg, s + at, 1);
            at++;
            continue;
        }
        for (end = at + 1; end < len_bytes; end++)
            if (is_plain(s[end]) && is_plain(s[end - 1]))
                break;
        break_clusters(s + at, end - at, fn, arg);
        at = end;
    }
}

struct t2_slice tok_stripped(struct t2_slice text)
{
    if (text.len_bytes)
        tok_strip(&text.data, &text.len_bytes);
    return text;
}
