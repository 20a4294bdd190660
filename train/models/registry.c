/*
 * train/models/registry.c - the models by name: those of the program, and those of plug-ins.
 */
#include <string.h>

#include "train/models/kind.h"
#include "train/models/layer_file.h"

enum { MOST_OWN = 256 };

/* sorted by name */
static const struct mdl_kind *const built_in[] = {&mdl_attention_lm,
                                                  &mdl_attention_lm_moe,
                                                  &mdl_basic_fc_relu,
                                                  &mdl_byte_net,
                                                  &mdl_evolved_transformer,
                                                  &mdl_flowers_cnn,
                                                  &mdl_image_transformer,
                                                  &mdl_image_transformer_2d,
                                                  &mdl_img2img_transformer,
                                                  &mdl_keras_resnet50,
                                                  &mdl_lstm_encoder,
                                                  &mdl_lstm_seq2seq,
                                                  &mdl_lstm_seq2seq_attention,
                                                  &mdl_lstm_seq2seq_attention_bidirectional_encoder,
                                                  &mdl_lstm_seq2seq_bidirectional_encoder,
                                                  &mdl_mg_bert_classifier,
                                                  &mdl_mg_bert_pretrainer,
                                                  &mdl_mg_bert_span_labeler,
                                                  &mdl_mg_mobilenet,
                                                  &mdl_mg_resnet,
                                                  &mdl_mg_vit,
                                                  &mdl_mnist_cnn,
                                                  &mdl_official_transformer,
                                                  &mdl_record_net,
                                                  &mdl_resnet,
                                                  &mdl_revnet,
                                                  &mdl_shake_shake,
                                                  &mdl_slice_net,
                                                  &mdl_text_cnn,
                                                  &mdl_tpu_resnet,
                                                  &mdl_transformer,
                                                  &mdl_transformer_encoder,
                                                  &mdl_transformer_memory,
                                                  &mdl_transformer_regressor,
                                                  &mdl_transformer_revnet,
                                                  &mdl_transformer_scorer,
                                                  &mdl_universal_transformer,
                                                  &mdl_universal_transformer_encoder,
                                                  &mdl_xception};

enum { N_BUILT_IN = sizeof built_in / sizeof *built_in };

/* Both, sorted; the plug-ins' are added when the program begins, by one thread. */
static const struct mdl_kind *kinds[N_BUILT_IN + MOST_OWN];
static size_t n_kinds;

static void begin(void)
{
    if (n_kinds > 0)
        return;
    memcpy(kinds, built_in, sizeof built_in);
    n_kinds = N_BUILT_IN;
}

size_t mdl_count(void)
{
    return n_kinds > 0 ? n_kinds : N_BUILT_IN;
}

static const struct mdl_kind *kind_at(size_t i)
{
    return n_kinds > 0 ? kinds[i] : built_in[i];
}

const char *mdl_name(size_t i)
{
    T2_ASSERT(i < mdl_count());
    return kind_at(i)->name;
}

const struct mdl_kind *mdl_find_kind(const char *name)
{
    for (size_t i = 0; i < mdl_count(); i++)
        if (strcmp(kind_at(i)->name, name) == 0)
            return kind_at(i);
    return mdl_is_layer_file(name) ? &mdl_layer_file : NULL;
}

/* Letters, digits and underscores: names are parts of files and of variables. */
static bool is_name(const char *name)
{
    return name[0] != '\0' && strlen(name) < MDL_NAME_BYTES &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

enum t2_status mdl_register(const struct mdl_kind *kind, struct t2_err *err)
{
    size_t at;

    if (!kind->name || !is_name(kind->name))
        return t2_fail(err, T2_EFORMAT,
                       "model '%s': a name has at most %d small letters, digits and underscores",
                       kind->name ? kind->name : "", MDL_NAME_BYTES - 1);
    if (!kind->check || !kind->build)
        return t2_fail(err, T2_EFORMAT, "model '%s' needs the functions check and build",
                       kind->name);
    if (mdl_find_kind(kind->name))
        return t2_fail(err, T2_EFORMAT, "there is a model '%s' already", kind->name);
    begin();
    if (n_kinds == N_BUILT_IN + MOST_OWN)
        return t2_fail(err, T2_EFORMAT, "model '%s': plug-ins have at most %d models", kind->name,
                       MOST_OWN);
    for (at = n_kinds; at > 0 && strcmp(kinds[at - 1]->name, kind->name) > 0; at--)
        kinds[at] = kinds[at - 1];
    kinds[at] = kind;
    n_kinds++;
    return T2_OK;
}
