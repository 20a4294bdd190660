/*
 * train/eval/bleu_intl.c - mteval-v14's international rules, as Tensor2Tensor (utils/bleu_hook.py,
 * UnicodeRegex) and as sacreBLEU ("intl") apply them; the two differ in the classes of characters.
 *
 * The three regular expressions are three passes over code points, each leftmost and not
 * overlapping: a match begins behind the last one.  Each code point carries its Unicode class in
 * the bits above 20, looked up once.
 */
#include "train/eval/bleu_tokenize.h"

#include "base/alloc.h"
#include "tokenizer/unicode.h"

/* Classes stand above the 21 bits of a code point. */
enum { DIGIT = 1 << 24, PUNCTUATION = 1 << 25, SYMBOL = 1 << 26, SPACE = 1 << 27 };
enum { POINT_MASK = 0x1fffff, BLANK = ' ' | SPACE };

void ev_intl_scratch_release(struct ev_intl_scratch *s)
{
    t2_free(s->in.items);
    t2_free(s->out.items);
    *s = (struct ev_intl_scratch){{NULL, 0, 0}, {NULL, 0, 0}};
}

/* Room for n points; the old ones are dropped. */
static void points_reset(struct ev_points *p, size_t n)
{
    p->n = 0;
    if (n <= p->capacity)
        return;
    t2_free(p->items);
    p->items = t2_alloc(n, sizeof *p->items);
    p->capacity = n;
}

static uint32_t class_of_ascii(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return DIGIT;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return 0;
    switch (c) {
    case '$':
    case '+':
    case '<':
    case '=':
    case '>':
    case '^':
    case '`':
    case '|':
    case '~':
        return SYMBOL;
    default:
        if (c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f))
            return SPACE;
        return c > ' ' && c < 0x7f ? PUNCTUATION : 0;
    }
}

typedef uint32_t class_fn(uint32_t c);

static uint32_t t2t_class(uint32_t c)
{
    if (c == '\\') /* ends up as an escape in the original's character class: nothing */
        return c;
    if (c < 0x80)
        return c | class_of_ascii(c);
    if (tok_is_punctuation(c))
        return c | PUNCTUATION;
    if (tok_is_symbol(c))
        return c | SYMBOL;
    if (tok_is_space(c))
        return c | SPACE;
    return tok_is_digit(c) ? c | DIGIT : c;
}

static uint32_t intl_class(uint32_t c)
{
    if (c < 0x80)
        return c | class_of_ascii(c);
    if (tok_has_category(c, TOK_CAT_P))
        return c | PUNCTUATION;
    if (tok_has_category(c, TOK_CAT_S))
        return c | SYMBOL;
    if (tok_is_space(c))
        return c | SPACE;
    return tok_has_category(c, TOK_CAT_N) ? c | DIGIT : c;
}

static void decode(struct t2_slice line, class_fn *class_of, struct ev_points *p)
{
    points_reset(p, line.len_bytes);
    for (size_t i = 0; i < line.len_bytes;) {
        uint32_t c = line.data[i];
        bool valid;

        if (c < 0x80)
            i++;
        else
            i += tok_utf8_decode(line.data + i, line.len_bytes - i, &c, &valid);
        p->items[p->n++] = class_of(c);
    }
}

/* ([^\d])([P]) -> \1 \2 with a blank behind each. */
static void pass_punctuation_behind(const struct ev_points *in, struct ev_points *out)
{
    points_reset(out, 2 * in->n);
    for (size_t i = 0; i < in->n; i++) {
        uint32_t c = in->items[i];

        out->items[out->n++] = c;
        if (!(c & DIGIT) && i + 1 < in->n && (in->items[i + 1] & PUNCTUATION)) {
            out->items[out->n++] = BLANK;
            out->items[out->n++] = in->items[++i];
            out->items[out->n++] = BLANK;
        }
    }
}

/* ([P])([^\d]) -> \1 \2 with a blank before each. */
static void pass_punctuation_before(const struct ev_points *in, struct ev_points *out)
{
    points_reset(out, 2 * in->n);
    for (size_t i = 0; i < in->n; i++) {
        uint32_t c = in->items[i];

        if ((c & PUNCTUATION) && i + 1 < in->n && !(in->items[i + 1] & DIGIT)) {
            out->items[out->n++] = BLANK;
            out->items[out->n++] = c;
            out->items[out->n++] = BLANK;
            out->items[out->n++] = in->items[++i];
        } else {
            out->items[out->n++] = c;
        }
    }
}

/* Symbols become words of their own (the third pass), white space separates (split). */
static void encode(const struct ev_points *p, struct t2_buf *tokens)
{
    bool any = false, between = true; /* between words */

    for (size_t i = 0; i < p->n; i++) {
        uint32_t c = p->items[i];
        uint8_t bytes[4];

        if (c & SPACE) {
            between = true;
            continue;
        }
        if ((between || (c & SYMBOL)) && any)
            t2_buf_push(tokens, ' ');
        c &= POINT_MASK;
        if (c < 0x80)
            t2_buf_push(tokens, (uint8_t) c);
        else
            t2_buf_append(tokens, bytes, tok_utf8_encode(c, bytes));
        between = p->items[i] & SYMBOL;
        any = true;
    }
}

static void tokenize(struct ev_intl_scratch *scratch, struct t2_slice line, class_fn *class_of,
                     struct t2_buf *tokens)
{
    decode(line, class_of, &scratch->in);
    pass_punctuation_behind(&scratch->in, &scratch->out);
    pass_punctuation_before(&scratch->out, &scratch->in);
    encode(&scratch->in, tokens);
}

void ev_tokenize_t2t(struct ev_intl_scratch *scratch, struct t2_slice line, struct t2_buf *tokens)
{
    tokenize(scratch, line, t2t_class, tokens);
}

void ev_tokenize_intl(struct ev_intl_scratch *scratch, struct t2_slice line, struct t2_buf *tokens)
{
    tokenize(scratch, line, intl_class, tokens);
}
