#include <inttypes.h>
#include <string.h>

#include "tests/unit/tokenizer/small_vocabs.h"
#include "tokenizer/unicode.h"

static void assert_ids(const struct tok_encoder *e, const char *text, const char *want)
{
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct t2_buf row = {0};
    struct tok_ids ids = {0};

    for (int round = 0; round < 3; round++) { /* without, into and out of a cache */
        sv_ids(e, round > 0 ? cache : NULL, text, strlen(text), &ids);
        t2_buf_clear(&row);
        for (size_t i = 0; i < ids.n; i++)
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
    struct tok_encoder *e = sv_small();

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

static void test_incomplete_vocabulary(void **state)
{
    static const char *const entries[] = {"<pad>_", "<EOS>_", "a", "_", "\\"};
    struct tok_encoder *e = sv_of(entries, 5);
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0};

    (void) state;
    for (int round = 0; round < 2; round++) {
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

/* ---- any text comes back ---- */

static size_t random_text(uint64_t seed, uint8_t *text, size_t n_chars)
{
    static const char likely[] = "the cat and a hat, _ \\ ;u0123456789 .  ";
    size_t n = 0;

    for (size_t i = 0; i < n_chars; i++) {
        uint64_t h = t_hash64(seed * 4099 + i);

        n += tok_utf8_encode(h % 4 ? (uint8_t) likely[(h >> 8) % (sizeof likely - 1)]
                                   : (uint32_t) (h >> 16) % TOK_CODE_POINTS,
                             text + n);
    }
    return n;
}

static void test_round_trip(void **state)
{
    struct tok_encoder *e = sv_built();
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0}, again = {0};
    struct t2_buf back = {0};
    uint8_t text[800];

    (void) state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        size_t n = random_text(seed, text, seed % 60);

        sv_ids(e, NULL, text, n, &ids);
        sv_ids(e, cache, text, n, &again);
        assert_int_equal(ids.n, again.n);
        if (ids.n > 0)
            assert_memory_equal(ids.items, again.items, ids.n * sizeof *ids.items);
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

T_MAIN(cmocka_unit_test(test_encode), cmocka_unit_test(test_incomplete_vocabulary),
       cmocka_unit_test(test_round_trip))
