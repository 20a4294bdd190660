#include "tokenizer/tally.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/counts.h"

enum { N_WORDS = 60000 };

static struct tok_tally *fill(size_t n_tables, uint64_t max_memory)
{
    struct tok_tally_limits limits = {.max_memory = max_memory, .beside = t_tmp_path("counts")};
    struct tok_tally *t = tok_tally_new(n_tables, &limits);
    struct t2_err err = T2_ERR_INIT;

    for (size_t i = 0; i < N_WORDS; i++) {
        char word[32];

        snprintf(word, sizeof word, "w%llx", (unsigned long long) t_hash64(i) % 20000);
        tok_counts_add(tok_tally_counts(t, i % n_tables), (const uint8_t *) word, strlen(word), i);
        if (i % 100 == 0)
            assert_int_equal(tok_tally_check(t, i % n_tables, &err), T2_OK);
    }
    return t;
}

static void check_equal(struct tok_counts *a, struct tok_counts *b)
{
    struct t2_slice word, other;
    size_t at = 0, at_other = 0;
    uint64_t n, n_other;

    tok_counts_sort(a);
    tok_counts_sort(b);
    while (tok_counts_next(a, &at, &word, &n)) {
        assert_true(tok_counts_next(b, &at_other, &other, &n_other));
        assert_true(t2_slice_eq(word, other));
        assert_int_equal(n, n_other);
    }
    assert_false(tok_counts_next(b, &at_other, &other, &n_other));
}

static void test_limits(void **state)
{
    struct tok_tally *whole = fill(1, 0);
    struct t2_pool *pool = t2_pool_new(3);
    struct tok_counts *want;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tok_tally_runs(whole), 0);
    assert_int_equal(tok_tally_table(whole, NULL, &want, &err), T2_OK);
    for (size_t n = 1; n <= 6; n++)
        for (uint64_t limit = 0; limit <= 1; limit++) {
            struct tok_tally *t = fill(n, limit);
            struct tok_counts *have;

            assert_int_equal(tok_tally_runs(t) > 0, limit > 0);
            assert_int_equal(tok_tally_table(t, n % 2 == 0 ? NULL : pool, &have, &err), T2_OK);
            check_equal(want, have);
            tok_counts_free(have);
            tok_tally_free(t);
        }
    tok_counts_free(want);
    tok_tally_free(whole);
    t2_pool_free(pool);
}

static enum t2_status refuse(void *arg, const struct tok_counts *part, struct t2_err *err)
{
    return tok_counts_distinct(part) > *(const size_t *) arg ? t2_fail(err, T2_ENOMEM, "too many")
                                                             : T2_OK;
}

static void test_check(void **state)
{
    size_t most = 2;
    struct tok_tally_limits limits = {.check = refuse, .check_arg = &most};
    struct tok_tally *t = tok_tally_new(2, &limits);
    struct tok_counts *all;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    tok_counts_add_text(tok_tally_counts(t, 0), (const uint8_t *) "a b", 3);
    assert_int_equal(tok_tally_check(t, 0, &err), T2_OK);
    tok_counts_add_text(tok_tally_counts(t, 1), (const uint8_t *) "c", 1);
    assert_int_equal(tok_tally_check(t, 1, &err), T2_OK);
    assert_int_equal(tok_tally_table(t, NULL, &all, &err), T2_ENOMEM);
    assert_null(all);
    tok_tally_free(t);
}

/* A folder that is not there: said by the next check. */
static void test_no_disk(void **state)
{
    struct tok_tally_limits limits = {.max_memory = 1, .beside = "/nonexistent/counts"};
    struct tok_tally *t = tok_tally_new(1, &limits);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < 20000; i++) {
        char word[32];

        snprintf(word, sizeof word, "w%d", i);
        tok_counts_add(tok_tally_counts(t, 0), (const uint8_t *) word, strlen(word), 1);
    }
    assert_int_not_equal(tok_tally_check(t, 0, &err), T2_OK);
    tok_tally_free(t);
}

T_MAIN(cmocka_unit_test(test_limits), cmocka_unit_test(test_check), cmocka_unit_test(test_no_disk))
