/*
 * tests/unit/train/test_search_steps.c - every row once, with few logits and with many.
 */
#include "train/decode/search_steps.h"

#include "tests/support/t.h"

enum { ROWS = 37 };

static void mark(void *arg, int64_t i, int worker)
{
    int *seen = arg;

    (void) worker;
    seen[i]++;
}

static void test_rows(void **state)
{
    struct t2_pool *pool = t2_pool_new(3);

    (void) state;
    for (int many = 0; many < 2; many++)
        for (int with_pool = 0; with_pool < 2; with_pool++) {
            struct dec_model model = {.vocab = many ? 1 << 16 : 3};
            struct dec_options options = {.pool = with_pool ? pool : NULL};
            struct dec_task t = {.model = &model, .options = &options};
            int seen[ROWS] = {0};

            dec_for_rows(&t, ROWS, mark, seen);
            for (int i = 0; i < ROWS; i++)
                assert_int_equal(seen[i], 1);
        }
    t2_pool_free(pool);
}

static void test_forced(void **state)
{
    static const int32_t prefix[] = {4, 5, 6, -1};
    struct dec_task t = {.batch = 2, .prefix = prefix, .prefix_length = 2};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dec_forced_id(&t, 0, 1), 5);
    assert_int_equal(dec_forced_id(&t, 1, 0), 6);
    assert_int_equal(dec_forced_id(&t, 1, 1), -1); /* shorter than the others */
    assert_int_equal(dec_forced_id(&t, 0, 2), -1);
    assert_int_equal(dec_fail_logits(3, 8, &err), T2_EFORMAT);
    t_assert_contains(err.message, "decoding step 8, hypothesis 3");
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_forced))
