/*
 * train/experiment/fields_translation.c - the translation task: wmt_transformer/large.
 */
#include "train/experiment/fields.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

static const char one_net[] = "the network of the experiment has no other";
static const char decoding[] = "t2t-decoder --decode_hparams";

/* clang-format off */
#define STACK(where) \
    {where ".num_layers", EXP_T_INT, "6", EXP_READ, "hparam num_hidden_layers"}, \
    {where ".num_attention_heads", EXP_T_INT, "8", EXP_READ, "hparam num_heads"}, \
    {where ".intermediate_size", EXP_T_INT, "2048", EXP_READ, "hparam filter_size"}, \
    {where ".activation", EXP_T_STRING, "relu", EXP_FIXED, one_net}, \
    {where ".dropout_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam layer_prepostprocess_dropout"}, \
    {where ".attention_dropout_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam attention_dropout"}, \
    {where ".intermediate_dropout", EXP_T_NUMBER, "0.1", EXP_READ, "hparam relu_dropout"}, \
    {where ".use_bias", EXP_T_BOOL, "false", EXP_FIXED, one_net}, \
    {where ".norm_first", EXP_T_BOOL, "true", EXP_FIXED, one_net}, \
    {where ".norm_epsilon", EXP_T_NUMBER, "1.0e-06", EXP_FIXED, one_net}

static const struct exp_field task[] = {
    {"init_checkpoint", EXP_T_STRING, "''", EXP_FIXED, "a run begins at random, or continues its own"},
    {"print_translations", EXP_T_BOOL | EXP_T_OR_NULL, "null", EXP_PASSED, "t2t-decoder writes them"},
    {"sentencepiece_model_path", EXP_T_STRING | EXP_T_OR_NULL, "null", EXP_READ, "must be the vocabulary that the shards were made with"},
    STACK("model.encoder"), STACK("model.decoder"),
    {"model.embedding_width", EXP_T_INT, "512", EXP_READ, "hparam hidden_size"},
    {"model.dropout_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam layer_prepostprocess_dropout"},
    {"model.label_smoothing", EXP_T_NUMBER, "0.1", EXP_HPARAM, "label_smoothing"},
    {"model.padded_decode", EXP_T_BOOL, "true", EXP_PASSED, "the translations are the same"},
    {"model.decode_max_length", EXP_T_INT, "100", EXP_PASSED, decoding},
    {"model.beam_size", EXP_T_INT, "4", EXP_PASSED, decoding},
    {"model.alpha", EXP_T_NUMBER, "0.6", EXP_PASSED, decoding},
};

static const struct exp_field data[] = {
    {"drop_remainder", EXP_T_BOOL, "true", EXP_PASSED, "training has no last batch, evaluation takes all"},
    {"global_batch_size", EXP_T_INT, "0", EXP_READ, "hparam batch_size, of train_data"},
    {"has_unique_id", EXP_T_BOOL, "false", EXP_PASSED, "t2t-decoder keeps the order of its input"},
    {"max_seq_length", EXP_T_INT, "64", EXP_READ, "hparam max_length, of train_data"},
    {"sentencepiece_model_path", EXP_T_STRING, "''", EXP_PASSED, "task.sentencepiece_model_path is read"},
    {"src_lang", EXP_T_STRING, "''", EXP_PASSED, "the problem's name says the direction"},
    {"static_batch", EXP_T_BOOL, "false", EXP_READ, "hparam static_batch, of train_data"},
    {"tgt_lang", EXP_T_STRING, "''", EXP_PASSED, "the problem's name says the direction"},
    {"transform_and_batch", EXP_T_BOOL, "true", EXP_FIXED, "batches are made of single records"},
};
/* clang-format on */

const struct exp_fields exp_translation_fields = {task, N(task)};
const struct exp_fields exp_translation_data_fields = {data, N(data)};
