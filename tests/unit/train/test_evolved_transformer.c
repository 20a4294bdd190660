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

static void test_seen(void **state)
{
    (void) state;
    text_check_seen(&translating, TEXT_PADDING_IS_NOTHING);
    text_check_seen(&alone, TEXT_PADDING_IS_NOTHING);
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
