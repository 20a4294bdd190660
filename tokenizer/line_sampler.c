/*
 * tokenizer/line_sampler.c - the originals' two budgets, which differ by one line.
 */
#include "tokenizer/line_sampler.h"

#include <string.h>

#include "tokenizer/unicode.h"

struct t2_slice tok_clean_line(struct t2_slice line, struct t2_buf *text)
{
    if (memchr(line.data, '\r', line.len_bytes)) {
        size_t from = text->len_bytes;
        for (size_t i = 0; i < line.len_bytes; i++)
            if (line.data[i] != '\r')
                t2_buf_push(text, line.data[i]);
        line = (struct t2_slice){text->data + from, text->len_bytes - from};
    }
    tok_strip(&line.data, &line.len_bytes);
    return line;
}

void tok_sampler_init(struct tok_line_sampler *s, enum tok_dialect dialect, uint64_t budget,
                      uint64_t file_bytes)
{
    *s = (struct tok_line_sampler){.dialect = dialect, .budget = budget};
    if (budget == 0)
        return;
    s->left = budget < INT64_MAX ? (int64_t) budget : INT64_MAX;
    s->n_skip = file_bytes / budget / 2;
}

static int64_t count_code_points(struct t2_slice s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s.len_bytes; i++)
        n += (s.data[i] & 0xC0) != 0x80;
    return n;
}

enum tok_line_use tok_sampler_next(struct tok_line_sampler *s, struct t2_slice line)
{
    if (s->budget == 0)
        return TOK_LINE_TAKE;
    if (s->n_skipped < s->n_skip) {
        s->n_skipped++;
        return TOK_LINE_SKIP;
    }
    /* The official Transformer takes one more line when the budget is used up exactly. */
    if (s->dialect == TOK_DIALECT_OFFICIAL ? s->left < 0 : s->left <= 0)
        return TOK_LINE_STOP;
    s->left -= count_code_points(line);
    s->n_skipped = 0;
    return TOK_LINE_TAKE;
}
