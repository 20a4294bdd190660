/*
 * train/models/hparams_basic.c - basic_1: what every set starts from (spec §3.10).
 *
 * tensor2tensor/layers/common_hparams.py, basic_params1.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
#define NONE(name)     {name, MDL_HP_NONE, 0, 0.0, NULL}
#define MAP(name)      {name, MDL_HP_MAP, 0, 0.0, NULL}

static const struct mdl_default basic_1[] = {
    /* size of model and batch */
    I("batch_size", 4096),                      /* tokens, where lengths vary */
    I("batch_shuffle_size", 512),
    B("use_fixed_batch_size", false),
    I("num_hidden_layers", 4),
    I("kernel_height", 3),
    I("kernel_width", 1),
    I("hidden_size", 64),
    I("compress_steps", 0),
    F("dropout", 0.2),
    /* gradients and loss */
    F("clip_grad_norm", 2.0),
    F("grad_noise_scale", 0.0),
    B("summarize_grads", false),
    B("summarize_vars", false),
    B("mlperf_mode", false),
    S("initializer", "orthogonal"),
    F("initializer_gain", 1.5),
    F("label_smoothing", 0.1),
    F("weight_decay", 1e-6),
    F("weight_noise", 0.0),
    /* optimizer */
    S("optimizer", "adam"),
    F("optimizer_adam_epsilon", 1e-6),
    F("optimizer_adam_beta1", 0.85),
    F("optimizer_adam_beta2", 0.997),
    F("optimizer_momentum_momentum", 0.9),
    B("optimizer_momentum_nesterov", false),
    F("optimizer_adafactor_beta1", 0.0),
    F("optimizer_adafactor_beta2", 0.999),
    B("optimizer_adafactor_factored", true),
    S("optimizer_adafactor_decay_type", "pow"),
    F("optimizer_adafactor_memory_exponent", 0.8),
    F("optimizer_adafactor_clipping_threshold", 1.0),
    B("optimizer_adafactor_multiply_by_parameter_scale", true),
    I("optimizer_multistep_accumulate_steps", 0),
    B("optimizer_zero_grads", false),
    S("mixed_precision_optimizer_loss_scaler", "exponential"),
    I("mixed_precision_optimizer_init_loss_scale", 32768),
    B("gpu_automatic_mixed_precision", false),
    /* learning rate */
    S("learning_rate_schedule", "legacy"),
    F("learning_rate_constant", 1.0),
    S("learning_rate_decay_scheme", "none"),
    I("learning_rate_decay_steps", 5000),
    B("learning_rate_decay_staircase", false),
    NONE("learning_rate_minimum"),
    F("learning_rate_decay_rate", 1.0),
    I("learning_rate_warmup_steps", 100),
    I("learning_rate_cosine_cycle_steps", 250000),
    F("learning_rate", 0.1),
    /* sampling */
    S("sampling_method", "argmax"),
    F("sampling_temp", 1.0),
    I("sampling_keep_top_k", -1),
    /* layers */
    B("factored_logits", false),
    S("multiply_embedding_mode", "sqrt_depth"),
    S("moe_hidden_sizes", "2048"),
    I("moe_num_experts", 64),
    I("moe_k", 2),
    F("moe_loss_coef", 1e-2),
    S("layer_preprocess_sequence", "none"),
    S("layer_postprocess_sequence", "dan"),
    F("layer_prepostprocess_dropout", 0.1),
    S("layer_prepostprocess_dropout_broadcast_dims", ""),
    F("symbol_dropout", 0.0),
    S("norm_type", "layer"),
    F("norm_epsilon", 1e-6),
    I("vocab_divisor", 1),
    B("shared_embedding_and_softmax_weights", false),
    B("shared_embedding", false),
    I("symbol_modality_num_shards", 1),
    I("max_relative_position", 0),
    B("heads_share_relative_embedding", false),
    B("add_relative_to_values", false),
    S("area_value_mode", "none"),
    S("area_key_mode", "none"),
    I("num_area_layers", 0),
    I("max_area_width", 1),
    I("max_area_height", 1),
    I("memory_height", 1),
    S("activation_dtype", "float32"),
    S("weight_dtype", "float32"),
    /* functions per feature that a set of the original may replace */
    MAP("bottom"), MAP("loss"), MAP("name"), MAP("top"), MAP("weights_fn"),
    /* input */
    I("min_length", 0),
    I("max_length", 0),                         /* 0: batch_size */
    B("pack_dataset", false),
    B("use_custom_ops", true),
    I("split_targets_chunk_length", 0),
    I("split_targets_max_chunks", 100),
    B("split_targets_strided_training", false),
    I("min_length_bucket", 8),
    F("length_bucket_step", 1.1),
    B("eval_drop_long_sequences", false),
    B("eval_run_autoregressive", false),
    I("max_input_seq_length", 0),
    I("max_target_seq_length", 0),
    I("split_to_length", 0),
    I("video_num_input_frames", 1),
    I("video_num_target_frames", 1),
    S("prepend_mode", "none"),
    B("pad_batch", false),
    /* scheduled sampling */
    F("scheduled_sampling_prob", 0.0),
    S("scheduled_sampling_method", "parallel"),
    I("scheduled_sampling_warmup_steps", 50000),
    F("scheduled_sampling_gold_mixin_prob", 0.5),
    I("scheduled_sampling_num_passes", 1),
    S("scheduled_sampling_warmup_schedule", "exp"),
    /* running */
    B("daisy_chain_variables", true),
    B("force_full_predict", false),
    B("no_data_parallelism", false),
    B("tpu_enable_host_call", false),
    S("pretrained_model_dir", ""),
    S("warm_start_from_second", ""),
    /* several problems at once */
    F("multiproblem_schedule_threshold", 0.5),
    S("multiproblem_per_task_threshold", ""),
    F("multiproblem_schedule_max_examples", 1e7),
    S("multiproblem_mixing_schedule", "constant"),
    B("multiproblem_reweight_label_loss", false),
    F("multiproblem_label_weight", 0.5),
    B("multiproblem_target_eval_only", false),
    I("multiproblem_vocab_size", -1),
    I("multiproblem_max_input_length", -1),
    I("multiproblem_max_target_length", -1),
    I("multiproblem_fixed_train_length", -1),
};
/* clang-format on */

static const struct mdl_set sets[] = {
    {"basic_1", NULL, "", basic_1, sizeof basic_1 / sizeof *basic_1},
};

const struct mdl_set_table mdl_basic_sets = {sets, sizeof sets / sizeof *sets};
