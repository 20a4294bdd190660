/*
 * tfrec/html.c - escaping for HTML.
 */
#include "tfrec/html.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define REPLACEMENT "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"
#define THIN_SPACE "\xe2\x80\xaf" /* U+202F, does not break */

/* Bytes of the UTF-8 character at p, of which n bytes are left; 0 when it is none. */
static size_t character_bytes(const uint8_t *p, size_t n)
{
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

    return len <= n && t2_utf8_invalid_at(p, len) == len ? len : 0;
}

static uint32_t code_point(const uint8_t *p, size_t len)
{
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = p[0] & first_bits[len];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

/* Controls, noncharacters, and the marks that reorder text (U+202A.., U+2066..). */
static bool is_unwanted(uint32_t c)
{
    return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
           (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

static const char *entity(uint8_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void rec_html_text(const void *text, size_t len_bytes, size_t max_characters, struct t2_buf *out)
{
    const uint8_t *p = text;
    size_t at = 0;

    for (size_t n = 0; at < len_bytes; n++) {
        size_t len = character_bytes(p + at, len_bytes - at);
        if (max_characters > 0 && n == max_characters) {
            t2_buf_puts(out, ELLIPSIS);
            return;
        }
        if (len == 0 || is_unwanted(code_point(p + at, len)))
            t2_buf_puts(out, REPLACEMENT);
        else if (len == 1 && entity(p[at]))
            t2_buf_puts(out, entity(p[at]));
        else
            t2_buf_append(out, p + at, len);
        at += len == 0 ? 1 : len;
    }
}

void rec_html_puts(const char *text, struct t2_buf *out)
{
    rec_html_text(text, strlen(text), 0, out);
}

void rec_html_count(uint64_t n, struct t2_buf *out)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            t2_buf_puts(out, THIN_SPACE);
        t2_buf_push(out, (uint8_t) digits[i]);
    }
}
