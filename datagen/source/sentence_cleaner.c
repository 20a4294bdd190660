/*
 * datagen/source/sentence_cleaner.c - the patterns of cleaner_en_xx.py, written out.
 *
 * Each regular expression of the original is a function over code points; the expression it stands
 * for is above it, with " for any of the three double quotes and ' for the single ones.  Classes
 * are those of Python's re: \w, \d and \s by Unicode, [A-Z] by ASCII.
 *
 * By hand rather than by a regular expression library: the C library's has no Unicode classes, and
 * these patterns need no backtracking; each function takes time linear in the sentence.
 */
#include "datagen/source/sentence_cleaner.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

enum { LEFT_DQ = 0x201C, RIGHT_DQ = 0x201D, LEFT_SQ = 0x2018, RIGHT_SQ = 0x2019, COPYRIGHT = 0xA9 };

/* Code points and where each begins; at[n] is the end. */
struct text {
    const uint8_t *bytes;
    uint32_t *c;
    size_t *at, n;
};

static void text_init(struct text *t, struct t2_slice s)
{
    size_t at = 0;
    bool valid;

    *t = (struct text){.bytes = s.data};
    t->c = t2_alloc(s.len_bytes + 1, sizeof *t->c);
    t->at = t2_alloc(s.len_bytes + 1, sizeof *t->at);
    while (at < s.len_bytes) {
        t->at[t->n] = at;
        at += tok_utf8_decode(s.data + at, s.len_bytes - at, &t->c[t->n++], &valid);
    }
    t->at[t->n] = at;
}

static void text_release(struct text *t)
{
    t2_free(t->c);
    t2_free(t->at);
}

/* ---- classes of characters, as Python's re has them ---- */

static bool is_upper(uint32_t c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(uint32_t c)
{
    return c == '_' || tok_is_alnum(c);
}

static bool is_dq(uint32_t c)
{
    return c == '"' || c == LEFT_DQ || c == RIGHT_DQ;
}

static bool is_sq(uint32_t c)
{
    return c == '\'' || c == LEFT_SQ || c == RIGHT_SQ;
}

static bool is_stop(uint32_t c)
{
    return c == '.' || c == '?' || c == '!';
}

/* The character at i; 0, which belongs to no class, behind the end. */
static uint32_t get(const struct text *t, size_t i)
{
    return i < t->n ? t->c[i] : 0;
}

static size_t skip(const struct text *t, size_t i, bool (*is)(uint32_t))
{
    while (i < t->n && is(t->c[i]))
        i++;
    return i;
}

static bool begins(const struct text *t, const char *with)
{
    for (size_t i = 0; with[i]; i++) {
        if (get(t, i) != (uint32_t) with[i])
            return false;
    }
    return true;
}

/* ---- patterns; each returns true when the sentence is at fault ---- */

/* Not ^"?[A-Z] */
static bool bad_start(const struct text *t)
{
    return !is_upper(get(t, is_dq(get(t, 0))));
}

/* Not \w[.?!]"?$ */
static bool bad_end(const struct text *t)
{
    size_t end = t->n;

    if (end > 0 && (t->c[end - 1] == '"' || t->c[end - 1] == RIGHT_DQ))
        end--;
    return end < 2 || !is_stop(t->c[end - 1]) || !is_word(t->c[end - 2]);
}

/* ^\w+\.?( \w+)?: followed by a blank */
static bool label_colon(const struct text *t)
{
    size_t i = skip(t, 0, is_word), k;

    if (i == 0)
        return false;
    i += get(t, i) == '.';
    k = get(t, i) == ' ' ? skip(t, i + 1, is_word) : i;
    if (k > i + 1)
        i = k;
    return get(t, i) == ':' && get(t, i + 1) == ' ';
}

/* \d +\d */
static bool digit_space_digit(const struct text *t)
{
    size_t k;

    for (size_t i = 0; i + 2 < t->n; i++) {
        if (!tok_is_digit(t->c[i]) || t->c[i + 1] != ' ')
            continue;
        for (k = i + 1; get(t, k) == ' '; k++)
            continue;
        if (k < t->n && tok_is_digit(t->c[k]))
            return true;
    }
    return false;
}

static size_t count_dq(const struct text *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        n += is_dq(t->c[i]);
    return n;
}

static bool one_dq(const struct text *t)
{
    return count_dq(t) == 1;
}

static bool quoted_line(const struct text *t)
{
    return t->n >= 2 && is_dq(t->c[0]) && is_dq(t->c[t->n - 1]);
}

static bool many_dq(const struct text *t)
{
    return count_dq(t) >= 3;
}

/* Three times a quote with another character than s or t behind it, which may be a quote. */
static bool many_sq(const struct text *t)
{
    size_t n = 0;

    for (size_t i = 0; i + 1 < t->n; i++) {
        if (is_sq(t->c[i]) && t->c[i + 1] != 's' && t->c[i + 1] != 't') {
            n++;
            i++;
        }
    }
    return n >= 3;
}

static bool is_quote(uint32_t c)
{
    return is_dq(c) || is_sq(c);
}

/* ["']\s*["'] */
static bool quote_quote(const struct text *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (is_quote(t->c[i]) && is_quote(get(t, skip(t, i + 1, tok_is_space))))
            return true;
    }
    return false;
}

/* \s["',:;]\s */
static bool lone_mark(const struct text *t)
{
    for (size_t i = 0; i + 2 < t->n; i++) {
        uint32_t c = t->c[i + 1];
        if (tok_is_space(t->c[i]) && tok_is_space(t->c[i + 2]) &&
            (is_quote(c) || c == ',' || c == ':' || c == ';'))
            return true;
    }
    return false;
}

static bool copyright(const struct text *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->c[i] == COPYRIGHT)
            return true;
    }
    return begins(t, "Copyright") || begins(t, "(C)");
}

/* \([^)]*$ */
static bool open_paren(const struct text *t)
{
    for (size_t i = t->n; i > 0 && t->c[i - 1] != ')'; i--) {
        if (t->c[i - 1] == '(')
            return true;
    }
    return false;
}

/* ^[^(]*\) */
static bool close_paren(const struct text *t)
{
    for (size_t i = 0; i < t->n && t->c[i] != '('; i++) {
        if (t->c[i] == ')')
            return true;
    }
    return false;
}

/* ^[A-Z]{2,}(\s+[A-Z]+)*\s+- */
static bool tagline_city(const struct text *t)
{
    size_t i = skip(t, 0, is_upper), k;

    if (i < 2)
        return false;
    for (;;) {
        k = skip(t, i, tok_is_space);
        if (k == i)
            return false;
        if (get(t, k) == '-')
            return true;
        i = skip(t, k, is_upper);
        if (i == k)
            return false;
    }
}

static bool is_lower(uint32_t c)
{
    return c >= 'a' && c <= 'z';
}

/* ^[A-Z]+[a-z]*_ */
static bool upper_underscore(const struct text *t)
{
    size_t i = skip(t, 0, is_upper);

    return i > 0 && get(t, skip(t, i, is_lower)) == '_';
}

static const char *fault(const struct text *t)
{
    static const struct {
        bool (*is)(const struct text *t);
        const char *what;
    } table[] = {
        {bad_start, "does not begin like a sentence"},
        {bad_end, "does not end like a sentence"},
        {label_colon, "begins with a label and a colon"},
        {digit_space_digit, "digits with blanks between"},
        {one_dq, "one double quote"},
        {quoted_line, "quoted as a whole"},
        {many_dq, "three double quotes or more"},
        {many_sq, "three single quotes or more"},
        {quote_quote, "two quotes with nothing between"},
        {lone_mark, "a mark between blanks"},
        {copyright, "a copyright notice"},
        {open_paren, "an open parenthesis"},
        {close_paren, "a parenthesis that was not opened"},
        {tagline_city, "begins with a place, as a report"},
        {upper_underscore, "begins with a name in capitals and '_'"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].is(t))
            return table[i].what;
    }
    return NULL;
}

const char *dg_sentence_fault(struct t2_slice english)
{
    struct text t;
    const char *what;

    text_init(&t, english);
    what = fault(&t);
    text_release(&t);
    return what;
}

/* ---- several sentences ---- */

static const char mark[] =
    "__|__"; /* the original's, and so a text that holds it is cut there as well */

/* Length of a match of (\w[A-Z]|[0-9a-z])[.!?] [A-Z] at i; 0: none. */
static size_t english_break(const struct text *t, size_t i)
{
    size_t stop;

    if (is_word(t->c[i]) && is_upper(get(t, i + 1)) && is_stop(get(t, i + 2)))
        stop = i + 2;
    else if ((is_lower(t->c[i]) || (t->c[i] >= '0' && t->c[i] <= '9')) && is_stop(get(t, i + 1)))
        stop = i + 1;
    else
        return 0;
    return get(t, stop + 1) == ' ' && is_upper(get(t, stop + 2)) ? stop + 3 - i : 0;
}

/* [^0-9][.!?] [A-Z] */
static size_t other_break(const struct text *t, size_t i)
{
    if (t->c[i] >= '0' && t->c[i] <= '9')
        return 0;
    return is_stop(get(t, i + 1)) && get(t, i + 2) == ' ' && is_upper(get(t, i + 3)) ? 4 : 0;
}

/* The text with the mark in place of the blank of every break. */
static void mark_breaks(const struct text *t, size_t (*is_break)(const struct text *, size_t),
                        struct t2_buf *out)
{
    size_t i = 0, from = 0, n;

    while (i < t->n) {
        n = is_break(t, i);
        if (n == 0) {
            i++;
            continue;
        }
        i += n; /* behind the capital; the blank is two before */
        t2_buf_append(out, t->bytes + t->at[from], t->at[i - 2] - t->at[from]);
        t2_buf_puts(out, mark);
        from = i - 1;
    }
    t2_buf_append(out, t->bytes + t->at[from], t->at[t->n] - t->at[from]);
}

/* Cuts *rest at the next mark; false: that was the last piece. */
static bool next_piece(struct t2_slice *rest, struct t2_slice *piece)
{
    const uint8_t *m =
        rest->len_bytes ? memmem(rest->data, rest->len_bytes, mark, sizeof mark - 1) : NULL;
    size_t n = m ? (size_t) (m - rest->data) : rest->len_bytes;

    *piece = (struct t2_slice){rest->data, n};
    if (!m)
        return false;
    rest->data = m + sizeof mark - 1;
    rest->len_bytes -= n + sizeof mark - 1;
    return true;
}

static size_t count_pieces(struct t2_slice rest)
{
    struct t2_slice piece;
    size_t n = 1;

    while (next_piece(&rest, &piece))
        n++;
    return n;
}

static const char *emit_pieces(struct t2_slice english, struct t2_slice other, size_t n,
                               dg_emit_pair emit, void *context)
{
    const char *why = NULL, *what;
    bool any = false;

    for (size_t i = 0; i < n; i++) {
        struct t2_slice a, b;
        (void) next_piece(&english, &a);
        (void) next_piece(&other, &b);
        what = dg_sentence_fault(a);
        if (what) {
            why = why ? why : what;
            continue;
        }
        any = true;
        emit(context, a, b);
    }
    return any ? NULL : why;
}

const char *dg_clean_pair(struct t2_slice english, struct t2_slice other, dg_emit_pair emit,
                          void *context)
{
    struct t2_buf marked[2] = {{NULL, 0, 0}, {NULL, 0, 0}};
    struct text e, o;
    const char *what;
    size_t n;

    text_init(&e, english);
    text_init(&o, other);
    what = fault(&e);
    if (!what) {
        mark_breaks(&e, english_break, &marked[0]);
        mark_breaks(&o, other_break, &marked[1]);
        n = count_pieces(t2_buf_slice(&marked[0]));
        if (n != count_pieces(t2_buf_slice(&marked[1])))
            what = "not as many sentences on both sides";
        else if (n == 1)
            emit(context, english, other);
        else
            what =
                emit_pieces(t2_buf_slice(&marked[0]), t2_buf_slice(&marked[1]), n, emit, context);
    }
    text_release(&e);
    text_release(&o);
    t2_buf_release(&marked[0]);
    t2_buf_release(&marked[1]);
    return what;
}
