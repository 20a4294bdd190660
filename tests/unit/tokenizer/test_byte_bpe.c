/*
 * tests/unit/tokenizer/test_byte_bpe.c - merging by rank: the heap of long words against the plain
 * rule.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tokenizer/byte_bpe.h"

static void assert_ids(const struct tok_ids *ids, const int32_t *want, size_t n)
{
    assert_int_equal(ids->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ids->items[i], want[i]);
}

#define MERGES_TO(m, ids, symbols, ...)                                                            \
    do {                                                                                           \
        static const int32_t want_[] = {__VA_ARGS__};                                              \
        (ids)->n = 0;                                                                              \
        tok_merge_symbols((m), (symbols), sizeof(symbols) / sizeof(*(symbols)), (ids));            \
        assert_ids((ids), want_, sizeof(want_) / sizeof(*want_));                                  \
    } while (0)

static void test_lowest_rank_first(void **state)
{
    static const int32_t abc[] = {1, 2, 3}, aaaaa[] = {1, 1, 1, 1, 1}, one[] = {7};
    struct tok_merges *m = tok_merges_new(0);
    struct tok_ids ids = {0};

    (void) state;
    tok_merge_symbols(m, one, 0, &ids);
    assert_int_equal(ids.n, 0);
    MERGES_TO(m, &ids, abc, 1, 2, 3); /* no merges */
    MERGES_TO(m, &ids, one, 7);
    tok_merges_add(m, 1, 2, 5, 10);
    MERGES_TO(m, &ids, abc, 10, 3);
    tok_merges_add(m, 2, 3, 4, 11);
    MERGES_TO(m, &ids, abc, 1, 11);
    tok_merges_add(m, 1, 11, 9, 12);
    MERGES_TO(m, &ids, abc, 12);
    tok_merges_add(m, 1, 1, 1, 20); /* of equal ranks the first */
    MERGES_TO(m, &ids, aaaaa, 20, 20, 1);
    tok_merges_add(m, 20, 1, 0, 21);
    MERGES_TO(m, &ids, aaaaa, 21, 20);
    tok_ids_release(&ids);
    tok_merges_free(m);
    tok_merges_free(NULL);
}

static void test_same_pair_twice(void **state)
{
    static const int32_t ab[] = {1, 2}, abc[] = {1, 2, 3};
    struct tok_merges *m = tok_merges_new(1);
    struct tok_ids ids = {0};

    (void) state;
    tok_merges_add(m, 1, 2, 5, 10);
    tok_merges_add(m, 1, 2, 7, 11); /* later: the lower rank stays */
    MERGES_TO(m, &ids, ab, 10);
    tok_merges_add(m, 1, 2, 3, 12);
    MERGES_TO(m, &ids, ab, 12);
    tok_merges_add(m, 2, 3, 4, 13); /* rank 3, not 5, is what counts now */
    MERGES_TO(m, &ids, abc, 12, 3);
    tok_ids_release(&ids);
    tok_merges_free(m);
}

/* A merge whose result is one of its parts: each takes a symbol away, so it ends. */
static void test_circles(void **state)
{
    int32_t symbols[200];
    struct tok_merges *m = tok_merges_new(4);
    struct tok_ids ids = {0};

    (void) state;
    tok_merges_add(m, 1, 1, 0, 1);
    tok_merges_add(m, 1, 2, 1, 2);
    tok_merges_add(m, 2, 1, 1, 1);
    for (size_t n = 1; n <= 200; n++) {
        for (size_t i = 0; i < n; i++)
            symbols[i] = i % 5 == 4 ? 2 : 1;
        ids.n = 0;
        tok_merge_symbols(m, symbols, n, &ids);
        assert_int_equal(ids.n, 1);
    }
    tok_ids_release(&ids);
    tok_merges_free(m);
}

/* ---- against the rule as it is said ---- */

enum { SYMBOLS = 6, MERGES = 60 };

struct rule {
    int32_t left, right, id;
};

static void merge_plainly(const struct rule *rules, int32_t *s, size_t *n)
{
    for (;;) {
        size_t best_rule = MERGES, best_at = 0;

        for (size_t i = 0; i + 1 < *n; i++)
            for (size_t k = 0; k < best_rule; k++)
                if (rules[k].left == s[i] && rules[k].right == s[i + 1]) {
                    best_rule = k;
                    best_at = i;
                }
        if (best_rule == MERGES)
            return;
        s[best_at] = rules[best_rule].id;
        for (size_t i = best_at + 1; i + 1 < *n; i++)
            s[i] = s[i + 1];
        --*n;
    }
}

static void test_short_and_long_as_the_rule(void **state)
{
    struct tok_ids ids = {0};

    (void) state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rule rules[MERGES];
        int32_t symbols[160], plain[160];
        size_t n = 1 + t_hash64(seed) % (seed % 3 == 0 ? 160 : 70), n_plain = n;
        struct tok_merges *m = tok_merges_new(0); /* grows */

        for (int32_t k = 0; k < MERGES; k++) { /* of symbols and of what was merged before */
            rules[k].left = (int32_t) (t_hash64(seed * 1000 + (uint64_t) k) % (SYMBOLS + k / 2));
            rules[k].right = (int32_t) (t_hash64(seed * 7777 + (uint64_t) k) % (SYMBOLS + k / 3));
            rules[k].id = SYMBOLS + k;
            tok_merges_add(m, rules[k].left, rules[k].right, (uint32_t) k, rules[k].id);
        }
        for (size_t i = 0; i < n; i++)
            symbols[i] = plain[i] = (int32_t) (t_hash64(seed * 31 + i) % SYMBOLS);
        merge_plainly(rules, plain, &n_plain);
        ids.n = 0;
        tok_merge_symbols(m, symbols, n, &ids);
        assert_ids(&ids, plain, n_plain);
        tok_merges_free(m);
    }
    tok_ids_release(&ids);
}

static void test_cut(void **state)
{
    struct tok_byte_bpe b = {.pattern = TOK_PATTERN_NONE};
    struct tok_ids ids = {0};
    uint8_t long_word[1000];

    (void) state;
    for (int i = 0; i < 256; i++)
        b.bytes[i] = i;
    b.bytes['!'] = -1;
    b.merges = tok_merges_new(1);
    tok_merges_add(b.merges, 'a', 'b', 0, 300);
    tok_byte_bpe_cut(&b, (const uint8_t *) "!ca!b\0", 6, &ids); /* what has no id is left out */
    assert_ids(&ids, (const int32_t[]){'c', 300, 0}, 3);
    for (size_t i = 0; i < sizeof long_word; i++)
        long_word[i] = i % 2 ? 'b' : 'a';
    ids.n = 0;
    tok_byte_bpe_cut(&b, long_word, sizeof long_word, &ids);
    assert_int_equal(ids.n, 500);
    assert_int_equal(ids.items[0], 300);
    assert_int_equal(ids.items[499], 300);
    tok_ids_release(&ids);
    tok_byte_bpe_release(&b);
}

/* A word of 200 kB takes about twice the time of one of 100 kB; quadratic would be minutes. */
static void test_long_word_ends(void **state)
{
    enum { N = 400000 };
    int32_t *symbols = t2_alloc(N, sizeof *symbols);
    struct tok_merges *m = tok_merges_new(40);
    struct tok_ids ids = {0};

    (void) state;
    for (int32_t k = 0; k < 18; k++) /* runs of 2, 4, 8, ... */
        tok_merges_add(m, k, k, (uint32_t) k, k + 1);
    tok_merge_symbols(m, symbols, N, &ids);
    assert_int_equal(ids.n, 6); /* the ones of 400000 in binary */
    t2_free(symbols);
    tok_ids_release(&ids);
    tok_merges_free(m);
}

T_MAIN(cmocka_unit_test(test_lowest_rank_first), cmocka_unit_test(test_same_pair_twice),
       cmocka_unit_test(test_circles), cmocka_unit_test(test_short_and_long_as_the_rule),
       cmocka_unit_test(test_cut), cmocka_unit_test(test_long_word_ends))
