/*
 * train/models/hparams_cnn.c - the sets of the image models (spec t2t-trainer.md §5,
 * image-pipelines.md §2.5, §3, §4, §7).
 *
 * Those of Tensor2Tensor have its names and its values: models/resnet.py, shake_shake.py,
 * xception.py, basic.py.  The others are what their programs have as defaults of flags and
 * configurations, under the hparams that mean the same; the hparams that only they have keep their
 * names, and image_pipeline (train/input/image_recipe.h) is what the program does to its images.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
#define LIST(name)     {name, MDL_HP_INT_LIST, 0, 0.0, NULL}
#define BOOLS(name)    {name, MDL_HP_INT_LIST, 1, 0.0, NULL} /* true and false */
#define NONE(name)     {name, MDL_HP_NONE, 0, 0.0, NULL}
#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}
#define NEW(name, parent, keys, changes) {name, parent, changes, keys, sizeof(keys) / sizeof(keys[0])}

/* ---- Tensor2Tensor ---- */

static const struct mdl_default resnet_keys[] = {
    LIST("layer_sizes"), LIST("bottleneck_ratios"), LIST("filter_sizes"),
    S("block_fn", "bottleneck"),
    B("use_nchw", true),                        /* where channels lie in the original's memory */
    B("is_cifar", false),
    B("use_td", false), NONE("targeting_rate"), NONE("keep_prob"), /* targeted dropout */
};

#define TARGETED(how, rate, keep) \
    "use_td:string=" how ";targeting_rate:float=" rate ";keep_prob:float=" keep

static const struct mdl_default shake_shake_keys[] = {
    I("shake_shake_num_branches", 2), I("shake_shake_concat", 0),
};

static const struct mdl_default revnet_keys[] = {
    LIST("num_channels"), LIST("num_layers_per_block"), LIST("strides"),
    BOOLS("first_batch_norm"),
    B("bottleneck", true), B("init_maxpool", true),
    I("init_stride", 2), I("init_kernel_size", 7), I("num_channels_init_block", 64),
    S("dim", "2d"),
};

#define REVNET_CIFAR                                                                               \
    "num_channels_init_block=32;first_batch_norm=[false,true,true];init_stride=1;"                 \
    "init_kernel_size=3;init_maxpool=false;strides=[1,2,2];batch_size=128;weight_decay=1e-4;"      \
    "learning_rate=0.1;learning_rate_cosine_cycle_steps=5000"

static const struct mdl_default bytenet_keys[] = {I("num_block_repeat", 4)};

static const struct mdl_default slicenet_keys[] = {
    I("large_kernel_size", 15),
    I("separability", -2),
    S("dilation_scheme", "1.1.1.1"), S("kernel_scheme", "3.7.15.31"),
    I("audio_compression", 8),
    S("attention_type", "transformer"),
    I("num_heads", 8),
    I("attention_key_channels", 0), I("attention_value_channels", 0),
    F("sim_loss_mult", 0.0),
    F("attention_dropout", 0.2),
};

#define CONV_BASE                                                                                  \
    "hidden_size=768;symbol_dropout=0.2;num_hidden_layers=4;learning_rate_decay_scheme=exp;"       \
    "learning_rate=0.05;learning_rate_warmup_steps=3000;initializer_gain=1.0;weight_decay=3.0"

/* ---- tensorflow/tpu, tf-models-official ---- */

static const struct mdl_default tpu_resnet_keys[] = {
    I("resnet_depth", 50),
    LIST("filter_sizes"),                       /* of the stem and of the four groups */
    F("bn_momentum", 0.9),
    I("num_train_images", 1281167),             /* what an epoch of the schedule is */
    F("poly_rate", 0.0),                        /* LARS: 0 is by batch size */
    F("se_ratio", 0.0),                         /* 0: no squeeze and excitation */
    F("drop_connect_rate", 0.0),
    B("use_resnetd_stem", false), B("resnetd_shortcut", false),
    B("replace_stem_max_pool", false), B("skip_stem_max_pool", false),
    B("pre_activation", false),
    S("dropblock_groups", ""),
    S("norm_act_layer", "bn_relu"),
    S("image_pipeline", "resnet"),
};

static const struct mdl_default keras_resnet_keys[] = {
    LIST("filter_sizes"),
    I("num_train_images", 1281167),
    S("image_pipeline", "official"),
};

static const struct mdl_default garden_keys[] = {
    I("resnet_depth", 50), LIST("filter_sizes"),
    F("norm_momentum", 0.9), F("norm_epsilon", 1e-5),
    S("stem_type", "v0"), F("se_ratio", 0.0), F("stochastic_depth_drop_rate", 0.0),
    B("resnetd_shortcut", false), B("replace_stem_max_pool", false),
    S("image_pipeline", "garden"),
    LIST("learning_rate_boundaries"), {"learning_rate_multiples", MDL_HP_FLOAT_LIST, 0, 0.0, NULL},
};
/* ResNet-RS; apart, as a checkpoint from before there was a choice has no such key */
static const struct mdl_default garden_rs_keys[] = {S("activation", "swish")};

static const struct mdl_default mobilenet_keys[] = {
    S("model_id", "MobileNetV2"), F("filter_size_scale", 1.0),
    F("norm_momentum", 0.997), F("norm_epsilon", 1e-3),
    F("stochastic_depth_drop_rate", 0.0), B("flat_stochastic_depth_drop_rate", true),
    S("image_pipeline", "garden"),
};

static const struct mdl_default vit_keys[] = {
    I("patch_size", 16), I("num_heads", 12), I("filter_size", 3072), I("representation_size", 0),
    S("pooler", "token"), B("original_init", true),
    B("zero_top", false),                       /* the last dense layer begins with 0 */
    F("attention_dropout", 0.0), F("stochastic_depth_drop_rate", 0.0),
    S("image_pipeline", "garden"),
};

static const struct mdl_default bert_keys[] = {
    I("vocab_size", 30522), I("type_vocab_size", 2), I("max_position_embeddings", 512),
    I("num_heads", 12), I("filter_size", 3072), F("attention_dropout", 0.1),
    F("initializer_range", 0.02),
    B("use_encoder_pooler", false),             /* of the classifier */
    I("sentence_head_size", 768),               /* of the pretrainer's next_sentence */
    B("use_sentence_label", true),              /* likewise */
    I("num_label_classes", 0),
    F("optimizer_adam_weight_decay", 0.01), S("optimizer_adam_decay_skip", "LayerNorm+layer_norm+bias"),
    S("learning_rate_main", "polynomial"), F("learning_rate_initial", 3e-5),
    F("learning_rate_end", 0.0), F("learning_rate_power", 1.0),
};

static const struct mdl_default flowers_keys[] = {
    I("ksize1", 5), I("ksize2", 5), I("nfil1", 10), I("nfil2", 20),
    B("batch_norm", false),
    S("image_pipeline", "flowers"),
};

static const struct mdl_default mnist_keys[] = {S("image_pipeline", "mnist_unit")};

/* ours: models/record_net.c */
static const struct mdl_default record_net_keys[] = {
    LIST("filter_sizes"), F("logit_scale", 0.1111111111111111), F("norm_momentum", 0.6),
    F("beta_scale", 8.0),                       /* of what the norm adds: learns 64 times as fast */
    I("eval_views", 6),                         /* of an image; 2: mirrored, too; 6: moved, too */
    I("lookahead_steps", 5),
    S("image_pipeline", "record"), I("image_size", 0),
};

static const struct mdl_set sets[] = {
    NEW("resnet_50", "basic_1", resnet_keys,
        "layer_sizes=[3,4,6,3];bottleneck_ratios=[4,4,4,4];filter_sizes=[64,64,128,256,512];"
        "initializer=normal_unit_scaling;initializer_gain=2.0;"
        "optimizer=Momentum;optimizer_momentum_momentum=0.9;optimizer_momentum_nesterov=true;"
        "weight_decay=1e-4;clip_grad_norm=0.0;learning_rate=0.4;"
        "learning_rate_decay_scheme=cosine;learning_rate_cosine_cycle_steps=120000;batch_size=128"),
    ROW("resnet_18", "resnet_50", "block_fn=residual;layer_sizes=[2,2,2,2]"),
    ROW("resnet_34", "resnet_50", "block_fn=residual"),
    ROW("resnet_101", "resnet_50", "layer_sizes=[3,4,23,3]"),
    ROW("resnet_152", "resnet_50", "layer_sizes=[3,8,36,3]"),
    ROW("resnet_200", "resnet_50", "layer_sizes=[3,24,36,3]"),
    ROW("resnet_imagenet_34", "resnet_50", "block_fn=residual;layer_sizes=[2,4,8,2]"),
    ROW("resnet_imagenet_34_td_weight_05_05", "resnet_imagenet_34", TARGETED("weight", "0.5", "0.5")),
    ROW("resnet_imagenet_34_td_unit_05_05", "resnet_imagenet_34", TARGETED("unit", "0.5", "0.5")),
    ROW("resnet_imagenet_34_td_unit_no_drop", "resnet_imagenet_34", TARGETED("unit", "0.0", "1.0")),
    ROW("resnet_imagenet_102", "resnet_imagenet_34", "layer_sizes=[3,8,36,3]"),
    ROW("resnet_cifar_15", "resnet_50",
        "block_fn=residual;is_cifar=true;layer_sizes=[2,2,2];filter_sizes=[16,32,64,128]"),
    ROW("resnet_cifar_32", "resnet_cifar_15", "layer_sizes=[5,5,5]"),
    ROW("resnet_cifar_32_td_weight_05_05", "resnet_cifar_32", TARGETED("weight", "0.5", "0.5")),
    ROW("resnet_cifar_32_td_unit_05_05", "resnet_cifar_32", TARGETED("unit", "0.5", "0.5")),
    ROW("resnet_cifar_32_td_unit_no_drop", "resnet_cifar_32", TARGETED("unit", "0.0", "1.0")),

    NEW("shakeshake_small", "basic_1", shake_shake_keys,
        "batch_size=128;hidden_size=32;layer_prepostprocess_dropout=0.0;dropout=0;"
        "label_smoothing=0.0;clip_grad_norm=0.0;num_hidden_layers=26;"
        "learning_rate_decay_scheme=cosine;learning_rate_cosine_cycle_steps=700000;"
        "learning_rate=0.2;learning_rate_warmup_steps=100;initializer=uniform_unit_scaling;"
        "initializer_gain=1.0;weight_decay=1e-4;optimizer=Momentum;optimizer_momentum_momentum=0.9"),
    ROW("shakeshake_big", "shakeshake_small", "hidden_size=96"),
    ROW("shakeshake_tpu", "shakeshake_big",
        "learning_rate_cosine_cycle_steps=180000;learning_rate=0.6"),
    ROW("shake_shake_quick", "shakeshake_small",
        "optimizer=adam;learning_rate_cosine_cycle_steps=1000;learning_rate=0.5;batch_size=100"),

    NEW("revnet_104", "basic_1", revnet_keys,
        "num_channels=[64,128,256,416];num_layers_per_block=[1,1,10,1];"
        "first_batch_norm=[false,true,true,true];strides=[1,2,2,2];initializer=normal_unit_scaling;"
        "initializer_gain=2.0;optimizer=Momentum;optimizer_momentum_momentum=0.9;"
        "optimizer_momentum_nesterov=true;weight_decay=1e-4;clip_grad_norm=0.0;learning_rate=0.4;"
        "learning_rate_decay_scheme=cosine;learning_rate_cosine_cycle_steps=120000;batch_size=128"),
    ROW("revnet_38_cifar", "revnet_104",
        REVNET_CIFAR ";bottleneck=false;num_channels=[16,32,56];num_layers_per_block=[2,2,2];"
        "initializer_gain=1.5"),
    ROW("revnet_110_cifar", "revnet_104",
        REVNET_CIFAR ";bottleneck=false;num_channels=[16,32,64];num_layers_per_block=[8,8,8]"),
    ROW("revnet_164_cifar", "revnet_104",
        REVNET_CIFAR ";num_channels=[16,32,64];num_layers_per_block=[8,8,8]"),

    ROW("basic_fc_small", "basic_1",
        "learning_rate=0.1;batch_size=128;hidden_size=256;num_hidden_layers=2;"
        "initializer=uniform_unit_scaling;initializer_gain=1.0;weight_decay=0.0;dropout=0.0"),

    /* weight_decay: what the original still has from a time when it was divided by the size */
    ROW("xception_base", "basic_1",
        CONV_BASE ";batch_size=128;num_hidden_layers=8;kernel_height=3;kernel_width=3"),
    ROW("xception_tiny", "xception_base",
        "batch_size=2;hidden_size=64;num_hidden_layers=2;learning_rate_decay_scheme=none"),
    ROW("xception_tiny_tpu", "xception_base",
        "batch_size=2;num_hidden_layers=2;hidden_size=128;optimizer=true_adam"),
    NEW("bytenet_base", "basic_1", bytenet_keys,
        CONV_BASE ";batch_size=2048;kernel_height=3;kernel_width=1"),
    NEW("slicenet_1", "basic_1", slicenet_keys,
        CONV_BASE ";batch_size=1024;dropout=0.5;shared_embedding_and_softmax_weights=true"),
    ROW("slicenet_1noam", "slicenet_1",
        "learning_rate_decay_scheme=noam;learning_rate=1.0;learning_rate_warmup_steps=4000;"
        "initializer=uniform_unit_scaling;optimizer_adam_epsilon=1e-9;optimizer_adam_beta1=0.9;"
        "optimizer_adam_beta2=0.98"),
    ROW("slicenet_1tiny", "slicenet_1",
        "separability=0;hidden_size=128;num_hidden_layers=2;batch_size=512;"
        "learning_rate_warmup_steps=200"),

    /* resnet_config.py; the rate is for 256 images */
    NEW("tpu_resnet_50", "basic_1", tpu_resnet_keys,
        "batch_size=1024;filter_sizes=[64,64,128,256,512];dropout=0;label_smoothing=0;"
        "clip_grad_norm=0;weight_decay=1e-4;optimizer=Momentum;optimizer_momentum_momentum=0.9;"
        "optimizer_momentum_nesterov=true;learning_rate_schedule=tpu_resnet;learning_rate=0.1"),
    ROW("tpu_resnet_18", "tpu_resnet_50", "resnet_depth=18"),
    ROW("tpu_resnet_34", "tpu_resnet_50", "resnet_depth=34"),
    ROW("tpu_resnet_101", "tpu_resnet_50", "resnet_depth=101"),
    ROW("tpu_resnet_152", "tpu_resnet_50", "resnet_depth=152"),
    ROW("tpu_resnet_200", "tpu_resnet_50", "resnet_depth=200"),
    ROW("tpu_resnet_270", "tpu_resnet_50", "resnet_depth=270"),
    ROW("tpu_resnet_350", "tpu_resnet_50", "resnet_depth=350"),
    ROW("tpu_resnet_420", "tpu_resnet_50", "resnet_depth=420"),
    /* v3-1024.yaml */
    ROW("tpu_resnet_50_lars", "tpu_resnet_50",
        "batch_size=32768;optimizer=lars;optimizer_momentum_nesterov=false;label_smoothing=0.1;"
        "learning_rate_schedule=tpu_resnet_lars"),

    /* official/vision/image_classification/resnet: 0.1 for 256 images, warm-up 5 epochs */
    NEW("keras_resnet50", "basic_1", keras_resnet_keys,
        "batch_size=256;filter_sizes=[64,64,128,256,512];dropout=0;label_smoothing=0;"
        "clip_grad_norm=0;weight_decay=1e-4;optimizer=keras_sgd;optimizer_momentum_momentum=0.9;"
        "learning_rate_schedule=keras_resnet;learning_rate=0.1"),

    /* experiment resnet_imagenet */
    NEW("mg_resnet_imagenet", "basic_1", garden_keys,
        "batch_size=4096;filter_sizes=[64,64,128,256,512];dropout=0;label_smoothing=0;"
        "clip_grad_norm=0;weight_decay=1e-4;optimizer=keras_sgd;optimizer_momentum_momentum=0.9;"
        "learning_rate_schedule=constant*linear_warmup*piecewise;learning_rate_constant=1.6;"
        "learning_rate_boundaries=[9360,18720,24960];learning_rate_multiples=[0.1,0.01,0.001];"
        "learning_rate_warmup_steps=1560"),

    /* experiment resnet_rs_imagenet: 312 steps an epoch, 350 epochs */
    NEW("mg_resnet_rs_imagenet", "mg_resnet_imagenet", garden_rs_keys,
        "stem_type=v1;resnetd_shortcut=true;replace_stem_max_pool=true;se_ratio=0.25;dropout=0.25;"
        "norm_momentum=0;weight_decay=4e-5;label_smoothing=0.1;image_pipeline=garden_randaugment;"
        "learning_rate_schedule=linear_warmup*single_cycle_cos_decay*constant;"
        "learning_rate_constant=1.6"),

    /* experiment mobilenet_imagenet: a rate of 0.008 for 128 images */
    NEW("mg_mobilenet_imagenet", "basic_1", mobilenet_keys,
        "batch_size=4096;dropout=0.2;label_smoothing=0.1;clip_grad_norm=0;weight_decay=1e-5;"
        "optimizer=keras_rms_prop;optimizer_rms_prop_rho:float=0.9;"
        "optimizer_rms_prop_momentum:float=0.9;optimizer_rms_prop_epsilon:float=0.002;"
        "learning_rate_schedule=constant*linear_warmup*exp_decay;learning_rate_constant=0.256;"
        "learning_rate_decay_rate=0.98;learning_rate_decay_steps=780;"
        "learning_rate_decay_staircase=true;learning_rate_warmup_steps=1560"),
    ROW("mg_mobilenet_v3_large_imagenet", "mg_mobilenet_imagenet", "model_id=MobileNetV3Large"),
    ROW("mg_mobilenet_v3_small_imagenet", "mg_mobilenet_imagenet", "model_id=MobileNetV3Small"),

    /* experiment vit_imagenet_finetune; sizes of vit_specs.py */
    NEW("mg_vit_b16", "basic_1", vit_keys,
        "batch_size=512;hidden_size=768;num_hidden_layers=12;dropout=0;"
        "label_smoothing=0;clip_grad_norm=1;weight_decay=0;optimizer=keras_sgd;"
        "optimizer_momentum_momentum=0.9;layer_prepostprocess_dropout=0;"
        "learning_rate_schedule=constant*single_cycle_cos_decay;learning_rate_constant=0.003;"
        "learning_rate_warmup_steps=0"),
    ROW("mg_vit_ti16", "mg_vit_b16", "hidden_size=192;filter_size=768;num_heads=3"),
    ROW("mg_vit_s16", "mg_vit_b16", "hidden_size=384;filter_size=1536;num_heads=6"),
    ROW("mg_vit_b32", "mg_vit_b16", "patch_size=32"),
    ROW("mg_vit_l16", "mg_vit_b16",
        "hidden_size=1024;filter_size=4096;num_heads=16;num_hidden_layers=24"),
    ROW("mg_vit_l32", "mg_vit_l16", "patch_size=32"),
    ROW("mg_vit_h14", "mg_vit_l16",
        "hidden_size=1280;filter_size=5120;num_hidden_layers=32;patch_size=14"),

    /* experiments bert/sentence_prediction, bert/pretraining, bert/squad */
    NEW("mg_bert_base", "basic_1", bert_keys,
        "batch_size=32;hidden_size=768;num_hidden_layers=12;dropout=0.1;"
        "label_smoothing=0;clip_grad_norm=1;weight_decay=0;layer_prepostprocess_dropout=0.1;"
        "optimizer=keras_adam_w;optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.999;"
        "optimizer_adam_epsilon=1e-7;learning_rate_schedule=model_garden;"
        "learning_rate_warmup_steps=0;learning_rate_decay_steps=100000"),
    ROW("mg_bert_large", "mg_bert_base",
        "hidden_size=1024;num_hidden_layers=24;num_heads=16;filter_size=4096;"
        "sentence_head_size=1024"),
    ROW("mg_bert_tiny", "mg_bert_base",
        "hidden_size=128;num_hidden_layers=2;num_heads=2;filter_size=512;sentence_head_size=128"),

    NEW("flowers_cnn", "basic_1", flowers_keys,
        "batch_size=256;hidden_size=300;dropout=0.25;label_smoothing=0;clip_grad_norm=0;"
        "weight_decay=0;optimizer=true_adam;optimizer_adam_beta1=0.9;"
        "optimizer_adam_beta2=0.999;optimizer_adam_epsilon=1e-8;"
        "learning_rate_schedule=constant;learning_rate_constant=0.01"),
    ROW("flowers_cnn_batch_norm", "flowers_cnn", "batch_norm=true"),

    /* Jordan's airbench94 in T2T's words: rate 1.5 and decay 1.33e-3 for batches of 1024 */
    NEW("record_net", "basic_1", record_net_keys,
        "batch_size=512;filter_sizes=[64,256,256];dropout=0;label_smoothing=0.2;clip_grad_norm=0;"
        "weight_decay=1.33e-3;optimizer=Momentum;optimizer_momentum_momentum=0.85;"
        "optimizer_momentum_nesterov=true;"
        "learning_rate_schedule=constant*linear_warmup*linear_decay;learning_rate_constant=0.75;"
        "learning_rate_warmup_steps=200;learning_rate_decay_steps=700"), /* of 900 */
    ROW("record_net_mnist", "record_net",
        "filter_sizes=[16,32,64];batch_size=256;learning_rate_constant=0.375;label_smoothing=0.1;"
        "weight_decay=5e-4;image_pipeline=mnist_shifted;eval_views=1;"
        "learning_rate_warmup_steps=93;learning_rate_decay_steps=327"),
    /* narrower, for images that are easier; --train_steps=1000 or so */
    ROW("record_net_small", "record_net",
        "filter_sizes=[24,48,96];batch_size=128;learning_rate_constant=0.2;"
        "label_smoothing=0.05;"
        "image_pipeline=photos;image_size=48;eval_views=1;"
        "learning_rate_warmup_steps=200;learning_rate_decay_steps=680"),

    /* mnist_tpu.py */
    NEW("mnist_cnn", "basic_1", mnist_keys,
        "batch_size=1024;hidden_size=1024;dropout=0.4;label_smoothing=0;clip_grad_norm=0;"
        "weight_decay=0;optimizer=sgd;"
        "learning_rate_schedule=constant*exp_decay;learning_rate_constant=0.05;"
        "learning_rate_decay_rate=0.96;learning_rate_decay_steps=100000;"
        "learning_rate_warmup_steps=0"),
};
/* clang-format on */

const struct mdl_set_table mdl_cnn_sets = {sets, sizeof sets / sizeof *sets};
