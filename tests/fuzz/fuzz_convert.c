/*
 * tests/fuzz/fuzz_convert.c - conversions of whatever is read as a vocabulary: no crash, and what
 * is called exact can be read again.
 */
#include <stdlib.h>

#include "tokenizer/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition)
        abort();
}

/* Names that JSON cannot hold here and entries of a shape that looks like another kind are refused
 * by the reader; it must say so. */
static void read_again(const struct tok_conversion *c)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (tok_parse("again", c->file.data, c->file.len_bytes, &e, &err) == T2_OK)
        tok_free(e);
    else
        must(!e && err.message[0] != 0);
}

/* T2T's subwords as tokenizer.json: 4 MB of character map, nearly the same each time.  Some will
 * do. */
static bool is_left_out(enum tok_vocab_kind from, enum tok_vocab_kind to, size_t size)
{
    return (from == TOK_VOCAB_T2T || from == TOK_VOCAB_OFFICIAL) && to == TOK_VOCAB_HF &&
           size % 8 != (size_t) from % 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (tok_parse("input", data, size, &e, &err) != T2_OK)
        return 0;
    for (int from = 0; from < TOK_N_VOCAB_KINDS; from++)
        for (int to = 0; to < TOK_N_VOCAB_KINDS; to++) {
            struct tok_conversion c = {.cased = size % 2 != 0};

            if (!tok_vocab_kind_fits(tok_vocab_kind_of(e), (enum tok_vocab_kind) from) ||
                is_left_out((enum tok_vocab_kind) from, (enum tok_vocab_kind) to, size))
                continue;
            if (tok_convert(e, (enum tok_vocab_kind) from, (enum tok_vocab_kind) to, &c, &err) ==
                T2_OK)
                read_again(&c);
            else
                must(err.message[0] != 0);
            tok_conversion_release(&c);
        }
    tok_free(e);
    return 0;
}
