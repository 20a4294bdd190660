/*
 * bench/bench_encoders.c - T2T's small encoders: how fast; with "serve", answers for
 * check_encoders.py.
 *
 * A request is a line: "encode" or "decode", the encoder as for tok_open, options
 * ("oov=HEX", "oov"), the text in hexadecimal or the ids; tabs between.  The answer is a
 * line: ids, the text in hexadecimal, or "error".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/str.h"
#include "base/text.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/tokens.h"

static void unhex(const char *hex, struct t2_buf *out)
{
    for (; hex[0] && hex[1]; hex += 2) {
        char two[3] = {hex[0], hex[1], 0};
        t2_buf_push(out, (uint8_t) strtoul(two, NULL, 16));
    }
}

static void put_hex(struct t2_slice s, struct t2_buf *out)
{
    for (size_t i = 0; i < s.len_bytes; i++)
        t2_buf_printf(out, "%02x", s.data[i]);
}

static enum t2_status set_options(const char *options, struct tok_encoder *e, struct t2_err *err)
{
    struct t2_strs words = {NULL, 0, 0};
    struct t2_buf oov = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    t2_strs_split(&words, options, ',');
    for (size_t i = 0; i < words.n && st == T2_OK; i++) {
        if (strcmp(words.items[i], "oov") == 0) {
            st = tok_tokens_replace(e, NULL, err);
        } else if (t2_starts_with(words.items[i], "oov=")) {
            unhex(words.items[i] + 4, &oov);
            st = tok_tokens_replace(e, t2_buf_cstr(&oov), err);
        }
    }
    t2_buf_release(&oov);
    t2_strs_release(&words);
    return st;
}

static enum t2_status answer_ids(const struct tok_encoder *e, bool encode, const char *payload,
                                 struct t2_buf *out, struct t2_err *err)
{
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_buf text = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    if (encode) {
        unhex(payload, &text);
        st = tok_encode(e, NULL, text.data, text.len_bytes, &ids, err);
        for (size_t i = 0; st == T2_OK && i < ids.n; i++)
            t2_buf_printf(out, "%s%" PRId32, i ? " " : "", ids.items[i]);
    } else {
        char *end = NULL;
        for (const char *at = payload; *at; at = end)
            tok_ids_push(&ids, (int32_t) strtol(at, &end, 10));
        tok_decode(e, ids.items, ids.n, &text);
        put_hex(t2_buf_slice(&text), out);
    }
    t2_buf_release(&text);
    tok_ids_release(&ids);
    return st;
}

static enum t2_status answer(char *line, struct t2_buf *out, struct t2_err *err)
{
    struct t2_strs parts = {NULL, 0, 0};
    struct tok_encoder *e = NULL;
    enum t2_status st;

    t2_strs_split(&parts, line, '\t');
    if (parts.n != 4)
        st = t2_fail(err, T2_EUSAGE, "not a request");
    else
        st = tok_open(parts.items[1], &e, err);
    if (st == T2_OK && e)
        st = set_options(parts.items[2], e, err);
    if (st == T2_OK && e)
        st = answer_ids(e, strcmp(parts.items[0], "encode") == 0, parts.items[3], out, err);
    tok_free(e);
    t2_strs_release(&parts);
    return st;
}

static int serve(void)
{
    struct t2_in *in;
    struct t2_slice line;
    struct t2_err err = T2_ERR_INIT;

    if (t2_in_new("-", &in, &err) != T2_OK)
        return 1;
    while (t2_in_line(in, &line, &err) == T2_OK) {
        char *text = t2_strndup((const char *) line.data, line.len_bytes);
        struct t2_buf out = {NULL, 0, 0};
        struct t2_err why = T2_ERR_INIT;

        if (answer(text, &out, &why) != T2_OK)
            printf("error\n"); /* a message may hold line feeds of the text */
        else
            printf("%s\n", t2_buf_cstr(&out));
        t2_buf_release(&out);
        t2_free(text);
    }
    t2_in_free(in);
    return 0;
}

static void measure(const char *word, const char *piece)
{
    enum { BYTES = 4 << 20 };
    struct tok_encoder *e = NULL;
    struct tok_ids ids = {NULL, 0, 0};
    struct t2_buf text = {NULL, 0, 0}, back = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    double start, encoded;

    while (text.len_bytes < BYTES)
        t2_buf_puts(&text, piece);
    if (tok_open(word, &e, &err) != T2_OK)
        return;
    start = t2_now_s();
    if (tok_encode(e, NULL, text.data, text.len_bytes, &ids, &err) != T2_OK)
        printf("%s\n", err.message);
    encoded = t2_now_s();
    tok_decode(e, ids.items, ids.n, &back);
    printf("%-12s encode %7.1f MB/s, decode %7.1f MB/s\n", word, BYTES / 1e6 / (encoded - start),
           BYTES / 1e6 / (t2_now_s() - encoded));
    tok_free(e);
    t2_buf_release(&text);
    t2_buf_release(&back);
    tok_ids_release(&ids);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return serve();
    measure("bytes", "a text of bytes. ");
    measure("integers", "1 23 456 7890 -5 ");
    measure("dna:1", "ACGTTGCANN");
    measure("dna:4", "ACGTTGCANN");
    return 0;
}
