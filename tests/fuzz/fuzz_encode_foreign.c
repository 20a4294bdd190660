/*
 * tests/fuzz/fuzz_encode_foreign.c - text with the vocabularies of other programs: the same ids
 * with a cache and without, all of them ids; what promises to gives every valid text back.
 *
 * The first byte of the input chooses the kind, and whether there is a cache.
 */
#include "tests/fuzz/kinds_of_vocab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Surrogates are no text for other programs; U+2581 is SentencePiece's blank. */
static bool comes_back(unsigned which, const uint8_t *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint32_t c;
        bool valid;

        at += tok_utf8_decode(text + at, n - at, &c, &valid);
        if (!valid || (c >= 0xD800 && c < 0xE000) || (which == FV_SP_BYTES && c == 0x2581))
            return false;
    }
    return which < FV_LOSSLESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_ids ids = {0}, again = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf back = {0}, pieces = {0};
    const struct tok_encoder *e;
    struct tok_cache *cache;
    unsigned which;
    bool with_cache;

    if (size < 1)
        return 0;
    which = (*data & 127) % FV_KINDS;
    with_cache = *data > 127;
    data++;
    size--;
    e = fv_get(which);
    cache = with_cache ? tok_cache_new(e, 0) : NULL;
    fv_must(tok_encode(e, NULL, data, size, &ids, &err) == T2_OK);
    for (int round = 0; round < 2; round++) {
        again.n = 0;
        fv_must(tok_encode(e, cache, data, size, &again, &err) == T2_OK);
        fv_must(ids.n == again.n &&
                (ids.n == 0 || memcmp(ids.items, again.items, ids.n * sizeof(int32_t)) == 0));
    }
    for (size_t i = 0; i < ids.n; i++)
        fv_must(ids.items[i] >= 0 && ids.items[i] < tok_size(e));
    tok_decode(e, ids.items, ids.n, &back);
    fv_must(tok_utf8_invalid_at(back.data, back.len_bytes) == back.len_bytes);
    if (comes_back(which, data, size))
        fv_must(back.len_bytes == size && (size == 0 || memcmp(back.data, data, size) == 0));
    fv_must(tok_pieces(e, cache, data, size, &pieces, &err) == T2_OK);
    tok_cache_free(cache);
    tok_ids_release(&ids);
    tok_ids_release(&again);
    t2_buf_release(&back);
    t2_buf_release(&pieces);
    return 0;
}
