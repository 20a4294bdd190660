/*
 * train/experiment/fields_image.c - the image classification task: resnet_imagenet.
 */
#include "train/experiment/fields.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

static const char of_model_name[] = "model_name says the sizes, there as here";
static const char pipeline[] =
    "image_pipeline=garden has a random window, a flip, the middle in evaluation, bilinear";
static const char policy[] = "the policy has its own constants";
static const char not_built[] = "this augmentation is not built";
static const char cross_entropy[] = "the loss is softmax cross-entropy with one label per image";
static const char epochs[] = "every epoch is a permutation of all samples";
static const char read_as[] = "images are read as JPEG or PNG records with these keys";

/* clang-format off */
#define ABSENT(name) {"model.backbone." name, EXP_T_NULL, "null", EXP_FIXED, "this backbone is not built; resnet, mobilenet and vit are"}

static const struct exp_field task[] = {
    {"init_checkpoint", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_FIXED, "a run begins at random, or continues its own"},
    {"init_checkpoint_modules", EXP_T_STRING, "all", EXP_PASSED, "there is no init_checkpoint"},
    {"freeze_backbone", EXP_T_BOOL, "false", EXP_FIXED, "all variables are trained"},
    {"model_output_keys", EXP_T_INTS, "[]", EXP_PASSED, "of TensorFlow's run time"},
    {"train_input_partition_dims", EXP_T_INTS, "[]", EXP_PASSED, "one process on this machine"},
    {"eval_input_partition_dims", EXP_T_INTS, "[]", EXP_PASSED, "one process on this machine"},
    {"losses.loss_weight", EXP_T_NUMBER, "1.0", EXP_FIXED, cross_entropy},
    {"losses.one_hot", EXP_T_BOOL, "true", EXP_READ, "false with train_data.mixup_and_cutmix; else the same loss from labels and from vectors"},
    {"losses.label_smoothing", EXP_T_NUMBER, "0.0", EXP_HPARAM, "label_smoothing"},
    {"losses.l2_weight_decay", EXP_T_NUMBER, "0.0", EXP_HPARAM, "weight_decay"},
    {"losses.soft_labels", EXP_T_BOOL, "false", EXP_READ, "true with train_data.mixup_and_cutmix, and only there"},
    {"losses.use_binary_cross_entropy", EXP_T_BOOL, "false", EXP_FIXED, cross_entropy},
    {"evaluation.top_k", EXP_T_INT, "5", EXP_FIXED, "top-1 and top-5 are reported"},
    {"evaluation.precision_and_recall_thresholds", EXP_T_NUMBERS | EXP_T_OR_NULL, "null", EXP_FIXED, "top-1 and top-5 are reported"},
    {"evaluation.report_per_class_precision_and_recall", EXP_T_BOOL, "false", EXP_FIXED, "top-1 and top-5 are reported"},
    {"model.num_classes", EXP_T_INT, "0", EXP_READ, "hparam num_label_classes: the classes of the data, or one more when labels begin at 1"},
    {"model.input_size", EXP_T_INTS, "[]", EXP_READ, "height, width, channels"},
    {"model.backbone.type", EXP_T_CHOICE, "resnet", EXP_READ, "--model"},
    {"model.backbone.resnet.model_id", EXP_T_INT, "50", EXP_READ, "hparam resnet_depth"},
    {"model.backbone.resnet.depth_multiplier", EXP_T_NUMBER, "1.0", EXP_READ, "hparam filter_sizes"},
    {"model.backbone.resnet.stem_type", EXP_T_STRING, "v0", EXP_READ, "hparam stem_type"},
    {"model.backbone.resnet.se_ratio", EXP_T_NUMBER, "0.0", EXP_READ, "hparam se_ratio"},
    {"model.backbone.resnet.stochastic_depth_drop_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam stochastic_depth_drop_rate"},
    {"model.backbone.resnet.scale_stem", EXP_T_BOOL, "true", EXP_READ, "hparam filter_sizes"},
    {"model.backbone.resnet.resnetd_shortcut", EXP_T_BOOL, "false", EXP_READ, "hparam resnetd_shortcut"},
    {"model.backbone.resnet.replace_stem_max_pool", EXP_T_BOOL, "false", EXP_READ, "hparam replace_stem_max_pool"},
    {"model.backbone.resnet.bn_trainable", EXP_T_BOOL, "true", EXP_FIXED, "all variables are trained"},
    ABSENT("dilated_resnet"), ABSENT("efficientnet"), ABSENT("mobiledet"), ABSENT("revnet"), ABSENT("spinenet"),
    ABSENT("spinenet_mobile"),
    {"model.backbone.mobilenet.model_id", EXP_T_STRING, "MobileNetV2", EXP_READ, "hparam model_id"},
    {"model.backbone.mobilenet.filter_size_scale", EXP_T_NUMBER, "1.0", EXP_READ, "hparam filter_size_scale"},
    {"model.backbone.mobilenet.stochastic_depth_drop_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam stochastic_depth_drop_rate"},
    {"model.backbone.mobilenet.flat_stochastic_depth_drop_rate", EXP_T_BOOL, "true", EXP_READ, "hparam flat_stochastic_depth_drop_rate"},
    {"model.backbone.mobilenet.output_stride", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_FIXED, "classification needs no dense maps"},
    {"model.backbone.mobilenet.output_intermediate_endpoints", EXP_T_BOOL, "false", EXP_PASSED, "the last output is read"},
    {"model.backbone.vit.model_name", EXP_T_STRING, "vit-b16", EXP_READ, "the hparams set: mg_vit_b16"},
    {"model.backbone.vit.pooler", EXP_T_STRING, "token", EXP_READ, "hparam pooler"},
    {"model.backbone.vit.representation_size", EXP_T_INT, "0", EXP_READ, "hparam representation_size"},
    {"model.backbone.vit.hidden_size", EXP_T_INT, "1", EXP_PASSED, of_model_name},
    {"model.backbone.vit.patch_size", EXP_T_INT, "16", EXP_PASSED, of_model_name},
    {"model.backbone.vit.transformer.mlp_dim", EXP_T_INT, "1", EXP_PASSED, of_model_name},
    {"model.backbone.vit.transformer.num_heads", EXP_T_INT, "1", EXP_PASSED, of_model_name},
    {"model.backbone.vit.transformer.num_layers", EXP_T_INT, "1", EXP_PASSED, of_model_name},
    {"model.backbone.vit.transformer.attention_dropout_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam attention_dropout"},
    {"model.backbone.vit.transformer.dropout_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam layer_prepostprocess_dropout"},
    {"model.backbone.vit.init_stochastic_depth_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam stochastic_depth_drop_rate"},
    {"model.backbone.vit.original_init", EXP_T_BOOL, "true", EXP_READ, "hparam original_init"},
    {"model.backbone.vit.pos_embed_shape", EXP_T_INTS | EXP_T_OR_NULL, "null", EXP_FIXED, "positions are those of the images"},
    {"model.backbone.vit.output_encoded_tokens", EXP_T_BOOL, "true", EXP_PASSED, "of pooler none"},
    {"model.backbone.vit.output_2d_feature_maps", EXP_T_BOOL, "false", EXP_FIXED, "classification needs no dense maps"},
    {"model.backbone.vit.layer_scale_init_value", EXP_T_NUMBER, "0.0", EXP_FIXED, "blocks are not scaled"},
    {"model.backbone.vit.transformer_partition_dims", EXP_T_INTS | EXP_T_OR_NULL, "null", EXP_PASSED, "one process on this machine"},
    {"model.backbone.vit.output_attention_scores", EXP_T_BOOL, "false", EXP_PASSED, "the last output is read"},
    {"model.dropout_rate", EXP_T_NUMBER, "0.0", EXP_HPARAM, "dropout"},
    {"model.norm_activation.activation", EXP_T_STRING, "relu", EXP_READ, "hparam activation of a ResNet; a MobileNet's table has its own"},
    {"model.norm_activation.norm_epsilon", EXP_T_NUMBER, "0.001", EXP_READ, "hparam norm_epsilon"},
    {"model.norm_activation.norm_momentum", EXP_T_NUMBER, "0.99", EXP_READ, "hparam norm_momentum"},
    {"model.norm_activation.use_sync_bn", EXP_T_BOOL, "false", EXP_PASSED, "one process: statistics of the whole batch"},
    {"model.add_head_batch_norm", EXP_T_BOOL, "false", EXP_READ, "hparam add_head_batch_norm"},
    {"model.kernel_initializer", EXP_T_STRING, "random_uniform", EXP_READ, "zeros: hparam zero_top of a Vision Transformer"},
    {"model.output_softmax", EXP_T_BOOL, "false", EXP_PASSED, "for what is exported"},
};

static const struct exp_field data[] = {
    {"aug_crop", EXP_T_BOOL | EXP_T_OR_NULL, "true", EXP_FIXED, pipeline},
    {"aug_policy", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_FIXED, not_built},
    {"aug_rand_hflip", EXP_T_BOOL, "true", EXP_FIXED, pipeline},
    {"aug_type", EXP_T_GROUP, "null", EXP_READ, "hparam image_pipeline: garden"},
    {"aug_type.type", EXP_T_CHOICE, "null", EXP_READ, "hparam image_pipeline: garden_autoaugment, garden_randaugment"},
    {"aug_type.autoaug.augmentation_name", EXP_T_STRING, "v0", EXP_FIXED, policy},
    {"aug_type.autoaug.cutout_const", EXP_T_NUMBER, "100", EXP_FIXED, policy},
    {"aug_type.autoaug.translate_const", EXP_T_NUMBER, "250", EXP_FIXED, policy},
    {"aug_type.randaug.num_layers", EXP_T_INT, "2", EXP_READ, "hparam randaugment_layers"},
    {"aug_type.randaug.magnitude", EXP_T_NUMBER, "10", EXP_READ, "hparam randaugment_magnitude"},
    {"aug_type.randaug.cutout_const", EXP_T_NUMBER, "40", EXP_FIXED, policy},
    {"aug_type.randaug.translate_const", EXP_T_NUMBER, "10", EXP_FIXED, policy},
    {"aug_type.randaug.magnitude_std", EXP_T_NUMBER, "0.0", EXP_FIXED, policy},
    {"aug_type.randaug.prob_to_apply", EXP_T_NUMBER | EXP_T_OR_NULL, "null", EXP_FIXED, policy},
    {"aug_type.randaug.exclude_ops", EXP_T_STRINGS, "[]", EXP_FIXED, policy},
    {"aug_type.ssd_random_crop", EXP_T_NULL, "null", EXP_FIXED, not_built},
    {"center_crop_fraction", EXP_T_NUMBER | EXP_T_OR_NULL, "0.875", EXP_FIXED, pipeline},
    {"color_jitter", EXP_T_NUMBER, "0.0", EXP_FIXED, pipeline},
    {"crop_area_range", EXP_T_NUMBERS | EXP_T_OR_NULL, "!!python/tuple [0.08, 1.0]", EXP_FIXED, pipeline},
    {"decode_jpeg_only", EXP_T_BOOL, "true", EXP_PASSED, read_as},
    {"decoder.type", EXP_T_CHOICE, "simple_decoder", EXP_FIXED, read_as},
    {"decoder.simple_decoder.attribute_names", EXP_T_STRINGS, "[]", EXP_PASSED, read_as},
    {"decoder.simple_decoder.mask_binarize_threshold", EXP_T_NUMBER | EXP_T_OR_NULL, "null", EXP_PASSED, read_as},
    {"decoder.simple_decoder.regenerate_source_id", EXP_T_BOOL, "false", EXP_PASSED, read_as},
    {"drop_remainder", EXP_T_BOOL, "true", EXP_PASSED, "training has no last batch, evaluation takes all"},
    {"dtype", EXP_T_STRING, "float32", EXP_PASSED, "runtime.mixed_precision_dtype says how it is computed"},
    {"file_type", EXP_T_STRING, "tfrecord", EXP_FIXED, "shards are TFRecords"},
    {"global_batch_size", EXP_T_INT, "0", EXP_READ, "hparam batch_size, of train_data; of validation_data: what validation_steps counts"},
    {"image_field_key", EXP_T_STRING, "image/encoded", EXP_FIXED, read_as},
    {"is_multilabel", EXP_T_BOOL, "false", EXP_FIXED, cross_entropy},
    {"label_field_key", EXP_T_STRING, "image/class/label", EXP_FIXED, read_as},
    {"mixup_and_cutmix", EXP_T_GROUP, "null", EXP_READ, "of train_data, with soft_labels: images mixed of two"},
    {"mixup_and_cutmix.mixup_alpha", EXP_T_NUMBER, "0.8", EXP_READ, "hparam mixup_alpha"},
    {"mixup_and_cutmix.cutmix_alpha", EXP_T_NUMBER, "1.0", EXP_READ, "hparam cutmix_alpha"},
    {"mixup_and_cutmix.prob", EXP_T_NUMBER, "1.0", EXP_READ, "hparam mixup_prob"},
    {"mixup_and_cutmix.switch_prob", EXP_T_NUMBER, "0.5", EXP_PASSED, "the original does not read it: 0.5, or what is not 0"},
    {"mixup_and_cutmix.label_smoothing", EXP_T_NUMBER, "0.1", EXP_READ, "hparam label_smoothing"},
    {"randaug_magnitude", EXP_T_INT | EXP_T_OR_NULL, "10", EXP_PASSED, "there is no aug_policy"},
    {"random_erasing", EXP_T_NULL, "null", EXP_FIXED, not_built},
    {"repeated_augment", EXP_T_INT | EXP_T_OR_NULL, "null", EXP_FIXED, epochs},
    {"tf_resize_method", EXP_T_STRING, "bilinear", EXP_FIXED, pipeline},
    {"three_augment", EXP_T_BOOL, "false", EXP_FIXED, not_built},
    {"weights", EXP_T_NULL, "null", EXP_FIXED, "one data set"},
};
/* clang-format on */

const struct exp_fields exp_image_fields = {task, N(task)};
const struct exp_fields exp_image_data_fields = {data, N(data)};
