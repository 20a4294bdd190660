/* Tests of train/models/attention_lm_moe.c: sizes, runs, what sees what, refusals; values are
 * compared with the original's in tests/oracle/test_recorded_transformer.c, decoding with whole
 * sequences in test_model_decoder.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,filter_size=8,num_heads=2,num_hidden_layers=2,learning_rate_warmup_steps=1,"   \
    "learning_rate=0.05"

static const char model[] = "attention_lm_moe";

static const struct text_case alone = {model, "attention_lm_moe_tiny", SMALL, &tiny_language},
                              letters = {model, "attention_lm_moe_base",
                                         SMALL ",attention_layers=hfh", &tiny_language},
                              separable = {model, "attention_lm_moe_base_long_seq",
                                           SMALL ",max_length=32", &tiny_language},
                              translating = {model, "attention_lm_moe_translation", SMALL,
                                             &tiny_translation};

static void test_sizes(void **state)
{
    int64_t D = 16, F = 8, V = TINY_VOCAB, attention = 4 * D * D, norms = 2 * 2 * D;
    int64_t dense = 2 * D * F + F + D, sepconv = 3 * D + 31 * F + dense;

    (void) state;
    assert_int_equal(text_count(&alone), 2 * (attention + dense + norms) + 2 * V * D);
    assert_int_equal(text_count(&letters), 3 * (attention + dense + norms) + 2 * V * D);
    assert_int_equal(text_count(&separable), 2 * (attention + sepconv + norms) + 2 * V * D);
    assert_int_equal(text_count(&translating), 2 * (attention + dense + norms) + V * D + 2 * D);
}

static void test_runs(void **state)
{
    (void) state;
    text_check_runs(&alone);
    text_check_runs(&separable);
    text_check_16_bits(&letters);
}

static void test_seen(void **state)
{
    (void) state;
    text_check_seen(&alone, TEXT_PADDING_IS_NOTHING);
    text_check_seen(&separable, TEXT_PADDING_IS_NOTHING);
}

static void test_refusals(void **state)
{
    struct mdl_problem labels = tiny_translation;

    (void) state;
    labels.class_labels = true;
    text_refused(&alone, "", &tiny_translation, T2_EUNSUPPORTED, "attention_lm_moe_translation");
    text_refused(&translating, "", &labels, T2_EUNSUPPORTED, "texts");
    text_refused(&alone, "attention_layers=hx", NULL, T2_EUSAGE, "letter 2 is none of");
    text_refused(&alone, "attention_layers=he", NULL, T2_EUNSUPPORTED,
                 "layer 1 attends by local_experts");
    text_refused(&alone, "attention_type=memory_efficient", NULL, T2_EUNSUPPORTED,
                 "layer 0 attends by memory_efficient");
    text_refused(&alone, "attention_local=true", NULL, T2_EUNSUPPORTED, "attention_local=true");
    text_refused(&alone, "use_inputs=true", NULL, T2_EUNSUPPORTED, "use_inputs=true");
    text_refused(&alone, "memory_efficient_ffn=true", NULL, T2_EUNSUPPORTED,
                 "memory_efficient_ffn=true");
    text_refused(&alone, "num_hidden_layers=0", NULL, T2_EUSAGE, "0 layers");
    text_refused(&alone, "num_heads=7", NULL, T2_EUSAGE, "divisible by num_heads");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_seen),
       cmocka_unit_test(test_refusals))
