/*
 * test_dna.c - T2T's DNAEncoder: sizes and ids that Tensor2Tensor's tests have.
 */
#include "tests/unit/tokenizer/asked_encoders.h"

static void test_chunks(void **state)
{
    static const int32_t ids[] = {0, 1, 3, 2, 99};
    struct tok_encoder *e = t_opened("dna:1");

    (void) state;
    assert_int_equal(tok_size(e), 7);
    t_check_ids(e, "ACGNT", "2 3 4 5 6");
    t_check_ids(e, "", "");
    t_check_ids(e, "a", NULL);
    t_check_ids(e, "0", NULL);
    t_check_ids(e, "\xC3\xA9", NULL);
    tok_free(e);
    e = t_opened("dna:2");
    assert_int_equal(tok_size(e), 32);
    t_check_ids(e, "A", "2"); /* A0, AA, AC, ... */
    t_check_ids(e, "A0", "2");
    t_check_ids(e, "AAACTT", "3 4 31");
    t_check_ids(e, "0A", NULL);
    t_check_text(e, ids, 5, "<pad><EOS>AAA");
    tok_free(e);
    assert_int_equal(tok_size(e = t_opened("dna:8")), 2 + 488280);
    t_check_ids(e, "TTTTTTTT", "488281");
    tok_free(e);
}

static void test_delimited(void **state)
{
    static const int32_t ids[] = {4, 2, 3};
    struct tok_encoder *e = t_opened("delimited_dna:2");

    (void) state;
    assert_int_equal(tok_size(e), 33);
    t_check_ids(e, "AA,A", "4 2 3");
    t_check_ids(e, ",", "2");
    t_check_ids(e, "", "");
    t_check_ids(e, "A,,", "3 2 2");
    t_check_text(e, ids, 3, "AA,A");
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_chunks), cmocka_unit_test(test_delimited))
