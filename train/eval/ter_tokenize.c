/*
 * train/eval/ter_tokenize.c - see the header.
 *
 * sacreBLEU also has rules for runs of kana; they ask for the start of the line, where its blank
 * stands, so they never match and are not here.
 */
#include "train/eval/ter_tokenize.h"

#include <stdint.h>
#include <string.h>

#include "tokenizer/unicode.h"
#include "train/eval/mteval_rules.h"

void ev_ter_scratch_release(struct ev_ter_scratch *s)
{
    t2_buf_release(&s->lower);
    t2_buf_release(&s->in);
    t2_buf_release(&s->out);
}

struct range {
    uint16_t from, to;
};

static const struct range ideographs[] = {
    {0x2e80, 0x2eff}, /* radicals supplement */
    {0x31c0, 0x31ef}, /* strokes */
    {0x3200, 0x4dbf}, /* enclosed letters, compatibility, extension A */
    {0x4e00, 0x9fff}, /* unified ideographs */
    {0xf900, 0xfaff}, /* compatibility ideographs */
    {0xfe30, 0xfe4f}, /* compatibility forms */
};
static const struct range asian_marks[] = {
    {0x3001, 0x3002}, {0x3008, 0x3011}, {0x3014, 0x301f}, {0x30fb, 0x30fb},
    {0xff01, 0xff02}, {0xff08, 0xff09}, {0xff0c, 0xff0c}, {0xff0e, 0xff0e},
    {0xff1a, 0xff1b}, {0xff1f, 0xff1f}, {0xff61, 0xff65},
};

#define IS_IN(ranges, c) is_in(ranges, sizeof(ranges) / sizeof *(ranges), c)

static bool is_in(const struct range *ranges, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c <= ranges[i].to)
            return c >= ranges[i].from;
    return false;
}

static void swap(struct t2_buf *a, struct t2_buf *b)
{
    struct t2_buf t = *a;

    *a = *b;
    *b = t;
}

/* 's of a possessive becomes a word: "'s " -> " 's " */
static void cut_possessives(const struct t2_buf *in, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes; i++) {
        if (in->data[i] == '\'' && in->len_bytes - i >= 3 && in->data[i + 1] == 's' &&
            in->data[i + 2] == ' ')
            t2_buf_push(out, ' ');
        t2_buf_push(out, in->data[i]);
    }
}

/* s->in, with a blank put before and behind it */
static void normalize_western(struct ev_ter_scratch *s)
{
    ev_replace(&s->in, "\n-", "");
    ev_replace(&s->in, "\n", " ");
    ev_replace_entities(&s->in);
    t2_buf_clear(&s->out);
    t2_buf_push(&s->out, ' ');
    t2_buf_append(&s->out, s->in.data, s->in.len_bytes);
    t2_buf_push(&s->out, ' ');
    ev_rule_split_off(&s->out, &s->in);
    cut_possessives(&s->in, &s->out);
    ev_rule_after_no_digit(&s->out, &s->in);
    ev_rule_before_no_digit(&s->in, &s->out);
    ev_rule_dash_after_digit(&s->out, &s->in);
}

/* Ideographs and marks of s->in get blanks around them (cut), or marks go (!cut). */
static void asian_pass(struct ev_ter_scratch *s, bool cut)
{
    const struct t2_buf *in = &s->in;
    struct t2_buf *out = &s->out;

    t2_buf_clear(out);
    for (size_t i = 0; i < in->len_bytes;) {
        uint32_t c;
        bool valid, mark;
        size_t n = tok_utf8_decode(in->data + i, in->len_bytes - i, &c, &valid);

        mark = IS_IN(asian_marks, c);
        if (cut && (mark || IS_IN(ideographs, c))) {
            t2_buf_push(out, ' ');
            t2_buf_append(out, in->data + i, n);
            t2_buf_push(out, ' ');
        } else if (cut || !mark) {
            t2_buf_append(out, in->data + i, n);
        }
        i += n;
    }
    swap(&s->in, &s->out);
}

static void delete_marks(struct ev_ter_scratch *s)
{
    t2_buf_clear(&s->out);
    for (size_t i = 0; i < s->in.len_bytes; i++)
        if (s->in.data[i] == '\0' || !strchr(".,?:;!\"()", s->in.data[i]))
            t2_buf_push(&s->out, s->in.data[i]);
    swap(&s->in, &s->out);
}

void ev_tokenize_ter(const struct ev_ter_options *o, struct ev_ter_scratch *s, struct t2_slice line,
                     struct t2_buf *tokens)
{
    size_t n = line.len_bytes;

    if (n > 0)
        tok_strip_end(line.data, &n);
    line.len_bytes = n;
    if (n == 0)
        return;
    if (!o->case_sensitive) {
        t2_buf_clear(&s->lower);
        tok_lower(&s->lower, line.data, line.len_bytes);
        line = t2_buf_slice(&s->lower);
    }
    if (o->normalized || o->no_punct) {
        t2_buf_clear(&s->in);
        t2_buf_append(&s->in, line.data, line.len_bytes);
        if (o->normalized) {
            normalize_western(s);
            if (o->asian_support)
                asian_pass(s, true);
        }
        if (o->no_punct) {
            delete_marks(s);
            if (o->asian_support)
                asian_pass(s, false);
        }
        line = t2_buf_slice(&s->in);
    }
    ev_split_join(line, tokens);
}
