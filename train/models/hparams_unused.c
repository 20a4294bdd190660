/*
 * train/models/hparams_unused.c - hparams of the original's sets that nothing here reads, and why.
 *
 * What the original does by them is machinery (where and how it computes, what it logs), belongs to
 * a switch that is refused, or is read by nothing there either.  test_hparams_reads.c goes over
 * every key of every registered set: it is read, or it is here.
 */
#include "train/models/hparams.h"

#include <string.h>

/* clang-format off */
static const struct {
    const char *name, *why;
} unused[] = {
    {"add_ffn_unit_to_the_transition_function", "of other recurrences; recurrence_type: gru and lstm are refused"},
    {"attention_block_length", "of local attention; attention_local=true is refused"},
    {"attention_exp_factor", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_exp_inputdim", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_kq_size", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_load_balance", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_moe_k", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_nonlinearity", "of attention to fewer positions; attention_type=multihead_reduced is refused"},
    {"attention_num_experts", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_num_head", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_red_factor", "of attention to fewer positions; attention_type=multihead_reduced is refused"},
    {"attention_reduction_type", "of attention to fewer positions; attention_type=multihead_reduced is refused"},
    {"attention_split_batch", "of attention by experts; attention_type=local_experts is refused"},
    {"attention_v_size", "of attention by experts; attention_type=local_experts is refused"},
    {"audio_compression", "read by nothing in the original either"},
    {"beta", "of models that are not here"},
    {"block_raster_scan", "of drawing: images are written in the order in which their positions see each other"},
    {"block_size", "of transformer_block_parallel and img2img_transformer_block_parallel, which are not here"},
    {"bottleneck_kind", "of models that are not here"},
    {"bottom", "functions by feature; a problem's kind decides"},
    {"compress_steps", "of models that are not here"},
    {"couple_carry_transform_gates", "of other recurrences; recurrence_type: highway is refused"},
    {"daisy_chain_variables", "how TensorFlow computes; it changes no result"},
    {"decay", "of models that are not here"},
    {"depth_embedding", "of other recurrences; recurrence_type: dwa is refused"},
    {"diet_experts", "read by nothing in the original either"},
    {"dropconnect_dropout", "of other recurrences; recurrence_type: others than basic and act are refused"},
    {"dwa_elements", "of other recurrences; recurrence_type: dwa is refused"},
    {"ema", "of models that are not here"},
    {"encoder_full_attention", "read by nothing in the original either"},
    {"epsilon", "of models that are not here"},
    {"expected_attention_loss_multiplier", "of supervised attention, which is not here"},
    {"expected_attention_loss_type", "of supervised attention, which is not here"},
    {"factored_logits", "how values lie in memory; it changes no result"},
    {"force_full_predict", "how TensorFlow predicts; it changes no result"},
    {"gate_ffn_layer", "of other recurrences; recurrence_type: others than basic and act are refused"},
    {"gating_type", "of models that are not here"},
    {"gpu_automatic_mixed_precision", "--precision=float16 is the way"},
    {"img_len", "images have the size of the data"},
    {"learning_rate_minimum", "None in every set, which nothing can override"},
    {"loss", "functions by feature; a problem's kind decides"},
    {"lsh_num_hyperplanes", "of attention by hashes; attention_type=sparse_multihead is refused"},
    {"lsh_use_map_fn", "of attention by hashes; attention_type=sparse_multihead is refused"},
    {"lstm_forget_bias", "of other recurrences; recurrence_type: lstm is refused"},
    {"mixed_precision_optimizer_loss_scaler", "the loss scale of float16 is always the exponential one"},
    {"mlperf_mode", "of a log for MLPerf"},
    {"moe_hidden_sizes", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"moe_k", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"moe_layers", "read by nothing in the original either"},
    {"moe_loss_coef", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"moe_num_experts", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"moe_overhead_eval", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"moe_overhead_train", "of mixtures of experts; ffn_layer=local_moe is refused"},
    {"name", "functions by feature; a problem's kind decides"},
    {"nbr_decoder_problems", "a model has one decoder"},
    {"no_data_parallelism", "how TensorFlow computes; it changes no result"},
    {"noise_dev", "of models that are not here"},
    {"num_blocks", "of models that are not here"},
    {"num_output_layers", "of models that are not here"},
    {"num_residuals", "of models that are not here"},
    {"num_samples", "of models that are not here"},
    {"optimizer_zero_grads", "how TensorFlow computes; it changes no result"},
    {"pad_batch", "of TPUs; batches have the rows they have"},
    {"print_vars", "what is printed; it changes no result"},
    {"random_top_k", "of models that are not here"},
    {"residual_centroids", "of models that are not here"},
    {"scheduled_sampling_gold_mixin_prob", "scheduled_sampling_prob above 0 is refused"},
    {"scheduled_sampling_method", "scheduled_sampling_prob above 0 is refused"},
    {"scheduled_sampling_num_passes", "scheduled_sampling_prob above 0 is refused"},
    {"scheduled_sampling_warmup_schedule", "scheduled_sampling_prob above 0 is refused"},
    {"scheduled_sampling_warmup_steps", "scheduled_sampling_prob above 0 is refused"},
    {"shared_rel", "read by nothing in the original either: every head has its own table of relative positions"},
    {"sim_loss_mult", "read by nothing in the original either"},
    {"simulated_parameter_quantize_bits", "read by nothing in the original either"},
    {"simulated_quantize_bits", "read by nothing in the original either"},
    {"soft_em", "of models that are not here"},
    {"split_targets_max_chunks", "a longer text has more chunks here; the original fails"},
    {"split_targets_strided_training", "of TPUs, elsewhere the original fails: a batch has the same chunk of all its texts"},
    {"summarize_grads", "histograms in event files (--summary_histograms)"},
    {"summarize_vars", "histograms in event files (--summary_histograms)"},
    {"top", "functions by feature; a problem's kind decides"},
    {"tpu_enable_host_call", "there is no TPU"},
    {"transform_bias_init", "of other recurrences; recurrence_type: highway and skip are refused"},
    {"use_custom_ops", "how TensorFlow computes; it changes no result"},
    {"use_memory_as_final_state", "of other recurrences; recurrence_type: lstm is refused"},
    {"use_nchw", "how values lie in memory; it changes no result"},
    {"use_scales", "of models that are not here"},
    {"video_num_input_frames", "of videos, which are not here"},
    {"video_num_target_frames", "of videos, which are not here"},
    {"weights_fn", "functions by feature; a problem's kind decides"},
    {"z_size", "of models that are not here"},
};
/* clang-format on */

const char *mdl_hparams_unused(const char *name)
{
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        if (strcmp(unused[i].name, name) == 0)
            return unused[i].why;
    return NULL;
}

void mdl_hparams_markdown(struct t2_buf *out)
{
    t2_buf_puts(out, "\n| hparam without meaning here | because |\n|---|---|\n");
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        t2_buf_printf(out, "| %s | %s |\n", unused[i].name, unused[i].why);
}
