/*
 * tokenizer/hf_pretokenize.c - the pre-tokenizers of tokenizer.json.
 *
 * A pre-tokenizer calls fn for each piece, in order; pieces are slices of the text, or of scratch
 * where the text was changed (Metaspace, a blank in front).
 */
#include <string.h>

#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/unicode.h"

/* ASCII that is no letter, digit or blank, and all of P*. */
static bool is_bert_punctuation(uint32_t c)
{
    if (c < 0x80)
        return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
               (c >= 123 && c <= 126);
    return tok_hf_old_category(c, TOK_CAT_P, 800);
}

/* Blanks part words and are dropped; with punctuation, each such character is a piece. */
static void cut_at_blanks(struct t2_slice text, bool punctuation, tok_hf_piece_fn *fn, void *arg)
{
    size_t from = 0, at = 0;

    while (at < text.len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text.data + at, text.len_bytes - at, &c, &valid);
        bool blank = tok_is_white(c), mark = !blank && punctuation && is_bert_punctuation(c);

        if ((blank || mark) && at > from)
            fn(arg, text.data + from, at - from);
        if (mark)
            fn(arg, text.data + at, n);
        at += n;
        if (blank || mark)
            from = at;
    }
    if (at > from)
        fn(arg, text.data + from, at - from);
}

static void cut_at_spaces(struct t2_slice text, tok_hf_piece_fn *fn, void *arg)
{
    size_t from = 0;

    for (size_t at = 0; at <= text.len_bytes; at++) {
        if (at < text.len_bytes && text.data[at] != ' ')
            continue;
        if (at > from)
            fn(arg, text.data + from, at - from);
        from = at + 1;
    }
}

static void cut_behind(struct t2_slice end, struct t2_slice text, tok_hf_piece_fn *fn, void *arg)
{
    while (text.len_bytes > 0) {
        const uint8_t *found = memmem(text.data, text.len_bytes, end.data, end.len_bytes);
        size_t n = found ? (size_t) (found - text.data) + end.len_bytes : text.len_bytes;

        fn(arg, text.data, n);
        text.data += n;
        text.len_bytes -= n;
    }
}

/* Metaspace: blanks become the replacement, one is put in front, and pieces begin with it. */
static void cut_metaspace(const struct tok_hf_pretokenizer *p, struct t2_slice text, bool is_first,
                          struct t2_buf *scratch, tok_hf_piece_fn *fn, void *arg)
{
    const struct t2_slice mark = p->replacement;
    bool begins =
        text.len_bytes >= mark.len_bytes && memcmp(text.data, mark.data, mark.len_bytes) == 0;
    bool wanted = p->prepend == TOK_HF_ALWAYS || (p->prepend == TOK_HF_FIRST && is_first);
    size_t from = 0;

    t2_buf_clear(scratch);
    if (wanted && !begins && (text.len_bytes == 0 || text.data[0] != ' '))
        t2_buf_append(scratch, mark.data, mark.len_bytes);
    for (size_t i = 0; i < text.len_bytes; i++) {
        if (text.data[i] == ' ')
            t2_buf_append(scratch, mark.data, mark.len_bytes);
        else
            t2_buf_push(scratch, text.data[i]);
    }
    for (size_t at = 1; p->split && at + mark.len_bytes <= scratch->len_bytes; at++) {
        if (memcmp(scratch->data + at, mark.data, mark.len_bytes) != 0)
            continue;
        fn(arg, scratch->data + from, at - from);
        from = at;
    }
    if (scratch->len_bytes > from)
        fn(arg, scratch->data + from, scratch->len_bytes - from);
}

struct each_metaspace {
    const struct tok_hf_pretokenizer *p;
    struct t2_buf *scratch;
    tok_hf_piece_fn *fn;
    void *arg;
};

static void cut_word_metaspace(void *arg, const uint8_t *word, size_t len_bytes)
{
    const struct each_metaspace *x = arg;

    cut_metaspace(x->p, (struct t2_slice){word, len_bytes}, false, x->scratch, x->fn, x->arg);
}

static void cut_pattern(const struct tok_hf_pretokenizer *p, struct t2_slice text,
                        struct t2_buf *scratch, tok_hf_piece_fn *fn, void *arg)
{
    if (p->add_prefix_space && text.data[0] != ' ') {
        t2_buf_clear(scratch);
        t2_buf_push(scratch, ' ');
        t2_buf_append(scratch, text.data, text.len_bytes);
        text = t2_buf_slice(scratch);
    }
    for (size_t at = 0, n; at < text.len_bytes; at += n) {
        n = tok_piece_bytes(p->pattern, text.data + at, text.len_bytes - at);
        fn(arg, text.data + at, n);
    }
}

void tok_hf_pretokenize(const struct tok_hf_pretokenizer *p, struct t2_slice text, bool is_first,
                        struct t2_buf *scratch, tok_hf_piece_fn *fn, void *arg)
{
    if (text.len_bytes == 0)
        return;
    switch (p->cut) {
    case TOK_HF_CUT_PATTERN:
        cut_pattern(p, text, scratch, fn, arg);
        break;
    case TOK_HF_CUT_SPACE:
        cut_at_spaces(text, fn, arg);
        break;
    case TOK_HF_CUT_BEHIND:
        cut_behind(p->end, text, fn, arg);
        break;
    case TOK_HF_CUT_BERT:
        cut_at_blanks(text, true, fn, arg);
        break;
    case TOK_HF_CUT_BLANKS:
        cut_at_blanks(text, false, fn, arg);
        break;
    case TOK_HF_CUT_METASPACE:
        cut_metaspace(p, text, is_first, scratch, fn, arg);
        break;
    case TOK_HF_CUT_BLANKS_METASPACE: {
        struct each_metaspace x = {p, scratch, fn, arg};
        cut_at_blanks(text, false, cut_word_metaspace, &x);
        break;
    }
    case TOK_HF_CUT_NONE:
        fn(arg, text.data, text.len_bytes);
        break;
    }
}
