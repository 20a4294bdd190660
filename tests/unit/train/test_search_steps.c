/*
 * tests/unit/train/test_search_steps.c - the id that a source is forced to.
 */
#include "train/decode/search_steps.h"

#include "tests/support/t.h"

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

T_MAIN(cmocka_unit_test(test_forced))
