/*
 * tokenizer/hf_decode.c - from ids back to text: the decoders of tokenizer.json, special tokens
 * left out.
 */
#include <string.h>

#include "tokenizer/encoder_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/unicode.h"

/* GPT-2's bytes_to_unicode: printable Latin-1 stands for itself, the rest for U+0100 and on. */
static uint32_t char_of_byte(uint8_t byte)
{
    uint32_t n = 0;

    for (unsigned b = 0; b < 256; b++) {
        bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
        if (b == byte)
            return printable ? b : 256 + n;
        n += !printable;
    }
    return 0;
}

size_t tok_hf_byte_char(uint8_t byte, uint8_t out[4])
{
    return tok_utf8_encode(char_of_byte(byte), out);
}

/* The byte of a character, or -1. */
static int byte_of_char(uint32_t c)
{
    static const uint8_t hidden[] = {127, 160, 173}; /* between the printable ranges */

    if (c < 256)
        return (c >= 33 && c <= 126) || (c >= 161 && c <= 172) || c >= 174 ? (int) c : -1;
    c -= 256;
    if (c <= 32)
        return (int) c;
    c -= 33; /* 127 to 160, then 173 */
    if (c <= 160 - 127)
        return (int) (hidden[0] + c);
    return c == 160 - 127 + 1 ? hidden[2] : -1;
}

bool tok_hf_bytes_of(struct t2_slice token, struct t2_buf *bytes)
{
    size_t from = bytes->len_bytes;

    for (size_t at = 0; at < token.len_bytes;) {
        uint32_t c;
        bool valid;
        int byte;

        at += tok_utf8_decode(token.data + at, token.len_bytes - at, &c, &valid);
        byte = byte_of_char(c);
        if (byte < 0) {
            bytes->len_bytes = from;
            return false;
        }
        t2_buf_push(bytes, (uint8_t) byte);
    }
    return true;
}

static void put_byte_level(struct t2_slice token, struct t2_buf *bytes)
{
    if (!tok_hf_bytes_of(token, bytes)) /* an added token: as it stands */
        t2_buf_append(bytes, token.data, token.len_bytes);
}

static bool starts_with(struct t2_slice s, struct t2_slice prefix)
{
    return s.len_bytes >= prefix.len_bytes && prefix.len_bytes > 0 &&
           memcmp(s.data, prefix.data, prefix.len_bytes) == 0;
}

/* Replaces all of `from` by `to` in text[start ..]; to is no longer than from. */
static void replace_all(struct t2_buf *text, size_t start, const char *from, const char *to)
{
    size_t n_from = strlen(from), n_to = strlen(to), out = start, at = start;

    while (at < text->len_bytes) {
        if (text->len_bytes - at >= n_from && memcmp(text->data + at, from, n_from) == 0) {
            memcpy(text->data + out, to, n_to);
            out += n_to;
            at += n_from;
        } else {
            text->data[out++] = text->data[at++];
        }
    }
    if (out < text->len_bytes)
        text->data[text->len_bytes = out] = 0;
}

/* wordpiece::cleanup, which looks at each token alone. */
static void clean_up(struct t2_buf *text, size_t start)
{
    static const char *const pairs[][2] = {
        {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
        {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
        {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        replace_all(text, start, pairs[i][0], pairs[i][1]);
}

/*
 * A token with the prefix continues the word before it; any other begins one. The clean-up runs
 * over each token with its blank, as in the original, so it never joins two tokens.
 */
static void decode_wordpiece(const struct tok_hf_tokenizer *h, struct t2_slice token, bool is_first,
                             struct t2_buf *text)
{
    size_t start = text->len_bytes;

    if (!is_first && starts_with(token, h->prefix)) {
        token.data += h->prefix.len_bytes;
        token.len_bytes -= h->prefix.len_bytes;
    } else if (!is_first) {
        t2_buf_push(text, ' ');
    }
    t2_buf_append(text, token.data, token.len_bytes);
    if (h->cleanup)
        clean_up(text, start);
}

/* The mark becomes a blank, or nothing. */
static void put_unmarked(struct t2_slice mark, struct t2_slice token, bool drop,
                         struct t2_buf *text)
{
    for (size_t i = 0; i < token.len_bytes;) {
        struct t2_slice rest = {token.data + i, token.len_bytes - i};

        if (!starts_with(rest, mark)) {
            t2_buf_push(text, token.data[i++]);
            continue;
        }
        if (!drop)
            t2_buf_push(text, ' ');
        i += mark.len_bytes;
    }
}

static int byte_of_piece(const struct tok_hf_tokenizer *h, int32_t id)
{
    for (int b = 0; b < 256; b++)
        if (h->model.bytes[b] == id)
            return b;
    return -1;
}

/* ByteFallback: neighbouring bytes are text when all of them together are, else each is U+FFFD. */
static void put_run(struct t2_buf *run, struct t2_buf *text)
{
    struct t2_buf clean = {NULL, 0, 0};

    tok_utf8_replace(&clean, run->data, run->len_bytes);
    if (t2_slice_eq(t2_buf_slice(&clean), t2_buf_slice(run)))
        t2_buf_append(text, run->data, run->len_bytes);
    else
        for (size_t i = 0; i < run->len_bytes; i++)
            t2_buf_puts(text, "\xEF\xBF\xBD");
    t2_buf_release(&clean);
    t2_buf_clear(run);
}

/* Special tokens, and ids that are none. */
static bool is_left_out(const struct tok_encoder *e, int32_t id)
{
    const struct tok_hf_tokenizer *h = e->model;

    return id < 0 || id >= e->n || h->is_special[id];
}

/* Llama's and Gemma's steps. */
static void decode_steps(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct t2_buf run = {NULL, 0, 0}, all = {NULL, 0, 0};
    size_t skip;

    for (size_t i = 0; i < n; i++) {
        int byte;

        if (is_left_out(e, ids[i]))
            continue;
        byte = byte_of_piece(h, ids[i]);
        if (byte >= 0) {
            t2_buf_push(&run, (uint8_t) byte);
            continue;
        }
        put_run(&run, &all);
        put_unmarked(h->mark, e->entries[ids[i]], false, &all);
    }
    put_run(&run, &all);
    skip = h->strip_blank && all.len_bytes > 0 && all.data[0] == ' ';
    if (all.len_bytes > skip)
        t2_buf_append(text, all.data + skip, all.len_bytes - skip);
    t2_buf_release(&run);
    t2_buf_release(&all);
}

/* The writer of T2T's subwords (write_hf_subwords.c) has such a decoder. */
static void decode_fused(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct t2_buf all = {NULL, 0, 0}, scratch = {NULL, 0, 0};
    bool fits = true;

    for (size_t i = 0; i < n; i++)
        if (!is_left_out(e, ids[i]))
            t2_buf_append(&all, e->entries[ids[i]].data, e->entries[ids[i]].len_bytes);
    for (size_t i = 0; fits && i < h->n_replaces; i++)
        fits = tok_hf_replace_all(&h->replaces[i], &all, &scratch);
    t2_buf_append(text, all.data, all.len_bytes);
    t2_buf_release(&all);
    t2_buf_release(&scratch);
}

void tok_hf_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct t2_buf bytes = {NULL, 0, 0};
    bool is_first = true;

    if (h->decoder == TOK_HF_DECODE_STEPS) {
        decode_steps(e, ids, n, text);
        return;
    }
    if (h->decoder == TOK_HF_DECODE_FUSED) {
        decode_fused(e, ids, n, text);
        return;
    }
    while (n > 0 && is_left_out(e, ids[n - 1]))
        n--;
    for (size_t i = 0; i < n; i++) {
        struct t2_slice token;

        if (is_left_out(e, ids[i]))
            continue;
        token = e->entries[ids[i]];
        switch (h->decoder) {
        case TOK_HF_DECODE_BYTE_LEVEL:
            put_byte_level(token, &bytes);
            break;
        case TOK_HF_DECODE_WORDPIECE:
            decode_wordpiece(h, token, is_first, text);
            break;
        case TOK_HF_DECODE_METASPACE:
            put_unmarked(h->mark, token, is_first && h->drop_first_marks, text);
            break;
        case TOK_HF_DECODE_STEPS: /* above */
        case TOK_HF_DECODE_FUSED:
            break;
        case TOK_HF_DECODE_BPE:
            put_unmarked(h->suffix, token, i + 1 == n, text); /* no blank after the last */
            break;
        case TOK_HF_DECODE_PLAIN:
            if (!is_first)
                t2_buf_push(text, ' ');
            t2_buf_append(text, token.data, token.len_bytes);
            break;
        }
        is_first = false;
    }
    tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}
