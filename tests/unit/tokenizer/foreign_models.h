/*
 * tests/unit/tokenizer/foreign_models.h - small vocabularies of other programs, made here, and
 * encoding with them.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_FOREIGN_MODELS_H
#define T2_TESTS_UNIT_TOKENIZER_FOREIGN_MODELS_H

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"
#include "tokenizer/encoder.h"

/* ---- using ---- */

static inline struct tok_encoder *fm_parse(const struct t2_buf *file)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    if (tok_parse("v", file->data, file->len_bytes, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    return e;
}

static inline struct tok_encoder *fm_parse_text(const char *text)
{
    struct t2_buf file = {0};
    struct tok_encoder *e;

    t2_buf_puts(&file, text);
    e = fm_parse(&file);
    t2_buf_release(&file);
    return e;
}

/* The file is refused with this message. */
static inline void fm_refused(const struct t2_buf *file, enum t2_status status, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    assert_int_equal(tok_parse("v", file->data, file->len_bytes, &e, &err), status);
    assert_null(e);
    assert_string_equal(err.message, message);
}

static inline void fm_refused_text(const char *text, enum t2_status status, const char *message)
{
    struct t2_buf file = {0};

    t2_buf_puts(&file, text);
    fm_refused(&file, status, message);
    t2_buf_release(&file);
}

/* Ids as "1 2 3", without a cache, with a cold and with a warm one. */
static inline void fm_ids(const struct tok_encoder *e, const void *text, size_t n, const char *want)
{
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct t2_err err = T2_ERR_INIT;

    for (int round = 0; round < 3; round++) {
        struct tok_ids ids = {0};
        struct t2_buf got = {0};

        if (tok_encode(e, round ? cache : NULL, text, n, &ids, &err) != T2_OK)
            fail_msg("%s", err.message);
        for (size_t i = 0; i < ids.n; i++)
            t2_buf_printf(&got, i ? " %d" : "%d", (int) ids.items[i]);
        assert_string_equal(t2_buf_cstr(&got), want);
        t2_buf_release(&got);
        tok_ids_release(&ids);
    }
    tok_cache_free(cache);
}

#define FM_IDS(e, literal, want) fm_ids((e), (literal), sizeof(literal) - 1, (want))

static inline void fm_text(const struct tok_encoder *e, const int32_t *ids, size_t n,
                           const char *want)
{
    struct t2_buf text = {0};

    tok_decode(e, ids, n, &text);
    assert_string_equal(t2_buf_cstr(&text), want);
    t2_buf_release(&text);
}

/* The text of some ids. */
#define FM_TEXT(e, want, ...)                                                                      \
    fm_text((e), (const int32_t[]){__VA_ARGS__}, sizeof((const int32_t[]){__VA_ARGS__}) / 4, (want))

/* decode(encode(x)) = x; a file of the encoder encodes the same. */
static inline void fm_comes_back(const struct tok_encoder *e, const void *text, size_t n)
{
    struct tok_ids ids = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf back = {0};

    assert_int_equal(tok_encode(e, NULL, text, n, &ids, &err), T2_OK);
    tok_decode(e, ids.items, ids.n, &back);
    assert_int_equal(back.len_bytes, n);
    assert_memory_equal(back.data, text, n);
    t2_buf_release(&back);
    tok_ids_release(&ids);
}

/* ---- tiktoken ---- */

static inline void fm_put_rank(struct t2_buf *file, const void *token, size_t n, unsigned rank)
{
    t2_base64_encode((struct t2_slice){token, n}, file);
    t2_buf_printf(file, " %u\n", rank);
}

/* Ranks 0 to 255 are the bytes. */
static inline void fm_put_bytes(struct t2_buf *file)
{
    for (unsigned i = 0; i < 256; i++)
        fm_put_rank(file, (const uint8_t[]){(uint8_t) i}, 1, i);
}

/* ---- SentencePiece ---- */

enum { FM_NORMAL = 1, FM_UNKNOWN, FM_CONTROL, FM_USER, FM_UNUSED, FM_BYTE };
enum { FM_UNIGRAM = 1, FM_BPE };

static inline void fm_put_piece(struct t2_buf *file, const char *piece, float score, int type)
{
    struct t2_buf body = {0};

    wb_bytes(&body, 1, piece, strlen(piece));
    wb_tag(&body, 2, 5);
    t2_buf_append(&body, &score, sizeof score);
    if (type != FM_NORMAL)
        wb_number(&body, 3, (uint64_t) type);
    wb_message(file, 1, &body);
    t2_buf_release(&body);
}

/* <unk>, <s>, </s>. */
static inline void fm_put_specials(struct t2_buf *file)
{
    fm_put_piece(file, "<unk>", 0, FM_UNKNOWN);
    fm_put_piece(file, "<s>", 0, FM_CONTROL);
    fm_put_piece(file, "</s>", 0, FM_CONTROL);
}

static inline void fm_put_byte_pieces(struct t2_buf *file)
{
    for (unsigned b = 0; b < 256; b++) {
        char name[8];

        snprintf(name, sizeof name, "<0x%02X>", b);
        fm_put_piece(file, name, 0, FM_BYTE);
    }
}

/* TrainerSpec: model_type and, when set, one flag or number more. */
static inline void fm_put_trainer(struct t2_buf *file, int model_type, uint32_t field,
                                  uint64_t value)
{
    struct t2_buf body = {0};

    wb_number(&body, 3, (uint64_t) model_type);
    if (field > 0)
        wb_number(&body, field, value);
    wb_message(file, 2, &body);
    t2_buf_release(&body);
}

/* NormalizerSpec: the character map and the flags of fields 3, 4 and 5. */
static inline void fm_put_normalizer(struct t2_buf *file, const struct t2_buf *map, bool prefix,
                                     bool squeeze, bool escape)
{
    struct t2_buf body = {0};

    if (map)
        wb_bytes(&body, 2, map->data, map->len_bytes);
    wb_number(&body, 3, prefix);
    wb_number(&body, 4, squeeze);
    wb_number(&body, 5, escape);
    wb_message(file, 3, &body);
    t2_buf_release(&body);
}

#endif
