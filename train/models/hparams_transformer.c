/*
 * train/models/hparams_transformer.c - the registered Transformer sets (spec §3.11).
 *
 * tensor2tensor/models/transformer.py of release 1.15.7.  Sets whose attention, layers or precision
 * are not part of this program are here, too: the model names what it refuses when they are used.
 * How a row is read: hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}

/* Keys that transformer_base_v1 adds to basic_1. */
static const struct mdl_default new_keys[] = {
    I("filter_size", 2048),
    I("num_encoder_layers", 0),                 /* 0: num_hidden_layers */
    I("num_decoder_layers", 0),
    I("num_heads", 8),
    I("attention_key_channels", 0),             /* 0: hidden_size */
    I("attention_value_channels", 0),
    S("ffn_layer", "dense_relu_dense"),
    I("parameter_attention_key_channels", 0),
    I("parameter_attention_value_channels", 0),
    F("attention_dropout", 0.0),
    S("attention_dropout_broadcast_dims", ""),
    F("relu_dropout", 0.0),
    S("relu_dropout_broadcast_dims", ""),
    S("pos", "timing"),
    S("position_features", ""),
    I("nbr_decoder_problems", 1),
    B("proximity_bias", false),
    B("causal_decoder_self_attention", true),
    B("use_pad_remover", true),
    S("self_attention_type", "dot_product"),
    I("conv_first_kernel", 3),
    B("attention_variables_3d", false),
    B("use_target_space_embedding", true),
    F("moe_overhead_train", 1.0),
    F("moe_overhead_eval", 2.0),
    S("overload_eval_metric_name", ""),
    B("unidirectional_encoder", false),
    I("hard_attention_k", 0),
    F("gumbel_noise_weight", 0.0),
};

/* Keys that expert_utils.update_hparams_for_vq_gating adds. */
static const struct mdl_default gating_keys[] = {
    I("z_size", 4),
    F("noise_dev", 0.5),
    S("bottleneck_kind", "dvq"),
    I("num_blocks", 1),
    I("num_residuals", 1),
    F("beta", 0.25),
    F("epsilon", 1e-5),
    F("decay", 0.999),
    B("ema", false),
    I("random_top_k", 1),
    B("soft_em", false),
    I("num_samples", 10),
    S("gating_type", "vq"),
    I("use_scales", 1),
    I("residual_centroids", 0),
};

#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}
#define BIG "hidden_size=1024;filter_size=4096;num_heads=16"
#define TINY "num_hidden_layers=2;hidden_size=128;filter_size=512;num_heads=4"
#define RELATIVE "pos=@null;self_attention_type=dot_product_relative;max_relative_position=20"
#define BROADCAST "attention_dropout_broadcast_dims=0,1;relu_dropout_broadcast_dims=1;" \
    "layer_prepostprocess_dropout_broadcast_dims=1"
#define SUMMARIES_LM "multiproblem_max_input_length=750;multiproblem_max_target_length=100;" \
    "multiproblem_schedule_max_examples=0;learning_rate_schedule=linear_warmup*constant*cosdecay;" \
    "multiproblem_target_eval_only=true;multiproblem_reweight_label_loss=true;" \
    "multiproblem_label_weight=1.0;optimizer=true_adam"
#define SUMMARIES "max_input_seq_length=750;max_target_seq_length=100;optimizer=true_adam;" \
    "learning_rate_schedule=linear_warmup*constant*cosdecay;unidirectional_encoder=true"
#define LIBRISPEECH_LENGTHS "max_length=132000;max_input_seq_length=1650;max_target_seq_length=350"

static const struct mdl_set sets[] = {
    /* the three versions of the base */
    {"transformer_base_v1", "basic_1",
        "hidden_size=512;batch_size=4096;max_length=256;clip_grad_norm=0;optimizer_adam_epsilon=1e-9;"
        "learning_rate_schedule=legacy;learning_rate_decay_scheme=noam;learning_rate=0.1;"
        "learning_rate_warmup_steps=4000;initializer_gain=1.0;num_hidden_layers=6;"
        "initializer=uniform_unit_scaling;weight_decay=0;optimizer_adam_beta1=0.9;"
        "optimizer_adam_beta2=0.98;label_smoothing=0.1;shared_embedding_and_softmax_weights=true;"
        "symbol_modality_num_shards=16;moe_num_experts=16;moe_loss_coef=1e-3",
        new_keys, sizeof new_keys / sizeof *new_keys},
    ROW("transformer_base_v2", "transformer_base_v1",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;layer_prepostprocess_dropout=0.1;"
        "attention_dropout=0.1;relu_dropout=0.1;learning_rate_warmup_steps=8000;learning_rate=0.2"),
    ROW("transformer_base_v3", "transformer_base_v2",
        "optimizer_adam_beta2=0.997;learning_rate_constant=2.0;"
        "learning_rate_schedule=constant*linear_warmup*rsqrt_decay*rsqrt_hidden_size"),
    ROW("transformer_base", "transformer_base_v3", ""),

    /* sizes */
    ROW("transformer_big", "transformer_base", BIG ";batch_size=2048;layer_prepostprocess_dropout=0.3"),
    ROW("transformer_big_single_gpu", "transformer_big",
        "layer_prepostprocess_dropout=0.1;learning_rate_warmup_steps=16000"),
    ROW("transformer_base_single_gpu", "transformer_base",
        "batch_size=1024;learning_rate_schedule=constant*linear_warmup*rsqrt_decay;"
        "learning_rate_constant=0.1;learning_rate_warmup_steps=16000"),
    ROW("transformer_base_multistep8", "transformer_base",
        "optimizer=multistep_adam;optimizer_multistep_accumulate_steps=8"),
    ROW("transformer_cubbitt", "transformer_big_single_gpu",    /* only after release 1.15.7 */
        "optimizer=Adafactor;learning_rate_schedule=rsqrt_decay;batch_size=2900;"
        "learning_rate_warmup_steps=8000;max_length=150;layer_prepostprocess_dropout=0"),
    ROW("transformer_tiny", "transformer_base", TINY),
    ROW("transformer_test", "transformer_base",
        "num_hidden_layers=2;hidden_size=16;filter_size=8;num_heads=2"),
    ROW("transformer_small", "transformer_base",
        "num_hidden_layers=2;hidden_size=256;filter_size=1024;num_heads=4"),
    ROW("transformer_l2", "transformer_base", "num_hidden_layers=2"),
    ROW("transformer_l4", "transformer_base", "num_hidden_layers=4"),
    ROW("transformer_l8", "transformer_base", "num_hidden_layers=8"),
    ROW("transformer_l10", "transformer_base", "num_hidden_layers=10"),
    ROW("transformer_h1", "transformer_base", "num_heads=1"),
    ROW("transformer_h4", "transformer_base", "num_heads=4"),
    ROW("transformer_h16", "transformer_base", "num_heads=16"),
    ROW("transformer_h32", "transformer_base", "num_heads=32"),
    ROW("transformer_k128", "transformer_base", "attention_key_channels=128"),
    ROW("transformer_k256", "transformer_base", "attention_key_channels=256"),
    ROW("transformer_ff1024", "transformer_base", "filter_size=1024"),
    ROW("transformer_ff4096", "transformer_base", "filter_size=4096"),
    ROW("transformer_dr0", "transformer_base", "layer_prepostprocess_dropout=0.0"),
    ROW("transformer_dr2", "transformer_base", "layer_prepostprocess_dropout=0.2"),
    ROW("transformer_ls0", "transformer_base", "label_smoothing=0.0"),
    ROW("transformer_ls2", "transformer_base", "label_smoothing=0.2"),
    ROW("transformer_hs256", "transformer_base", "hidden_size=256"),
    ROW("transformer_hs1024", "transformer_base", "hidden_size=1024"),
    ROW("transformer_big_dr1", "transformer_base", BIG ";layer_prepostprocess_dropout=0.1"),
    ROW("transformer_big_dr2", "transformer_big_dr1", "layer_prepostprocess_dropout=0.2"),
    ROW("transformer_big_enfr", "transformer_big_dr1",
        "shared_embedding_and_softmax_weights=false;filter_size=8192;layer_prepostprocess_dropout=0.1"),

    /* other layers */
    ROW("transformer_parameter_attention_a", "transformer_base",
        "ffn_layer=parameter_attention;filter_size=1536"),
    ROW("transformer_parameter_attention_b", "transformer_base",
        "ffn_layer=parameter_attention;filter_size=512;parameter_attention_key_channels=1024;"
        "parameter_attention_value_channels=1024;num_heads=16"),
    ROW("transformer_relative", "transformer_base", RELATIVE),
    ROW("transformer_relative_tiny", "transformer_relative", TINY),
    ROW("transformer_relative_big", "transformer_big", RELATIVE),
    ROW("transformer_supervised_attention", "transformer_base",
        "expected_attention_loss_type:string=kl_divergence;expected_attention_loss_multiplier:float=1.0"),

    /* other tasks */
    ROW("transformer_prepend_v2", "transformer_base_v2",
        "prepend_mode=prepend_inputs_masked_attention;max_length=0"),
    ROW("transformer_prepend_v1", "transformer_base_v1",
        "prepend_mode=prepend_inputs_masked_attention;max_length=0"),
    ROW("transformer_prepend", "transformer_prepend_v2", ""),
    ROW("transformer_clean", "transformer_base_v2",
        "label_smoothing=0.0;layer_prepostprocess_dropout=0.0;attention_dropout=0.0;relu_dropout=0.0;"
        "max_length=0"),
    ROW("transformer_clean_big", "transformer_clean", "hidden_size=1024;filter_size=4096"),
    ROW("transformer_parsing_base", "transformer_base",
        "attention_dropout=0.2;layer_prepostprocess_dropout=0.2;max_length=512;"
        "learning_rate_warmup_steps=16000;hidden_size=1024;learning_rate=0.05;"
        "shared_embedding_and_softmax_weights=false"),
    ROW("transformer_parsing_big", "transformer_big",
        "max_length=512;learning_rate_warmup_steps=4000;layer_prepostprocess_dropout=0.1;"
        "batch_size=2048;learning_rate=0.05"),
    ROW("transformer_parsing_ice", "transformer_base_single_gpu",
        "batch_size=4096;shared_embedding_and_softmax_weights=false"),
    ROW("transformer_timeseries", "transformer_small",
        "batch_size=256;learning_rate_warmup_steps=2000"),

    /* experts chosen by vector quantisation; those with dense layers keep the keys */
    {"transformer_base_vq_ada_32ex_packed", "transformer_base_v2",
        "moe_num_experts=32;batch_size=5072;ffn_layer=local_moe;"
        "shared_embedding_and_softmax_weights=false;learning_rate_warmup_steps=10000;"
        "learning_rate_decay_steps=27200;num_heads=4;moe_k=1;num_decoder_layers=6;"
        "label_smoothing=0.0;layer_prepostprocess_dropout=0.1;layer_postprocess_sequence=dan;"
        "layer_preprocess_sequence=none;weight_decay=1e-06;attention_dropout=0.1;"
        "optimizer=Adafactor;learning_rate_schedule=linear_warmup*rsqrt_decay*linear_decay;"
        "learning_rate=0.1;learning_rate_constant=1.0",
        gating_keys, sizeof gating_keys / sizeof *gating_keys},
    ROW("transformer_topk_16_packed", "transformer_base_vq_ada_32ex_packed",
        "gating_type=topk;moe_num_experts=16;moe_k=2"),
    ROW("transformer_base_vq1_16_nb1_packed_dan_b01_scales", "transformer_base_vq_ada_32ex_packed",
        "moe_num_experts=16;moe_k=1;beta=0.1"),
    ROW("transformer_base_vq1_16_nb1_packed_nda_b01_scales",
        "transformer_base_vq1_16_nb1_packed_dan_b01_scales",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da"),
    ROW("transformer_base_vq1_16_nb1_packed_nda_b01_scales_dialog",
        "transformer_base_vq1_16_nb1_packed_nda_b01_scales",
        "batch_size=2048;max_length=1024;filter_size=3072"),
    ROW("transformer_ada_lmpackedbase", "transformer_base_vq_ada_32ex_packed",
        "ffn_layer=dense_relu_dense"),
    ROW("transformer_ada_lmpackedbase_dialog", "transformer_ada_lmpackedbase",
        "max_length=1024;batch_size=4096"),
    ROW("transformer_ada_lmpackedbase_relative", "transformer_ada_lmpackedbase", ""),

    /* several problems, long texts */
    ROW("transformer_tall", "transformer_base",
        "batch_size=2048;hidden_size=768;filter_size=3072;num_hidden_layers=12;num_heads=12;"
        "label_smoothing=0.0;max_length=1024;eval_drop_long_sequences=true;"
        "multiproblem_mixing_schedule=pretrain;multiproblem_vocab_size=65536;clip_grad_norm=1.0"),
    ROW("transformer_tall_finetune_tied", "transformer_tall", SUMMARIES_LM
        ";learning_rate_constant=5e-5;learning_rate_warmup_steps=100;learning_rate_decay_steps=80000"),
    ROW("transformer_tall_train_tied", "transformer_tall", SUMMARIES_LM
        ";learning_rate_constant=2e-4;learning_rate_warmup_steps=8000;learning_rate_decay_steps=150000"),
    ROW("transformer_tall_finetune_uniencdec", "transformer_tall", SUMMARIES
        ";learning_rate_decay_steps=80000;learning_rate_constant=5e-5;learning_rate_warmup_steps=100"),
    ROW("transformer_tall_train_uniencdec", "transformer_tall", SUMMARIES
        ";learning_rate_decay_steps=150000;learning_rate_constant=2e-4"),
    ROW("transformer_tall_finetune_textclass", "transformer_tall",
        "learning_rate_constant=6.25e-5;learning_rate_schedule=linear_warmup*constant*linear_decay;"
        "multiproblem_schedule_max_examples=0;multiproblem_target_eval_only=true;"
        "learning_rate_warmup_steps=50;learning_rate_decay_steps=25000;"
        "multiproblem_reweight_label_loss=true;multiproblem_label_weight=0.95"),
    ROW("transformer_tall_pretrain_lm", "transformer_tall",
        "learning_rate_constant=2e-4;learning_rate_schedule=linear_warmup*constant*cosdecay;"
        "optimizer=adam_w;weight_decay=2.0000000000000003e-06;optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.999;"
        "optimizer_adam_epsilon=1e-8;multiproblem_schedule_max_examples=5e8;"
        "learning_rate_decay_steps=5000000"),
    ROW("transformer_tall_pretrain_lm_tpu_adafactor", "transformer_tall_pretrain_lm",
        "@tpu;max_length=1024;batch_size=8;multiproblem_vocab_size=65536"),
    ROW("transformer_tall_pretrain_lm_tpu_adafactor_large", "transformer_tall_pretrain_lm_tpu_adafactor",
        "hidden_size=1024;num_heads=16;filter_size=32768;batch_size=4;"
        "multiproblem_mixing_schedule=constant;"
        "multiproblem_per_task_threshold=320,80,160,1,80,160,2,20,10,5"),
    ROW("transformer_tall_pretrain_lm_tpu", "transformer_tall_pretrain_lm_tpu_adafactor",
        "learning_rate_constant=2e-4;learning_rate_schedule=linear_warmup * constant * cosdecay;"
        "optimizer=adam_w;weight_decay=2.0000000000000003e-06"),
    ROW("transformer_tall_big", "transformer_tall", "num_hidden_layers=18"),

    /* TPU and other machines */
    ROW("transformer_mlperf_tpu", "transformer_base_v3",
        "mlperf_mode=true;symbol_modality_num_shards=1;max_length=256;batch_size=2048;" BIG ";" BROADCAST),
    ROW("transformer_fairseq_fp16_activation_big", "transformer_big",
        "activation_dtype=float16;batch_size=3584"),
    ROW("transformer_tpu", "transformer_base", "@tpu"),
    ROW("transformer_packed_tpu", "transformer_tpu", ""),
    ROW("transformer_big_tpu", "transformer_big", "@tpu"),
    ROW("transformer_tiny_tpu", "transformer_tiny", "@tpu"),
    ROW("transformer_small_tpu", "transformer_small", "@tpu"),
    ROW("transformer_clean_big_tpu", "transformer_clean_big", "@tpu"),
    ROW("transformer_timeseries_tpu", "transformer_timeseries", "@tpu;batch_size=256"),
    ROW("transformer_big_enfr_tpu", "transformer_big_enfr", "num_heads=8;@tpu"),
    ROW("transformer_tpu_bf16_activation", "transformer_tpu", "activation_dtype=bfloat16"),
    ROW("transformer_tpu_with_conv", "transformer_tpu", "num_heads=4;ffn_layer=conv_relu_conv"),
    ROW("transformer_lm_tpu_0", "transformer_clean_big",
        "@tpu;num_heads=4;batch_size=4096;shared_embedding_and_softmax_weights=false;"
        "layer_prepostprocess_dropout=0.1"),
    ROW("transformer_lm_tpu_1", "transformer_lm_tpu_0", "hidden_size=2048;filter_size=8192"),
    ROW("transformer_tpu_1b", "transformer_tpu",
        "hidden_size=2048;filter_size=8192;num_hidden_layers=8;batch_size=1024;"
        "activation_dtype=bfloat16;weight_dtype=bfloat16;shared_embedding_and_softmax_weights=false"),

    /* speech */
    ROW("transformer_librispeech_v1", "transformer_base",
        "num_heads=4;filter_size=1024;hidden_size=256;num_encoder_layers=5;num_decoder_layers=3;"
        "learning_rate=0.15;batch_size=6000000;" LIBRISPEECH_LENGTHS),
    ROW("transformer_librispeech_v2", "transformer_base",
        "max_length=1240000;max_input_seq_length=1550;max_target_seq_length=350;batch_size=16;"
        "num_decoder_layers=4;num_encoder_layers=6;hidden_size=384;learning_rate=0.15;"
        "daisy_chain_variables=false;filter_size=1536;num_heads=2;ffn_layer=conv_relu_conv;"
        "conv_first_kernel=9;weight_decay=0;layer_prepostprocess_dropout=0.2;relu_dropout=0.2"),
    ROW("transformer_librispeech", "transformer_librispeech_v2", ""),
    ROW("transformer_librispeech_tpu_v1", "transformer_librispeech_v1",
        "@tpu;batch_size=16;" LIBRISPEECH_LENGTHS),
    ROW("transformer_librispeech_tpu_v2", "transformer_librispeech_v2",
        "@tpu;batch_size=16;" LIBRISPEECH_LENGTHS),
    ROW("transformer_librispeech_tpu", "transformer_librispeech_tpu_v2", ""),
    ROW("transformer_librispeech_with_area_attention", "transformer_librispeech_tpu_v2",
        "num_area_layers=3;max_area_width=5;area_key_mode=concat;area_value_mode=sum"),
    ROW("transformer_common_voice", "transformer_librispeech", ""),
    ROW("transformer_common_voice_tpu", "transformer_librispeech_tpu", "batch_size=8"),

    /* recurrent memory: batch_size is before the targets are cut into chunks */
    ROW("transformer_wikitext103_l4k_v0", "transformer_big",
        "optimizer=Adafactor;learning_rate_schedule=rsqrt_decay;learning_rate_warmup_steps=10000;"
        "num_heads=4;max_length=4096;batch_size=4096;shared_embedding_and_softmax_weights=false;"
        "num_hidden_layers=8;attention_dropout=0.1;layer_prepostprocess_dropout=0.2;relu_dropout=0.1;"
        "label_smoothing=0.0;symbol_modality_num_shards=1;" BROADCAST),
    ROW("transformer_wikitext103_l4k_memory_v0", "transformer_wikitext103_l4k_v0",
        "split_targets_chunk_length=64;split_targets_max_chunks=64;split_targets_strided_training=true;"
        "memory_type:string=transformer_xl;batch_size=262144;pos=@null;"
        "self_attention_type=dot_product_relative;max_relative_position=128;unconditional:bool=true;"
        "recurrent_memory_batch_size:int=0;num_memory_items:int=64"),
    ROW("transformer_wikitext103_l16k_memory_v0", "transformer_wikitext103_l4k_memory_v0",
        "max_length=16384;split_targets_max_chunks=256;batch_size=1048576"),
    ROW("transformer_cifar10_memory_v0", "transformer_wikitext103_l4k_memory_v0",
        "num_hidden_layers=6;max_length=3072;split_targets_chunk_length=192;split_targets_max_chunks=16;"
        "num_memory_items=384;batch_size=64;recurrent_memory_batch_size=64;max_relative_position=576"),
    ROW("transformer_imagenet64_memory_v0", "transformer_cifar10_memory_v0",
        "max_length=12288;split_targets_max_chunks=64;batch_size=128;recurrent_memory_batch_size=128;"
        "max_relative_position=3072"),
};
/* clang-format on */

const struct mdl_set_table mdl_transformer_sets = {sets, sizeof sets / sizeof *sets};
