#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/encoder.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocab_builder.h"

static struct tok_encoder *of(const char *const *entries, size_t n)
{
    struct t2_slice *slices = calloc(n, sizeof(*slices));
    struct tok_encoder *e;

    assert_non_null(slices);
    for (size_t i = 0; i < n; ++i)
        slices[i] = t2_slice_of(entries[i]);
    e = tok_subwords_new(slices, n);
    free(slices);
    return e;
}

static size_t row_of(const struct tok_encoder *e, struct tok_cache *cache, const void *text,
                     size_t len_bytes, struct tok_ids *ids)
{
    struct t2_err err = T2_ERR_INIT;

    ids->n = 0;
    if (tok_encode(e, cache, text, len_bytes, ids, &err) != T2_OK)
        fail_msg("%s", err.message);
    return ids->n;
}

/* A vocabulary that knows little more than the escape characters. */
static struct tok_encoder *small(void)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_", "the_",     "th", "e_",  "e",
                                          "\\",     "_",      "u",        ";",  "0",   "1",
                                          "2",      "3",      "4",        "5",  "6",   "7",
                                          "8",      "9",      "\xC3\xA9", "a",  "\\1", ""};

    return of(entries, sizeof(entries) / sizeof(entries[0]));
}

static void assert_ids(const struct tok_encoder *e, const char *text, const char *want)
{
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct t2_buf row = {0};
    struct tok_ids ids = {0};

    for (int round = 0; round < 3; ++round) { /* without, into and out of a cache */
        row_of(e, round > 0 ? cache : NULL, text, strlen(text), &ids);
        t2_buf_clear(&row);
        for (size_t i = 0; i < ids.n; ++i)
            t2_buf_printf(&row, "%s%" PRId32, i > 0 ? " " : "", ids.items[i]);
        assert_string_equal(t2_buf_cstr(&row), want);
        t2_buf_clear(&row);
        tok_decode(e, ids.items, ids.n, &row);
        assert_string_equal(t2_buf_cstr(&row), text);
    }
    tok_ids_release(&ids);
    t2_buf_release(&row);
    tok_cache_free(cache);
}

static void test_encode(void **state)
{
    struct tok_encoder *e = small();

    (void) state;
    assert_int_equal(tok_size(e), 24);
    assert_string_equal(tok_kind(e), "subwords");
    assert_ids(e, "", "");
    assert_ids(e, "the the", "2 2");
    assert_ids(e, "thee", "3 5 4");
    assert_ids(e, "e\xC3\xA9", "5 20 7");
    assert_ids(e, "_", "6 8 7");
    assert_ids(e, "a\nb", "21 7 22 10 9 7 6 19 18 9 7");
    tok_free(e);
}

static void test_decode(void **state)
{
    static const int32_t odd[] = {2, -1, 1, 24, 3, 23, 1 << 30};
    struct tok_encoder *e = small();
    struct t2_buf text = {0};

    (void) state;
    tok_decode(e, odd, 7, &text);
    assert_string_equal(t2_buf_cstr(&text), "the<EOS>th");
    tok_decode(e, NULL, 0, &text); /* appends */
    assert_string_equal(t2_buf_cstr(&text), "the<EOS>th");
    t2_buf_release(&text);
    tok_free(e);
}

static void test_incomplete_vocabulary(void **state)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_", "a", "_", "\\"};
    struct tok_encoder *e = of(entries, 5);
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0};

    (void) state;
    for (int round = 0; round < 2; ++round) {
        struct t2_err err = T2_ERR_INIT;

        tok_ids_push(&ids, 3);
        assert_int_equal(tok_encode(e, round ? cache : NULL, (const uint8_t *) "a b", 3, &ids,
                                    &err),
                         T2_EFORMAT);
        assert_string_equal(err.message, "word 'b' cannot be cut: no entry of the vocabulary "
                                         "begins with U+0039 there");
        assert_int_equal(ids.n, 1);
        ids.n = 0;
    }
    tok_ids_release(&ids);
    tok_cache_free(cache);
    tok_free(e);
}

/* ---- any text comes back -------------------------------------------------------------------- */

static struct tok_encoder *built(void)
{
    static const char text[] = "the cat and the hat; and the cat's \\_ hat. gr\xC3\xBC\xC3\x9F"
                               "e aus \xE6\x9D\xB1\xE4\xBA\xAC, 1234567890 a_b";
    struct tok_counts *counts = tok_counts_new();
    struct tok_build_options o = {.min_count = 2};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    tok_counts_add_text(counts, (const uint8_t *) text, sizeof(text) - 1);
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    tok_counts_free(counts);
    return e;
}

static size_t random_text(uint64_t seed, uint8_t *text, size_t n_chars)
{
    static const char likely[] = "the cat and a hat, _ \\ ;u0123456789 .  ";
    size_t n = 0;

    for (size_t i = 0; i < n_chars; ++i) {
        uint64_t h = t_hash64(seed * 4099 + i);

        n += tok_utf8_encode(h % 4 ? (uint8_t) likely[(h >> 8) % (sizeof(likely) - 1)]
                                   : (uint32_t) (h >> 16) % TOK_CODE_POINTS,
                             text + n);
    }
    return n;
}

static void test_round_trip(void **state)
{
    struct tok_encoder *e = built();
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0}, again = {0};
    struct t2_buf back = {0};
    uint8_t text[800];

    (void) state;
    for (uint64_t seed = 0; seed < 20000; ++seed) {
        size_t n = random_text(seed, text, seed % 60);

        row_of(e, NULL, text, n, &ids);
        row_of(e, cache, text, n, &again);
        assert_int_equal(ids.n, again.n);
        if (ids.n > 0)
            assert_memory_equal(ids.items, again.items, ids.n * sizeof(*ids.items));
        t2_buf_clear(&back);
        tok_decode(e, ids.items, ids.n, &back);
        assert_int_equal(back.len_bytes, n);
        if (n > 0)
            assert_memory_equal(back.data, text, n);
    }
    t2_buf_release(&back);
    tok_ids_release(&ids);
    tok_ids_release(&again);
    tok_cache_free(cache);
    tok_free(e);
}

/* Words of every length around the limits of a slot, in a cache that is emptied again and again. */
static void test_full_cache(void **state)
{
    struct tok_encoder *e = built();
    struct tok_cache *cache = tok_cache_new(e, 1);
    struct tok_ids ids = {0}, again = {0};

    (void) state;
    for (uint64_t i = 0; i < 120000; ++i) {
        uint8_t word[64];
        size_t n = 1 + t_hash64(i % 1000) % 60;

        for (size_t k = 0; k < n; ++k)
            word[k] = (uint8_t) ("theandcq"[t_hash64((i % 7 ? i : i % 1000) * 64 + k) % 8]);
        row_of(e, cache, word, n, &again);
        if (i % 5 == 0) {
            row_of(e, NULL, word, n, &ids);
            assert_int_equal(ids.n, again.n);
            assert_memory_equal(ids.items, again.items, ids.n * sizeof(*ids.items));
        }
    }
    tok_ids_release(&ids);
    tok_ids_release(&again);
    tok_cache_free(cache);
    tok_cache_free(NULL);
    tok_free(e);
}

static void test_long_word(void **state)
{
    enum { LONG = 100000 };
    struct tok_encoder *e = built();
    struct tok_cache *cache = tok_cache_new(e, 1 << 20);
    uint8_t *word = malloc(LONG);
    struct tok_ids ids = {0}, again = {0};
    struct t2_buf back = {0};

    (void) state;
    assert_non_null(word);
    for (int i = 0; i < LONG; ++i)
        word[i] = (uint8_t) ("theandcq"[t_hash64((uint64_t) i) % 8]);
    row_of(e, NULL, word, LONG, &ids);
    row_of(e, cache, word, LONG, &again);
    row_of(e, cache, word, LONG, &again);
    assert_int_equal(ids.n, again.n);
    assert_memory_equal(ids.items, again.items, ids.n * sizeof(*ids.items));
    tok_decode(e, ids.items, ids.n, &back);
    assert_int_equal(back.len_bytes, LONG);
    assert_memory_equal(back.data, word, LONG);
    t2_buf_release(&back);
    free(word);
    tok_ids_release(&ids);
    tok_ids_release(&again);
    tok_cache_free(cache);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_encode), cmocka_unit_test(test_decode),
       cmocka_unit_test(test_incomplete_vocabulary), cmocka_unit_test(test_round_trip),
       cmocka_unit_test(test_full_cache), cmocka_unit_test(test_long_word))
