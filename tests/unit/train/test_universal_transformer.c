/* Tests of train/models/universal_transformer.c and transformer_stack.c: sizes, runs, refusals;
 * values are compared with the original's in tests/oracle/test_recorded_transformer.c, decoding
 * with whole sequences in test_model_decoder.c. */
#include "tests/support/device_floats.h"
#include "tests/unit/train/tiny_model.h"
#include "train/optim/optimizer.h"

static const char name[] = "universal_transformer", encoder[] = "universal_transformer_encoder";
static const char base[] = "universal_transformer_base", tiny[] = "universal_transformer_tiny";
static const char small[] =
    "hidden_size=16,filter_size=8,num_heads=2,num_rec_steps=3,"
    "learning_rate_warmup_steps=1,learning_rate_constant=0.05,num_inrecurrence_layers=2";

static struct mdl_hparams *hparams(const char *set, const char *overrides)
{
    struct mdl_hparams *hp = tiny_hparams_of(set, small);
    struct t2_err err = T2_ERR_INIT;

    if (mdl_hparams_override(hp, overrides, &err) != T2_OK)
        fail_msg("%s", err.message);
    return hp;
}

static int64_t count(const char *set, const char *overrides)
{
    struct mdl *m = tiny_model_of(op_device("cpu", 1), name, hparams(set, overrides),
                                  &tiny_translation, MDL_TRAIN);
    int64_t n = gr_params_count(mdl_params(m));

    mdl_free(m);
    return n;
}

/* One layer's variables however many steps there are; a row for each step. */
static void test_sizes(void **state)
{
    int64_t D = 16, F = 8, norm = 2 * D, attention = 4 * D * D, ffn = 2 * D * F + F + D;
    int64_t encoder_layer = attention + ffn + 2 * norm;
    int64_t decoder_layer = 2 * attention + ffn + 3 * norm;
    int64_t layers = encoder_layer + decoder_layer, rest = TINY_VOCAB * D + 32 * D + 2 * norm;

    (void) state;
    assert_int_equal(count(tiny, ""), 2 * layers + rest + 2 * 3 * D);
    assert_int_equal(count(tiny, "num_rec_steps=7"), 2 * layers + rest + 2 * 7 * D);
    assert_int_equal(count(tiny, "num_rec_steps=7,add_step_timing_signal=false"),
                     2 * layers + rest);
    assert_int_equal(count("universal_transformer_step_sinusoid_timing_tiny", ""),
                     2 * layers + rest);
    assert_int_equal(count("universal_transformer_mix_after_ut_base", "num_mixedin_layers=4"),
                     (2 + 4) * layers + rest + 2 * 3 * D);
}

enum { STEPS = 8 };

/* The values of all variables after some steps, owned by the caller. */
static float *train(const char *model, int threads, bool remat, double losses[STEPS])
{
    struct dev *d = op_device("cpu", threads);
    struct mdl_problem problem = tiny_translation;
    struct opt_optimizer *o = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct tiny_batch batch;
    struct opt_report report;
    struct mdl_loss loss;
    struct mdl *m;
    float *values;

    problem.class_labels = model == encoder;
    m = tiny_model_of(d, model, hparams(tiny, "layer_prepostprocess_dropout=0.1"), &problem,
                      MDL_TRAIN);
    mdl_set_remat(m, remat);
    if (opt_new(mdl_hparams_of(m), mdl_params(m), &o, &err) != T2_OK)
        fail_msg("%s", err.message);
    for (int step = 0; step < STEPS; step++) {
        const struct mdl_batch *b =
            tiny_batch(&batch, 5, 9, problem.class_labels ? 1 : 11 + 6 * (step == 1), 3);

        if (mdl_train_step(m, b, 7, (uint64_t) step, &loss, &err) != T2_OK ||
            opt_step(o, step, 100, &report, &err) != T2_OK)
            fail_msg("%s", err.message);
        losses[step] = loss.numerator / loss.denominator;
    }
    values = device_floats(d, mdl_params(m)->values, mdl_params(m)->n_floats);
    opt_free(o);
    mdl_free(m);
    return values;
}

/* It learns, and the same to the bit with more threads and with layers computed again. */
static void check_runs(const char *model)
{
    struct mdl_problem problem = tiny_translation;
    double losses[3][STEPS];
    float *values[3];
    struct mdl *m;
    size_t bytes;

    problem.class_labels = model == encoder;
    m = tiny_model_of(op_device("reference", 1), model, hparams(tiny, ""), &problem, MDL_EVAL);
    bytes = (size_t) mdl_params(m)->n_floats * sizeof(float);
    for (int i = 0; i < 3; i++)
        values[i] = train(model, 1 + (i > 0), i == 2, losses[i]);
    for (int i = 1; i < 3; i++) {
        assert_memory_equal(losses[0], losses[i], sizeof losses[0]);
        assert_memory_equal(values[0], values[i], bytes);
    }
    assert_true(losses[0][STEPS - 1] < losses[0][0]);
    for (int i = 0; i < 3; i++)
        free(values[i]);
    mdl_free(m);
}

static void test_runs(void **state)
{
    (void) state;
    check_runs(name);
    check_runs(encoder);
}

static void refused(const char *model, const char *set, const char *overrides,
                    enum t2_status status, const char *part)
{
    struct mdl_hparams *hp = tiny_hparams_of(set, overrides);

    tiny_refused(model, hp, &tiny_translation, status, part);
    mdl_hparams_free(hp);
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
        refused(name, rows[i].set, rows[i].overrides, rows[i].status, rows[i].part);
    refused(encoder, base, "", T2_EUNSUPPORTED, "class labels");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
