/*
 * train/models/hparams_text.c - the registered sets of attention_lm, attention_lm_moe, of the LSTM
 * and of text_cnn.
 *
 * tensor2tensor/models/research/attention_lm.py and attention_lm_moe.py, models/lstm.py and
 * models/text_cnn.py of release 1.15.7.  How a row is read: hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
#define LIST(name)     {name, MDL_HP_INT_LIST, 0, 0.0, NULL}
#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}
#define NEW(name, parent, keys, changes) {name, parent, changes, keys, sizeof(keys) / sizeof(keys[0])}

static const struct mdl_default attention_lm_keys[] = {
    I("filter_size", 4096),
    I("num_heads", 8),
    I("attention_key_channels", 0),             /* 0: hidden_size */
    I("attention_value_channels", 0),
    F("attention_dropout", 0.0),
    F("relu_dropout", 0.0),
    S("pos", "timing"),
    B("encoder_full_attention", false),
};

static const struct mdl_default moe_keys[] = {
    I("filter_size", 2048),
    I("num_heads", 8),
    I("attention_key_channels", 0),             /* 0: hidden_size */
    I("attention_value_channels", 0),
    F("attention_dropout", 0.0),
    F("relu_dropout", 0.0),
    S("pos", "timing"),
    S("moe_layers", "2"),
    S("attention_layers", ""),                  /* a letter for each layer */
    S("attention_type", "multihead"),
    B("attention_local", false),
    I("attention_moe_k", 2),
    I("attention_num_head", 1),
    I("attention_num_experts", 16),
    B("attention_split_batch", false),
    I("attention_red_factor", 3),
    I("attention_block_length", 128),
    S("attention_reduction_type", "conv"),
    S("attention_nonlinearity", "none"),
    I("attention_exp_factor", 0),
    I("attention_exp_inputdim", 128),
    I("attention_kq_size", 128),
    I("attention_v_size", 256),
    F("attention_load_balance", 0.02),
    I("lsh_num_hyperplanes", 4),
    B("lsh_use_map_fn", false),
    B("use_sepconv", false),
    B("diet_experts", false),
    B("memory_efficient_ffn", false),
    B("use_inputs", false),
};

static const struct mdl_default lstm_attention_keys[] = {
    I("attention_layer_size", 128),
    B("output_attention", true),
    I("num_heads", 1),
    S("attention_mechanism", "bahdanau"),
};

static const struct mdl_default text_cnn_keys[] = {
    LIST("filter_sizes"),
    I("num_filters", 128),
    F("output_dropout", 0.4),
};

#define NORM_FIRST "layer_preprocess_sequence=n;layer_postprocess_sequence=da"
#define MEMORY_EFFICIENT                                                                          \
    "diet_experts=true;" NORM_FIRST ";layer_prepostprocess_dropout=0.0;"                          \
    "memory_efficient_ffn=true;attention_type=memory_efficient;num_heads=8;factored_logits=true"

static const struct mdl_set sets[] = {
    NEW("attention_lm_base", "basic_1", attention_lm_keys,
        "hidden_size=1024;batch_size=8192;max_length=256;dropout=0.0;clip_grad_norm=0.0;"
        "optimizer_adam_epsilon=1e-9;learning_rate_decay_scheme=noam;learning_rate=0.1;"
        "learning_rate_warmup_steps=2000;initializer_gain=1.0;num_hidden_layers=6;"
        "initializer=uniform_unit_scaling;weight_decay=0.0;optimizer_adam_beta1=0.9;"
        "optimizer_adam_beta2=0.98;label_smoothing=0.0;shared_embedding_and_softmax_weights=false"),
    ROW("attention_lm_small", "attention_lm_base",
        "num_hidden_layers=4;hidden_size=512;filter_size=2048;layer_prepostprocess_dropout=0.5"),
    ROW("attention_lm_translation", "attention_lm_base",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;learning_rate=0.4;"
        "prepend_mode=prepend_inputs_masked_attention;max_length=512;label_smoothing=0.1;"
        "shared_embedding_and_softmax_weights=true"),
    ROW("attention_lm_translation_l12", "attention_lm_translation",
        "batch_size=4096;num_hidden_layers=12"),
    ROW("attention_lm_translation_full_attention", "attention_lm_translation",
        "prepend_mode=prepend_inputs_full_attention"),

    NEW("attention_lm_moe_base", "basic_1", moe_keys,
        "hidden_size=1024;batch_size=8192;max_length=256;dropout=0.0;clip_grad_norm=0.0;"
        "optimizer_adam_epsilon=1e-9;learning_rate_decay_scheme=noam;learning_rate=0.1;"
        "learning_rate_warmup_steps=2000;initializer_gain=1.0;num_hidden_layers=4;"
        "initializer=uniform_unit_scaling;weight_decay=0.0;optimizer_adam_beta1=0.9;"
        "optimizer_adam_beta2=0.98;label_smoothing=0.0;shared_embedding_and_softmax_weights=false;"
        "moe_num_experts=32"),
    ROW("attention_lm_moe_base_long_seq", "attention_lm_moe_base",
        "max_length=0;eval_drop_long_sequences=true;min_length_bucket=256;use_sepconv=true"),
    ROW("attention_lm_moe_base_ae", "attention_lm_moe_base_long_seq",
        "attention_type=local_experts;learning_rate=0.05;learning_rate_warmup_steps=10000"),
    ROW("attention_lm_moe_base_local", "attention_lm_moe_base_long_seq", "attention_local=true"),
    ROW("attention_lm_moe_base_hybrid", "attention_lm_moe_base_local", "attention_layers=hehe"),
    ROW("attention_lm_hybrid_v2", "attention_lm_moe_base_local",
        "attention_layers=hheh;attention_moe_k=6;" NORM_FIRST),
    ROW("attention_lm_16k", "attention_lm_hybrid_v2", "batch_size=16384"),
    ROW("attention_lm_12k", "attention_lm_hybrid_v2", "batch_size=12000"),
    ROW("attention_lm_11k", "attention_lm_hybrid_v2", "batch_size=11500"),
    ROW("attention_lm_ae_extended", "attention_lm_moe_base_local",
        "attention_layers=eeee;attention_exp_factor=4;" NORM_FIRST),
    ROW("attention_lm_moe_base_memeff", "attention_lm_moe_base_long_seq",
        "use_sepconv=false;" MEMORY_EFFICIENT),
    ROW("attention_lm_moe_small", "attention_lm_moe_base", "hidden_size=512;moe_num_experts=128"),
    ROW("attention_lm_moe_tiny", "attention_lm_moe_small", "moe_num_experts=32"),
    ROW("attention_lm_attention_moe_tiny", "attention_lm_moe_small",
        "moe_layers=;attention_num_experts=128;filter_size=8192;attention_type=local_experts"),
    ROW("attention_lm_no_moe_small", "attention_lm_moe_small", "moe_layers="),
    ROW("attention_lm_moe_large", "attention_lm_moe_base",
        "num_hidden_layers=5;moe_layers=3;num_heads=16;filter_size=4096;moe_hidden_sizes=4096;"
        "moe_num_experts=128;layer_prepostprocess_dropout=0.2"),
    ROW("attention_lm_moe_large_diet", "attention_lm_moe_large", "diet_experts=true"),
    ROW("attention_lm_moe_memory_efficient", "attention_lm_moe_large", MEMORY_EFFICIENT),
    ROW("attention_lm_moe_32b_diet", "attention_lm_moe_large_diet",
        "moe_hidden_sizes=16384;moe_num_experts=1024"),
    ROW("attention_lm_moe_24b_diet", "attention_lm_moe_large_diet",
        "moe_hidden_sizes=12288;moe_num_experts=1024;batch_size=4096"),
    ROW("attention_lm_moe_translation", "attention_lm_moe_base",
        NORM_FIRST ";learning_rate=0.4;prepend_mode=prepend_inputs_masked_attention;max_length=512;"
        "label_smoothing=0.1;layer_prepostprocess_dropout=0.2;num_hidden_layers=6;"
        "moe_layers=0,1,2,3,4,5;shared_embedding_and_softmax_weights=true"),
    ROW("attention_lm_moe_unscramble_base", "attention_lm_no_moe_small",
        "use_inputs=true;min_length_bucket=1024;max_length=1024;batch_size=5000;"
        "layer_prepostprocess_dropout=0.0;" NORM_FIRST),

    ROW("lstm_seq2seq", "basic_1",
        "daisy_chain_variables=false;batch_size=1024;hidden_size=128;num_hidden_layers=2;"
        "initializer=uniform_unit_scaling;initializer_gain=1.0;weight_decay=0.0"),
    NEW("lstm_bahdanau_attention", "lstm_seq2seq", lstm_attention_keys, ""),
    ROW("lstm_attention", "lstm_bahdanau_attention", ""),
    ROW("lstm_luong_attention", "lstm_bahdanau_attention", "attention_mechanism=luong"),
    ROW("lstm_bahdanau_attention_multi", "lstm_bahdanau_attention", "num_heads=4"),
    ROW("lstm_luong_attention_multi", "lstm_luong_attention", "num_heads=4"),
    ROW("lstm_asr_v1", "lstm_bahdanau_attention",
        "hidden_size=256;batch_size=36;max_input_seq_length=600000;max_target_seq_length=350;"
        "max_length=600000;min_length_bucket=300000;learning_rate=0.05"),
    ROW("lstm_area_attention_base", "lstm_luong_attention",
        "batch_size=16384;hidden_size=1024;num_heads=4;dropout=0.2;learning_rate=0.1;"
        "max_area_width=2;area_key_mode=mean;area_value_mode=sum"),
    ROW("lstm_area_attention_enfr", "lstm_area_attention_base", "dropout=0.1"),
    ROW("lstm_area_attention_char", "lstm_area_attention_base", "batch_size=20480"),
    ROW("lstm_area_attention_char_enfr", "lstm_area_attention_char", "dropout=0.1"),

    NEW("text_cnn_base", "basic_1", text_cnn_keys,
        "batch_size=4096;max_length=256;clip_grad_norm=0.0;optimizer_adam_epsilon=1e-9;"
        "learning_rate_decay_scheme=noam;learning_rate=0.1;learning_rate_warmup_steps=4000;"
        "initializer_gain=1.0;num_hidden_layers=6;initializer=uniform_unit_scaling;"
        "weight_decay=0.0;optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.98;label_smoothing=0.1;"
        "shared_embedding_and_softmax_weights=true;symbol_modality_num_shards=16;"
        "filter_sizes=[2,3,4,5]"),
};
/* clang-format on */

const struct mdl_set_table mdl_text_sets = {sets, sizeof sets / sizeof *sets};
