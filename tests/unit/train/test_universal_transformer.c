/* Tests of train/models/universal_transformer.c and transformer_stack.c: sizes, runs, refusals;
 * values are compared with the original's in tests/oracle/test_recorded_transformer.c, decoding
 * with whole sequences in test_model_decoder.c. */
#include "tests/unit/train/text_model.h"

#define SMALL                                                                                      \
    "hidden_size=16,filter_size=8,num_heads=2,learning_rate_warmup_steps=1,"                       \
    "learning_rate_constant=0.05,num_inrecurrence_layers=2,num_rec_steps="

static const char name[] = "universal_transformer", encoder[] = "universal_transformer_encoder";
static const char base[] = "universal_transformer_base", tiny[] = "universal_transformer_tiny";

static int64_t count(const char *set, const char *hparams)
{
    return text_count(&(const struct text_case){name, set, hparams, &tiny_translation});
}

/* One layer's variables however many steps there are; a row for each step. */
static void test_sizes(void **state)
{
    int64_t D = 16, F = 8, norm = 2 * D, attention = 4 * D * D, ffn = 2 * D * F + F + D;
    int64_t encoder_layer = attention + ffn + 2 * norm;
    int64_t decoder_layer = 2 * attention + ffn + 3 * norm;
    int64_t layers = encoder_layer + decoder_layer, rest = TINY_VOCAB * D + 32 * D + 2 * norm;

    (void) state;
    assert_int_equal(count(tiny, SMALL "3"), 2 * layers + rest + 2 * 3 * D);
    assert_int_equal(count(tiny, SMALL "7"), 2 * layers + rest + 2 * 7 * D);
    assert_int_equal(count(tiny, SMALL "7,add_step_timing_signal=false"), 2 * layers + rest);
    assert_int_equal(count("universal_transformer_step_sinusoid_timing_tiny", SMALL "3"),
                     2 * layers + rest);
    assert_int_equal(count("universal_transformer_mix_after_ut_base",
                           SMALL "3,num_mixedin_layers=4"),
                     (2 + 4) * layers + rest + 2 * 3 * D);
}

static void test_runs(void **state)
{
#define DROPS SMALL "3,layer_prepostprocess_dropout=0.1"
    static const struct text_case translating = {name, tiny, DROPS, &tiny_translation},
                                  labels = {encoder, tiny, DROPS, &text_labels};

    (void) state;
    text_check_runs(&translating);
    text_check_runs(&labels);
    text_check_seen(&translating, TEXT_PADDING_IS_NOTHING);
    text_check_16_bits(&translating);
    text_check_16_bits(&labels);
}

static void refused(const char *set, const char *overrides, enum t2_status status, const char *part)
{
    text_refused(&(const struct text_case){name, set, overrides, &tiny_translation}, "", NULL,
                 status, part);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *set, *overrides, *part;
        enum t2_status status;
    } rows[] = {
        {"transformer_base", "", "hparam", T2_EUSAGE},
        {"universal_transformer_gru_base", "", "recurrence_type=gru is not supported",
         T2_EUNSUPPORTED},
        {"adaptive_universal_transformer_global_base", "", "act_type=global is not supported",
         T2_EUNSUPPORTED},
        {"universal_transformer_sepconv_base", "", "--hparams=transformer_ffn_type=fc",
         T2_EUNSUPPORTED},
        {"universal_transformer_position_random_timing_tiny", "", "position_start_index=random",
         T2_EUNSUPPORTED},
        {base, "add_or_concat_timing_signal=concat", "supported: add", T2_EUNSUPPORTED},
        {base, "step_timing_signal_type=none", "learned, sinusoid", T2_EUNSUPPORTED},
        {base, "add_sru=true", "add_sru=true", T2_EUNSUPPORTED},
        {base, "attention_variables_3d=true", "attention_variables_3d", T2_EUNSUPPORTED},
        {base, "pos=timing", "add_position_timing_signal=false", T2_EUSAGE},
        {base, "num_encoder_layers=3", "num_rec_steps", T2_EUSAGE},
        {base, "num_rec_steps=0", "between 1 and 64", T2_EUSAGE},
        {base, "num_mixedin_layers=-1", "between 0 and 64", T2_EUSAGE},
        {base, "num_rec_steps=33,num_inrecurrence_layers=2", "66 layers", T2_EUNSUPPORTED},
        {base, "norm_type=batch", "norm_type=batch", T2_EUNSUPPORTED},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        refused(rows[i].set, rows[i].overrides, rows[i].status, rows[i].part);
    text_refused(&(const struct text_case){encoder, base, "", &tiny_translation}, "", NULL,
                 T2_EUNSUPPORTED, "class labels");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
