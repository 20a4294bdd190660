/* Tests of train/models/lstm_encoder.c: sizes, runs, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/text_model.h"

static const struct text_case encoder = {"lstm_encoder", "lstm_seq2seq",
                                         "hidden_size=12,learning_rate_warmup_steps=1,"
                                         "learning_rate=2",
                                         &text_labels};

static void test_model(void **state)
{
    int64_t H = 12, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(text_count(&encoder), 2 * (2 * H * 4 * H + 4 * H) + V * H + H * V + V);
    text_check_runs(&encoder);
    text_check_16_bits(&encoder);
}

static void test_refusals(void **state)
{
    (void) state;
    text_refused(&encoder, "", &tiny_translation, T2_EUNSUPPORTED, "targets are class labels");
    text_refused(&encoder, "hidden_size=0", NULL, T2_EUSAGE, "hidden_size=0 must lie");
}

T_MAIN(cmocka_unit_test(test_model), cmocka_unit_test(test_refusals))
