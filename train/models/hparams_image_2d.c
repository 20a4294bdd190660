/*
 * train/models/hparams_image_2d.c - the registered sets of imagetransformer2d and
 * img2img_transformer.
 *
 * tensor2tensor/models/image_transformer_2d.py of release 1.15.7.  How a row is read:
 * hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
#define INTS(name)     {name, MDL_HP_INT_LIST, 0, 0.0, NULL}
#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}

static const struct mdl_default keys[] = {
    F("attention_dropout", 0.0),
    I("attention_key_channels", 0),
    I("attention_value_channels", 0),
    I("block_length", 256),
    B("block_raster_scan", false),
    I("block_size", 1),
    I("block_width", 128),
    S("dec_attention_type", "local_2d"),
    S("enc_attention_type", "global"),
    S("ffn_layer", "conv_hidden_relu"),
    I("filter_size", 512),
    I("img_len", 32),
    I("kv_filter_width", 1),
    B("local_and_global_att", false),
    INTS("memory_flange"),
    I("nbr_decoder_problems", 1),
    I("num_channels", 3),
    I("num_decoder_layers", 8),
    I("num_encoder_layers", 4),
    I("num_heads", 8),
    I("num_output_layers", 3),
    S("pos", "timing"),
    I("q_filter_width", 1),
    INTS("query_shape"),
    F("relu_dropout", 0.0),
    B("shared_rel", false),
    B("unconditional", false),
};

static const struct mdl_set sets[] = {
    {"image_transformer2d_base", "basic_1",
     "batch_size=1;clip_grad_norm=0.0;dropout=0.0;hidden_size=512;"
     "initializer=uniform_unit_scaling;initializer_gain=0.2;label_smoothing=0.0;"
     "layer_prepostprocess_dropout=0.0;learning_rate_decay_scheme=noam;"
     "learning_rate_warmup_steps=4000;max_length=256;memory_flange=[16,32];"
     "optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.98;optimizer_adam_epsilon=1e-09;"
     "query_shape=[16,16];weight_decay=0.0", keys, sizeof keys / sizeof *keys},
    ROW("imagetransformer2d_base", "image_transformer2d_base", "block_raster_scan=true"),
    ROW("imagetransformer2d_base_8l_8_16", "image_transformer2d_base", "memory_flange=[8,16]"),
    ROW("imagetransformer2d_base_8l_8_16_ls", "imagetransformer2d_base_8l_8_16",
        "label_smoothing=0.05"),
    ROW("imagetransformer2d_base_8l_8_16_big", "imagetransformer2d_base_8l_8_16",
        "filter_size=1024"),
    ROW("imagetransformer2d_base_12l_8_16_big", "imagetransformer2d_base_8l_8_16_big",
        "num_decoder_layers=12;sampling_method=random"),
    ROW("imagetransformer2d_base_14l_8_16_big", "imagetransformer2d_base_8l_8_16_big",
        "num_decoder_layers=14"),
    ROW("imagetransformer2d_base_14l_8_16_big_uncond", "imagetransformer2d_base_14l_8_16_big",
        "unconditional=true"),
    ROW("imagetransformer2d_base_8l_8_16_big_16k", "imagetransformer2d_base_8l_8_16_big",
        "learning_rate_warmup_steps=16000"),
    ROW("imagetransformer2d_base_8l_8_32_big", "image_transformer2d_base",
        "num_heads=16;hidden_size=1024;filter_size=2048;layer_prepostprocess_dropout=0.3;"
        "query_shape=[8,16];memory_flange=[0,32];unconditional:int=0"),
    ROW("imagetransformer_base_10l_8h_big_uncond_dr03_dan_64_2d", "image_transformer2d_base",
        "unconditional=true;img_len=64;filter_size=2048;max_length=14000;"
        "layer_prepostprocess_dropout=0.1;memory_flange=[8,8]"),
    ROW("imagetransformer2d_base_8l_8_64_64by64", "image_transformer2d_base",
        "filter_size=2048;layer_prepostprocess_dropout=0.1;query_shape=[8,64];"
        "memory_flange=[4,32];max_length=14000;unconditional:int=0"),
    ROW("imagetransformer2d_base_12l_8_64_64by64", "imagetransformer2d_base_8l_8_64_64by64",
        "num_decoder_layers=12"),
    ROW("imagetransformer2d_tiny", "imagetransformer2d_base",
        "num_decoder_layers=2;hidden_size=64"),
    ROW("img2img_transformer2d_base", "image_transformer2d_base",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;learning_rate=0.2;"
        "layer_prepostprocess_dropout=0.1;learning_rate_warmup_steps=12000;"
        "filter_size=2048;block_raster_scan=true"),
    ROW("img2img_transformer2d_q1", "img2img_transformer2d_base",
        "batch_size=2;layer_preprocess_sequence=none;layer_postprocess_sequence=dan;"
        "memory_flange=[16,64]"),
    ROW("img2img_transformer2d_q2", "img2img_transformer2d_q1", "memory_flange=[16,32]"),
    ROW("img2img_transformer2d_q3", "img2img_transformer2d_q1",
        "query_shape=[8,16];memory_flange=[8,32]"),
    ROW("img2img_transformer2d_n3", "img2img_transformer2d_base",
        "num_decoder_layers=12;query_shape=[16,32];memory_flange=[16,16];"
        "layer_prepostprocess_dropout=0.0"),
    ROW("img2img_transformer2d_n31", "img2img_transformer2d_base",
        "num_encoder_layers=6;num_decoder_layers=12;query_shape=[16,32];"
        "memory_flange=[16,32]"),
    ROW("img2img_transformer2d_n24", "img2img_transformer2d_base",
        "hidden_size=1024;layer_prepostprocess_dropout=0.2;query_shape=[8,16];"
        "memory_flange=[8,32]"),
    ROW("img2img_transformer2d_n44", "img2img_transformer2d_base",
        "query_shape=[8,16];memory_flange=[8,32]"),
    ROW("img2img_transformer2d_n103", "img2img_transformer2d_base",
        "num_decoder_layers=12;num_encoder_layers=6;query_shape=[8,32];"
        "memory_flange=[8,64]"),
    ROW("img2img_transformer2d_tiny", "img2img_transformer2d_base",
        "num_decoder_layers=2;hidden_size=128;batch_size=4;max_length=128;"
        "filter_size=128;num_heads=4"),
    ROW("img2img_transformer_tiny", "img2img_transformer2d_base",
        "num_hidden_layers=2;hidden_size=128;batch_size=4;max_length=128;filter_size=128;"
        "num_heads=1"),
    ROW("img2img_transformer_base", "image_transformer2d_base",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;learning_rate=0.2;"
        "layer_prepostprocess_dropout=0.1;learning_rate_warmup_steps=12000;"
        "filter_size=2048;block_width=256;dec_attention_type=local_1d"),
    ROW("img2img_transformer_b1", "img2img_transformer_base",
        "batch_size=2;layer_preprocess_sequence=none;layer_postprocess_sequence=dan;"
        "block_length=512"),
    ROW("img2img_transformer_b2", "img2img_transformer_b1", "block_length=256"),
    ROW("img2img_transformer_b3", "img2img_transformer_b1", "block_length=128;sampling_temp=0.9"),
    ROW("img2img_transformer_b3_bs1", "img2img_transformer_b3", ""),
    ROW("img2img_transformer_b3_bs2", "img2img_transformer_b3", "block_size=2"),
    ROW("img2img_transformer_b3_bs3", "img2img_transformer_b3", "block_size=3"),
    ROW("img2img_transformer_b3_bs4", "img2img_transformer_b3", "block_size=4"),
    ROW("img2img_transformer_b3_bs5", "img2img_transformer_b3", "block_size=5"),
    ROW("img2img_transformer_b3_bs6", "img2img_transformer_b3", "block_size=6"),
    ROW("img2img_transformer_b3_bs7", "img2img_transformer_b3", "block_size=7"),
    ROW("img2img_transformer_b3_bs8", "img2img_transformer_b3", "block_size=8"),
    ROW("img2img_transformer_b3_bs9", "img2img_transformer_b3", "block_size=9"),
    ROW("img2img_transformer_b3_bs10", "img2img_transformer_b3", "block_size=10"),
    ROW("img2img_transformer_dilated", "img2img_transformer_base",
        "num_memory_blocks:int=1;sampling_method=random;dec_attention_type=dilated;"
        "img_len=64;block_length=128;block_width=128"),
    ROW("img2img_transformer_base_tpu", "img2img_transformer_base",
        "optimizer=true_adam;batch_size=2;num_heads=4"),
    ROW("img2img_transformer_tiny_tpu", "img2img_transformer_base_tpu",
        "num_hidden_layers=2;hidden_size=16;num_heads=2"),
};
/* clang-format on */

const struct mdl_set_table mdl_image_2d_sets = {sets, sizeof sets / sizeof *sets};
