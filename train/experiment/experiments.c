/*
 * train/experiment/experiments.c - the experiments and their tables.
 */
#include "train/experiment/experiments.h"

#include <string.h>

#include "base/str.h"
#include "train/experiment/fields.h"

static const char image_defaults[] =
    "task: {train_data: {shuffle_buffer_size: 10000, cycle_length: 10, is_training: true},\n"
    "  validation_data: {shuffle_buffer_size: 10000, cycle_length: 10, is_training: false}}\n";

/* 312 steps are an epoch of 1281167 images in batches of 4096. */
static const char resnet_defaults[] =
    "runtime: {enable_xla: true}\n"
    "task:\n"
    "  model: {num_classes: 1001, input_size: [224, 224, 3],\n"
    "    norm_activation: {norm_momentum: 0.9, norm_epsilon: 1.0e-05}}\n"
    "  losses: {l2_weight_decay: 0.0001}\n"
    "  train_data: {input_path: imagenet-2012-tfrecord/train*, is_training: true,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "  validation_data: {input_path: imagenet-2012-tfrecord/valid*, is_training: false,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "trainer:\n"
    "  steps_per_loop: 312\n"
    "  summary_interval: 312\n"
    "  checkpoint_interval: 312\n"
    "  validation_interval: 312\n"
    "  train_steps: 28080\n"
    "  validation_steps: 12\n"
    "  optimizer_config:\n"
    "    optimizer: {type: sgd, sgd: {momentum: 0.9}}\n"
    "    learning_rate: {type: stepwise, stepwise: {boundaries: [9360, 18720, 24960],\n"
    "      values: [1.6, 0.16, 0.016, 0.0016]}}\n"
    "    warmup: {type: linear, linear: {warmup_steps: 1560, warmup_learning_rate: 0}}\n";

/* 350 epochs of 312 steps. */
static const char resnet_rs_defaults[] =
    "task:\n"
    "  model: {num_classes: 1001, input_size: [160, 160, 3], dropout_rate: 0.25,\n"
    "    backbone: {type: resnet, resnet: {stem_type: v1, resnetd_shortcut: true,\n"
    "      replace_stem_max_pool: true, se_ratio: 0.25}},\n"
    "    norm_activation: {norm_momentum: 0.0, norm_epsilon: 1.0e-05, activation: swish}}\n"
    "  losses: {l2_weight_decay: 4.0e-05, label_smoothing: 0.1}\n"
    "  train_data: {input_path: imagenet-2012-tfrecord/train*, is_training: true,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10,\n"
    "    aug_type: {type: randaug, randaug: {magnitude: 10}}}\n"
    "  validation_data: {input_path: imagenet-2012-tfrecord/valid*, is_training: false,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "trainer:\n"
    "  steps_per_loop: 312\n"
    "  summary_interval: 312\n"
    "  checkpoint_interval: 312\n"
    "  validation_interval: 312\n"
    "  train_steps: 109200\n"
    "  validation_steps: 12\n"
    "  optimizer_config:\n"
    "    optimizer: {type: sgd, sgd: {momentum: 0.9}}\n"
    "    ema: {average_decay: 0.9999, trainable_weights_only: false}\n"
    "    learning_rate: {type: cosine, cosine: {initial_learning_rate: 1.6, decay_steps: 109200}}\n"
    "    warmup: {type: linear, linear: {warmup_steps: 1560, warmup_learning_rate: 0}}\n";

/* 500 epochs; 0.256 is 0.008 for each 128 images. */
static const char mobilenet_defaults[] =
    "task:\n"
    "  model: {num_classes: 1001, input_size: [224, 224, 3], dropout_rate: 0.2,\n"
    "    backbone: {type: mobilenet, mobilenet: {model_id: MobileNetV2}},\n"
    "    norm_activation: {norm_momentum: 0.997, norm_epsilon: 0.001}}\n"
    "  losses: {l2_weight_decay: 1.0e-05, label_smoothing: 0.1}\n"
    "  train_data: {input_path: imagenet-2012-tfrecord/train*, is_training: true,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "  validation_data: {input_path: imagenet-2012-tfrecord/valid*, is_training: false,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "trainer:\n"
    "  steps_per_loop: 312\n"
    "  summary_interval: 312\n"
    "  checkpoint_interval: 312\n"
    "  validation_interval: 312\n"
    "  train_steps: 156000\n"
    "  validation_steps: 12\n"
    "  optimizer_config:\n"
    "    optimizer: {type: rmsprop, rmsprop: {rho: 0.9, momentum: 0.9, epsilon: 0.002}}\n"
    "    learning_rate: {type: exponential, exponential: {initial_learning_rate: 0.256,\n"
    "      decay_steps: 780, decay_rate: 0.98, staircase: true}}\n"
    "    warmup: {type: linear, linear: {warmup_steps: 1560, warmup_learning_rate: 0}}\n";

/* 2502 steps are an epoch in batches of 512. */
static const char vit_finetune_defaults[] =
    "task:\n"
    "  model: {num_classes: 1001, input_size: [384, 384, 3],\n"
    "    backbone: {type: vit, vit: {model_name: vit-b16}}}\n"
    "  losses: {l2_weight_decay: 0.0}\n"
    "  train_data: {input_path: imagenet-2012-tfrecord/train*, is_training: true,\n"
    "    global_batch_size: 512, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "  validation_data: {input_path: imagenet-2012-tfrecord/valid*, is_training: false,\n"
    "    global_batch_size: 512, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "trainer:\n"
    "  steps_per_loop: 2502\n"
    "  summary_interval: 2502\n"
    "  checkpoint_interval: 2502\n"
    "  validation_interval: 2502\n"
    "  train_steps: 20000\n"
    "  validation_steps: 97\n"
    "  optimizer_config:\n"
    "    optimizer: {type: sgd, sgd: {momentum: 0.9, global_clipnorm: 1.0}}\n"
    "    learning_rate: {type: cosine, cosine: {initial_learning_rate: 0.003, decay_steps: "
    "20000}}\n";

/* 93600 steps are 300 epochs in batches of 4096.  A text in place of a list, and so it matches. */
static const char vit_pretrain_defaults[] =
    "task:\n"
    "  model: {num_classes: 1001, input_size: [224, 224, 3], kernel_initializer: zeros,\n"
    "    backbone: {type: vit, vit: {model_name: vit-b16, representation_size: 768}}}\n"
    "  losses: {l2_weight_decay: 0.0}\n"
    "  train_data: {input_path: imagenet-2012-tfrecord/train*, is_training: true,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "  validation_data: {input_path: imagenet-2012-tfrecord/valid*, is_training: false,\n"
    "    global_batch_size: 4096, shuffle_buffer_size: 10000, cycle_length: 10}\n"
    "trainer:\n"
    "  steps_per_loop: 312\n"
    "  summary_interval: 312\n"
    "  checkpoint_interval: 312\n"
    "  validation_interval: 312\n"
    "  train_steps: 93600\n"
    "  validation_steps: 12\n"
    "  optimizer_config:\n"
    "    optimizer: {type: adamw, adamw: {weight_decay_rate: 0.3, gradient_clip_norm: 0.0,\n"
    "      include_in_weight_decay: '.*(kernel|weight):0$'}}\n"
    "    learning_rate: {type: cosine, cosine: {initial_learning_rate: 0.003, decay_steps: "
    "93600}}\n"
    "    warmup: {type: linear, linear: {warmup_steps: 10000, warmup_learning_rate: 0}}\n";

#define BERT_OPTIMIZER(rate)                                                                       \
    "  optimizer_config:\n"                                                                        \
    "    optimizer: {type: adamw, adamw: {weight_decay_rate: 0.01,\n"                              \
    "      exclude_from_weight_decay: [LayerNorm, layer_norm, bias]}}\n"                           \
    "    learning_rate: {type: polynomial, polynomial: {initial_learning_rate: " rate ",\n"        \
    "      end_learning_rate: 0.0}}\n"                                                             \
    "    warmup: {type: polynomial}\n"

static const char bert_sentence_defaults[] =
    "task: {train_data: {is_training: true},\n"
    "  validation_data: {is_training: false, drop_remainder: false}}\n"
    "trainer:\n" BERT_OPTIMIZER("3.0e-05");

static const char bert_pretraining_defaults[] =
    "runtime: {enable_xla: true}\n"
    "task: {train_data: {is_training: true}, validation_data: {is_training: false},\n"
    "  model: {cls_heads: [{inner_dim: 768, dropout_rate: 0.1, name: next_sentence}]}}\n"
    "trainer:\n"
    "  train_steps: 1000000\n" BERT_OPTIMIZER("1.0e-04");

static const char bert_squad_defaults[] =
    "task: {train_data: {is_training: true}, validation_data: {is_training: true}}\n"
    "trainer:\n" BERT_OPTIMIZER("8.0e-05");

/* 0.0625 is 2 / sqrt(1024). */
static const char wmt_defaults[] =
    "runtime: {enable_xla: true}\n"
    "task:\n"
    "  model:\n"
    "    encoder: {num_attention_heads: 16, intermediate_size: 4096}\n"
    "    decoder: {num_attention_heads: 16, intermediate_size: 4096}\n"
    "    embedding_width: 1024\n"
    "  train_data: {tfds_name: wmt14_translate/de-en, tfds_split: train, src_lang: en,\n"
    "    tgt_lang: de, is_training: true, global_batch_size: 24576, static_batch: true,\n"
    "    max_seq_length: 64}\n"
    "  validation_data: {tfds_name: wmt14_translate/de-en, tfds_split: test, src_lang: en,\n"
    "    tgt_lang: de, is_training: false, global_batch_size: 32, static_batch: true,\n"
    "    max_seq_length: 100}\n"
    "trainer:\n"
    "  train_steps: 300000\n"
    "  steps_per_loop: 1000\n"
    "  summary_interval: 1000\n"
    "  checkpoint_interval: 5000\n"
    "  validation_interval: 5000\n"
    "  max_to_keep: 1\n"
    "  optimizer_config:\n"
    "    optimizer: {type: adam, adam: {beta_2: 0.997, epsilon: 1.0e-09}}\n"
    "    learning_rate: {type: power, power: {initial_learning_rate: 0.0625, power: -0.5}}\n"
    "    warmup: {type: linear, linear: {warmup_steps: 16000, warmup_learning_rate: 0.0}}\n";

static const struct exp_experiment experiments[] = {
    {"bert/pretraining", EXP_MASKED, bert_pretraining_defaults,
     "BERT on masked texts and whether one follows another"},
    {"bert/sentence_prediction", EXP_SENTENCES, bert_sentence_defaults,
     "BERT on classes of one text or two"},
    {"bert/squad", EXP_ANSWERS, bert_squad_defaults, "BERT on questions that a text answers"},
    {"image_classification", EXP_IMAGE_CLASSIFICATION, image_defaults,
     "images to classes, everything to be said"},
    {"mobilenet_imagenet", EXP_IMAGE_CLASSIFICATION, mobilenet_defaults, "MobileNetV2 on ImageNet"},
    {"resnet_imagenet", EXP_IMAGE_CLASSIFICATION, resnet_defaults, "ResNet-50 on ImageNet"},
    {"resnet_rs_imagenet", EXP_IMAGE_CLASSIFICATION, resnet_rs_defaults,
     "ResNet-RS-50 on ImageNet"},
    {"tpu_resnet", EXP_TPU_RESNET, "{}",
     "ResNet-50 on ImageNet, as tensorflow/tpu's resnet_main.py"},
    {"vit_imagenet_finetune", EXP_IMAGE_CLASSIFICATION, vit_finetune_defaults,
     "Vision Transformer B/16 on ImageNet"},
    {"vit_imagenet_pretrain", EXP_IMAGE_CLASSIFICATION, vit_pretrain_defaults,
     "Vision Transformer B/16 on ImageNet from the beginning"},
    {"wmt_transformer/large", EXP_TRANSLATION, wmt_defaults, "big Transformer on translation"},
};
enum { N_EXPERIMENTS = sizeof experiments / sizeof *experiments };

size_t exp_count(void)
{
    return N_EXPERIMENTS;
}

const struct exp_experiment *exp_at(size_t i)
{
    T2_ASSERT(i < N_EXPERIMENTS);
    return &experiments[i];
}

#define THERE_ARE                                                                                  \
    "bert/pretraining, bert/sentence_prediction, bert/squad, image_classification, "               \
    "mobilenet_imagenet, resnet_imagenet, resnet_rs_imagenet, tpu_resnet, "                        \
    "vit_imagenet_finetune, vit_imagenet_pretrain, wmt_transformer/large"

enum t2_status exp_find(const char *name, const struct exp_experiment **e, struct t2_err *err)
{
    static const char *const others[] = {"revnet_imagenet", "deit_imagenet_pretrain",
                                         "efficientnet_imagenet"};
    const char *names[N_EXPERIMENTS], *near;

    for (size_t i = 0; i < N_EXPERIMENTS; i++) {
        *e = &experiments[i];
        names[i] = experiments[i].name;
        if (strcmp(names[i], name) == 0)
            return T2_OK;
    }
    *e = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "--experiment=%s is not built; there are " THERE_ARE, name);
    near = t2_nearest(name, names, N_EXPERIMENTS);
    return t2_fail(err, T2_EUSAGE, "unknown --experiment '%s'%s%s%s; there are " THERE_ARE, name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- tables ---- */

enum { MAX_TABLES = 16 };

static void add(struct exp_table *tables, size_t *n, const char *prefix,
                const struct exp_fields *fields)
{
    T2_ASSERT(*n < MAX_TABLES);
    tables[(*n)++] = (struct exp_table){prefix, fields->fields, fields->n};
}

/* The fields of a task, and those of its data. */
static void add_task(struct exp_table *tables, size_t *n, const struct exp_fields *task,
                     const struct exp_fields *data, const struct exp_fields *validation)
{
    add(tables, n, "task", task);
    for (int i = 0; i < 2; i++) {
        const char *where = i == 0 ? "task.train_data" : "task.validation_data";

        add(tables, n, where, &exp_data_fields);
        add(tables, n, where, data);
        add(tables, n, where, i == 0 ? &exp_training_fields : validation);
    }
}

static void add_model_garden(struct exp_table *tables, size_t *n, enum exp_task task)
{
    add(tables, n, "runtime", &exp_runtime_fields);
    add(tables, n, "trainer", &exp_trainer_fields);
    add(tables, n, "trainer.optimizer_config", &exp_optimizer_fields);
    add(tables, n, "task", &exp_task_fields);
    if (task == EXP_IMAGE_CLASSIFICATION)
        add_task(tables, n, &exp_image_fields, &exp_image_data_fields, &exp_validation_fields);
    else if (task == EXP_TRANSLATION)
        add_task(tables, n, &exp_translation_fields, &exp_translation_data_fields,
                 &exp_validation_fields);
    else
        add(tables, n, "task.model.encoder", &exp_bert_fields);
    if (task == EXP_SENTENCES)
        add_task(tables, n, &exp_sentence_fields, &exp_sentence_data_fields,
                 &exp_validation_fields);
    if (task == EXP_MASKED)
        add_task(tables, n, &exp_masked_fields, &exp_masked_data_fields, &exp_validation_fields);
    if (task == EXP_ANSWERS) /* whose validation_data says true, and its own YAML files false */
        add_task(tables, n, &exp_answer_fields, &exp_answer_data_fields,
                 &exp_any_validation_fields);
}

enum t2_status exp_new(const struct exp_experiment *e, struct exp_config **c, struct t2_err *err)
{
    struct exp_table tables[MAX_TABLES];
    struct t2_yaml_node *tree = NULL;
    size_t n = 0;
    enum t2_status st;

    *c = NULL;
    T2_TRY(t2_yaml_tree(e->defaults, strlen(e->defaults), e->name, &tree, err));
    if (e->task == EXP_TPU_RESNET)
        add(tables, &n, "", &exp_tpu_resnet_fields);
    else
        add_model_garden(tables, &n, e->task);
    *c = exp_config_new(tables, n);
    st = exp_config_merge(*c, tree, e->name, err);
    T2_ASSERT(st == T2_OK); /* a table */
    exp_config_settle(*c);
    t2_yaml_free(tree);
    return T2_OK;
}
