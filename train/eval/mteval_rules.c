/*
 * train/eval/mteval_rules.c - see the header.
 */
#include "train/eval/mteval_rules.h"

#include <string.h>

#include "tokenizer/unicode.h"

size_t ev_space_bytes(const uint8_t *s, size_t len_bytes)
{
    uint32_t c;
    bool valid;
    size_t n;

    if (*s < 0x80)
        return tok_is_space(*s);
    if (*s != 0xc2 && (*s < 0xe1 || *s > 0xe3)) /* no other begins a white space character */
        return 0;
    n = tok_utf8_decode(s, len_bytes, &c, &valid);
    return valid && tok_is_space(c) ? n : 0;
}

void ev_split_join(struct t2_slice text, struct t2_buf *out)
{
    bool between = out->len_bytes > 0; /* a blank is due before the next byte */
    uint8_t *to = t2_buf_reserve(out, text.len_bytes + 1), *begin = to;

    for (size_t i = 0; i < text.len_bytes;) {
        size_t n = ev_space_bytes(text.data + i, text.len_bytes - i);

        if (n > 0) {
            between = between || to > begin;
            i += n;
            continue;
        }
        if (between)
            *to++ = ' ';
        between = false;
        *to++ = text.data[i++];
    }
    out->len_bytes += (size_t) (to - begin);
    out->data[out->len_bytes] = '\0';
}

void ev_without_space(struct t2_slice text, struct t2_buf *out)
{
    uint8_t *to = t2_buf_reserve(out, text.len_bytes), *begin = to;

    for (size_t i = 0; i < text.len_bytes;) {
        size_t n = ev_space_bytes(text.data + i, text.len_bytes - i);

        if (n == 0)
            *to++ = text.data[i];
        i += n ? n : 1;
    }
    out->len_bytes += (size_t) (to - begin);
    out->data[out->len_bytes] = '\0';
}

void ev_replace(struct t2_buf *b, const char *from, const char *to)
{
    size_t n_from = strlen(from), n_to = strlen(to), out = 0;

    if (b->len_bytes == 0)
        return;
    for (size_t i = 0; i < b->len_bytes;) {
        if (b->len_bytes - i >= n_from && memcmp(b->data + i, from, n_from) == 0) {
            memcpy(b->data + out, to, n_to);
            out += n_to;
            i += n_from;
        } else {
            b->data[out++] = b->data[i++];
        }
    }
    b->len_bytes = out;
    b->data[out] = '\0';
}

void ev_replace_entities(struct t2_buf *b)
{
    ev_replace(b, "&quot;", "\"");
    ev_replace(b, "&amp;", "&");
    ev_replace(b, "&lt;", "<");
    ev_replace(b, "&gt;", ">");
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_period_or_comma(uint8_t c)
{
    return c == '.' || c == ',';
}

static void push2(struct t2_buf *b, uint8_t x, uint8_t y)
{
    t2_buf_push(b, x);
    t2_buf_push(b, y);
}

void ev_rule_split_off(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        uint8_t c = in->data[i];

        if (ev_is_split_off(c)) {
            push2(out, ' ', c);
            t2_buf_push(out, ' ');
        } else {
            t2_buf_push(out, c);
        }
    }
}

void ev_rule_after_no_digit(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        uint8_t c = in->data[i];

        t2_buf_push(out, c);
        if (!is_digit(c) && i + 1 < in->len_bytes && is_period_or_comma(in->data[i + 1])) {
            push2(out, ' ', in->data[++i]);
            t2_buf_push(out, ' ');
        }
    }
}

void ev_rule_before_no_digit(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        uint8_t c = in->data[i];

        if (is_period_or_comma(c) && i + 1 < in->len_bytes && !is_digit(in->data[i + 1])) {
            push2(out, ' ', c);
            push2(out, ' ', in->data[++i]);
        } else {
            t2_buf_push(out, c);
        }
    }
}

void ev_rule_dash_after_digit(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        t2_buf_push(out, in->data[i]);
        if (is_digit(in->data[i]) && i + 1 < in->len_bytes && in->data[i + 1] == '-') {
            push2(out, ' ', in->data[++i]);
            t2_buf_push(out, ' ');
        }
    }
}
