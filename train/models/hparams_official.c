/*
 * train/models/hparams_official.c - the parameter sets of the official Transformer, as registered
 * sets.
 *
 * official/nlp/transformer/model_params.py; spec official-transformer.md §5.  What stands where:
 * official_transformer.c.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}

/* Keys beyond those of basic_1. */
static const struct mdl_default new_keys[] = {
    I("vocab_size", 33708),                     /* 0: of the data's vocabulary */
    I("filter_size", 2048),
    I("num_heads", 8),
    F("attention_dropout", 0.1),
    F("relu_dropout", 0.1),
    B("static_batch", false),                   /* length buckets as data_pipeline.py has them */
    B("use_ctl", false),                        /* custom training loop instead of Keras' fit */
};

#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}

static const struct mdl_set sets[] = {
    {"official_transformer_base", "basic_1",
        "batch_size=2048;max_length=256;hidden_size=512;num_hidden_layers=6;"
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;layer_prepostprocess_dropout=0.1;"
        "shared_embedding_and_softmax_weights=true;initializer=xavier;initializer_gain=1.0;"
        "label_smoothing=0.1;weight_decay=0;clip_grad_norm=0;"
        "optimizer=adam;optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.997;optimizer_adam_epsilon=1e-9;"
        "learning_rate_schedule=constant*linear_warmup*rsqrt_decay*rsqrt_hidden_size;"
        "learning_rate_constant=2.0;learning_rate_warmup_steps=16000",
        new_keys, sizeof new_keys / sizeof *new_keys},
    ROW("official_transformer_big", "official_transformer_base",
        "batch_size=4096;hidden_size=1024;filter_size=4096;num_heads=16"),
    ROW("official_transformer_tiny", "official_transformer_base",
        "batch_size=1024;hidden_size=32;filter_size=256;num_heads=4"),
    ROW("official_transformer_base_multi_gpu", "official_transformer_base",
        "learning_rate_warmup_steps=8000"),
    ROW("official_transformer_big_multi_gpu", "official_transformer_big",
        "layer_prepostprocess_dropout=0.3;learning_rate_warmup_steps=8000"),
};
/* clang-format on */

const struct mdl_set_table mdl_official_sets = {sets, sizeof sets / sizeof *sets};
