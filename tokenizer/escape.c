/*
 * tokenizer/escape.c - _escape_token and _unescape_token of T2T's text_encoder.py.
 *
 *   '\' -> "\\"    '_' -> "\u"    line feed, characters outside of the alphabet -> "\<decimal>;"
 *   and '_' at the end of each word
 */
#include "tokenizer/escape.h"

#include "base/alloc.h"
#include "tokenizer/unicode.h"

enum { GETA_MARK = 0x3013 }; /* stands for numbers that are no code point */

const char tok_escape_characters[] = "\\_u;0123456789";

void tok_alphabet_init(struct tok_alphabet *a)
{
    a->bits = t2_alloc(TOK_CODE_POINTS / 64, sizeof(uint64_t));
    tok_alphabet_add(a, (const uint8_t *) tok_escape_characters, sizeof tok_escape_characters - 1);
}

void tok_alphabet_release(struct tok_alphabet *a)
{
    t2_free(a->bits);
    a->bits = NULL;
}

void tok_alphabet_add(struct tok_alphabet *a, const uint8_t *text, size_t len_bytes)
{
    size_t at = 0;

    while (at < len_bytes) {
        uint32_t c;
        bool valid;

        at += tok_utf8_decode(text + at, len_bytes - at, &c, &valid);
        a->bits[c / 64] |= (uint64_t) 1 << c % 64;
    }
}

void tok_escape(const struct tok_alphabet *a, const uint8_t *word, size_t len_bytes,
                struct t2_buf *out)
{
    size_t at = 0;

    while (at < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(word + at, len_bytes - at, &c, &valid);

        if (c == '\\')
            t2_buf_puts(out, "\\\\");
        else if (c == '_')
            t2_buf_puts(out, "\\u");
        else if (!tok_alphabet_has(a, c) || c == '\n')
            t2_buf_printf(out, "\\%u;", (unsigned) c);
        else if (valid)
            t2_buf_append(out, word + at, n);
        else
            t2_buf_puts(out, "\xEF\xBF\xBD");
        at += n;
    }
    t2_buf_push(out, '_');
}

/* Length of "\<digits>;" at s, with its number (TOK_CODE_POINTS when too large); 0 when there is
 * none. */
static size_t numeric_escape(const uint8_t *s, size_t len_bytes, uint32_t *code_point)
{
    uint32_t number = 0;
    size_t at = 1;

    while (at < len_bytes && s[at] >= '0' && s[at] <= '9') {
        number = number * 10 + (uint32_t) (s[at] - '0');
        if (number > TOK_CODE_POINTS)
            number = TOK_CODE_POINTS;
        at++;
    }
    if (at == 1 || at == len_bytes || s[at] != ';')
        return 0;
    *code_point = number;
    return at + 1;
}

void tok_unescape(const uint8_t *piece, size_t len_bytes, struct t2_buf *out)
{
    size_t at = 0;

    while (at < len_bytes) {
        const uint8_t *s = piece + at;
        size_t left = len_bytes - at, n;
        uint8_t bytes[4];
        uint32_t c;

        if (s[0] != '\\') {
            t2_buf_push(out, s[0]);
            at++;
        } else if (left >= 2 && s[1] == 'u') {
            t2_buf_push(out, '_');
            at += 2;
        } else if (left >= 2 && s[1] == '\\') {
            t2_buf_push(out, '\\');
            at += 2;
        } else if ((n = numeric_escape(s, left, &c)) > 0) {
            if (c >= TOK_CODE_POINTS)
                c = GETA_MARK;
            t2_buf_append(out, bytes, tok_utf8_encode(c, bytes));
            at += n;
        } else {
            t2_buf_push(out, '\\');
            at++;
        }
    }
}
