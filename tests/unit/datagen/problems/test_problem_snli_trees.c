/*
 * test_problem_snli_trees.c - leaves of trees, rows without a label, the record with id 2 between
 * the sentences.
 */
#include "tests/support/problem_check.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

#define ROW(label, first, second) label "\tx\ty\t" first "\t" second "\tmore\n"

static void put_files(void)
{
    pc_put_text("tmp", "snli_1.0/snli_1.0_train.txt",
                "gold_label\theader\n" ROW("neutral", "(ROOT (NP (DT A) (NN dog)))", "(ROOT (S b))")
                    ROW("-", "(ROOT (X q))", "(ROOT (X q))")
                        ROW("entailment", "(ROOT (NN dog))", "(ROOT (NN dog))")
                            ROW("neutral", "no tree", "(ROOT (NN dog))")
                                ROW("other", "(R (N c))", "(R (N d))") "contradiction\tshort\n");
    pc_put_text("tmp", "snli_1.0/snli_1.0_dev.txt",
                "gold_label\n" ROW("contradiction", "(R (N dog))", "(R (N b))"));
}

static void test_samples(void **state)
{
    (void) state;
    put_files();
    pc_check("inference_snli32k", "tmp", DG_DEV, "dog|b|0\n");
    assert_int_equal(pc_generate("inference_snli32k", "tmp", DG_TRAIN), 2);
}

static void test_record(void **state)
{
    struct tfr_reader *r = NULL;
    struct tfr_example ex = {0};
    struct t2_slice record;
    struct t2_err err = T2_ERR_INIT;
    const struct tfr_view *inputs;
    int64_t ids[32];
    size_t n_separators = 0;

    (void) state;
    put_files();
    assert_int_equal(pc_generate("inference_snli32k", "tmp", DG_DEV), 1);
    assert_int_equal(tfr_reader_new(t_tmp_path("data/inference_snli32k-dev-00000-of-00001"), &r,
                                    &err),
                     T2_OK);
    assert_int_equal(tfr_reader_next(r, &record, &err), T2_OK);
    assert_int_equal(tfr_example_parse(&ex, record, &err), T2_OK);
    assert_null(tfr_example_find(&ex, "context"));
    inputs = tfr_example_find(&ex, "inputs");
    assert_true(inputs && inputs->n <= 32 && inputs->n >= 4);
    tfr_view_ints(inputs, ids);
    for (size_t i = 0; i < inputs->n; i++)
        n_separators += ids[i] == 2;
    assert_true(n_separators >= 1);
    assert_int_equal(ids[inputs->n - 1], 1);
    tfr_view_ints(tfr_example_find(&ex, "targets"), ids);
    assert_int_equal(ids[0], 0);
    tfr_example_release(&ex);
    tfr_reader_free(r);
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_record))
