/*
 * train/eval/bleu_13a.c - the tokenizer "13a" (mteval-v13a.pl) as sacreBLEU applies it: four
 * regular expressions, each a pass over the bytes from one buffer to the other.
 *
 * All rules look at ASCII only and insert nothing but blanks, so bytes do for code points.  Matches
 * do not overlap: a pass goes on behind what it has matched, as re.sub does.
 */
#include "train/eval/bleu_tokenize.h"

#include <stdbool.h>
#include <string.h>

#include "tokenizer/unicode.h"

void ev_13a_scratch_release(struct ev_13a_scratch *s)
{
    t2_buf_release(&s->in);
    t2_buf_release(&s->out);
}

void ev_split_join(struct t2_slice text, struct t2_buf *tokens)
{
    size_t start = 0, i = 0;
    bool any = false;

    while (i <= text.len_bytes) {
        size_t n = 1;
        bool space = true;

        if (i < text.len_bytes && text.data[i] < 0x80) {
            space = tok_is_space(text.data[i]);
        } else if (i < text.len_bytes) {
            uint32_t c;
            bool valid;

            n = tok_utf8_decode(text.data + i, text.len_bytes - i, &c, &valid);
            space = valid && tok_is_space(c);
        }
        if (space) {
            if (i > start) {
                if (any)
                    t2_buf_push(tokens, ' ');
                t2_buf_append(tokens, text.data + start, i - start);
                any = true;
            }
            start = i + n;
        }
        i += n;
    }
}

/* Replaces every `from` by `to`, which is not longer, in place. */
static void replace(struct t2_buf *b, const char *from, const char *to)
{
    size_t n_from = strlen(from), n_to = strlen(to), out = 0;

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

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* [\{-\~\[-\` -\&\(-\+\:-\@\/] : ASCII that is no letter, digit, control, or one of ' , - . */
static bool is_split_off(uint8_t c)
{
    return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') ||
           (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/';
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

static void pass_ascii(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        uint8_t c = in->data[i];

        if (is_split_off(c)) {
            push2(out, ' ', c);
            t2_buf_push(out, ' ');
        } else {
            t2_buf_push(out, c);
        }
    }
}

/* ([^0-9])([\.,]) -> \1 \2 with a blank behind each. */
static void pass_after_no_digit(const struct t2_buf *in, struct t2_buf *out)
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

/* ([\.,])([^0-9]) -> \1 \2 with a blank before each. */
static void pass_before_no_digit(const struct t2_buf *in, struct t2_buf *out)
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

/* ([0-9])(-) -> \1 \2 with a blank behind each. */
static void pass_dash_after_digit(const struct t2_buf *in, struct t2_buf *out)
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

void ev_tokenize_13a(struct ev_13a_scratch *scratch, struct t2_slice line, struct t2_buf *tokens)
{
    struct t2_buf *in = &scratch->in, *out = &scratch->out;
    size_t n = line.len_bytes;

    tok_strip_end(line.data, &n); /* sacreBLEU does, before the tokenizer */
    t2_buf_clear(in);
    t2_buf_push(in, ' ');
    t2_buf_append(in, line.data, n);
    t2_buf_push(in, ' ');
    replace(in, "<skipped>", "");
    replace(in, "-\n", "");
    replace(in, "\n", " ");
    if (memchr(in->data, '&', in->len_bytes)) { /* in this order: &amp;lt; becomes < */
        replace(in, "&quot;", "\"");
        replace(in, "&amp;", "&");
        replace(in, "&lt;", "<");
        replace(in, "&gt;", ">");
    }
    pass_ascii(in, out);
    pass_after_no_digit(out, in);
    pass_before_no_digit(in, out);
    pass_dash_after_digit(out, in);
    ev_split_join(t2_buf_slice(in), tokens);
}
