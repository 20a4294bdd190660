/* Tests of train/models/transformer_revnet.c: runs, refusals; values are compared with the
 * original's in tests/oracle/test_recorded_transformer.c, decoding with whole sequences in
 * test_model_decoder.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=2,learning_rate_warmup_steps=1,"  \
    "symbol_modality_num_shards=1,learning_rate_schedule=constant,learning_rate_constant=0.01"

static const struct text_case translating = {"transformer_revnet", "transformer_revnet_base", SMALL,
                                             &tiny_translation};

static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&translating);
    text_check_16_bits(&translating);
}

static void test_refusals(void **state)
{
    const struct text_case *c = &translating;
    struct mdl_problem labels = tiny_translation;

    (void) state;
    labels.class_labels = true;
    text_refused(c, "", &tiny_language, T2_EUNSUPPORTED, "texts of texts");
    text_refused(c, "", &labels, T2_EUNSUPPORTED, "texts of texts");
    text_refused(c, "ffn_layer=conv_relu_conv", NULL, T2_EUNSUPPORTED,
                 "ffn_layer=dense_relu_dense");
    text_refused(c, "num_encoder_layers=1", NULL, T2_EUSAGE, "has no num_encoder_layers");
    text_refused(c, "num_heads=16", NULL, T2_EUSAGE, "divide the 8 key and 8 value channels");
    text_refused(c, "hidden_size=15,num_heads=1", NULL, T2_EUSAGE, "hidden_size=15 must be even");
}

T_MAIN(cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
