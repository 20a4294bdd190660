/* Tests of train/models/evolved_transformer.c: sizes, runs, what sees what, refusals; values are
 * compared with the original's in tests/oracle/test_recorded_transformer.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,num_heads=2,num_encoder_layers=1,num_decoder_layers=1,"                        \
    "learning_rate_warmup_steps=1,symbol_modality_num_shards=1,learning_rate_schedule=constant,"   \
    "learning_rate_constant=0.01"

static const struct text_case translating = {"evolved_transformer", "evolved_transformer_base",
                                             SMALL, &tiny_translation},
                              alone = {"evolved_transformer", "evolved_transformer_tiny", SMALL,
                                       &tiny_language};

/* Kernel and bias of a dense layer, or of a separable convolution. */
static int64_t dense(int64_t in, int64_t out)
{
    return in * out + out;
}

static int64_t separable(int64_t taps, int64_t in, int64_t out)
{
    return taps * in + dense(in, out);
}

static void test_sizes(void **state)
{
    int64_t D = 16, V = TINY_VOCAB, attention = 4 * D * D, norm = 2;
    int64_t encoder = 2 * dense(D, D) + dense(D, 4 * D) + dense(3 * D, D / 2) +
                      separable(9, 4 * D, D / 2) + attention + dense(D, 4 * D) + dense(4 * D, D) +
                      norm * (4 * D + 4 * D);
    int64_t decoder = 4 * attention + separable(11, D, 2 * D) + separable(7, D, D / 2) +
                      separable(7, 2 * D, D) + dense(D, 4 * D) + dense(4 * D, D) +
                      norm * (5 * D + 2 * D + 4 * D);

    (void) state;
    assert_int_equal(text_count(&translating), encoder + decoder + 2 * norm * D + V * D + 32 * D);
    assert_int_equal(text_count(&alone), decoder - 2 * attention - norm * D + norm * D + V * D);
}

static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&translating);
    text_check_runs(&alone);
    text_check_16_bits(&translating);
}

/* Later targets are not seen, and padding behind the inputs changes nothing. */
static void test_seen(void **state)
{
    enum { LENGTH = 16, INPUTS = 7 };
    struct mdl *m = text_model(&translating, op_device("cpu", 1), MDL_EVAL);
    float logits[4][LENGTH * TINY_VOCAB];
    int32_t inputs[INPUTS + 3] = {3, 4, 5, 6, 7, 8, 1};
    int32_t targets[LENGTH] = {9, 8, 7, 6, 5, 4, 3, 2, 3, 5, 6, 7, 8, 9, 2, 1};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = INPUTS,
                          .targets_length = LENGTH,
                          .inputs = inputs,
                          .targets = targets};

    (void) state;
    assert_int_equal(mdl_logits(m, &b, logits[0], &err), T2_OK);
    targets[12] = 11;
    assert_int_equal(mdl_logits(m, &b, logits[1], &err), T2_OK);
    assert_memory_equal(logits[0], logits[1], 13 * TINY_VOCAB * sizeof(float));
    assert_memory_not_equal(logits[0] + 13 * TINY_VOCAB, logits[1] + 13 * TINY_VOCAB,
                            TINY_VOCAB * sizeof(float));
    b.inputs_length += 3;
    assert_int_equal(mdl_logits(m, &b, logits[2], &err), T2_OK);
    t_assert_close(logits[2], logits[1], LENGTH * TINY_VOCAB, 1e-5, 1e-5);
    inputs[0] = 5;
    assert_int_equal(mdl_logits(m, &b, logits[3], &err), T2_OK);
    assert_memory_not_equal(logits[2], logits[3], TINY_VOCAB * sizeof(float));
    mdl_free(m);
}

static void test_refusals(void **state)
{
    const struct text_case *c = &translating;
    const struct text_case basic = {"evolved_transformer", "evolved_transformer_tpu_basic", SMALL,
                                    &tiny_translation};

    (void) state;
    text_refused(c, "self_attention_type=dot_product_relative,max_relative_position=4", NULL,
                 T2_EUNSUPPORTED, "self_attention_type=dot_product_relative");
    text_refused(c, "attention_variables_3d=true", NULL, T2_EUNSUPPORTED, "attention_variables_3d");
    text_refused(c, "hidden_size=15,num_heads=1", NULL, T2_EUSAGE, "hidden_size=15 must be even");
    text_refused(c, "hidden_size=20,num_heads=4", NULL, T2_EUSAGE, "8 heads (more than num_heads)");
    text_refused(&basic, "num_trainable_top_decoder_layers=1", NULL, T2_EUNSUPPORTED, "--freeze");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_refusals))
