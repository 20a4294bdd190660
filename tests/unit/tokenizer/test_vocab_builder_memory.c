#include "tokenizer/vocab_builder_memory.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/counts.h"

static void add(struct tok_counts *c, const char *word, uint64_t n)
{
    tok_counts_add(c, (const uint8_t *) word, strlen(word), n);
}

/* The estimate less what does not depend on the words. */
static uint64_t estimate(const struct tok_counts *c, int64_t target_size, int64_t min_count)
{
    struct tok_build_options o = {.target_size = target_size, .min_count = min_count};
    struct tok_counts *none = tok_counts_new();
    uint64_t fixed = tok_build_memory(none, &o) - tok_counts_memory(none);

    tok_counts_free(none);
    return tok_build_memory(c, &o) - fixed - tok_counts_memory(c);
}

/* All suffixes are in the sample, so the nodes are counted one by one. */
static void test_small(void **state)
{
    struct tok_counts *c = tok_counts_new();
    struct tok_build_size z = {.n_words = 3, .n_symbols = 14, .n_nodes = 12};

    (void) state;
    add(c, "abcd", 1); /* ends: abcd bcd cd d abce bce ce e xyz yz z */
    add(c, "abce", 4); /* branches that are three characters deep: abc */
    add(c, "xyz", 1);
    /* Nodes of at most two characters are not looked for: bc and c. */
    assert_in_range(estimate(c, 0, 1), tok_tree_bytes(&z, 1), tok_tree_bytes(&z, 1) + 12 * 28);
    tok_counts_free(c);
}

/* Many words: near what a bigger sample, that is all of them, gives.  Long words take no long
 * time. */
static void test_sampled(void **state)
{
    struct tok_counts *c = tok_counts_new();
    static char word[60001];
    uint64_t before;

    (void) state;
    for (int i = 0; i < 60000; i++) {
        snprintf(word, sizeof word, "%llxab%d", (unsigned long long) t_hash64((uint64_t) i) >> 40,
                 i);
        add(c, word, 1 + (uint64_t) i % 5);
    }
    before = estimate(c, 1000, 0);
    /* 13 symbols a word, most of them with a node of their own for the first six or seven. */
    assert_in_range(before, 60000 * 13 * 20, 60000 * 13 * 60);
    /* What occurs less often than min_count takes no part. */
    assert_true(estimate(c, 0, 64) < estimate(c, 0, 1));
    memset(word, 'a', 60000);
    word[60000] = 0;
    add(c, word, 1);
    assert_in_range(estimate(c, 1000, 0), before + 60000 * 12, before + 60000 * 90);
    tok_counts_free(c);
}

static void test_bounds(void **state)
{
    struct tok_counts *c = tok_counts_new();
    struct tok_build_options o = {.target_size = 100, .max_subtoken_length = 2};
    struct tok_build_size z = {.n_words = 10, .n_symbols = 1 << 20, .n_nodes = 1 << 20};
    uint64_t one = tok_tree_bytes(&z, 4);

    (void) state;
    assert_true(tok_build_least(c) <= tok_build_memory(c, &o));
    for (int i = 0; i < 2000; i++) {
        char word[32];

        snprintf(word, sizeof word, "w\303\274%d\344\270\200", i);
        add(c, word, 3);
    }
    assert_true(tok_build_least(c) <= tok_build_memory(c, &o));
    /* Each thread has counts of its own; of so many nodes a probe takes more than making them. */
    z.n_kept_nodes = z.n_nodes = 1 << 22;
    assert_true(tok_tree_bytes(&z, 1) > one);
    assert_true(tok_tree_bytes(&z, 4) == tok_tree_bytes(&z, 1) + 3 * 8 * (UINT64_C(1) << 22));
    tok_counts_free(c);
}

/* Near a limit: a probe that needs more fails, the same with more memory does not. */
static void test_limit(void **state)
{
    struct tok_counts *c = tok_counts_new();
    struct tok_build_options o = {.target_size = 300};
    struct tok_encoder *e = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < 3000; i++) {
        char word[32];

        snprintf(word, sizeof word, "word%dx%d", i % 100, i);
        add(c, word, 1);
    }
    o.max_memory = tok_counts_memory(c) + 1000;
    assert_int_equal(tok_build(c, &o, &e, &err), T2_ENOMEM);
    t_assert_contains(err.message, "trying min_count 500 takes ");
    assert_null(e);
    o.max_memory = tok_counts_memory(c) + (10 << 20);
    assert_int_equal(tok_build(c, &o, &e, &err), T2_OK);
    tok_free(e);
    tok_counts_free(c);
}

T_MAIN(cmocka_unit_test(test_small), cmocka_unit_test(test_sampled), cmocka_unit_test(test_bounds),
       cmocka_unit_test(test_limit))
