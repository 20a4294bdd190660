/*
 * tokenizer/python_numbers.c - numbers as Python's int() reads them.
 */
#include "tokenizer/python_numbers.h"

#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "tokenizer/unicode.h"

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
