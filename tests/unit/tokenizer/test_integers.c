/*
 * test_integers.c - T2T's TextEncoder.
 */
#include "tests/unit/tokenizer/asked_encoders.h"

static void test_integers(void **state)
{
    static const int32_t ids[] = {0, 1, 2, 7, -1};
    struct tok_encoder *e = t_opened("integers");

    (void) state;
    t_check_ids(e, "", "");
    t_check_ids(e, " 5 0\t-3  +7", "7 2 -1 9");
    t_check_ids(e, "2147483645", "2147483647");
    t_check_ids(e, "2147483646", NULL);
    t_check_ids(e, "1 x", NULL);
    t_check_text(e, ids, 5, "<pad> <EOS> 0 5 -3");
    assert_int_equal(tok_size(e), 0);
    tok_shift(e);
    t_check_ids(e, "5", "7");
    tok_free(e);
}

static void test_raw_ids(void **state)
{
    static const int32_t ids[] = {0, 1, 2, 7};
    struct tok_encoder *e = tok_raw_ids_new();

    (void) state;
    t_check_ids(e, "5 0", "5 0");
    t_check_ids(e, "2147483647", "2147483647");
    t_check_ids(e, "x", NULL);
    t_check_text(e, ids, 4, "<pad> <EOS> 2 7");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_integers), cmocka_unit_test(test_raw_ids))
