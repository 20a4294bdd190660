/*
 * tokenizer/integers.c - T2T's TextEncoder itself: integers + 2.
 */
#include <inttypes.h>

#include "tokenizer/encoder_kinds.h"
#include "tokenizer/named_encoders.h"
#include "tokenizer/python_numbers.h"
#include "tokenizer/tokens.h"

/* What is added to a number: 2, or nothing when the numbers are the ids. */
static int32_t first_id(const struct tok_encoder *e);

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    int32_t first = first_id(e);
    struct t2_slice word;
    size_t at = 0;

    (void) cache;
    while (tok_next_word(text, len_bytes, &at, &word)) {
        int64_t value;

        if (!tok_python_int(word, &value) || value > INT32_MAX - first || value < INT32_MIN)
            return t2_fail(err, T2_EFORMAT, "'%.*s' is not an integer of 32 bits",
                           (int) (word.len_bytes < 100 ? word.len_bytes : 100),
                           (const char *) word.data);
        tok_ids_push(ids, (int32_t) value + first);
    }
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    int32_t first = first_id(e);

    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            t2_buf_push(text, ' ');
        if (ids[i] == TOK_PAD || ids[i] == TOK_EOS)
            t2_buf_puts(text, ids[i] == TOK_PAD ? "<pad>" : "<EOS>");
        else
            t2_buf_printf(text, "%" PRId64, (int64_t) ids[i] - first);
    }
}

static enum t2_status pieces(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                             struct t2_buf *out, struct t2_err *err)
{
    struct tok_ids ids = {NULL, 0, 0};
    enum t2_status st = encode(e, NULL, text, len_bytes, &ids, err);

    if (st == T2_OK)
        decode(e, ids.items, ids.n, out);
    tok_ids_release(&ids);
    return st;
}

static const struct tok_kind kind = {
    .name = "integers", .keeps_ids = true, .encode = encode, .decode = decode, .pieces = pieces};

static const struct tok_kind ids_kind = {
    .name = "ids", .keeps_ids = true, .encode = encode, .decode = decode, .pieces = pieces};

static int32_t first_id(const struct tok_encoder *e)
{
    return e->kind == &ids_kind ? 0 : 2;
}

static struct tok_encoder *new_of(const struct tok_kind *k)
{
    struct tok_encoder *e = tok_encoder_new(k, NULL, 0);

    e->special.pad = TOK_PAD;
    e->special.eos = TOK_EOS;
    return e;
}

struct tok_encoder *tok_integers_new(void)
{
    return new_of(&kind);
}

struct tok_encoder *tok_raw_ids_new(void)
{
    return new_of(&ids_kind);
}
