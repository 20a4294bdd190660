/*
 * tfrec/json_cursor.c - strict JSON (RFC 8259), from left to right.
 *
 * For lines of millions of records: values go from the text into the record without a tree.  The
 * caller knows what may come next and asks for it; every function leaves c->p behind what it took,
 * or at the fault, whose column the message gives.  base/json.h is for documents whose shape is
 * not known.
 */
#include "tfrec/json_cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/text.h"

enum { MAX_NUMBER_CHARS = 400, FIELD_SHOWN = 80, FAST_DIGITS = 18 };

void rec_json_init(struct rec_json *c, const char *origin, uint64_t line, struct t2_slice text)
{
    static const uint8_t nothing[1];

    *c = (struct rec_json){.origin = origin, .line = line};
    c->start = text.len_bytes > 0 ? text.data : nothing;
    c->end = c->start + text.len_bytes;
    c->p = c->start;
    /* Editors on Windows put a byte order mark in front. */
    if (text.len_bytes >= 3 && memcmp(c->p, "\xEF\xBB\xBF", 3) == 0)
        c->p += 3;
}

enum t2_status rec_json_fail(const struct rec_json *c, const uint8_t *at, struct t2_err *err,
                             const char *format, ...)
{
    char text[512];
    size_t column = (size_t) (at - c->start) + 1;
    size_t shown = c->field.len_bytes < FIELD_SHOWN ? c->field.len_bytes : FIELD_SHOWN;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    while (shown > 0 && t2_utf8_invalid_at(c->field.data, shown) < shown)
        shown--;
    if (shown == 0)
        return t2_fail(err, T2_EFORMAT, "%s:%" PRIu64 ":%zu: %s", c->origin, c->line, column, text);
    return t2_fail(err, T2_EFORMAT, "%s:%" PRIu64 ":%zu: in feature '%.*s': %s", c->origin, c->line,
                   column, (int) shown, (const char *) c->field.data, text);
}

uint8_t rec_json_peek(struct rec_json *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
        c->p++;
    return c->p < c->end ? *c->p : 0;
}

static enum t2_status unexpected(struct rec_json *c, const char *wanted, struct t2_err *err)
{
    if (c->p == c->end)
        return rec_json_fail(c, c->p, err, "the line ends where %s should be", wanted);
    if (*c->p > ' ' && *c->p < 0x7f)
        return rec_json_fail(c, c->p, err, "'%c' where %s should be", *c->p, wanted);
    return rec_json_fail(c, c->p, err, "byte 0x%02x where %s should be", *c->p, wanted);
}

enum t2_status rec_json_expect(struct rec_json *c, char ch, struct t2_err *err)
{
    const char wanted[] = {'\'', ch, '\'', '\0'};

    if (rec_json_peek(c) != (uint8_t) ch || c->p == c->end)
        return unexpected(c, wanted, err);
    c->p++;
    return T2_OK;
}

/*
 * Steps between the members of a list or an object: over the closing bracket (*more false), over
 * nothing before the first member, over a comma before the others. A comma in front of the closing
 * bracket is an error.
 */
enum t2_status rec_json_next(struct rec_json *c, char close, size_t *n_seen, bool *more,
                             struct t2_err *err)
{
    uint8_t ch = rec_json_peek(c);

    *more = true;
    if (ch == (uint8_t) close && c->p < c->end) {
        c->p++;
        *more = false;
        return T2_OK;
    }
    if ((*n_seen)++ == 0)
        return T2_OK;
    if (ch != ',')
        return unexpected(c, close == ']' ? "',' or ']'" : "',' or '}'", err);
    c->p++;
    if (rec_json_peek(c) == (uint8_t) close)
        return unexpected(c, "a value after the comma", err);
    return T2_OK;
}

/* ---- strings ---- */

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four digits at p; -1 when they are not. */
static int32_t hex4(const struct rec_json *c, const uint8_t *p)
{
    int32_t v = 0;

    if (c->end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = hex_value(p[i]);
        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/*
 * v as 1 to 4 bytes (RFC 3629, 3). Surrogates were refused before.
 *
 *   v <    0x80   0xxxxxxx
 *   v <   0x800   110xxxxx 10xxxxxx
 *   v < 0x10000   1110xxxx 10xxxxxx 10xxxxxx
 *   else          11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
 */
static void put_utf8(struct t2_buf *to, uint32_t v)
{
    if (v < 0x80) {
        t2_buf_push(to, (uint8_t) v);
        return;
    }
    if (v < 0x800) {
        t2_buf_push(to, (uint8_t) (0xc0 | v >> 6));
    } else {
        if (v < 0x10000) {
            t2_buf_push(to, (uint8_t) (0xe0 | v >> 12));
        } else {
            t2_buf_push(to, (uint8_t) (0xf0 | v >> 18));
            t2_buf_push(to, (uint8_t) (0x80 | (v >> 12 & 0x3f)));
        }
        t2_buf_push(to, (uint8_t) (0x80 | (v >> 6 & 0x3f)));
    }
    t2_buf_push(to, (uint8_t) (0x80 | (v & 0x3f)));
}

/*
 * \uXXXX, or two of them for one character; c->p is at the u.
 *
 * A character above U+FFFF is a pair D800..DBFF, DC00..DFFF with ten bits each.  Half a pair is an
 * error, where other parsers put U+FFFD: a record must not differ silently from its line.
 */
static enum t2_status take_unicode(struct rec_json *c, struct t2_buf *to, struct t2_err *err)
{
    const uint8_t *at = c->p - 1;
    int32_t v = hex4(c, c->p + 1);

    if (v < 0)
        return rec_json_fail(c, at, err, "\\u without four hexadecimal digits");
    c->p += 5;
    if (v >= 0xd800 && v <= 0xdbff && c->end - c->p >= 6 && c->p[0] == '\\' && c->p[1] == 'u') {
        int32_t low = hex4(c, c->p + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
            c->p += 6;
            put_utf8(to, 0x10000 + ((uint32_t) (v - 0xd800) << 10) + (uint32_t) (low - 0xdc00));
            return T2_OK;
        }
    }
    if (v >= 0xd800 && v <= 0xdfff)
        return rec_json_fail(c, at, err, "\\u%04x is half of a character", (unsigned) v);
    put_utf8(to, (uint32_t) v);
    return T2_OK;
}

/* c->p is at the backslash. */
static enum t2_status take_escape(struct rec_json *c, struct t2_buf *to, struct t2_err *err)
{
    static const char from[] = "\"\\/bfnrt";
    static const char meant[] = "\"\\/\b\f\n\r\t";
    const char *known;

    c->p++;
    if (c->p == c->end)
        return rec_json_fail(c, c->p, err, "the line ends inside a string");
    if (*c->p == 'u')
        return take_unicode(c, to, err);
    known = *c->p != 0 ? strchr(from, *c->p) : NULL;
    if (!known)
        return rec_json_fail(c, c->p - 1, err, "an escape that JSON does not have");
    t2_buf_push(to, (uint8_t) meant[known - from]);
    c->p++;
    return T2_OK;
}

/*
 * Runs of plain characters are appended at once, and checked for UTF-8 only when a byte above 0x7F
 * is among them.
 */
enum t2_status rec_json_string(struct rec_json *c, struct t2_buf *to, struct t2_err *err)
{
    if (rec_json_peek(c) != '"')
        return unexpected(c, "a string", err);
    c->p++;
    for (;;) {
        const uint8_t *run = c->p;
        bool ascii = true;
        for (; c->p < c->end && *c->p >= ' ' && *c->p != '"' && *c->p != '\\'; c->p++)
            ascii &= *c->p < 0x80;
        size_t n = (size_t) (c->p - run);
        size_t valid = ascii ? n : t2_utf8_invalid_at(run, n);
        if (valid < n)
            return rec_json_fail(c, run + valid, err, "a byte that is not UTF-8: 0x%02x",
                                 run[valid]);
        if (n > 0)
            t2_buf_append(to, run, n);
        if (c->p == c->end)
            return rec_json_fail(c, c->p, err, "the line ends inside a string");
        if (*c->p == '"')
            break;
        if (*c->p != '\\')
            return rec_json_fail(c, c->p, err, "control character 0x%02x in a string", *c->p);
        T2_TRY(take_escape(c, to, err));
    }
    c->p++;
    return T2_OK;
}

enum t2_status rec_json_key(struct rec_json *c, struct t2_buf *key, struct t2_err *err)
{
    t2_buf_clear(key);
    T2_TRY(rec_json_string(c, key, err));
    return rec_json_expect(c, ':', err);
}

/* ---- numbers ---- */

static bool is_digit(const struct rec_json *c)
{
    return c->p < c->end && *c->p >= '0' && *c->p <= '9';
}

static void skip_digits(struct rec_json *c)
{
    while (is_digit(c))
        c->p++;
}

/*
 * Steps over a number as JSON writes it; c->p stays at the fault.  RFC 8259, 6:
 *
 *   number = [ "-" ] ( "0" | 1-9 { digit } ) [ "." digit { digit } ]
 *            [ ( "e" | "E" ) [ "+" | "-" ] digit { digit } ]
 *
 * *whole: without fraction and exponent.
 */
static bool scan_number(struct rec_json *c, bool *whole)
{
    if (c->p < c->end && *c->p == '-')
        c->p++;
    if (!is_digit(c))
        return false;
    if (*c->p == '0') {
        c->p++;
        if (is_digit(c))
            return false;
    }
    skip_digits(c);
    *whole = true;
    if (c->p < c->end && *c->p == '.') {
        *whole = false;
        c->p++;
        if (!is_digit(c))
            return false;
        skip_digits(c);
    }
    if (c->p < c->end && (*c->p == 'e' || *c->p == 'E')) {
        *whole = false;
        c->p++;
        if (c->p < c->end && (*c->p == '+' || *c->p == '-'))
            c->p++;
        if (!is_digit(c))
            return false;
        skip_digits(c);
    }
    return true;
}

/* At most 18 digits: no overflow. */
static int64_t short_number(const uint8_t *p, size_t n)
{
    bool negative = *p == '-';
    int64_t v = 0;

    for (size_t i = negative; i < n; i++)
        v = 10 * v + (p[i] - '0');
    return negative ? -v : v;
}

/*
 * Whole numbers of up to 18 characters, nearly all, are converted here; others by base/str.h,
 * which copies them for strtod.
 */
enum t2_status rec_json_number(struct rec_json *c, struct rec_json_number *number,
                               struct t2_err *err)
{
    char text[MAX_NUMBER_CHARS + 1];
    const uint8_t *at;

    (void) rec_json_peek(c);
    at = c->p;
    if (!scan_number(c, &number->whole))
        return unexpected(c, c->p == at ? "a value" : "a digit", err);
    size_t n = (size_t) (c->p - at);
    if (number->whole && n <= FAST_DIGITS) {
        number->i = short_number(at, n);
        number->d = *at == '-' && number->i == 0 ? -0.0 : (double) number->i;
        return T2_OK;
    }
    if (n > MAX_NUMBER_CHARS)
        return rec_json_fail(c, at, err, "a number of more than %d characters", MAX_NUMBER_CHARS);
    memcpy(text, at, n);
    text[n] = '\0';
    if (number->whole && !t2_parse_i64(text, &number->i))
        return rec_json_fail(c, at, err, "%.40s does not fit into a 64-bit integer", text);
    if (!t2_parse_double(text, &number->d))
        return rec_json_fail(c, at, err, "%.40s is too large for a float", text);
    return T2_OK;
}

bool rec_json_word(struct rec_json *c, const char *word)
{
    size_t n = strlen(word);

    (void) rec_json_peek(c);
    if ((size_t) (c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

enum t2_status rec_json_end(struct rec_json *c, struct t2_err *err)
{
    (void) rec_json_peek(c);
    return c->p == c->end ? T2_OK : rec_json_fail(c, c->p, err, "something follows the object");
}
