/*
 * train/models/hparams_text.c - the registered sets of attention_lm and of the LSTM.
 *
 * tensor2tensor/models/research/attention_lm.py and models/lstm.py of release 1.15.7.  How a row is
 * read: hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
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

    ROW("lstm_seq2seq", "basic_1",
        "daisy_chain_variables=false;batch_size=1024;hidden_size=128;num_hidden_layers=2;"
        "initializer=uniform_unit_scaling;initializer_gain=1.0;weight_decay=0.0"),
};
/* clang-format on */

const struct mdl_set_table mdl_text_sets = {sets, sizeof sets / sizeof *sets};
