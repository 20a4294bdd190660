/*
 * tokenizer/python_numbers.c - numbers as Python's int(), float() and str() read and write them.
 */
#include "tokenizer/python_numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tokenizer/tokens.h"
#include "tokenizer/unicode.h"

/* ---- reading ---- */

/* Appends the word in ASCII: digits of any script as 0 ... 9, without single underscores between
 * digits. false: other characters, or underscores elsewhere. */
static bool to_ascii(struct t2_slice word, struct t2_buf *out)
{
    bool after_digit = false, after_underscore = false;

    for (size_t at = 0; at < word.len_bytes;) {
        uint32_t c;
        bool valid;
        int digit;

        at += tok_utf8_decode(word.data + at, word.len_bytes - at, &c, &valid);
        digit = valid ? tok_digit_value(c) : -1;
        if (digit < 0 && (!valid || c >= 0x80 || c == 0))
            return false;
        if ((c == '_' && !after_digit) || (after_underscore && digit < 0))
            return false;
        after_underscore = c == '_';
        after_digit = digit >= 0;
        if (digit >= 0)
            t2_buf_push(out, (uint8_t) ('0' + digit));
        else if (c != '_')
            t2_buf_push(out, (uint8_t) c);
    }
    return !after_underscore;
}

bool tok_python_int(struct t2_slice word, int64_t *value)
{
    struct t2_buf text = {NULL, 0, 0};
    const char *s, *digits;
    bool ok = to_ascii(word, &text);

    if (ok) {
        s = t2_buf_cstr(&text);
        digits = s + (*s == '+' || *s == '-');
        ok = *digits != 0 && strspn(digits, "0123456789") == strlen(digits);
        while (ok && digits[0] == '0' && digits[1] != 0)
            digits++;
        /* "+5" and "000...05" are fine for Python */
        if (ok) {
            char *plain = t2_asprintf("%s%s", *s == '-' ? "-" : "", digits);
            ok = t2_parse_i64(plain, value);
            t2_free(plain);
        }
    }
    t2_buf_release(&text);
    return ok;
}

/* [digits][.[digits]][e[sign]digits], with a digit before the exponent. */
static bool is_decimal(const char *s)
{
    static const char digits[] = "0123456789";
    size_t before = strspn(s, digits), after = 0;

    s += before;
    if (*s == '.') {
        after = strspn(s + 1, digits);
        s += 1 + after;
    }
    if (before + after == 0)
        return false;
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if (*s == 0)
            return false;
        s += strspn(s, digits);
    }
    return *s == 0;
}

static bool ascii_float(const char *s, double *value)
{
    const char *number = s + (*s == '+' || *s == '-');

    if (strcasecmp(number, "inf") == 0 || strcasecmp(number, "infinity") == 0)
        *value = HUGE_VAL;
    else if (strcasecmp(number, "nan") == 0)
        *value = NAN;
    else if (!is_decimal(number))
        return false;
    else if (!t2_parse_double(number, value))
        *value = HUGE_VAL; /* all that it refuses of these */
    if (*s == '-')
        *value = -*value;
    return true;
}

bool tok_python_float(struct t2_slice word, double *value)
{
    struct t2_buf text = {NULL, 0, 0};
    bool ok = to_ascii(word, &text) && ascii_float(t2_buf_cstr(&text), value);

    t2_buf_release(&text);
    return ok;
}

/* ---- writing ---- */

/* "d.ddde-07" -> digits without point and zeros at the end, and the exponent. */
static int take_apart(const char *text, char digits[20])
{
    size_t n = 0;
    const char *e = strchr(text, 'e');
    int64_t exponent = 0;

    for (const char *at = text; at < e; at++)
        if (*at >= '0' && *at <= '9')
            digits[n++] = *at;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = 0;
    e++;
    for (bool negative = *e == '-'; *++e;)
        exponent = exponent * 10 + (negative ? -(*e - '0') : *e - '0');
    return (int) exponent;
}

static void put_zeros(struct t2_buf *out, int n)
{
    for (; n > 0; n--)
        t2_buf_push(out, '0');
}

/* Python's repr: as it stands for exponents of -4 to 15. */
static void put_digits(const char *digits, int exponent, struct t2_buf *out)
{
    int n = (int) strlen(digits);

    if (exponent < -4 || exponent > 15) {
        t2_buf_printf(out, "%c%s%se%c%02d", digits[0], n > 1 ? "." : "", digits + 1,
                      exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        t2_buf_puts(out, "0.");
        put_zeros(out, -1 - exponent);
        t2_buf_puts(out, digits);
    } else if (n <= exponent + 1) {
        t2_buf_puts(out, digits);
        put_zeros(out, exponent + 1 - n);
        t2_buf_puts(out, ".0");
    } else {
        t2_buf_printf(out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    }
}

/*
 * Whether the text reads back as value, or does so with its last digit one higher.  Below a power
 * of two doubles are half as far apart as above it, so that the nearest text of n digits may belong
 * to the neighbour below, while the next text belongs to value.
 */
static bool gives(char *text, double value)
{
    char *last = strchr(text, 'e');
    double back = 0;

    if (t2_parse_double(text, &back) && back == value)
        return true;
    if (!last || last == text || last[-1] == '9')
        return false;
    last[-1]++;
    return t2_parse_double(text, &back) && back == value;
}

void tok_put_python_float(double value, struct t2_buf *out)
{
    char text[40], digits[20];

    if (isnan(value)) {
        t2_buf_puts(out, "nan");
        return;
    }
    if (signbit(value))
        t2_buf_push(out, '-');
    value = fabs(value);
    if (isinf(value)) {
        t2_buf_puts(out, "inf");
        return;
    }
    for (int n = 0; n <= 16; n++) {
        snprintf(text, sizeof text, "%.*e", n, value);
        if (strchr(text, ','))
            *strchr(text, ',') = '.'; /* LC_NUMERIC */
        if (gives(text, value))
            break;
    }
    put_digits(digits, take_apart(text, digits), out);
}

/* ---- lists ---- */

void tok_reals_release(struct tok_reals *reals)
{
    t2_free(reals->items);
    *reals = (struct tok_reals){NULL, 0, 0};
}

enum t2_status tok_reals_encode(const uint8_t *text, size_t len_bytes, struct tok_reals *reals,
                                struct t2_err *err)
{
    size_t n_before = reals->n, at = 0;
    struct t2_slice word;

    while (tok_next_word(text, len_bytes, &at, &word)) {
        double value;

        if (!tok_python_float(word, &value)) {
            reals->n = n_before;
            return t2_fail(err, T2_EFORMAT, "'%.*s' is not a number",
                           (int) (word.len_bytes < 100 ? word.len_bytes : 100),
                           (const char *) word.data);
        }
        if (reals->n == reals->capacity) {
            reals->capacity += reals->capacity / 2 + 16;
            reals->items = t2_realloc(reals->items, reals->capacity, sizeof *reals->items);
        }
        reals->items[reals->n++] = value;
    }
    return T2_OK;
}

void tok_reals_decode(const double *reals, size_t n, struct t2_buf *text)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            t2_buf_push(text, ' ');
        tok_put_python_float(reals[i], text);
    }
}
