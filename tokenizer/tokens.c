/*
 * tokenizer/tokens.c - T2T's TokenTextEncoder: one id for each word between blanks.
 */
#include <inttypes.h>
#include <string.h>

#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"

static const char *const unknown_words[] = {"<UNK>", "UNK", "<unk>"};

void tok_tokens_prepare(struct tok_encoder *e)
{
    e->ids = t2_map_new();
    for (int32_t i = 0; i < e->n; ++i)
        if (e->entries[i].len_bytes > 0)
            *t2_map_at(e->ids, e->entries[i].data, e->entries[i].len_bytes, NULL) = (uint64_t) i;
    for (size_t i = 0; i < sizeof(unknown_words) / sizeof(unknown_words[0]) && e->unknown < 0;
         ++i) {
        const uint64_t *id = t2_map_find(e->ids, unknown_words[i], strlen(unknown_words[i]));

        if (id != NULL)
            e->unknown = (int32_t) *id;
    }
}

/* The next word between blanks at *at; false at the end. */
static bool next_word(const uint8_t *text, size_t len_bytes, size_t *at, struct t2_slice *word)
{
    size_t start = 0, to = *at;
    bool open = false;

    while (to < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text + to, len_bytes - to, &c, &valid);
        bool space = tok_is_space(c);

        if (space && open)
            break;
        if (!space && !open) {
            open = true;
            start = to;
        }
        to += n;
    }
    *at = to;
    *word = (struct t2_slice){text + start, to - start};
    return open;
}

enum t2_status tok_tokens_encode(const struct tok_encoder *e, const uint8_t *text, size_t len_bytes,
                                 struct tok_ids *ids, struct t2_err *err)
{
    struct t2_slice word;
    size_t at = 0;

    while (next_word(text, len_bytes, &at, &word)) {
        const uint64_t *id = t2_map_find(e->ids, word.data, word.len_bytes);

        if (id == NULL && e->unknown < 0)
            return t2_fail(err, T2_EFORMAT,
                           "word '%.*s' is not in the vocabulary, which has no <UNK> entry",
                           (int) (word.len_bytes < 100 ? word.len_bytes : 100),
                           (const char *) word.data);
        tok_ids_push(ids, id != NULL ? (int32_t) *id : e->unknown);
    }
    return T2_OK;
}

void tok_tokens_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                       struct t2_buf *text)
{
    for (size_t i = 0; i < n; ++i) {
        if (i > 0)
            t2_buf_push(text, ' ');
        if (ids[i] >= 0 && ids[i] < e->n)
            t2_buf_append(text, e->entries[ids[i]].data, e->entries[ids[i]].len_bytes);
        else
            t2_buf_printf(text, "ID_%" PRId32, ids[i]);
    }
}
