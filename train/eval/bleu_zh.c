/*
 * train/eval/bleu_zh.c - sacreBLEU's tokenizer "zh": blanks around Chinese characters, then the
 * four rules of 13a, which see no blank before the line or behind it.
 *
 * What counts as Chinese is sacreBLEU's list of ranges, read as Python reads it: two of its escapes
 * have five digits behind \u, of which Python takes four.  So what was meant for planes beyond
 * U+FFFF, where nothing is Chinese here, makes U+2001..U+2A6D Chinese: dashes, quotes, arrows and
 * mathematical signs become tokens of their own.
 */
#include "train/eval/bleu_tokenize.h"

#include <stdbool.h>

#include "tokenizer/unicode.h"
#include "train/eval/mteval_rules.h"

static bool is_chinese(uint32_t c)
{
    static const struct {
        uint16_t from, to;
    } ranges[] = {
        {0x2001, 0x2a6d}, /* see above */
        {0x2e80, 0x2eff}, /* radicals supplement */
        {0x2f00, 0x2fdf}, /* Kangxi radicals */
        {0x2ff0, 0x303f}, /* description characters, punctuation */
        {0x3100, 0x312f}, /* Bopomofo */
        {0x31a0, 0x31bf}, /* Bopomofo, extended */
        {0x31c0, 0x31ef}, /* strokes */
        {0x3200, 0x33ff}, /* enclosed letters, compatibility */
        {0x3400, 0x4db5}, /* ideographs, extension A */
        {0x4e00, 0x9fbb}, /* ideographs */
        {0xf900, 0xfa2d}, /* compatibility ideographs */
        {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f}, /* vertical forms */
        {0xfe30, 0xfe4f},                                     /* compatibility forms */
        {0xff00, 0xffef},                                     /* full and half width */
    };

    if (c < ranges[0].from)
        return false;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c <= ranges[i].to)
            return c >= ranges[i].from;
    return false;
}

void ev_tokenize_zh(struct ev_13a_scratch *s, struct t2_slice line, struct t2_buf *tokens)
{
    line = tok_stripped(line);
    t2_buf_clear(&s->in);
    for (size_t i = 0; i < line.len_bytes;) {
        uint32_t c;
        bool valid, chinese;
        size_t n = tok_utf8_decode(line.data + i, line.len_bytes - i, &c, &valid);

        chinese = valid && is_chinese(c);
        if (chinese)
            t2_buf_push(&s->in, ' ');
        t2_buf_append(&s->in, line.data + i, n);
        if (chinese)
            t2_buf_push(&s->in, ' ');
        i += n;
    }
    ev_rule_split_off(&s->in, &s->out);
    ev_rule_after_no_digit(&s->out, &s->in);
    ev_rule_before_no_digit(&s->in, &s->out);
    ev_rule_dash_after_digit(&s->out, &s->in);
    ev_split_join(t2_buf_slice(&s->in), tokens);
}
