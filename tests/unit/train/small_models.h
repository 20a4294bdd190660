/*
 * tests/unit/train/small_models.h - every registered model as a run that is opened in milliseconds:
 * a data set that suits it, its own set made small.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SMALL_MODELS_H
#define T2_TESTS_UNIT_TRAIN_SMALL_MODELS_H

#include "tests/support/record_writer.h"
#include "tests/unit/train/ids_problem.h"
#include "tests/unit/train/image_shards.h"

enum { SMALL_LABELS = 5 };

struct small_model {
    const char *model, *set, *problem, *hparams;
};

#define SMALL_TF "hidden_size=16,num_heads=2,num_hidden_layers=1,batch_size=100,max_length=32"

#define SMALL_BERT                                                                                 \
    "batch_size=4,vocab_size=40,hidden_size=16,num_hidden_layers=1,num_heads=2,filter_size=24,"    \
    "max_position_embeddings=16"

static const struct small_model small_models[] = {
    {"attention_lm", "attention_lm_translation", "ids", SMALL_TF ",filter_size=24"},
    {"attention_lm_moe", "attention_lm_moe_translation", "ids", SMALL_TF ",filter_size=24"},
    {"basic_fc_relu", "basic_fc_small", "image_cifar10", "batch_size=4,hidden_size=8"},
    {"byte_net", "bytenet_base", "ids",
     "hidden_size=16,num_hidden_layers=1,num_block_repeat=1,batch_size=100,max_length=32"},
    {"evolved_transformer", "evolved_transformer_tiny", "ids",
     "hidden_size=16,num_heads=2,num_encoder_layers=1,num_decoder_layers=1,batch_size=100,"
     "max_length=32,learning_rate_schedule=constant"},
    {"flowers_cnn", "flowers_cnn", "image_cifar10", "batch_size=4,hidden_size=8"},
    {"imagetransformer", "imagetransformer_tiny", "image_cifar10_rev",
     "batch_size=1,hidden_size=8,num_heads=2,filter_size=8,image_size=8,block_length=16"},
    {"imagetransformer2d", "imagetransformer2d_tiny", "image_cifar10_rev",
     "batch_size=1,hidden_size=8,num_heads=2,filter_size=8,image_size=8,query_shape=[4,8],"
     "memory_flange=[4,8]"},
    {"img2img_transformer", "img2img_transformer2d_tiny", "img2img_cifar10",
     "batch_size=1,hidden_size=8,num_heads=2,filter_size=8,image_size=16,num_encoder_layers=1,"
     "num_decoder_layers=1,query_shape=[8,16],memory_flange=[4,8]"},
    {"keras_resnet50", "keras_resnet50", "image_cifar10",
     "batch_size=2,filter_sizes=[2,2,2,2,2],image_size=32"},
    {"lstm_encoder", "lstm_seq2seq", "ids_to_label", "hidden_size=16,batch_size=100,max_length=32"},
    {"lstm_seq2seq", "lstm_seq2seq", "ids", "hidden_size=16,batch_size=100,max_length=32"},
    {"lstm_seq2seq_attention", "lstm_bahdanau_attention", "ids",
     "hidden_size=16,attention_layer_size=8,batch_size=100,max_length=32"},
    {"lstm_seq2seq_attention_bidirectional_encoder", "lstm_luong_attention_multi", "ids",
     "hidden_size=16,attention_layer_size=8,batch_size=100,max_length=32"},
    {"lstm_seq2seq_bidirectional_encoder", "lstm_seq2seq", "ids",
     "hidden_size=16,batch_size=100,max_length=32"},
    {"mg_bert_classifier", "mg_bert_base", "sentences", SMALL_BERT},
    {"mg_bert_pretrainer", "mg_bert_base", "masked_sentences", SMALL_BERT ",sentence_head_size=8"},
    {"mg_bert_span_labeler", "mg_bert_base", "answered_sentences",
     SMALL_BERT ",max_input_seq_length=9"},
    {"mg_mobilenet", "mg_mobilenet_imagenet", "image_cifar10",
     "batch_size=2,model_id=MobileNetV3Small,filter_size_scale=0.25,image_size=32"},
    {"mg_resnet", "mg_resnet_imagenet", "image_cifar10",
     "batch_size=2,filter_sizes=[2,2,2,2,2],resnet_depth=18,image_size=32"},
    {"mg_vit", "mg_vit_ti16", "image_cifar10",
     "batch_size=2,patch_size=8,hidden_size=8,filter_size=12,num_heads=2,num_hidden_layers=2,"
     "image_size=32"},
    {"mnist_cnn", "mnist_cnn", "image_mnist", "batch_size=4,hidden_size=8"},
    {"official_transformer", "official_transformer_tiny", "ids",
     SMALL_TF ",vocab_size=0,filter_size=24"},
    {"record_net", "record_net_small", "image_cifar10",
     "batch_size=4,filter_sizes=[4,8,8],image_pipeline=record,image_size=0"},
    {"resnet", "resnet_cifar_15", "image_cifar10",
     "batch_size=4,layer_sizes=[1,1,1],filter_sizes=[4,4,4,4]"},
    {"revnet", "revnet_164_cifar", "image_cifar10",
     "batch_size=2,num_channels_init_block=4,num_channels=[2,2],num_layers_per_block=[1,1],"
     "strides=[1,2],first_batch_norm=[false,true]"},
    {"shake_shake", "shakeshake_small", "image_cifar10",
     "batch_size=2,hidden_size=16,num_hidden_layers=8"},
    {"slice_net", "slicenet_1tiny", "ids",
     "hidden_size=32,num_heads=2,num_hidden_layers=1,batch_size=100,max_length=32"},
    {"text_cnn", "text_cnn_base", "ids_to_label",
     "hidden_size=16,num_filters=4,batch_size=100,max_length=32"},
    {"tpu_resnet", "tpu_resnet_18", "image_cifar10",
     "batch_size=2,filter_sizes=[2,2,2,2,2],image_size=32"},
    {"transformer", "transformer_tiny", "ids", SMALL_TF ",filter_size=24"},
    {"transformer_encoder", "transformer_tiny", "ids_to_label", SMALL_TF ",filter_size=24"},
    {"transformer_memory", "transformer_wikitext103_l4k_memory_v0", "ids_alone",
     SMALL_TF ",filter_size=24,split_targets_chunk_length=8,num_memory_items=8,"
              "max_relative_position=4"},
    {"transformer_regressor", "transformer_tiny", "ids_to_number", SMALL_TF ",filter_size=24"},
    {"transformer_revnet", "transformer_revnet_base", "ids", SMALL_TF ",filter_size=24"},
    {"transformer_scorer", "transformer_tiny", "ids", SMALL_TF ",filter_size=24"},
    {"universal_transformer", "universal_transformer_tiny", "ids",
     SMALL_TF ",filter_size=24,num_rec_steps=2"},
    {"universal_transformer_encoder", "universal_transformer_tiny", "ids_to_label",
     SMALL_TF ",filter_size=24,num_rec_steps=2"},
    {"xception", "xception_tiny", "image_cifar10",
     "batch_size=2,hidden_size=8,num_hidden_layers=1"},
};
enum { N_SMALL_MODELS = sizeof small_models / sizeof *small_models };

static inline void small_register_labels(void)
{
    static const struct dg_problem problem = {
        .name = "ids_to_label",
        .summary = "Made-up ids and their label.",
        .has_inputs = true,
        .inputs_vocab = {.kind = DG_VOCAB_BYTES},
        .targets_vocab = {.kind = DG_VOCAB_CLASSES, .approx_size = SMALL_LABELS},
        .n_shards = {1, 1, 0},
        .open = ids_open,
    };
    static const struct dg_problem number = {
        .name = "ids_to_number",
        .summary = "Made-up ids and a number.",
        .has_inputs = true,
        .inputs_vocab = {.kind = DG_VOCAB_BYTES},
        .targets_vocab = {.kind = DG_VOCAB_REALS, .approx_size = 1},
        .n_shards = {1, 1, 0},
        .open = ids_open,
    };
    static const struct dg_problem alone = {
        .name = "ids_alone",
        .summary = "The targets of ids.",
        .dataset_filename = "ids",
        .targets_vocab = {.kind = DG_VOCAB_BYTES},
        .n_shards = {2, 1, 0},
        .open = ids_open,
    };
    struct t2_err err = T2_ERR_INIT;

    if (!dg_find(alone.name) && dg_register(&alone, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (!dg_find(problem.name) && dg_register(&problem, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (!dg_find(number.name) && dg_register(&number, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* Texts and one label of ids_to_label, or one number of ids_to_number. */
static inline void small_write_targets(const char *dir, const char *problem, const char *split,
                                       int32_t n)
{
    bool labels = strcmp(problem, "ids_to_label") == 0;
    char *path = tfr_shard_path(dir, problem, split, 0, 1);
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (int32_t i = 0; i < n; i++) {
        const int64_t inputs[] = {2 + i % 97, 2 + i % 5, 1}, label = i % SMALL_LABELS;
        const float number = (float) (i % SMALL_LABELS);
        const struct tfr_feature features[] = {
            {.name = "inputs", .kind = TFR_INT64, .n = 3, .ints = inputs},
            {.name = "targets",
             .kind = labels ? TFR_INT64 : TFR_FLOAT,
             .n = 1,
             .ints = &label,
             .floats = &number}};
        struct t2_buf b = {0};

        tfr_example_build(&b, features, 2);
        t_writer_add(w, b.data, b.len_bytes);
        t2_buf_release(&b);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    t2_free(path);
}

/* Model Garden's records of BERT: 9 ids, the last of which are padding; with a label, with one
 * masked id, or with an answer. */
static inline void small_write_sentences(const char *dir, const char *split, int32_t n,
                                         enum mdl_sentences kind)
{
    static const char *const names[] = {[MDL_SENTENCES_LABELLED] = "sentences",
                                        [MDL_SENTENCES_MASKED] = "masked_sentences",
                                        [MDL_SENTENCES_ANSWERED] = "answered_sentences"};
    char *path = tfr_shard_path(dir, names[kind], split, 0, 1);
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (int32_t i = 0; i < n; i++) {
        int64_t ids[9] = {0}, mask[9] = {0}, types[9] = {0}, label = i % SMALL_LABELS;
        const int64_t positions[2] = {1, 0}, was[2] = {3 + i % 30, 0}, next = i % 2, last = 4;
        const float weights[2] = {1.0F, 0.0F};
        const struct tfr_feature of_all[] = {
            {.name = "input_ids", .kind = TFR_INT64, .n = 9, .ints = ids},
            {.name = "input_mask", .kind = TFR_INT64, .n = 9, .ints = mask},
            {.name = "segment_ids", .kind = TFR_INT64, .n = 9, .ints = types},
            {.name = "label_ids", .kind = TFR_INT64, .n = 1, .ints = &label}};
        const struct tfr_feature of_masked[] = {
            of_all[0],
            of_all[1],
            of_all[2],
            {.name = "masked_lm_positions", .kind = TFR_INT64, .n = 2, .ints = positions},
            {.name = "masked_lm_ids", .kind = TFR_INT64, .n = 2, .ints = was},
            {.name = "masked_lm_weights", .kind = TFR_FLOAT, .n = 2, .floats = weights},
            {.name = "next_sentence_labels", .kind = TFR_INT64, .n = 1, .ints = &next}};
        const struct tfr_feature of_answered[] = {
            of_all[0],
            of_all[1],
            of_all[2],
            {.name = "start_positions", .kind = TFR_INT64, .n = 1, .ints = &next},
            {.name = "end_positions", .kind = TFR_INT64, .n = 1, .ints = &last}};
        struct t2_buf b = {0};

        for (int k = 0; k < 5 + i % 4; k++) {
            ids[k] = 3 + (i + k) % 30;
            mask[k] = 1;
            types[k] = k > 3;
        }
        if (kind == MDL_SENTENCES_LABELLED)
            tfr_example_build(&b, of_all, 4);
        else if (kind == MDL_SENTENCES_MASKED)
            tfr_example_build(&b, of_masked, 7);
        else
            tfr_example_build(&b, of_answered, 5);
        t_writer_add(w, b.data, b.len_bytes);
        t2_buf_release(&b);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    t2_free(path);
}

/* The shards of all their problems. */
static inline void small_write_data(const char *dir)
{
    ids_register();
    small_register_labels();
    ids_write(dir, "train", 60, 2, 30);
    ids_write(dir, "dev", 10, 1, 30);
    small_write_targets(dir, "ids_to_label", "train", 40);
    small_write_targets(dir, "ids_to_label", "dev", 10);
    small_write_targets(dir, "ids_to_number", "train", 40);
    small_write_targets(dir, "ids_to_number", "dev", 10);
    for (int kind = MDL_SENTENCES_LABELLED; kind <= MDL_SENTENCES_ANSWERED; kind++) {
        small_write_sentences(dir, "train", 40, (enum mdl_sentences) kind);
        small_write_sentences(dir, "dev", 10, (enum mdl_sentences) kind);
    }
    images_write(dir, "image_cifar10", "train", 12, 1, 32, 32, 3, 0);
    images_write(dir, "image_cifar10", "dev", 4, 1, 32, 32, 3, 0);
    images_write(dir, "image_cifar10_plain", "train", 12, 1, 32, 32, 3, 0);
    images_write(dir, "image_cifar10_plain", "dev", 4, 1, 32, 32, 3, 0);
    images_write(dir, "image_mnist", "train", 12, 1, 28, 28, 1, 0);
    images_write(dir, "image_mnist", "dev", 4, 1, 28, 28, 1, 0);
}

static inline struct tr_options small_options(const struct small_model *m, const char *data_dir,
                                              const char *output_dir)
{
    struct tr_options o = small_run_options(data_dir, output_dir);

    o.problem = m->problem;
    o.model = m->model;
    o.hparams_set = m->set;
    o.hparams = m->hparams;
    o.train_steps = o.eval_steps = 1;
    o.max_memory = UINT64_C(1) << 30;
    return o;
}

#endif
