/*
 * tests/unit/tokenizer/small_vocabs.h - vocabularies of a few subwords, and encoding with them.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_SMALL_VOCABS_H
#define T2_TESTS_UNIT_TOKENIZER_SMALL_VOCABS_H

#include <stdlib.h>

#include "tests/support/t.h"
#include "tokenizer/encoder.h"
#include "tokenizer/vocab_builder.h"

static inline struct tok_encoder *sv_of(const char *const *entries, size_t n)
{
    struct t2_slice *slices = calloc(n, sizeof *slices);
    struct tok_encoder *e;

    assert_non_null(slices);
    for (size_t i = 0; i < n; i++)
        slices[i] = t2_slice_of(entries[i]);
    e = tok_subwords_new(slices, n);
    free(slices);
    return e;
}

static inline size_t sv_ids(const struct tok_encoder *e, struct tok_cache *cache, const void *text,
                            size_t len_bytes, struct tok_ids *ids)
{
    struct t2_err err = T2_ERR_INIT;

    ids->n = 0;
    if (tok_encode(e, cache, text, len_bytes, ids, &err) != T2_OK)
        fail_msg("%s", err.message);
    return ids->n;
}

/* A vocabulary that knows little more than the escape characters. */
static inline struct tok_encoder *sv_small(void)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_", "the_",     "th", "e_",  "e",
                                          "\\",     "_",      "u",        ";",  "0",   "1",
                                          "2",      "3",      "4",        "5",  "6",   "7",
                                          "8",      "9",      "\xC3\xA9", "a",  "\\1", ""};

    return sv_of(entries, sizeof entries / sizeof *entries);
}

/* One that the builder made. */
static inline struct tok_encoder *sv_built(void)
{
    static const char text[] = "the cat and the hat; and the cat's \\_ hat. gr\xC3\xBC\xC3\x9F"
                               "e aus \xE6\x9D\xB1\xE4\xBA\xAC, 1234567890 a_b";
    struct tok_counts *counts = tok_counts_new();
    struct tok_build_options o = {.min_count = 2};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    tok_counts_add_text(counts, (const uint8_t *) text, sizeof text - 1);
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    tok_counts_free(counts);
    return e;
}

#endif
