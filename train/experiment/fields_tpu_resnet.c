/*
 * train/experiment/fields_tpu_resnet.c - the flat configuration of tensorflow/tpu's resnet_main.py.
 *
 * models/official/resnet/configs/resnet_config.py; spec image-pipelines.md §2.3-2.5.
 */
#include "train/experiment/fields.h"

enum { NUMBER_OR_NULL = (int) EXP_T_NUMBER | (int) EXP_T_OR_NULL };

static const char no_tpu[] = "there is no TPU";
static const char not_built[] = "not built";

/* clang-format off */
static const struct exp_field rows[] = {
    {"augment_name", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_READ, "hparam image_pipeline: resnet, resnet_autoaugment, resnet_randaugment"},
    {"base_learning_rate", EXP_T_NUMBER, "0.1", EXP_HPARAM, "learning_rate"},
    {"bn_momentum", EXP_T_NUMBER, "0.9", EXP_HPARAM, "bn_momentum"},
    {"data_format", EXP_T_STRING, "channels_last", EXP_PASSED, "where channels lie in memory"},
    {"drop_connect_rate", NUMBER_OR_NULL, "null", EXP_READ, "hparam drop_connect_rate; null is 0"},
    {"dropblock_groups", EXP_T_STRING, "''", EXP_FIXED, not_built},
    {"dropblock_keep_prob", NUMBER_OR_NULL, "null", EXP_PASSED, "there are no dropblock_groups"},
    {"dropblock_size", EXP_T_INT | EXP_T_OR_NULL, "7", EXP_PASSED, "there are no dropblock_groups"},
    {"dropout_rate", NUMBER_OR_NULL, "null", EXP_READ, "hparam dropout; null is 0"},
    {"enable_lars", EXP_T_BOOL, "false", EXP_READ, "--hparams_set=tpu_resnet_50_lars"},
    {"eval_batch_size", EXP_T_INT, "1024", EXP_PASSED, "evaluation takes every image, in batches of training"},
    {"image_size", EXP_T_INT, "224", EXP_HPARAM, "image_size"},
    {"iterations_per_loop", EXP_T_INT, "1251", EXP_READ, "--save_checkpoints_steps, 5000 at least"},
    {"label_smoothing", EXP_T_NUMBER, "0.0", EXP_HPARAM, "label_smoothing"},
    {"momentum", EXP_T_NUMBER, "0.9", EXP_HPARAM, "optimizer_momentum_momentum"},
    {"moving_average_decay", EXP_T_NUMBER, "0.0", EXP_READ, "hparam moving_average_decay; 0: no average"},
    {"norm_act_layer", EXP_T_STRING, "bn_relu", EXP_FIXED, not_built},
    {"num_cores", EXP_T_INT, "8", EXP_PASSED, "one process on this machine: statistics of the whole batch"},
    {"num_eval_images", EXP_T_INT, "50000", EXP_PASSED, "evaluation takes every image"},
    {"num_label_classes", EXP_T_INT, "1000", EXP_HPARAM, "num_label_classes"},
    {"num_parallel_calls", EXP_T_INT, "8", EXP_PASSED, "--num_threads says how many"},
    {"num_train_images", EXP_T_INT, "1281167", EXP_HPARAM, "num_train_images"},
    {"poly_rate", EXP_T_NUMBER, "0.0", EXP_HPARAM, "poly_rate"},
    {"pre_activation", EXP_T_BOOL, "false", EXP_FIXED, not_built},
    {"precision", EXP_T_STRING, "bfloat16", EXP_READ, "--precision"},
    {"randaug_magnitude", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "hparam randaugment_magnitude; null is 10"},
    {"randaug_num_layers", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_READ, "hparam randaugment_layers; null is 2"},
    {"replace_stem_max_pool", EXP_T_BOOL, "false", EXP_HPARAM, "replace_stem_max_pool"},
    {"resnet_depth", EXP_T_INT, "50", EXP_HPARAM, "resnet_depth"},
    {"resnetd_shortcut", EXP_T_BOOL, "false", EXP_HPARAM, "resnetd_shortcut"},
    {"se_ratio", NUMBER_OR_NULL, "null", EXP_READ, "hparam se_ratio; null is 0"},
    {"skip_host_call", EXP_T_BOOL, "false", EXP_PASSED, no_tpu},
    {"train_batch_size", EXP_T_INT, "1024", EXP_HPARAM, "batch_size"},
    {"train_steps", EXP_T_INT, "112590", EXP_READ, "--train_steps"},
    {"transpose_input", EXP_T_BOOL, "true", EXP_PASSED, "where channels lie in memory"},
    {"use_async_checkpointing", EXP_T_BOOL, "false", EXP_PASSED, "the checkpoints are the same"},
    {"use_cache", EXP_T_BOOL, "true", EXP_PASSED, "the samples are the same"},
    {"use_resnetd_stem", EXP_T_BOOL, "false", EXP_HPARAM, "use_resnetd_stem"},
    {"use_tpu", EXP_T_BOOL, "true", EXP_PASSED, no_tpu},
    {"weight_decay", EXP_T_NUMBER, "0.0001", EXP_HPARAM, "weight_decay"},
};
/* clang-format on */

const struct exp_fields exp_tpu_resnet_fields = {rows, sizeof rows / sizeof *rows};
