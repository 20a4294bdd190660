/*
 * tests/unit/datagen/problems/test_class_rows.c - columns to labelled texts and pairs; what is
 * refused.
 */
#include "tests/unit/datagen/problems/samples.h"

static void test_columns(void **state)
{
    (void) state;
    s_put("RTE/train.tsv",
          "index\ta\tb\tlabel\n0\tone \t two\tentailment\r\n1\tx\t\tnot_entailment\n\n");
    s_check("rte", DG_TRAIN, "one | two>1\nx>0\n(blank line)\n");
}

static void test_refusals(void **state)
{
    (void) state;
    s_put("RTE/train.tsv", "h\n0\ta\tb\n");
    s_check_contains("rte", DG_TRAIN, "line 2: 3 columns, expected 4");
    s_put("RTE/train.tsv", "h\n0\ta\tb\tmaybe\n");
    s_check_contains("rte", DG_TRAIN, "label 'maybe' is none of 'not_entailment', 'entailment'");
    s_put("WNLI/train.tsv", "h\n0\ta\tb\t2\n");
    s_check_contains("winograd_nli", DG_TRAIN, "label '2': must be 0 to 1");
    s_put("RTE/train.tsv", "h\n0\ta\xff\tb\tentailment\n");
    s_check_contains("rte", DG_TRAIN, "line 2: byte 0xFF");
}

static void test_both_orders_and_short_rows(void **state)
{
    (void) state;
    s_put("QQP/train.tsv", "h\n0\t1\t2\ta\tb\t1\n0\t1\t2\tonly\n0\t1\t2\tc\td\t0\n");
    s_check("quora_question_pairs", DG_TRAIN, "a|b>1\nb|a>1\n(too few columns)\nc|d>0\nd|c>0\n");
}

static void test_rows_of_a_list_are_dev(void **state)
{
    (void) state;
    s_put("MRPC/msr_paraphrase_train.txt", "h\n1\t10\t20\ta\tb\n0\t11\t21\tc\td\n");
    s_put("MRPC/msr_paraphrase_test.txt", "h\n1\t10\t20\te\tf\n");
    s_put("MRPC/dev_ids.tsv", "10\t20\n");
    s_check("msr_paraphrase_corpus", DG_TRAIN, "c|d>0\nd|c>0\n");
    s_check("msr_paraphrase_corpus", DG_DEV, "a|b>1\nb|a>1\n");
    s_check("msr_paraphrase_corpus", DG_TEST, "e|f>1\nf|e>1\n");
}

T_MAIN(cmocka_unit_test(test_columns), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_both_orders_and_short_rows),
       cmocka_unit_test(test_rows_of_a_list_are_dev))
