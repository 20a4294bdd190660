/* Tests of train/models/lstm_seq2seq.c: sizes, runs, what sees what, refusals; values are compared
 * with the original's in tests/oracle/test_recorded_transformer.c, decoding with whole sequences in
 * test_model_decoder.c. */
#include "tests/unit/train/text_model.h"

#define SMALL "hidden_size=12,learning_rate_warmup_steps=1,learning_rate=2"
#define DROPS SMALL ",dropout=0.1,symbol_dropout=0.1"

static const char one_way[] = "lstm_seq2seq", two_ways[] = "lstm_seq2seq_bidirectional_encoder";

static const struct text_case one = {one_way, "lstm_seq2seq", SMALL, &tiny_translation},
                              two = {two_ways, "lstm_seq2seq", SMALL, &tiny_translation},
                              one_drops = {one_way, "lstm_seq2seq", DROPS, &tiny_translation},
                              two_drops = {two_ways, "lstm_seq2seq", DROPS, &tiny_translation},
                              alone = {one_way, "lstm_seq2seq", SMALL ",num_hidden_layers=3",
                                       &tiny_language},
                              shared = {one_way, "lstm_seq2seq",
                                        SMALL ",shared_embedding_and_softmax_weights=true",
                                        &tiny_translation};

/* A layer of H over inputs of n. */
static int64_t layer(int64_t n, int64_t H)
{
    return (n + H) * 4 * H + 4 * H;
}

static void test_sizes(void **state)
{
    int64_t H = 12, V = TINY_VOCAB;

    (void) state;
    assert_int_equal(text_count(&one), 4 * layer(H, H) + 3 * V * H);
    assert_int_equal(text_count(&alone), 3 * layer(H, H) + 2 * V * H);
    assert_int_equal(text_count(&shared), 4 * layer(H, H) + V * H);
    assert_int_equal(text_count(&two), 4 * layer(H, H) + layer(H, 2 * H) + layer(2 * H, 2 * H) +
                                           2 * V * H + V * 2 * H);
}

/* Layers compute in float32 and hand on 16 bits. */
static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&one_drops);
    text_check_runs(&two_drops);
    text_check_16_bits(&one);
    text_check_16_bits(&two);
}

static void test_seen(void **state)
{
    (void) state;
    text_check_seen(&one, TEXT_PADDING_IS_NOTHING);
    text_check_seen(&two, TEXT_PADDING_IS_NOTHING);
    text_check_seen(&alone, TEXT_PADDING_IS_NOTHING);
}

static void test_refusals(void **state)
{
    struct mdl *m = text_model(&one, op_device("reference", 1), MDL_EVAL);
    struct mdl_problem labels = tiny_translation;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct mdl_batch b = *tiny_batch(&batch, 2, 5, 6, 1);
    struct mdl_loss loss;
    int32_t zeros[12] = {0};

    (void) state;
    labels.class_labels = true;
    text_refused(&one, "", &labels, T2_EUNSUPPORTED, "a problem of texts");
    text_refused(&one, "prepend_mode=prepend_inputs_full_attention", NULL, T2_EUNSUPPORTED,
                 "prepend_mode");
    text_refused(&one, "initializer=orthogonal", NULL, T2_EUNSUPPORTED, "orthogonal");
    text_refused(&one, "num_hidden_layers=33", NULL, T2_EUSAGE, "between 1 and 32");
    text_refused(&two, "shared_embedding_and_softmax_weights=true", NULL, T2_EUSAGE,
                 "twice as wide");
    b.inputs_segmentation = b.inputs_position = zeros;
    b.targets_segmentation = b.targets_position = zeros;
    assert_int_equal(mdl_evaluate(m, &b, &loss, &err), T2_EUNSUPPORTED);
    t_assert_contains(err.message, "not packed data");
    mdl_free(m);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_refusals))
