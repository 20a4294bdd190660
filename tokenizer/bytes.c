/*
 * tokenizer/bytes.c - T2T's ByteTextEncoder: a byte is an id, 2 added.
 */
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/unicode.h"

enum { BYTES_FIRST = 2, BYTES_SIZE = 258 };

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    (void) e;
    (void) cache;
    (void) err;
    tok_ids_reserve(ids, len_bytes);
    for (size_t i = 0; i < len_bytes; i++)
        ids->items[ids->n++] = text[i] + BYTES_FIRST;
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    struct t2_buf bytes;

    t2_buf_init(&bytes);
    for (size_t i = 0; i < n; i++) {
        struct t2_slice entry = tok_entry(e, ids[i]);

        t2_buf_append(&bytes, entry.data, entry.len_bytes);
    }
    tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}

static enum t2_status encode_eos(const struct tok_encoder *e, struct tok_cache *cache,
                                 const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                 struct t2_err *err)
{
    T2_TRY(encode(e, cache, text, len_bytes, ids, err));
    tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

static const struct tok_kind kind = {.name = "bytes",
                                     .keeps_ids = true,
                                     .encode = encode,
                                     .decode = decode};
static const struct tok_kind eos_kind = {.name = "bytes",
                                         .keeps_ids = true,
                                         .encode = encode_eos,
                                         .decode = decode};

static struct tok_encoder *new_of(const struct tok_kind *k)
{
    uint8_t bytes[BYTES_SIZE - BYTES_FIRST];
    struct tok_encoder *e;
    struct t2_slice entries[BYTES_SIZE] = {t2_slice_of("<pad>"), t2_slice_of("<EOS>")};

    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t) i;
        entries[BYTES_FIRST + i] = (struct t2_slice){&bytes[i], 1};
    }
    e = tok_encoder_new(k, entries, BYTES_SIZE);
    e->special.pad = TOK_PAD;
    e->special.eos = TOK_EOS;
    return e;
}

struct tok_encoder *tok_bytes_new(void)
{
    return new_of(&kind);
}

struct tok_encoder *tok_bytes_eos_new(void)
{
    return new_of(&eos_kind);
}
