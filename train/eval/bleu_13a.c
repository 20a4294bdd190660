/*
 * train/eval/bleu_13a.c - the tokenizer "13a" (mteval-v13a.pl) as sacreBLEU applies it, in one
 * pass.
 *
 * The first rule puts blanks around ASCII punctuation, which leaves chunks between blanks, and the
 * line has a blank at either end.  The rules of periods, commas and dashes look one byte to either
 * side, so none reaches beyond the blanks around its chunk.  A chunk without these three is a word;
 * one that ends with its only period or comma, two; any other goes through the rules, with its
 * blanks.
 */
#include "train/eval/bleu_tokenize.h"

#include <string.h>

#include "tokenizer/unicode.h"
#include "train/eval/mteval_rules.h"

void ev_13a_scratch_release(struct ev_13a_scratch *s)
{
    t2_buf_release(&s->line);
    t2_buf_release(&s->in);
    t2_buf_release(&s->out);
}

/* What a byte is to the loop over a line. */
enum { WORD, SPLIT_OFF, SPACE, MAYBE_SPACE, PERIOD, DASH, N_CLASSES };

/* clang-format off */
#define W WORD
#define P SPLIT_OFF
#define S SPACE
#define M MAYBE_SPACE
#define D PERIOD
static const uint8_t class_of[256] = {
    W, W, W, W, W, W, W, W, W, S, S, S, S, S, W, W, W, W, W, W, W, W, W, W, W, W, W, W, S, S, S, S,
    S, P, P, P, P, P, P, W, P, P, P, P, D, DASH, D, P, W, W, W, W, W, W, W, W, W, W, P, P, P, P, P, P,
    P, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, P, P, P, P, P,
    P, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, P, P, P, P, W,
    [0xc2] = M, [0xe1] = M, M, M,
};
#undef W
#undef P
#undef S
#undef M
#undef D
/* clang-format on */

/* Appends bytes as a token; there is room. */
static void put(struct t2_buf *tokens, const uint8_t *data, size_t len_bytes)
{
    uint8_t *to = tokens->data + tokens->len_bytes;

    if (tokens->len_bytes > 0)
        *to++ = ' ';
    memcpy(to, data, len_bytes);
    tokens->len_bytes = (size_t) (to - tokens->data) + len_bytes;
}

/* A chunk that none of the short ways knows. */
static void by_rules(struct ev_13a_scratch *s, const uint8_t *chunk, size_t len_bytes,
                     struct t2_buf *tokens)
{
    t2_buf_clear(&s->in);
    t2_buf_push(&s->in, ' ');
    t2_buf_append(&s->in, chunk, len_bytes);
    t2_buf_push(&s->in, ' ');
    ev_rule_after_no_digit(&s->in, &s->out);
    ev_rule_before_no_digit(&s->out, &s->in);
    ev_rule_dash_after_digit(&s->in, &s->out);
    ev_split_join(t2_buf_slice(&s->out), tokens);
}

static void put_chunk(struct ev_13a_scratch *s, const uint8_t *chunk, size_t len_bytes,
                      unsigned seen, struct t2_buf *tokens)
{
    uint8_t last;

    if (len_bytes == 0)
        return;
    last = chunk[len_bytes - 1];
    if (seen == 0) {
        put(tokens, chunk, len_bytes);
    } else if (seen == 1u << PERIOD && (last == '.' || last == ',') && len_bytes > 1 &&
               !memchr(chunk, '.', len_bytes - 1) && !memchr(chunk, ',', len_bytes - 1)) {
        put(tokens, chunk, len_bytes - 1);
        put(tokens, &last, 1);
    } else {
        by_rules(s, chunk, len_bytes, tokens);
    }
}

/* What the tokenizer replaces in a line before it cuts it; borrowed from scratch or the line. */
static struct t2_slice without_markup(struct ev_13a_scratch *s, struct t2_slice line)
{
    if (!line.len_bytes ||
        (!memchr(line.data, '&', line.len_bytes) && !memchr(line.data, '<', line.len_bytes) &&
         !memchr(line.data, '\n', line.len_bytes)))
        return line;
    t2_buf_clear(&s->line);
    t2_buf_append(&s->line, line.data, line.len_bytes);
    ev_replace(&s->line, "<skipped>", "");
    ev_replace(&s->line, "-\n", "");
    ev_replace(&s->line, "\n", " ");
    ev_replace_entities(&s->line);
    return t2_buf_slice(&s->line);
}

void ev_tokenize_13a(struct ev_13a_scratch *s, struct t2_slice line, struct t2_buf *tokens)
{
    size_t start = 0, i = 0, n = line.len_bytes;
    unsigned seen = 0; /* 1 << PERIOD, 1 << DASH: in the chunk in hand */

    tok_strip_end(line.data, &n); /* sacreBLEU does, before the tokenizer */
    line.len_bytes = n;
    line = without_markup(s, line);
    /* A byte gives at most itself and a blank. */
    (void) t2_buf_reserve(tokens, 2 * line.len_bytes + 2);
    while (i < line.len_bytes) {
        const uint8_t *p = line.data + i;
        unsigned class = class_of[*p];
        size_t n_bytes = 1;

        if (class == WORD) {
            i++;
            continue;
        }
        if (class == MAYBE_SPACE) {
            n_bytes = ev_space_bytes(p, line.len_bytes - i);
            if (n_bytes == 0) {
                i++;
                continue;
            }
        } else if (class >= PERIOD) {
            seen |= 1u << class;
            i++;
            continue;
        }
        put_chunk(s, line.data + start, i - start, seen, tokens);
        if (class == SPLIT_OFF)
            put(tokens, p, 1);
        i += n_bytes;
        start = i;
        seen = 0;
    }
    put_chunk(s, line.data + start, line.len_bytes - start, seen, tokens);
    if (tokens->data)
        tokens->data[tokens->len_bytes] = '\0';
}
