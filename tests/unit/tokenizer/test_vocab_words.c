#include "tokenizer/vocab_words.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tokenizer/vocab_builder.h"

static const char *const reserved[] = {"<pad>", "<EOS>"};

static void add(struct tok_counts *c, const char *word, uint64_t n)
{
    tok_counts_add(c, (const uint8_t *) word, strlen(word), n);
}

/* Of a character: its rank. */
static uint32_t rank(const struct tok_ranks *r, uint32_t code_point)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (r->code_points[i] == code_point)
            return i;
    fail_msg("no character %u", code_point);
    return 0;
}

static void test_symbols(void **state)
{
    struct tok_counts *counts = tok_counts_new();
    struct tok_ranks r;
    struct tok_words w;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    add(counts, "a_\xc3\xbc", 7); /* "a\uü_" */
    tok_ranks_init(&r, counts, reserved, 2, 0, NULL);
    assert_int_equal(tok_words_init(&w, &r, counts, NULL, &err), T2_OK);
    assert_int_equal(w.n_words, 1);
    assert_int_equal(w.counts[0], 7);
    assert_int_equal(w.starts[1], 5);
    assert_int_equal(w.n_symbols, 5);
    assert_int_equal(w.n_kinds, r.n);
    assert_int_equal(w.symbols[0], rank(&r, 'a'));
    assert_int_equal(w.symbols[1], rank(&r, '\\'));
    assert_int_equal(w.symbols[2], rank(&r, 'u'));
    assert_int_equal(w.symbols[3], rank(&r, 0xfc));
    assert_int_equal(w.symbols[4], w.last);
    assert_int_equal(w.last, rank(&r, '_'));
    (void) rank(&r, '<'); /* of the reserved tokens */
    for (uint32_t i = 1; i < r.n; i++)
        assert_true(r.code_points[i - 1] < r.code_points[i]);
    tok_words_release(&w);
    tok_ranks_release(&r);
    tok_counts_free(counts);
}

/* A table of several pieces, as it was filled and sorted: the same with any number of threads. */
static void test_threads(void **state)
{
    struct tok_counts *counts = tok_counts_new();
    struct t2_pool *pool = t2_pool_new(4);

    (void) state;
    for (uint32_t i = 0; i < 40000; i++) {
        char word[48];

        snprintf(word, sizeof word, "%s%x%s", i % 3 == 0 ? "\xd0\xb6" : "_",
                 (unsigned) t_hash64(i) % 60000, i % 5 == 0 ? "and_a_very_long_end" : "");
        add(counts, word, 1 + i % 4);
    }
    for (int sorted = 0; sorted <= 1; sorted++)
        for (int covering = 0; covering <= 1; covering++) {
            struct tok_ranks r[2];
            struct tok_words w[2];
            struct t2_err err = T2_ERR_INIT;

            for (int k = 0; k < 2; k++) {
                tok_ranks_init(&r[k], counts, reserved, 2, covering ? 0.9 : 0,
                               k == 0 ? NULL : pool);
                assert_int_equal(tok_words_init(&w[k], &r[k], counts, k == 0 ? NULL : pool, &err),
                                 T2_OK);
            }
            assert_int_equal(r[0].n, r[1].n);
            assert_memory_equal(r[0].code_points, r[1].code_points, r[0].n * sizeof(uint32_t));
            assert_int_equal(w[0].n_words, tok_counts_distinct(counts));
            assert_int_equal(w[0].n_words, w[1].n_words);
            assert_int_equal(w[0].n_symbols, w[1].n_symbols);
            assert_memory_equal(w[0].symbols, w[1].symbols, w[0].n_symbols * sizeof(uint32_t));
            assert_memory_equal(w[0].starts, w[1].starts, (w[0].n_words + 1) * sizeof(uint32_t));
            assert_memory_equal(w[0].counts, w[1].counts, w[0].n_words * sizeof(uint64_t));
            for (int k = 0; k < 2; k++) {
                tok_words_release(&w[k]);
                tok_ranks_release(&r[k]);
            }
            if (covering)
                tok_counts_sort(counts);
        }
    t2_pool_free(pool);
    tok_counts_free(counts);
}

static void test_no_word(void **state)
{
    struct tok_counts *counts = tok_counts_new();
    struct tok_ranks r;
    struct tok_words w;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tok_ranks_init(&r, counts, reserved, 2, 0, NULL);
    assert_int_equal(tok_words_init(&w, &r, counts, NULL, &err), T2_EFORMAT);
    assert_string_equal(err.message, "no word to build a vocabulary from");
    tok_words_release(&w);
    tok_ranks_release(&r);
    tok_counts_free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
