/*
 * train/models/hparams_universal.c - the registered sets of the Universal Transformer.
 *
 * tensor2tensor/models/research/universal_transformer.py of release 1.15.7.  Sets whose recurrence
 * is not part of this program are here, too: the model names what it refuses when they are used.
 * How a row is read: hparams_store.h.
 */
#include "train/models/hparams_store.h"

/* clang-format off */
#define I(name, value) {name, MDL_HP_INT, value, 0.0, NULL}
#define F(name, value) {name, MDL_HP_FLOAT, 0, value, NULL}
#define B(name, value) {name, MDL_HP_BOOL, value, 0.0, NULL}
#define S(name, value) {name, MDL_HP_STRING, 0, 0.0, value}
#define NONE(name)     {name, MDL_HP_NONE, 0, 0.0, NULL}

/* Keys that update_hparams_for_universal_transformer adds; those that follow the number of layers
 * are STEPS and its double. */
#define KEYS(steps)                                                                              \
    NONE("mix_with_transformer"),                                                                \
    I("num_mixedin_layers", 2),                                                                  \
    I("num_inrecurrence_layers", 1),                                                             \
    S("recurrence_type", "basic"),                                                               \
    I("num_rec_steps", steps),                                                                   \
    B("add_position_timing_signal", true),                                                       \
    NONE("position_start_index"),                                                                \
    B("add_step_timing_signal", true),                                                           \
    S("step_timing_signal_type", "learned"),                                                     \
    S("add_or_concat_timing_signal", "add"),                                                     \
    B("add_sru", false),                                                                         \
    S("transformer_ffn_type", "fc"),                                                             \
    F("transform_bias_init", -1.0),                                                              \
    B("couple_carry_transform_gates", true),                                                     \
    B("depth_embedding", true),                                                                  \
    B("dwa_elements", true),                                                                     \
    S("gate_ffn_layer", "dense"),                                                                \
    F("lstm_forget_bias", 1.0),                                                                  \
    B("use_memory_as_final_state", false),                                                       \
    B("add_ffn_unit_to_the_transition_function", false),                                         \
    S("act_type", "basic"),                                                                      \
    I("act_max_steps", 2 * (steps)),                                                             \
    F("act_halting_bias_init", 1.0),                                                             \
    F("act_epsilon", 0.01),                                                                      \
    F("act_loss_weight", 0.01)

static const struct mdl_default keys_of_6[] = {KEYS(6)}, keys_of_2[] = {KEYS(2)};

#define ROW(name, parent, changes) {name, parent, changes, NULL, 0}
#define FIRST(name, parent, changes, keys) \
    {name, parent, "pos=@null;daisy_chain_variables=false" changes, keys, sizeof keys / sizeof *keys}
#define ACT "recurrence_type=act"
#define TPU "@tpu;add_step_timing_signal=false"
#define TALL ACT ";num_hidden_layers=16;batch_size=1024;act_max_steps=24"

static const struct mdl_set sets[] = {
    FIRST("universal_transformer_base", "transformer_base",
        ";hidden_size=1024;filter_size=4096;num_heads=16;layer_prepostprocess_dropout=0.3", keys_of_6),
    FIRST("universal_transformer_small", "transformer_base", "", keys_of_6),
    FIRST("universal_transformer_base_fp16", "transformer_base", ";activation_dtype=float16", keys_of_6),
    FIRST("universal_transformer_tiny", "transformer_tiny", ";num_rec_steps=8", keys_of_2),
    FIRST("universal_transformer_teeny", "transformer_teeny", ";num_rec_steps=10", keys_of_6),
    ROW("universal_transformer_base_tpu", "universal_transformer_base", TPU),
    ROW("universal_transformer_big", "universal_transformer_base", "hidden_size=2048;filter_size=8192"),
    ROW("universal_transformer_tall", "universal_transformer_small", "num_rec_steps=16"),
    ROW("universal_transformer_small_dropconnect", "universal_transformer_small",
        "gate_ffn_layer=dense_dropconnect;dropconnect_dropout:float=0.5"),

    /* other recurrences */
    ROW("universal_transformer_skip_base", "universal_transformer_base", "recurrence_type=skip"),
    ROW("universal_transformer_highway_base", "universal_transformer_base", "recurrence_type=highway"),
    ROW("universal_transformer_dwa_base", "universal_transformer_base", "recurrence_type=dwa"),
    ROW("universal_transformer_lstm_base", "universal_transformer_base",
        "recurrence_type=lstm;add_step_timing_signal=false"),
    ROW("universal_transformer_gru_base", "universal_transformer_base",
        "recurrence_type=gru;add_step_timing_signal=false"),
    ROW("universal_transformer_lstm_tall", "universal_transformer_tall",
        "recurrence_type=lstm;add_step_timing_signal=false"),

    /* signals, mixed-in layers, feed-forward layers */
    ROW("universal_transformer_position_random_timing_tiny", "universal_transformer_tiny",
        "position_start_index:string=random"),
    ROW("universal_transformer_position_step_timing_tiny", "universal_transformer_tiny",
        "position_start_index:string=step"),
    ROW("universal_transformer_step_sinusoid_timing_tiny", "universal_transformer_tiny",
        "step_timing_signal_type=sinusoid"),
    ROW("universal_transformer_mix_before_ut_base", "universal_transformer_base",
        "mix_with_transformer:string=before_ut"),
    ROW("universal_transformer_mix_after_ut_base", "universal_transformer_base",
        "mix_with_transformer:string=after_ut"),
    ROW("universal_transformer_sepconv_big", "universal_transformer_big", "transformer_ffn_type=sepconv"),
    ROW("universal_transformer_sepconv_base", "universal_transformer_base", "transformer_ffn_type=sepconv"),
    ROW("universal_transformer_sepconv_tiny", "universal_transformer_tiny", "transformer_ffn_type=sepconv"),

    /* adaptive computation time */
    ROW("adaptive_universal_transformer_base", "universal_transformer_base", ACT),
    ROW("adaptive_universal_transformer_base_tpu", "adaptive_universal_transformer_base", TPU),
    ROW("adaptive_universal_transformer_multilayer_tpu", "adaptive_universal_transformer_base_tpu",
        "num_inrecurrence_layers=2;mix_with_transformer:string=before_ut,after_ut;"
        "num_mixedin_layers=1;transformer_ffn_type=sepconv"),
    ROW("adaptive_universal_transformer_multilayer_hard",
        "adaptive_universal_transformer_multilayer_tpu",
        "batch_size=256;hard_attention_k=8;add_step_timing_signal=true;"
        "self_attention_type=dot_product_relative_v2;max_relative_position=256"),
    ROW("adaptive_universal_transformer_small", "universal_transformer_small", ACT),
    ROW("adaptive_universal_transformer_tiny", "universal_transformer_tiny", ACT),
    ROW("adaptive_universal_transformer_sepconv_tiny", "universal_transformer_tiny",
        ACT ";transformer_ffn_type=sepconv"),
    ROW("adaptive_universal_transformer_global_base", "universal_transformer_base",
        ACT ";act_type=global"),
    ROW("adaptive_universal_transformer_global_base_tpu",
        "adaptive_universal_transformer_global_base", TPU),
    ROW("adaptive_universal_transformer_tall", "universal_transformer_small", TALL),
    ROW("adaptive_universal_transformer_tall_actlossw0", "universal_transformer_small",
        TALL ";act_loss_weight=0.0"),
    ROW("adaptive_universal_transformer_tall_actlossw001", "universal_transformer_small",
        TALL ";act_loss_weight=0.001"),
    ROW("adaptive_universal_transformer_base_dropout03", "universal_transformer_base",
        ACT ";layer_prepostprocess_dropout=0.3;attention_dropout=0.3;relu_dropout=0.3"),
    ROW("adaptive_universal_transformer_base_dropout05", "universal_transformer_base",
        ACT ";layer_prepostprocess_dropout=0.5;attention_dropout=0.5;relu_dropout=0.5"),
    ROW("adaptive_universal_transformer_position_random_timing_tiny", "universal_transformer_tiny",
        ACT ";position_start_index:string=random"),
    ROW("adaptive_universal_transformer_mix_before_ut_base", "universal_transformer_base",
        ACT ";mix_with_transformer:string=before_ut"),
    ROW("adaptive_universal_transformer_mix_after_ut_base", "universal_transformer_base",
        ACT ";mix_with_transformer:string=after_ut"),
    ROW("adaptive_universal_transformer_concat_tiny", "universal_transformer_tiny",
        ACT ";add_or_concat_timing_signal=concat"),
    ROW("adaptive_universal_transformer_with_sru_base", "universal_transformer_base",
        ACT ";add_sru=true"),
};
/* clang-format on */

const struct mdl_set_table mdl_universal_sets = {sets, sizeof sets / sizeof *sets};
