/* Tests of train/models/transformer_regressor.c: sizes, runs, refusals; values are compared with
 * the original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/text_model.h"

static const struct text_case number = {
    "transformer_regressor", "transformer_tiny",
    "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,symbol_modality_num_shards=1,"
    "learning_rate_schedule=constant,learning_rate_constant=0.01",
    &text_numbers};

static void test_model(void **state)
{
    int64_t D = 16, F = 24, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(text_count(&number),
                     V * D + 32 * D + 4 * D * D + 2 * D * F + F + D + 3 * 2 * D + D + 1);
    text_check_runs(&number);
    text_check_16_bits(&number);
}

static void test_refusals(void **state)
{
    struct mdl_problem two = text_numbers;

    (void) state;
    two.targets_vocab = 2;
    text_refused(&number, "", &two, T2_EUNSUPPORTED, "transformer_encoder takes several numbers");
    text_refused(&number, "", &text_labels, T2_EUNSUPPORTED, "whose target is one number");
    text_refused(&number, "num_heads=3", NULL, T2_EUSAGE, "divisible by num_heads");
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_refusals))
