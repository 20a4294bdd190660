/* Tests of train/models/hparams_official.c against the table of spec official-transformer.md §5. */
#include <math.h>

#include "tests/support/t.h"
#include "train/device/device.h"
#include "train/models/model.h"

static void test_table(void **state)
{
    static const struct {
        const char *set;
        int64_t batch, hidden, heads, filter, warmup;
        double dropout;
    } rows[] = {{"official_transformer_base", 2048, 512, 8, 2048, 16000, 0.1},
                {"official_transformer_big", 4096, 1024, 16, 4096, 16000, 0.1},
                {"official_transformer_tiny", 1024, 32, 4, 256, 16000, 0.1},
                {"official_transformer_base_multi_gpu", 2048, 512, 8, 2048, 8000, 0.1},
                {"official_transformer_big_multi_gpu", 4096, 1024, 16, 4096, 8000, 0.3}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct mdl_hparams *hp;

        assert_int_equal(mdl_hparams_new(rows[i].set, &hp, &err), T2_OK);
        assert_int_equal(mdl_hp_int(hp, "batch_size"), rows[i].batch);
        assert_int_equal(mdl_hp_int(hp, "hidden_size"), rows[i].hidden);
        assert_int_equal(mdl_hp_int(hp, "num_heads"), rows[i].heads);
        assert_int_equal(mdl_hp_int(hp, "filter_size"), rows[i].filter);
        assert_int_equal(mdl_hp_int(hp, "learning_rate_warmup_steps"), rows[i].warmup);
        assert_true(mdl_hp_float(hp, "layer_prepostprocess_dropout") == rows[i].dropout);
        assert_int_equal(mdl_hp_int(hp, "max_length"), 256);
        assert_int_equal(mdl_hp_int(hp, "vocab_size"), 33708);
        assert_int_equal(mdl_hp_int(hp, "num_hidden_layers"), 6);
        assert_true(mdl_hp_float(hp, "attention_dropout") == 0.1);
        assert_true(mdl_hp_float(hp, "relu_dropout") == 0.1);
        assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
        assert_true(mdl_hp_float(hp, "learning_rate_constant") == 2.0);
        assert_true(mdl_hp_float(hp, "optimizer_adam_beta1") == 0.9);
        assert_true(mdl_hp_float(hp, "optimizer_adam_beta2") == 0.997);
        assert_true(mdl_hp_float(hp, "optimizer_adam_epsilon") == 1e-9);
        assert_true(mdl_hp_float(hp, "clip_grad_norm") == 0.0);
        assert_true(mdl_hp_float(hp, "weight_decay") == 0.0);
        assert_false(mdl_hp_bool(hp, "use_ctl"));
        mdl_hparams_free(hp);
    }
}

/* Trainable parameters as the original counts them. */
static void test_number_of_parameters(void **state)
{
    const struct mdl_problem problem = {.has_inputs = true,
                                        .inputs_vocab = 100,
                                        .targets_vocab = 100,
                                        .loss_multiplier = 1.0};
    struct t2_err err = T2_ERR_INIT;
    struct mdl_hparams *hp;
    struct dev *dev;
    struct mdl *m;

    (void) state;
    assert_int_equal(dev_open("cpu", 1, &dev, &err), T2_OK);
    assert_int_equal(mdl_hparams_new("official_transformer_tiny", &hp, &err), T2_OK);
    if (mdl_new("official_transformer", dev, hp, &problem, MDL_EVAL, &m, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(gr_params_count(mdl_params(m)), 1354496);
    mdl_free(m);
    mdl_hparams_free(hp);
    /* of the base one layer of each kind, of (18,903,040 - 1024) / 6 and (25,200,640 - 1024) / 6 */
    assert_int_equal(mdl_hparams_new("official_transformer_base", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "num_hidden_layers=1,vocab_size=0", &err), T2_OK);
    if (mdl_new("official_transformer", dev, hp, &problem, MDL_EVAL, &m, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(gr_params_count(mdl_params(m)), 100 * 512 + 3150336 + 1024 + 4199936 + 1024);
    mdl_free(m);
    mdl_hparams_free(hp);
    dev_close(dev);
}

T_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_number_of_parameters))
