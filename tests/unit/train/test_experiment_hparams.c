/*
 * Tests of train/runs/experiment_hparams.c: what configurations become, and that a registered set
 * takes it.
 */
#include "train/runs/experiment_hparams.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/optim/schedule.h"

static struct t2_err err;

static enum t2_status convert(const char *name, const char *overrides, struct t2_buf *clauses,
                              const char **model, const char **set)
{
    const struct exp_experiment *e = NULL;
    struct exp_config *c = NULL;
    enum t2_status st;

    assert_int_equal(exp_find(name, &e, &err), T2_OK);
    assert_int_equal(exp_new(e, &c, &err), T2_OK);
    assert_int_equal(exp_override(c, overrides, &err), T2_OK);
    st = tr_experiment_hparams(c, e->task, model, set, clauses, &err);
    exp_config_free(c);
    return st;
}

/* The set with what the configuration changes. */
static struct mdl_hparams *hparams_of(const char *name, const char *overrides)
{
    struct t2_buf clauses = {0};
    struct mdl_hparams *hp = NULL;
    const char *model, *set;

    assert_int_equal(convert(name, overrides, &clauses, &model, &set), T2_OK);
    assert_int_equal(mdl_hparams_new(set, &hp, &err), T2_OK);
    if (mdl_hparams_override(hp, t2_buf_cstr(&clauses), &err) != T2_OK)
        fail_msg("%s: %s", t2_buf_cstr(&clauses), err.message);
    t2_buf_release(&clauses);
    return hp;
}

static void test_wmt(void **state)
{
    struct mdl_hparams *hp = hparams_of("wmt_transformer/large", "");
    double rate, peak = 4.941059e-4;

    (void) state;
    assert_int_equal(mdl_hp_int(hp, "hidden_size"), 1024);
    assert_int_equal(mdl_hp_int(hp, "num_heads"), 16);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 24576);
    assert_int_equal(mdl_hp_int(hp, "max_length"), 64);
    assert_true(mdl_hp_bool(hp, "static_batch"));
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "keras_adam");
    assert_true(mdl_hp_float(hp, "optimizer_adam_epsilon") == 1e-9);
    assert_int_equal(opt_learning_rate(hp, 16000, 300000, &rate, &err), T2_OK);
    t_assert_close_double(&rate, &peak, 1, 0, 1e-6);
    mdl_hparams_free(hp);
}

#define CONFIG "trainer.optimizer_config."

static void check_text(const char *overrides, const char *hparam, const char *expected)
{
    struct mdl_hparams *hp = hparams_of("wmt_transformer/large", overrides);

    assert_string_equal(mdl_hp_string(hp, hparam), expected);
    mdl_hparams_free(hp);
}

static void check_number(const char *overrides, const char *hparam, double expected)
{
    struct mdl_hparams *hp = hparams_of("wmt_transformer/large", overrides);

    assert_true(mdl_hp_float(hp, hparam) == expected);
    mdl_hparams_free(hp);
}

static void test_optimizers(void **state)
{
    (void) state;
    check_text(CONFIG "optimizer.type=sgd," CONFIG "optimizer.sgd.momentum=0.5", "optimizer",
               "keras_sgd");
    check_number(CONFIG "optimizer.type=sgd," CONFIG "optimizer.sgd.momentum=0.5",
                 "optimizer_momentum_momentum", 0.5);
    check_text(CONFIG "optimizer.adam.amsgrad=true", "optimizer", "amsgrad");
    check_number(CONFIG "optimizer.type=adamw", "clip_grad_norm", 1.0);
    check_number(CONFIG "optimizer.adam.global_clipnorm=0.25", "clip_grad_norm", 0.25);
    check_number("", "clip_grad_norm", 0.0);
    check_number(CONFIG "optimizer.type=rmsprop," CONFIG "optimizer.rmsprop.rho=0.5",
                 "optimizer_rms_prop_rho", 0.5);
    check_text(CONFIG "optimizer.type=adagrad", "optimizer", "keras_adagrad");
    check_text(CONFIG "optimizer.type=lars," CONFIG
                      "optimizer.lars.exclude_from_weight_decay=[bias, norm]," CONFIG
                      "optimizer.lars.exclude_from_layer_adaptation=[bias, norm]",
               "optimizer_lars_skip", "bias+norm");
}

static void test_average(void **state)
{
    struct mdl_hparams *hp;

    (void) state;
    check_number(CONFIG "ema={average_decay: 0.999}", "moving_average_decay", 0.999);
    check_number("", "moving_average_decay", 0.0);
    hp = hparams_of("wmt_transformer/large", CONFIG "ema={}");
    assert_true(mdl_hp_bool(hp, "moving_average_trainable_only"));
    mdl_hparams_free(hp);
}

static void test_images(void **state)
{
    struct mdl_hparams *hp = hparams_of("resnet_imagenet", "");

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "image_pipeline"), "garden");
    assert_int_equal(mdl_hp_int(hp, "image_size"), 224);
    assert_int_equal(mdl_hp_int(hp, "num_label_classes"), 1001);
    assert_true(mdl_hp_float(hp, "weight_decay") == 1e-4);
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "keras_sgd");
    mdl_hparams_free(hp);
    hp = hparams_of("resnet_imagenet",
                    "task.train_data.aug_type.type=autoaug,task.losses.label_smoothing=0.1");
    assert_string_equal(mdl_hp_string(hp, "image_pipeline"), "garden_autoaugment");
    assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
    mdl_hparams_free(hp);
    hp = hparams_of("resnet_imagenet", "{task: {train_data: {aug_type: {type: randaug}}}}");
    assert_string_equal(mdl_hp_string(hp, "image_pipeline"), "garden_randaugment");
    mdl_hparams_free(hp);
}

static void test_mixed_images(void **state)
{
    struct mdl_hparams *hp =
        hparams_of("resnet_imagenet",
                   "{task: {losses: {soft_labels: true, one_hot: false}, train_data: "
                   "{mixup_and_cutmix: {cutmix_alpha: 0, prob: 0.75}}, model: "
                   "{dropout_rate: 0.25, add_head_batch_norm: true, backbone: {resnet: "
                   "{stochastic_depth_drop_rate: "
                   "0.2}}}}}");

    (void) state;
    assert_true(mdl_hp_float(hp, "mixup_alpha") == 0.8 && mdl_hp_float(hp, "cutmix_alpha") == 0.0);
    assert_true(mdl_hp_float(hp, "mixup_prob") == 0.75);
    assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
    assert_true(mdl_hp_float(hp, "dropout") == 0.25 && mdl_hp_bool(hp, "add_head_batch_norm"));
    assert_true(mdl_hp_float(hp, "stochastic_depth_drop_rate") == 0.2);
    mdl_hparams_free(hp);
}

static void test_width(void **state)
{
    static const struct {
        const char *overrides;
        int64_t filters[5];
    } rows[] = {
        {"task.model.backbone.resnet.depth_multiplier=1.0", {64, 64, 128, 256, 512}},
        {"task.model.backbone.resnet.depth_multiplier=0.3", {19, 19, 38, 76, 153}},
        {"{task: {model: {backbone: {resnet: {depth_multiplier: 2, scale_stem: false}}}}}",
         {64, 128, 256, 512, 1024}},
    };

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mdl_hparams *hp = hparams_of("resnet_imagenet", rows[i].overrides);
        size_t n;
        const int64_t *filters = mdl_hp_ints(hp, "filter_sizes", &n);

        assert_int_equal(n, 5);
        assert_memory_equal(filters, rows[i].filters, sizeof rows[i].filters);
        assert_false(mdl_hp_bool(hp, "add_head_batch_norm"));
        mdl_hparams_free(hp);
    }
}

static void test_rates(void **state)
{
    (void) state;
    check_text(CONFIG "warmup.type=null", "learning_rate_warmup", "none");
    check_text("{trainer: {optimizer_config: {learning_rate: {type: cosine, cosine: "
               "{initial_learning_rate: 0.05, decay_steps: 1000}}}}}",
               "learning_rate_main", "cosine");
    check_number("{trainer: {optimizer_config: {learning_rate: {type: exponential, exponential: "
                 "{initial_learning_rate: 0.05, decay_steps: 10, decay_rate: 0.5}}}}}",
                 "learning_rate_decay_rate", 0.5);
}

static void check_refused(const char *name, const char *overrides, const char *message)
{
    struct t2_buf clauses = {0};
    const char *model, *set;

    assert_int_equal(convert(name, overrides, &clauses, &model, &set), T2_EUSAGE);
    t_assert_contains(err.message, message);
    t2_buf_release(&clauses);
}

/* v3-1024.yaml */
static void test_tpu_resnet(void **state)
{
    struct mdl_hparams *hp =
        hparams_of("tpu_resnet",
                   "enable_lars=true,train_batch_size=32768,label_smoothing=0.1,se_ratio=0.25,"
                   "drop_connect_rate=0.2,dropout_rate=0.5");

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "lars");
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 32768);
    assert_true(mdl_hp_float(hp, "se_ratio") == 0.25);
    assert_true(mdl_hp_float(hp, "drop_connect_rate") == 0.2);
    assert_true(mdl_hp_float(hp, "dropout") == 0.5);
    assert_true(mdl_hp_float(hp, "label_smoothing") == 0.1);
    assert_int_equal(mdl_hp_int(hp, "num_label_classes"), 1000);
    mdl_hparams_free(hp);
}

/* Keys and values as presets of models/official/resnet/configs have them, a row for each kind:
 * plain, RandAugment, LARS; they can be given as they are.  A field that is missing here, or
 * refused with a value of a row, fails. */
static void test_presets_of_tpu_resnet(void **state)
{
#define EVALUATED "eval_batch_size: 1024, "
#define LARS                                                                                       \
    "{train_steps: 3558, train_batch_size: 32768, " EVALUATED "iterations_per_loop: 3558, "        \
    "skip_host_call: True, enable_lars: True, label_smoothing: 0.1, num_cores: "
#define RANDAUGMENT                                                                                \
    "{resnet_depth: 50, " EVALUATED "iterations_per_loop: 1000, skip_host_call: True, "            \
    "augment_name: 'randaugment', randaug_num_layers: 2, randaug_magnitude: 9, "
    static const struct {
        const char *yaml, *pipeline;
        int64_t steps, batch;
    } presets[] = {
        {"{resnet_depth: 50, train_batch_size: 1024, eval_batch_size: 1024, num_train_images: "
         "1281167, num_eval_images: 50000, train_steps: 112590, base_learning_rate: 0.1, "
         "iterations_per_loop: 1251, use_tpu: True, num_cores: 8, enable_lars: False, "
         "transpose_input: True, precision: 'bfloat16', num_label_classes: 1000, use_cache: True, "
         "use_async_checkpointing: False, image_size: 224, momentum: 0.9, weight_decay: 0.0001, "
         "label_smoothing: 0.0, poly_rate: 0.0, skip_host_call: False, num_parallel_calls: 8, "
         "dropblock_groups: '', dropblock_keep_prob: 0.9, dropblock_size: 7, data_format: "
         "'channels_last'}",
         "resnet", 112590, 1024},
        {RANDAUGMENT "train_steps: 225216, train_batch_size: 1024, num_cores: 8}",
         "resnet_randaugment", 225216, 1024},
        {RANDAUGMENT "train_steps: 56304, train_batch_size: 4096, num_cores: 32}",
         "resnet_randaugment", 56304, 4096},
        {LARS "512}", "resnet", 3558, 32768},
        {LARS "2048}", "resnet", 3558, 32768},
        {"{train_steps: 113854, train_batch_size: 1024, " EVALUATED "num_cores: 8}", "resnet",
         113854, 1024},
    };

    (void) state;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        struct mdl_hparams *hp = hparams_of("tpu_resnet", presets[i].yaml);

        assert_int_equal(mdl_hp_int(hp, "batch_size"), presets[i].batch);
        assert_string_equal(mdl_hp_string(hp, "image_pipeline"), presets[i].pipeline);
        if (strcmp(presets[i].pipeline, "resnet_randaugment") == 0) {
            assert_int_equal(mdl_hp_int(hp, "randaugment_layers"), 2);
            assert_true(mdl_hp_float(hp, "randaugment_magnitude") == 9.0);
        }
        mdl_hparams_free(hp);
    }
}

static void test_augment_name(void **state)
{
    struct mdl_hparams *hp = hparams_of("tpu_resnet", "augment_name=autoaugment");
    struct t2_buf clauses = {0};
    const char *model, *set;

    (void) state;
    assert_string_equal(mdl_hp_string(hp, "image_pipeline"), "resnet_autoaugment");
    mdl_hparams_free(hp);
    hp = hparams_of("resnet_imagenet", "{task: {train_data: {aug_type: {type: randaug, randaug: "
                                       "{num_layers: 3, magnitude: 7.5}}}}}");
    assert_int_equal(mdl_hp_int(hp, "randaugment_layers"), 3);
    assert_true(mdl_hp_float(hp, "randaugment_magnitude") == 7.5);
    mdl_hparams_free(hp);
    assert_int_equal(convert("tpu_resnet", "augment_name=cutout", &clauses, &model, &set),
                     T2_EUSAGE);
    t_assert_contains(err.message, "neither autoaugment nor randaugment");
    t2_buf_release(&clauses);
}

static void test_refused(void **state)
{
    (void) state;
    check_refused("resnet_imagenet", "task.model.backbone.resnet.depth_multiplier=0.01",
                  "task.model.backbone.resnet.depth_multiplier=0.01 is not between 1/32 and 64");
    check_refused("resnet_imagenet", "task.losses.soft_labels=true",
                  "task.losses.soft_labels: only with task.train_data.mixup_and_cutmix");
    check_refused("resnet_imagenet", "{task: {train_data: {mixup_and_cutmix: {}}}}",
                  "needs task.losses.one_hot=false and task.losses.soft_labels=true");
    check_refused("resnet_imagenet", "{task: {validation_data: {mixup_and_cutmix: {}}}}",
                  "task.validation_data.mixup_and_cutmix: images are mixed in training only");
    check_refused("wmt_transformer/large", "task.model.encoder.num_layers=3",
                  "task.model.encoder.num_layers and task.model.decoder.num_layers must be the "
                  "same");
    check_refused("wmt_transformer/large", CONFIG "optimizer.type=null",
                  "optimizer type must be specified");
    check_refused("wmt_transformer/large", CONFIG "learning_rate.type=null",
                  "learning rate type must be specified");
    check_refused("wmt_transformer/large", CONFIG "learning_rate.type=cosine",
                  "learning_rate.cosine.initial_learning_rate is missing");
    check_refused("wmt_transformer/large",
                  CONFIG "optimizer.type=lars," CONFIG
                         "optimizer.lars.exclude_from_weight_decay=[bias]",
                  "must be the same list");
    check_refused("wmt_transformer/large",
                  CONFIG "optimizer.type=lars," CONFIG
                         "optimizer.lars.exclude_from_weight_decay=['b.*']," CONFIG
                         "optimizer.lars.exclude_from_layer_adaptation=['b.*']",
                  "is a regular expression");
    check_refused("image_classification", "", "task.train_data.global_batch_size is missing");
    check_refused("resnet_imagenet", "task.model.input_size=[224, 200, 3]", "must be [N, N, 3]");
    check_refused("resnet_imagenet", "task.model.num_classes=0", "num_classes is missing");
    check_refused("resnet_imagenet", CONFIG "optimizer.type=lars",
                  "task.losses.l2_weight_decay must be 0 with lars");
}

static void check_override(const char *name, const char *overrides, enum t2_status status,
                           const char *said)
{
    const struct exp_experiment *e = NULL;
    struct exp_config *c = NULL;

    assert_int_equal(exp_find(name, &e, &err), T2_OK);
    assert_int_equal(exp_new(e, &c, &err), T2_OK);
    assert_int_equal(exp_override(c, overrides, &err), status);
    if (!strstr(err.message, said))
        fail_msg("'%s' does not say '%s'", err.message, said);
    err = (struct t2_err) T2_ERR_INIT;
    exp_config_free(c);
}

static void check_heads(const char *list, enum t2_status status, const char *said)
{
    char *overrides = t2_asprintf("{task: {model: {cls_heads: %s}}}", list);

    check_override("bert/pretraining", overrides, status, said);
    t2_free(overrides);
}

/* Places say which data train, whatever the task; in that of answers both say it by default. */
static void test_is_training(void **state)
{
    static const char *const names[] = {"bert/pretraining", "bert/squad", "image_classification",
                                        "wmt_transformer/large"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bool answers = strcmp(names[i], "bert/squad") == 0;

        check_override(names[i], "task.train_data.is_training=true", T2_OK, "");
        check_override(names[i], "task.train_data.is_training=false", T2_EUNSUPPORTED,
                       "task.train_data.is_training=false: only true is possible here");
        check_override(names[i], "task.validation_data.is_training=false", T2_OK, "");
        check_override(names[i], "task.validation_data.is_training=true",
                       answers ? T2_OK : T2_EUNSUPPORTED,
                       answers ? ""
                               : "task.validation_data.is_training=true: only false is possible");
    }
}

static void test_bert(void **state)
{
#define STEPS                                                                                      \
    CONFIG "learning_rate.polynomial.decay_steps=9," CONFIG "warmup.polynomial.warmup_steps=2,"
    struct mdl_hparams *hp = hparams_of("bert/pretraining", STEPS "task.train_data.seq_length=64");
    struct t2_buf clauses = {0};
    const char *model, *set;

    (void) state;
    assert_int_equal(mdl_hp_int(hp, "sentence_head_size"), 768);
    assert_int_equal(mdl_hp_int(hp, "max_input_seq_length"), 64);
    assert_int_equal(mdl_hp_int(hp, "max_target_seq_length"), 76);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 512);
    assert_string_equal(mdl_hp_string(hp, "optimizer"), "keras_adam_w");
    assert_string_equal(mdl_hp_string(hp, "optimizer_adam_decay_skip"),
                        "LayerNorm+layer_norm+bias");
    assert_true(mdl_hp_float(hp, "optimizer_adam_weight_decay") == 0.01);
    mdl_hparams_free(hp);
    hp = hparams_of("bert/pretraining",
                    "{task: {model: {cls_heads: [{inner_dim: 64, dropout_rate: 0.5}]}}, trainer: "
                    "{optimizer_config: {learning_rate: {polynomial: {decay_steps: 9}}, warmup: "
                    "{polynomial: {warmup_steps: 2}}}}}");
    assert_int_equal(mdl_hp_int(hp, "sentence_head_size"), 64);
    assert_true(mdl_hp_float(hp, "dropout") == 0.5 && mdl_hp_bool(hp, "use_sentence_label"));
    mdl_hparams_free(hp);
    hp = hparams_of("bert/sentence_prediction",
                    STEPS "task.model.num_classes=3,task.model.use_encoder_pooler=true");
    assert_int_equal(mdl_hp_int(hp, "num_label_classes"), 3);
    assert_true(mdl_hp_bool(hp, "use_encoder_pooler"));
    mdl_hparams_free(hp);
    assert_int_equal(convert("bert/sentence_prediction", STEPS, &clauses, &model, &set), T2_EUSAGE);
    assert_non_null(strstr(err.message, "num_classes must be at least 2"));
    assert_int_equal(convert("bert/pretraining", "{task: {model: {cls_heads: []}}}", &clauses,
                             &model, &set),
                     T2_EUSAGE);
    assert_non_null(strstr(err.message, "needs a head in task.model.cls_heads"));
    assert_int_equal(convert("bert/squad", STEPS, &clauses, &model, &set), T2_OK);
    assert_string_equal(model, "mg_bert_span_labeler");
    hp = hparams_of("bert/squad", STEPS "task.train_data.global_batch_size=12");
    assert_int_equal(mdl_hp_int(hp, "max_input_seq_length"), 384);
    assert_int_equal(mdl_hp_int(hp, "batch_size"), 12);
    mdl_hparams_free(hp);
    t2_buf_release(&clauses);
    check_heads("[{}, {}]", T2_EUSAGE, "a list of at most one group of fields");
    check_heads("{inner_dim: 3}", T2_EUSAGE, "a list of at most one group of fields");
    check_heads("null", T2_EUSAGE, "a list of at most one group of fields");
    check_heads("[{inner_dims: 3}]", T2_EUSAGE, "did you mean 'inner_dim'");
    check_heads("[{num_classes: 3}]", T2_EUNSUPPORTED, "only 2 is possible");
    /* decay of a Vision Transformer is for all */
    hp = hparams_of("vit_imagenet_pretrain", "");
    assert_string_equal(mdl_hp_string(hp, "optimizer_adam_decay_skip"), "");
    assert_true(mdl_hp_float(hp, "optimizer_adam_weight_decay") == 0.3);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_wmt), cmocka_unit_test(test_bert), cmocka_unit_test(test_is_training),
       cmocka_unit_test(test_optimizers), cmocka_unit_test(test_rates),
       cmocka_unit_test(test_images), cmocka_unit_test(test_mixed_images),
       cmocka_unit_test(test_width), cmocka_unit_test(test_average),
       cmocka_unit_test(test_tpu_resnet), cmocka_unit_test(test_presets_of_tpu_resnet),
       cmocka_unit_test(test_augment_name), cmocka_unit_test(test_refused))
