/*
 * tokenizer/hf_decode.c - from ids back to text: the decoders of tokenizer.json, special tokens left out.
 */
#include <string.h>

#include "tokenizer/encoder_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/unicode.h"

/* GPT-2's bytes_to_unicode: printable Latin-1 stands for itself, the rest for U+0100 and on. */
static uint32_t char_of_byte(uint8_t byte)
{
    uint32_t n = 0;

    for (unsigned b = 0; b < 256; ++b) {
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

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i)
        replace_all(text, start, pairs[i][0], pairs[i][1]);
}

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

/* The replacement becomes a blank; the first token loses the one in front, if one was put there. */
static void decode_metaspace(const struct tok_hf_tokenizer *h, struct t2_slice token, bool is_first,
                             struct t2_buf *text)
{
    struct t2_slice mark = h->pre.replacement;

    for (size_t i = 0; i < token.len_bytes;) {
        struct t2_slice rest = {token.data + i, token.len_bytes - i};
        if (!starts_with(rest, mark)) {
            t2_buf_push(text, token.data[i++]);
            continue;
        }
        if (!(i == 0 && is_first && h->pre.prepend != TOK_HF_NEVER))
            t2_buf_push(text, ' ');
        i += mark.len_bytes;
    }
}

/* BPEDecoder: the suffix is a blank, but none after the last token. */
static void decode_suffix(const struct tok_hf_tokenizer *h, struct t2_slice token, bool is_last,
                          struct t2_buf *text)
{
    for (size_t i = 0; i < token.len_bytes;) {
        struct t2_slice rest = {token.data + i, token.len_bytes - i};
        if (!starts_with(rest, h->suffix)) {
            t2_buf_push(text, token.data[i++]);
            continue;
        }
        if (!is_last)
            t2_buf_push(text, ' ');
        i += h->suffix.len_bytes;
    }
}

static int byte_of_piece(const struct tok_hf_tokenizer *h, int32_t id)
{
    for (int b = 0; b < 256; ++b)
        if (h->model.bytes[b] == id)
            return b;
    return -1;
}

/* Llama's steps: U+2581 to blank, bytes to text, one blank in front gone. */
static void decode_steps(const struct tok_hf_tokenizer *h, int32_t id, struct t2_slice token,
                         struct t2_buf *bytes)
{
    int byte = byte_of_piece(h, id);

    if (byte >= 0)
        t2_buf_push(bytes, (uint8_t) byte);
    else
        decode_metaspace(h, token, false, bytes);
}

void tok_hf_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct t2_buf bytes = {NULL, 0, 0};
    bool is_first = true;

    for (size_t i = 0; i < n; ++i) {
        struct t2_slice token;

        if (ids[i] < 0 || ids[i] >= e->n || h->is_special[ids[i]])
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
            decode_metaspace(h, token, is_first, text);
            break;
        case TOK_HF_DECODE_STEPS:
            decode_steps(h, ids[i], token, &bytes);
            break;
        case TOK_HF_DECODE_BPE:
            decode_suffix(h, token, i + 1 == n, text);
            break;
        case TOK_HF_DECODE_PLAIN:
            if (!is_first)
                t2_buf_push(text, ' ');
            t2_buf_append(text, token.data, token.len_bytes);
            break;
        }
        is_first = false;
    }
    if (h->decoder == TOK_HF_DECODE_STEPS && bytes.len_bytes > 0 && bytes.data[0] == ' ')
        tok_utf8_replace(text, bytes.data + 1, bytes.len_bytes - 1);
    else
        tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}
