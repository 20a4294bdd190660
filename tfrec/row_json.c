/*
 * tfrec/row_json.c - numbers, strings and base64 as JSON text.
 */
#include "tfrec/row_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_DIGITS = 9, FIXED_BELOW = 16, FIXED_FROM = -4, TEXT_BYTES = 40 };

void rec_put_i64(struct t2_buf *out, int64_t v)
{
    char text[24];
    char *p = text + sizeof text;
    uint64_t rest = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;

    do {
        *--p = (char) ('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (v < 0)
        *--p = '-';
    t2_buf_append(out, p, (size_t) (text + sizeof text - p));
}

/* ---- floats ---- */

/* The fewest decimal digits that read back, without trailing zeros; returns the exponent of the
 * first. */
static int shortest(float v, int first_digits, char digits[TEXT_BYTES])
{
    char text[TEXT_BYTES];
    size_t n = 0;

    for (int precision = first_digits; precision <= MAX_DIGITS; precision++) {
        snprintf(text, sizeof text, "%.*e", precision - 1, (double) v);
        /* Through double, as Python and NumPy read it. */
        if ((float) strtod(text, NULL) == v)
            break;
    }
    for (const char *p = text; *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    }
    while (n > 1 && digits[n - 1] == '0')
        n--;
    digits[n] = '\0';
    return (int) strtol(strchr(text, 'e') + 1, NULL, 10);
}

static void put_fixed(struct t2_buf *out, const char *digits, int exponent)
{
    int n = (int) strlen(digits);

    if (exponent < 0) {
        t2_buf_puts(out, "0.");
        for (int i = exponent + 1; i < 0; i++)
            t2_buf_push(out, '0');
        t2_buf_puts(out, digits);
        return;
    }
    for (int i = 0; i <= exponent; i++)
        t2_buf_push(out, i < n ? (uint8_t) digits[i] : '0');
    t2_buf_push(out, '.');
    t2_buf_puts(out, n > exponent + 1 ? digits + exponent + 1 : "0");
}

void rec_put_float(struct t2_buf *out, float v, int first_digits)
{
    char digits[TEXT_BYTES];

    if (fabsf(v) < 16777216.0F && truncf(v) == v && !(v == 0 && signbit(v))) {
        rec_put_i64(out, (int64_t) v);
        t2_buf_puts(out, ".0");
        return;
    }
    int exponent = shortest(fabsf(v), first_digits, digits);
    if (signbit(v))
        t2_buf_push(out, '-');
    if (exponent >= FIXED_FROM && exponent < FIXED_BELOW) {
        put_fixed(out, digits, exponent);
        return;
    }
    t2_buf_push(out, (uint8_t) digits[0]);
    if (digits[1] != '\0') {
        t2_buf_push(out, '.');
        t2_buf_puts(out, digits + 1);
    }
    t2_buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', exponent < 0 ? -exponent : exponent);
}

void rec_put_nonfinite(struct t2_buf *out, float v)
{
    t2_buf_puts(out, isnan(v) ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

/* ---- strings ---- */

static void put_escaped(struct t2_buf *out, uint8_t c)
{
    static const char from[] = "\"\\\b\f\n\r\t";
    static const char to[] = "\"\\bfnrt";
    const char *known = c != 0 ? strchr(from, c) : NULL;

    if (known) {
        t2_buf_push(out, '\\');
        t2_buf_push(out, (uint8_t) to[known - from]);
    } else {
        t2_buf_printf(out, "\\u%04x", c);
    }
}

static void put_valid(struct t2_buf *out, const uint8_t *s, size_t n)
{
    size_t start = 0;

    for (size_t i = 0; i < n; i++) {
        if (s[i] >= 0x20 && s[i] != '"' && s[i] != '\\')
            continue;
        t2_buf_append(out, s + start, i - start);
        put_escaped(out, s[i]);
        start = i + 1;
    }
    if (n > start)
        t2_buf_append(out, s + start, n - start);
}

void rec_put_string(struct t2_buf *out, struct t2_slice s)
{
    const uint8_t *p = s.data;
    size_t left = s.len_bytes;

    t2_buf_push(out, '"');
    while (left > 0) {
        size_t valid = t2_utf8_invalid_at(p, left);
        put_valid(out, p, valid);
        p += valid;
        left -= valid;
        if (left > 0) {
            t2_buf_puts(out, "\xEF\xBF\xBD"); /* U+FFFD */
            p++;
            left--;
        }
    }
    t2_buf_push(out, '"');
}
