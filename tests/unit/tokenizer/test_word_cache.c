#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tokenizer/small_vocabs.h"
#include "tokenizer/word_cache.h"

/* Words of every length around the limits of a slot, in a cache that is emptied again and again. */
static void test_full_cache(void **state)
{
    struct tok_encoder *e = sv_built();
    struct tok_cache *cache = tok_cache_new(e, 1);
    struct tok_ids ids = {0}, again = {0};

    (void) state;
    for (uint64_t i = 0; i < 120000; i++) {
        uint8_t word[64];
        size_t n = 1 + t_hash64(i % 1000) % 60;

        for (size_t k = 0; k < n; k++)
            word[k] = (uint8_t) ("theandcq"[t_hash64((i % 7 ? i : i % 1000) * 64 + k) % 8]);
        sv_ids(e, cache, word, n, &again);
        if (i % 5 == 0) {
            sv_ids(e, NULL, word, n, &ids);
            assert_int_equal(ids.n, again.n);
            assert_memory_equal(ids.items, again.items, ids.n * sizeof *ids.items);
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
    struct tok_encoder *e = sv_built();
    struct tok_cache *cache = tok_cache_new(e, 1 << 20);
    uint8_t *word = malloc(LONG);
    struct tok_ids ids = {0}, again = {0};
    struct t2_buf back = {0};

    (void) state;
    assert_non_null(word);
    for (int i = 0; i < LONG; i++)
        word[i] = (uint8_t) ("theandcq"[t_hash64((uint64_t) i) % 8]);
    sv_ids(e, NULL, word, LONG, &ids);
    sv_ids(e, cache, word, LONG, &again);
    sv_ids(e, cache, word, LONG, &again);
    assert_int_equal(ids.n, again.n);
    assert_memory_equal(ids.items, again.items, ids.n * sizeof *ids.items);
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

/* Words change places in the table when they are found late: none may be lost or be there twice. */
static void test_each_word_once(void **state)
{
    enum { WORDS = 3000 };
    struct tok_encoder *e = sv_built();
    struct tok_cache *cache = tok_cache_new(e, 0);
    struct tok_ids ids = {0};

    (void) state;
    for (uint64_t i = 0; i < 40 * WORDS; i++) {
        char word[24];
        int n = snprintf(word, sizeof word, i % 3 ? "%d" : "%da_word_of_some_len",
                         (int) (t_hash64(i) % WORDS));

        if (i % 3 == 0) /* one word, but a long one */
            for (int k = 0; k < n; k++)
                word[k] = word[k] == '_' ? 'h' : word[k];
        sv_ids(e, cache, word, (size_t) n, &ids);
    }
    assert_true(cache->n_words > WORDS);
    assert_true(cache->n_words <= 2 * WORDS);
    tok_ids_release(&ids);
    tok_cache_free(cache);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_full_cache), cmocka_unit_test(test_each_word_once),
       cmocka_unit_test(test_long_word))
