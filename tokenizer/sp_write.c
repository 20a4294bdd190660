/*
 * tokenizer/sp_write.c - see sp_write.h; fields of sentencepiece_model.proto by number.
 */
#include "tokenizer/sp_write.h"

#include <string.h>

#include "base/protobuf.h"

static void put_varint(struct t2_buf *out, uint64_t v)
{
    uint8_t bytes[T2_VARINT_MAX_BYTES];

    t2_buf_append(out, bytes, (size_t) (t2_put_varint(bytes, v) - bytes));
}

static void put_number(struct t2_buf *out, uint32_t field, uint64_t v)
{
    put_varint(out, T2_TAG(field, T2_WIRE_VARINT));
    put_varint(out, v);
}

/* A negative int32 is written as 64 bits. */
static void put_int(struct t2_buf *out, uint32_t field, int32_t v)
{
    put_number(out, field, (uint64_t) (int64_t) v);
}

static void put_bytes(struct t2_buf *out, uint32_t field, struct t2_slice s)
{
    put_varint(out, T2_TAG(field, T2_WIRE_BYTES));
    put_varint(out, s.len_bytes);
    t2_buf_append(out, s.data, s.len_bytes);
}

static void put_float(struct t2_buf *out, uint32_t field, float v)
{
    uint32_t bits;

    memcpy(&bits, &v, sizeof bits);
    put_varint(out, T2_TAG(field, T2_WIRE_FIXED32));
    for (int i = 0; i < 4; i++)
        t2_buf_push(out, (uint8_t) (bits >> 8 * i));
}

void tok_sp_put_piece(struct t2_buf *file, struct t2_slice piece, float score,
                      enum tok_sp_type type)
{
    struct t2_buf body = {NULL, 0, 0};

    put_bytes(&body, 1, piece);
    put_float(&body, 2, score);
    if (type != TOK_SP_NORMAL)
        put_number(&body, 3, type);
    put_bytes(file, 1, t2_buf_slice(&body));
    t2_buf_release(&body);
}

void tok_sp_put_trainer(struct t2_buf *file, const struct tok_sp_trainer *t)
{
    struct t2_buf body = {NULL, 0, 0};

    put_number(&body, 3, t->type);
    put_int(&body, 4, t->n);
    put_number(&body, 35, t->byte_fallback);
    put_int(&body, 40, t->unknown);
    put_int(&body, 41, t->bos);
    put_int(&body, 42, t->eos);
    put_int(&body, 43, t->pad);
    put_bytes(file, 2, t2_buf_slice(&body));
    t2_buf_release(&body);
}

void tok_sp_put_normalizer(struct t2_buf *file, const struct tok_sp_normal *n)
{
    struct t2_buf body = {NULL, 0, 0};

    put_bytes(&body, 1, t2_slice_of(n->map.len_bytes > 0 ? "precompiled" : "identity"));
    put_bytes(&body, 2, n->map);
    put_number(&body, 3, n->add_dummy_prefix);
    put_number(&body, 4, n->remove_extra_whitespaces);
    put_number(&body, 5, true);
    put_bytes(file, 3, t2_buf_slice(&body));
    t2_buf_release(&body);
}
