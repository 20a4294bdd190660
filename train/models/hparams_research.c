/*
 * train/models/hparams_research.c - the registered sets of experiments with the Transformer.
 *
 * tensor2tensor/models/research/adafactor_experiments.py (afx: which part of Adafactor does what),
 * lm_experiments.py (lmx: language models), transformer_parallel.py (bs) and
 * models/evolved_transformer.py of release 1.15.7.  How a row is read: hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}

#define EVOLVED "num_encoder_layers=3;num_decoder_layers=4;"
/* the constant is 2 / sqrt(learning_rate_warmup_steps) */
#define COSINE                                                                                    \
    "learning_rate_constant=0.022360679774997897;"                                                \
    "learning_rate_schedule=constant*linear_warmup*single_cycle_cos_decay*rsqrt_hidden_size"

static const struct mdl_set sets[] = {
    ROW("transformer_teeny", "transformer_base", "hidden_size=128;filter_size=128;num_heads=2"),

    /* Adam with Adafactor's rates, then Adafactor made like it and taken apart */
    ROW("afx_adam", "transformer_base_v2",
        "optimizer_adam_beta1=0.9;optimizer_adam_beta2=0.999;symbol_modality_num_shards=1;"
        "batch_size=2048;optimizer=adam;learning_rate_constant=2.0;"
        "learning_rate_schedule=constant*rsqrt_decay*linear_warmup*rsqrt_hidden_size"),
    ROW("afx_mimic_adam", "afx_adam",
        "optimizer=adafactor;optimizer_adafactor_beta1=0.9;optimizer_adafactor_beta2=0.999;"
        "optimizer_adafactor_multiply_by_parameter_scale=false;optimizer_adafactor_factored=false;"
        "optimizer_adafactor_clipping_threshold=@null;optimizer_adafactor_decay_type=adam"),
    ROW("afx_base", "afx_mimic_adam", "optimizer_adafactor_beta1=0.0"),
    ROW("afx_factored", "afx_base", "optimizer_adafactor_factored=true"),
    ROW("afx_fast", "afx_base", "optimizer_adafactor_beta2=0.9"),
    ROW("afx_clip", "afx_base", "optimizer_adafactor_clipping_threshold=1.0"),
    ROW("afx_clip2", "afx_base", "optimizer_adafactor_clipping_threshold=2.0"),
    ROW("afx_clip_factored", "afx_clip", "optimizer_adafactor_factored=true"),
    ROW("afx_pow05", "afx_base",
        "optimizer_adafactor_decay_type=pow;optimizer_adafactor_memory_exponent=0.5"),
    ROW("afx_pow08", "afx_pow05", "optimizer_adafactor_memory_exponent=0.8"),
    ROW("afx_pow10", "afx_pow05", "optimizer_adafactor_memory_exponent=1.0"),
    ROW("afx_pow08_clip", "afx_pow08", "optimizer_adafactor_clipping_threshold=1.0"),
    ROW("afx_relative", "afx_base",
        "learning_rate_schedule=rsqrt_decay;learning_rate_warmup_steps=10000;"
        "optimizer_adafactor_multiply_by_parameter_scale=true"),
    ROW("afx_unscale", "afx_base",
        "shared_embedding_and_softmax_weights=false;multiply_embedding_mode=none"),
    ROW("afx_unscale_relative", "afx_relative",
        "shared_embedding_and_softmax_weights=false;multiply_embedding_mode=none"),
    ROW("afx_adafactor", "afx_adam",
        "optimizer=Adafactor;learning_rate_schedule=rsqrt_decay;learning_rate_warmup_steps=10000"),
    ROW("afx_small", "transformer_tpu",
        "filter_size=1024;num_heads=4;num_hidden_layers=3;batch_size=512"),
    ROW("afx_small_p8", "afx_small", "simulated_parameter_quantize_bits:int=8"),
    ROW("afx_small_p10", "afx_small", "simulated_parameter_quantize_bits:int=10"),
    ROW("afx_small_p11", "afx_small", "simulated_parameter_quantize_bits:int=11"),
    ROW("afx_small_p12", "afx_small", "simulated_parameter_quantize_bits:int=12"),
    ROW("afx_small_p16", "afx_small", "simulated_quantize_bits:int=16"),
    ROW("afx_small_bfloat16", "afx_small", "weight_dtype=bfloat16;activation_dtype=bfloat16"),

    /* language models */
    ROW("lmx_base", "transformer_tpu",
        "shared_embedding_and_softmax_weights=false;max_length=256;batch_size=4096;"
        "label_smoothing=0.0;activation_dtype=bfloat16"),
    ROW("lmx_h1k_f4k", "lmx_base", "hidden_size=1024;filter_size=4096"),
    ROW("lmx_h1k_f64k", "lmx_h1k_f4k", "filter_size=65536;batch_size=2048"),
    ROW("lmx_h2k_f8k", "lmx_base", "hidden_size=2048;filter_size=8192"),
    ROW("lmx_h3k_f12k", "lmx_base",
        "hidden_size=3072;filter_size=12288;batch_size=2048;weight_dtype=bfloat16"),
    ROW("lmx_h4k_f16k", "lmx_h3k_f12k", "hidden_size=4096;filter_size=16384;batch_size=1024"),
    ROW("lmx_moe", "lmx_base", "ffn_layer=local_moe_tpu"),
    ROW("lmx_moe_h1k_f4k_x32", "lmx_h1k_f4k",
        "ffn_layer=local_moe_tpu;moe_num_experts=32;weight_dtype=bfloat16;batch_size=8192"),
    ROW("lmx_moe_h1k_f8k_x16", "lmx_h1k_f4k",
        "ffn_layer=local_moe_tpu;filter_size=8192;moe_num_experts=16;weight_dtype=bfloat16;"
        "batch_size=8192"),
    ROW("lmx_relative", "lmx_base",
        "self_attention_type=dot_product_relative_v2;activation_dtype=float32;weight_dtype=float32"),
    ROW("lmx_relative_nopos", "lmx_relative", "pos=none"),

    /* transformer_block_parallel, which reads block_size; the Transformer is as without */
    ROW("transformer_base_bs1", "transformer_base", "block_size:int=1"),
    ROW("transformer_base_bs2", "transformer_base", "block_size:int=2"),
    ROW("transformer_base_bs3", "transformer_base", "block_size:int=3"),
    ROW("transformer_base_bs4", "transformer_base", "block_size:int=4"),
    ROW("transformer_base_bs5", "transformer_base", "block_size:int=5"),
    ROW("transformer_base_bs6", "transformer_base", "block_size:int=6"),
    ROW("transformer_base_bs7", "transformer_base", "block_size:int=7"),
    ROW("transformer_base_bs8", "transformer_base", "block_size:int=8"),
    ROW("transformer_base_bs9", "transformer_base", "block_size:int=9"),
    ROW("transformer_base_bs10", "transformer_base", "block_size:int=10"),
    ROW("transformer_big_bs1", "transformer_big", "block_size:int=1"),
    ROW("transformer_tiny_bs1", "transformer_tiny", "block_size:int=1"),
    ROW("transformer_tiny_bs2", "transformer_tiny", "block_size:int=2"),
    ROW("transformer_tiny_bs3", "transformer_tiny", "block_size:int=3"),

    /* reversible layers */
    ROW("transformer_revnet_base", "transformer_big",
        "layer_preprocess_sequence=n;layer_postprocess_sequence=da;learning_rate=0.4"),
    ROW("transformer_revnet_big", "transformer_revnet_base",
        "batch_size=4096;hidden_size=2048;num_heads=32;num_hidden_layers=7"),

    /* the Evolved Transformer */
    ROW("evolved_transformer_base", "transformer_base", EVOLVED COSINE),
    ROW("evolved_transformer_big", "transformer_big", EVOLVED COSINE),
    ROW("evolved_transformer_deep", "evolved_transformer_big",
        "num_encoder_layers=9;num_decoder_layers=10;hidden_size=640"),
    ROW("evolved_transformer_tiny", "transformer_tiny",
        EVOLVED "learning_rate_constant=0.022360679774997897;"
        "learning_rate_schedule=constant*single_cycle_cos_decay"),
    ROW("evolved_transformer_base_tpu", "transformer_tpu",
        EVOLVED "learning_rate_constant=0.01;learning_rate_schedule=constant*single_cycle_cos_decay"),
    ROW("evolved_transformer_big_tpu", "transformer_big_tpu",
        EVOLVED "learning_rate_constant=0.01;learning_rate_schedule=constant*single_cycle_cos_decay"),
    ROW("evolved_transformer_tpu_basic", "transformer_big_tpu",
        "print_vars:bool=false;batch_size=8192;max_length=256;num_trainable_top_decoder_layers:int=-1"),
};
/* clang-format on */

const struct mdl_set_table mdl_research_sets = {sets, sizeof sets / sizeof *sets};
