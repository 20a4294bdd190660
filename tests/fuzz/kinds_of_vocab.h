/*
 * tests/fuzz/kinds_of_vocab.h - one small vocabulary of each kind, made here, for targets that
 * encode and decode.
 */
#ifndef T2_TESTS_FUZZ_KINDS_OF_VOCAB_H
#define T2_TESTS_FUZZ_KINDS_OF_VOCAB_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "tests/support/wire_bytes.h"
#include "tokenizer/encoder.h"
#include "tokenizer/unicode.h"

enum { FV_TIKTOKEN, FV_HF_BYTES, FV_SP_BYTES, FV_LOSSLESS }; /* these give any valid text back */
enum {
    FV_SP_UNIGRAM = FV_LOSSLESS,
    FV_SP_BPE,
    FV_NMT,
    FV_HF_CHARS,
    FV_HF_WORDPIECE,
    FV_HF_UNIGRAM,
    FV_HF_SUBWORDS, /* the steps of write_hf_subwords.c */
    FV_KINDS
};

static inline void fv_must(bool condition)
{
    if (!condition)
        abort();
}

static inline void fv_piece(struct t2_buf *file, const char *piece, float score, unsigned type)
{
    struct t2_buf body = {0};

    wb_bytes(&body, 1, piece, strlen(piece));
    wb_tag(&body, 2, 5);
    t2_buf_append(&body, &score, sizeof score);
    wb_number(&body, 3, type);
    wb_message(file, 1, &body);
    t2_buf_release(&body);
}

/* Normal, user-defined and unused pieces; bytes: every text comes back. */
static inline void fv_sentencepiece(struct t2_buf *file, unsigned model_type, bool bytes)
{
    static const char *const pieces[] = {"\xE2\x96\x81",
                                         "a",
                                         "b",
                                         "ab",
                                         "\xE2\x96\x81"
                                         "a",
                                         "e",
                                         "ee",
                                         "eee",
                                         "\xC3\xA9",
                                         "aba",
                                         " ",
                                         "c",
                                         "cab"};
    struct t2_buf body = {0};

    fv_piece(file, "<unk>", 0, 2);
    fv_piece(file, "<s>", 0, 3);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        fv_piece(file, pieces[i], -(float) (i * 7 % 5) / 4 - 1, !bytes && i % 6 == 5 ? 5 : 1);
    fv_piece(file, "<x>", 0, 4);
    fv_piece(file, "<x>a", 0, 4);
    for (unsigned b = 0; bytes && b < 256; b++) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", b);
        fv_piece(file, name, 0, 6);
    }
    wb_number(&body, 3, model_type);
    wb_number(&body, 35, bytes);
    wb_message(file, 2, &body);
    wb_number(&body, 3, !bytes);
    wb_number(&body, 4, !bytes);
    wb_number(&body, 5, 1);
    wb_message(file, 3, &body);
    t2_buf_release(&body);
}

static inline void fv_tiktoken(struct t2_buf *file)
{
    static const char *const more[] = {"ab",   "abc",      " a", "  ",  "'s",
                                       "\r\n", "\xC3\xA9", "aa", "aaaa"};

    for (unsigned i = 0; i < 256; i++) {
        const uint8_t byte = (uint8_t) i;

        t2_base64_encode((struct t2_slice){&byte, 1}, file);
        t2_buf_printf(file, " %u\n", i);
    }
    for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
        t2_base64_encode(t2_slice_of(more[i]), file);
        t2_buf_printf(file, " %u\n", 256 + i);
    }
}

/* GPT-2's characters for all bytes, in the order of their bytes, and a few merges. */
static inline void fv_hf_bytes(struct t2_buf *file)
{
    uint32_t hidden = 256;

    t2_buf_puts(
        file,
        "{\"added_tokens\":[],\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
        "\"use_regex\":true},\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\","
        "\"vocab\":{");
    for (unsigned b = 0; b < 256; b++) {
        bool printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;

        t2_buf_printf(file, "\"\\u%04x\":%u,", printable ? b : hidden, b);
        hidden += !printable;
    }
    t2_buf_puts(
        file, "\"ab\":256,\"\\u0120a\":257,\"aba\":258,\"\\u00c3\\u00a9\":259},\"merges\":[\"a b\","
              "\"\\u0120 a\",[\"ab\",\"a\"],\"\\u00c3 \\u00a9\"]}}");
}

static inline void fv_replace(struct t2_buf *file, const char *how, const char *from,
                              const char *to)
{
    t2_buf_printf(file, ",{\"type\":\"Replace\",\"pattern\":{\"%s\":\"%s\"},\"content\":\"%s\"}",
                  how, from, to);
}

/* Words of a and b; everything unknown is one token. */
static inline void fv_hf_subwords(struct t2_buf *file)
{
    t2_buf_puts(file, "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFC\"}");
    fv_replace(file, "Regex", "[\\\\x{e9}-\\\\x{ff}\\\\x{3042}]", "\\ufffd");
    fv_replace(file, "String", "_", "\\\\-");
    fv_replace(file, "Regex",
               "(?<=[ab])(?: (?=[ab])|(?![ab]))|(?<=[^ab])(?:\\\\z|(?<![ab] )(?=[ab]))", "_");
    fv_replace(file, "Regex", "\\\\x00", "\\\\0;");
    fv_replace(file, "Regex", "(?<=[^\\\\x00-\\\\x7f])(?=.)|(?<=.)(?=[^\\\\x00-\\\\x7f])", "\\n");
    t2_buf_puts(file, "]},\"pre_tokenizer\":{\"type\":\"Split\",\"pattern\":{\"String\":\"_\"},"
                      "\"behavior\":\"MergedWithPrevious\",\"invert\":false},\"decoder\":{\"type\":"
                      "\"Sequence\",\"decoders\":[{\"type\":\"Fuse\"}");
    fv_replace(file, "String", "\\\\0;", "\\u00e9");
    fv_replace(file, "Regex", "(?<=[ab])_(?=[ab])", " ");
    fv_replace(file, "String", "_", "");
    t2_buf_puts(file, "]},\"model\":{\"type\":\"WordPiece\",\"unk_token\":\"?\","
                      "\"continuing_subword_prefix\":\"\",\"max_input_chars_per_word\":1000,"
                      "\"vocab\":{\"?\":0,\"a\":1,\"b\":2,\"ab_\":3,\"_\":4,\"\\\\0;\":5,\" \":6,"
                      "\"\\ufffd\":7}}}");
}

static inline struct tok_encoder *fv_of(unsigned which)
{
    struct t2_buf file = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    switch (which) {
    case FV_TIKTOKEN:
        fv_tiktoken(&file);
        break;
    case FV_HF_BYTES:
        fv_hf_bytes(&file);
        break;
    case FV_SP_BYTES:
        fv_sentencepiece(&file, 1, true);
        break;
    case FV_SP_UNIGRAM:
    case FV_SP_BPE:
        fv_sentencepiece(&file, which == FV_SP_BPE ? 2 : 1, false);
        break;
    case FV_NMT:
        t2_buf_puts(&file, "#version: 0.2\na b\nab a</w>\nb a\ne \xC3\xA9</w>\nc </w>\n@ @\n");
        break;
    case FV_HF_CHARS:
        t2_buf_puts(
            &file,
            "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"NFKC\"},{\"type\":"
            "\"Lowercase\"},{\"type\":\"Strip\"},{\"type\":\"Prepend\",\"prepend\":\"\\u2581\"},{"
            "\"type\":"
            "\"Replace\",\"pattern\":{\"String\":\" "
            "\"},\"content\":\"\\u2581\"}]},\"added_tokens\":[{\"id\":9,"
            "\"content\":\"<X>\",\"normalized\":true,\"lstrip\":true,\"rstrip\":true},{\"id\":10,"
            "\"content\":"
            "\"b\",\"normalized\":false,\"single_word\":true,\"special\":true}],\"decoder\":{"
            "\"type\":"
            "\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"\\u2581\"},"
            "\"content\":"
            "\" "
            "\"},{\"type\":\"ByteFallback\"},{\"type\":\"Fuse\"},{\"type\":\"Strip\",\"content\":"
            "\" \","
            "\"start\":1,\"stop\":0}]},\"model\":{\"type\":\"BPE\",\"unk_token\":\"<unk>\",\"fuse_"
            "unk\":true,"
            "\"byte_fallback\":true,\"vocab\":{\"<unk>\":0,\"a\":1,\"b\":2,\"ab\":3,\"\\u2581\":4,"
            "\"\\u2581a\":5,"
            "\"<0xC3>\":6,\"<0xA9>\":7,\"aba\":8},\"merges\":[\"\\u2581 a\",\"a b\",\"ab a\",\"a "
            "b\"]}}");
        break;
    case FV_HF_WORDPIECE:
        t2_buf_puts(&file,
                    "{\"normalizer\":{\"type\":\"BertNormalizer\"},\"pre_tokenizer\":{\"type\":"
                    "\"BertPreTokenizer\"},\"post_processor\":{\"type\":\"BertProcessing\",\"sep\":"
                    "[\"[SEP]\",2],"
                    "\"cls\":[\"[CLS]\",1]},\"decoder\":{\"type\":\"WordPiece\"},\"added_tokens\":["
                    "{\"id\":1,"
                    "\"content\":\"[CLS]\",\"special\":true}],\"model\":{\"type\":\"WordPiece\","
                    "\"unk_token\":"
                    "\"[UNK]\",\"max_input_chars_per_word\":20,\"vocab\":{\"[UNK]\":0,\"[CLS]\":1,"
                    "\"[SEP]\":2,"
                    "\"a\":3,\"##b\":4,\"ab\":5,\"##ab\":6,\".\":7,\"'\":8,\"e\":9,\"##'\":10}}}");
        break;
    case FV_HF_SUBWORDS:
        fv_hf_subwords(&file);
        break;
    default:
        t2_buf_puts(&file,
                    "{\"normalizer\":{\"type\":\"Sequence\",\"normalizers\":[{\"type\":\"Nmt\"},{"
                    "\"type\":\"NFD\"},"
                    "{\"type\":\"StripAccents\"}]},\"pre_tokenizer\":{\"type\":\"Metaspace\","
                    "\"prepend_scheme\":"
                    "\"first\"},\"decoder\":{\"type\":\"Metaspace\"},\"added_tokens\":[{"
                    "\"content\":\"<s>\"}],"
                    "\"model\":{\"type\":\"Unigram\",\"unk_id\":0,\"vocab\":[[\"<unk>\",0],["
                    "\"\\u2581\",-1],"
                    "[\"a\",-2],[\"b\",-3.5],[\"ab\",-2],[\"\\u2581a\",-2.5],[\"aba\",-4]]}}");
    }
    if (tok_parse("small", file.data, file.len_bytes, &e, &err) != T2_OK) {
        fprintf(stderr, "vocabulary %u: %s\n", which, err.message);
        abort();
    }
    t2_buf_release(&file);
    return e;
}

/* Made once, never freed. */
static inline const struct tok_encoder *fv_get(unsigned which)
{
    static const struct tok_encoder *all[FV_KINDS];

    if (!all[which])
        all[which] = fv_of(which);
    return all[which];
}

#endif
