/*
 * train/eval/python_text.c - see the header.
 */
#include "train/eval/python_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tokenizer/unicode.h"

enum { DOUBLE_DIGITS = 17, REPR_MIN_EXPONENT = -4, REPR_MAX_EXPONENT = 16 };

void ev_python_repr(double v, struct t2_buf *out)
{
    char text[64];
    int n_digits = 1, exponent;
    const char *e;

    if (!isfinite(v)) { /* as json has them */
        t2_buf_puts(out, isnan(v) ? "NaN" : v < 0 ? "-Infinity" : "Infinity");
        return;
    }
    for (; n_digits <= DOUBLE_DIGITS; n_digits++) {
        snprintf(text, sizeof text, "%.*e", n_digits - 1, v);
        if (strtod(text, NULL) == v)
            break;
    }
    e = strchr(text, 'e');
    exponent = (int) strtol(e + 1, NULL, 10);
    if (exponent < REPR_MIN_EXPONENT || exponent >= REPR_MAX_EXPONENT)
        t2_buf_puts(out, text);
    else if (n_digits - 1 > exponent)
        t2_buf_printf(out, "%.*f", n_digits - 1 - exponent, v);
    else
        t2_buf_printf(out, "%.1f", v);
}

void ev_python_json_string(const char *s, struct t2_buf *out)
{
    const uint8_t *p = (const uint8_t *) s;
    size_t n = strlen(s);

    t2_buf_push(out, '"');
    for (size_t i = 0; i < n;) {
        static const char from[] = "\"\\\n\r\t\f\b", to[] = "\"\\nrtfb";
        uint32_t c;
        bool valid;
        const char *special;

        i += tok_utf8_decode(p + i, n - i, &c, &valid);
        special = c < 0x80 ? strchr(from, (int) c) : NULL;
        if (special)
            t2_buf_printf(out, "\\%c", to[special - from]);
        else if (c >= ' ' && c < 0x7f)
            t2_buf_push(out, (uint8_t) c);
        else if (c < 0x10000)
            t2_buf_printf(out, "\\u%04x", (unsigned) c);
        else
            t2_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + (unsigned) ((c - 0x10000) >> 10),
                          0xdc00 + (unsigned) (c & 0x3ff));
    }
    t2_buf_push(out, '"');
}
