/*
 * train/experiment/fields_bert.c - the tasks of BERT: bert/sentence_prediction, bert/pretraining,
 * bert/squad.
 */
#include "train/experiment/fields.h"

#define N(rows) (sizeof(rows) / sizeof((rows)[0]))

enum { INT_OR_NULL = EXP_T_INT | EXP_T_OR_NULL, STRING_OR_NULL = EXP_T_STRING | EXP_T_OR_NULL };

static const char one_net[] = "the encoder has no other form here";
static const char at_random[] =
    "a run begins at random, or continues its own; --warm_start_from takes a run's variables";
static const char outputs[] = "the last output is read";

/* clang-format off */
#define ABSENT(name) {name, EXP_T_NULL, "null", EXP_FIXED, "this encoder is not built; bert is"}

static const struct exp_field encoder[] = {
    {"type", EXP_T_CHOICE, "bert", EXP_READ, "--model"},
    {"bert.vocab_size", EXP_T_INT, "30522", EXP_READ, "hparam vocab_size"},
    {"bert.hidden_size", EXP_T_INT, "768", EXP_READ, "hparam hidden_size"},
    {"bert.num_layers", EXP_T_INT, "12", EXP_READ, "hparam num_hidden_layers"},
    {"bert.num_attention_heads", EXP_T_INT, "12", EXP_READ, "hparam num_heads"},
    {"bert.hidden_activation", EXP_T_STRING, "gelu", EXP_FIXED, one_net},
    {"bert.intermediate_size", EXP_T_INT, "3072", EXP_READ, "hparam filter_size"},
    {"bert.dropout_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam layer_prepostprocess_dropout"},
    {"bert.attention_dropout_rate", EXP_T_NUMBER, "0.1", EXP_READ, "hparam attention_dropout"},
    {"bert.max_position_embeddings", EXP_T_INT, "512", EXP_READ, "hparam max_position_embeddings"},
    {"bert.type_vocab_size", EXP_T_INT, "2", EXP_READ, "hparam type_vocab_size"},
    {"bert.initializer_range", EXP_T_NUMBER, "0.02", EXP_READ, "hparam initializer_range"},
    {"bert.embedding_size", INT_OR_NULL, "null", EXP_FIXED, one_net},
    {"bert.output_range", INT_OR_NULL, "null", EXP_FIXED, one_net},
    {"bert.return_all_encoder_outputs", EXP_T_BOOL, "false", EXP_PASSED, outputs},
    {"bert.return_attention_scores", EXP_T_BOOL, "false", EXP_PASSED, outputs},
    {"bert.return_word_embeddings", EXP_T_BOOL, "false", EXP_PASSED, outputs},
    {"bert.norm_first", EXP_T_BOOL, "false", EXP_FIXED, one_net},
    ABSENT("albert"), ABSENT("any"), ABSENT("bert_v2"), ABSENT("bigbird"), ABSENT("fnet"), ABSENT("funnel"),
    ABSENT("kernel"), ABSENT("mobilebert"), ABSENT("query_bert"), ABSENT("reuse"), ABSENT("sparse_mixer"),
    ABSENT("xlnet"),
};

static const struct exp_field sentence[] = {
    {"init_checkpoint", EXP_T_STRING, "''", EXP_FIXED, at_random},
    {"init_cls_pooler", EXP_T_BOOL, "false", EXP_PASSED, "there is no init_checkpoint"},
    {"hub_module_url", EXP_T_STRING, "''", EXP_FIXED, at_random},
    {"metric_type", EXP_T_STRING, "accuracy", EXP_FIXED, "the accuracy is reported"},
    {"model.num_classes", EXP_T_INT, "0", EXP_READ, "hparam num_label_classes; 1, a number in place of classes, is not built: the original compares every prediction with every label of the batch there"},
    {"model.use_encoder_pooler", EXP_T_BOOL, "false", EXP_READ, "hparam use_encoder_pooler"},
};

static const struct exp_field masked[] = {
    {"init_checkpoint", EXP_T_STRING, "''", EXP_FIXED, at_random},
    {"scale_loss", EXP_T_BOOL, "false", EXP_PASSED, "the original does not read it"},
    {"model.cls_heads", EXP_T_ONE, "[]", EXP_READ, "next_sentence, for records with next_sentence_labels"},
    {"model.cls_heads.inner_dim", EXP_T_INT, "0", EXP_READ, "hparam sentence_head_size"},
    {"model.cls_heads.num_classes", EXP_T_INT, "2", EXP_FIXED, "the second text follows the first, or not"},
    {"model.cls_heads.activation", STRING_OR_NULL, "tanh", EXP_FIXED, one_net},
    {"model.cls_heads.dropout_rate", EXP_T_NUMBER, "0.0", EXP_READ, "hparam dropout"},
    {"model.cls_heads.cls_token_idx", EXP_T_INT, "0", EXP_FIXED, "[CLS] is in front"},
    {"model.cls_heads.name", STRING_OR_NULL, "null", EXP_FIXED, "the loss of next_sentence_labels is of the head of this name"},
    {"model.mlm_activation", EXP_T_STRING, "gelu", EXP_FIXED, one_net},
    {"model.mlm_initializer_range", EXP_T_NUMBER, "0.02", EXP_READ, "as that of the encoder"},
    {"model.mlm_output_weights_use_proj", EXP_T_BOOL, "false", EXP_PASSED, "of MobileBERT"},
};

static const char decoder[] = "of t2t-decoder, which answers questions: its --decode_hparams";

static const struct exp_field answers[] = {
    {"init_checkpoint", EXP_T_STRING, "''", EXP_FIXED, at_random},
    {"hub_module_url", EXP_T_STRING, "''", EXP_FIXED, at_random},
    {"n_best_size", EXP_T_INT, "20", EXP_PASSED, decoder},
    {"max_answer_length", EXP_T_INT, "30", EXP_PASSED, decoder},
    {"null_score_diff_threshold", EXP_T_NUMBER, "0.0", EXP_PASSED, decoder},
};

#define DATA \
    {"file_type", EXP_T_STRING, "tfrecord", EXP_FIXED, "shards are TFRecords"}, \
    {"seq_length", EXP_T_INT, SEQ_LENGTH, EXP_READ, "hparam max_input_seq_length, of train_data: ids of a record, padding included"}

static const struct exp_field sentence_data[] = {
#define SEQ_LENGTH "128"
    DATA,
#undef SEQ_LENGTH
    {"drop_remainder", EXP_T_BOOL, "true", EXP_PASSED, "training has no last batch, evaluation takes all"},
    {"global_batch_size", EXP_T_INT, "32", EXP_READ, "hparam batch_size, of train_data; of validation_data: what validation_steps counts"},
    {"include_example_id", EXP_T_BOOL, "false", EXP_PASSED, "nothing is predicted by name"},
    {"label_field", EXP_T_STRING, "label_ids", EXP_FIXED, "records have their label there"},
    {"label_name", EXP_T_STRINGS | EXP_T_OR_NULL, "null", EXP_FIXED, "records have their label in label_ids"},
    {"label_type", EXP_T_STRING, "int", EXP_FIXED, "labels are classes"},
};

static const struct exp_field masked_data[] = {
#define SEQ_LENGTH "512"
    DATA,
#undef SEQ_LENGTH
    {"drop_remainder", EXP_T_BOOL, "true", EXP_PASSED, "training has no last batch, evaluation takes all"},
    {"global_batch_size", EXP_T_INT, "512", EXP_READ, "hparam batch_size, of train_data; of validation_data: what validation_steps counts"},
    {"max_predictions_per_seq", EXP_T_INT, "76", EXP_READ, "hparam max_target_seq_length, of train_data: masked positions of a record, padding included"},
    {"use_next_sentence_label", EXP_T_BOOL, "true", EXP_READ, "must say whether the records have next_sentence_labels"},
    {"use_position_id", EXP_T_BOOL, "false", EXP_FIXED, "positions count from 0"},
    {"use_v2_feature_names", EXP_T_BOOL, "false", EXP_PASSED, "either names are read: input_ids, segment_ids or input_word_ids, input_type_ids"},
};

static const struct exp_field answer_data[] = {
#define SEQ_LENGTH "384"
    DATA,
#undef SEQ_LENGTH
    {"drop_remainder", EXP_T_BOOL, "true", EXP_PASSED, "training has no last batch, evaluation takes all"},
    {"global_batch_size", EXP_T_INT, "48", EXP_READ, "hparam batch_size, of train_data; of validation_data: what validation_steps counts"},
    {"version_2_with_negative", EXP_T_BOOL, "false", EXP_PASSED, decoder},
    {"input_preprocessed_data_path", EXP_T_STRING, "''", EXP_PASSED, "rows of questions are not kept"},
    {"doc_stride", EXP_T_INT, "128", EXP_PASSED, decoder},
    {"query_length", EXP_T_INT, "64", EXP_PASSED, decoder},
    {"vocab_file", EXP_T_STRING, "''", EXP_PASSED, "of t2t-decoder: --vocab_file"},
    {"tokenization", EXP_T_STRING, "WordPiece", EXP_FIXED, "questions are of WordPiece"},
    {"do_lower_case", EXP_T_BOOL, "true", EXP_PASSED, decoder},
    {"xlnet_format", EXP_T_BOOL, "false", EXP_FIXED, "[CLS] is in front"},
};
/* clang-format on */

const struct exp_fields exp_bert_fields = {encoder, N(encoder)};
const struct exp_fields exp_sentence_fields = {sentence, N(sentence)};
const struct exp_fields exp_sentence_data_fields = {sentence_data, N(sentence_data)};
const struct exp_fields exp_masked_fields = {masked, N(masked)};
const struct exp_fields exp_masked_data_fields = {masked_data, N(masked_data)};
const struct exp_fields exp_answer_fields = {answers, N(answers)};
const struct exp_fields exp_answer_data_fields = {answer_data, N(answer_data)};
