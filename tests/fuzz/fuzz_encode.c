/*
 * tests/fuzz/fuzz_encode.c - text and ids: decode(encode(x)) = x for any valid text, with any
 * vocabulary that the builder makes, with a cache and without; any ids decode.
 *
 * The first byte of the input chooses how the vocabulary is built, the first half of the rest is
 * what it is built from, at most 300 bytes: the search for the longest entry takes as many steps
 * for each byte of text as the entries have bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "tokenizer/encoder.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocab_builder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 300 };

static void must(bool condition)
{
    if (!condition)
        abort();
}

static void check_text(const struct tok_encoder *e, struct tok_cache *cache, const uint8_t *text,
                       size_t n)
{
    struct tok_ids ids = {0}, again = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf back = {0};

    must(tok_encode(e, NULL, text, n, &ids, &err) == T2_OK);
    for (int round = 0; round < 2; round++) {
        again.n = 0;
        must(tok_encode(e, cache, text, n, &again, &err) == T2_OK);
        must(ids.n == again.n &&
             (ids.n == 0 || memcmp(ids.items, again.items, ids.n * sizeof(int32_t)) == 0));
    }
    tok_decode(e, ids.items, ids.n, &back);
    if (tok_utf8_invalid_at(text, n) == n)
        must(back.len_bytes == n && (n == 0 || memcmp(back.data, text, n) == 0));
    tok_ids_release(&ids);
    tok_ids_release(&again);
    t2_buf_release(&back);
}

/* A text of many lines gives what its lines give. */
static void check_lines(const struct tok_encoder *e, struct tok_cache *cache, const uint8_t *text,
                        size_t n)
{
    struct tok_ids all = {0}, ids = {0};
    struct tok_ends ends = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t line = 0;

    must(tok_encode_lines(e, cache, text, n, &all, &ends, &err) == T2_OK);
    for (size_t at = 0; at < n; line++) {
        const uint8_t *feed = memchr(text + at, '\n', n - at);
        size_t to = feed ? (size_t) (feed - text) : n;

        must(tok_encode(e, NULL, text + at, to - at, &ids, &err) == T2_OK);
        must(line < ends.n && ends.items[line] == ids.n);
        at = to + 1;
    }
    must(line == ends.n && ids.n == all.n);
    must(ids.n == 0 || memcmp(ids.items, all.items, ids.n * sizeof(int32_t)) == 0);
    tok_ids_release(&ids);
    tok_ids_release(&all);
    tok_ends_release(&ends);
}

static void check_ids(const struct tok_encoder *e, const uint8_t *data, size_t size)
{
    struct tok_ids ids = {0};
    struct t2_buf text = {0};

    for (size_t i = 0; i < size; i++)
        tok_ids_push(&ids, (int32_t) data[i] * 3 - 5);
    tok_decode(e, ids.items, ids.n, &text);
    tok_ids_release(&ids);
    t2_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tok_counts *counts;
    struct tok_build_options o = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;
    struct tok_cache *cache;
    size_t half;

    if (size < 2)
        return 0;
    o.min_count = data[0] & 7;
    o.target_size = data[0] & 8 ? 40 : 0;
    o.max_subtoken_length = data[0] >> 4;
    data++;
    half = --size / 2;
    half = half < MOST_BYTES ? half : MOST_BYTES;
    counts = tok_counts_new();
    tok_counts_add_text(counts, data, half);
    if (tok_build(counts, &o, &e, &err) == T2_OK) {
        cache = tok_cache_new(e, 0);
        check_text(e, cache, data, half);
        check_text(e, cache, data, size);
        check_lines(e, cache, data, size);
        check_text(e, cache, data + half, size - half);
        check_ids(e, data, size);
        tok_cache_free(cache);
        tok_free(e);
    } else {
        must(tok_counts_distinct(counts) == 0);
    }
    tok_counts_free(counts);
    return 0;
}
